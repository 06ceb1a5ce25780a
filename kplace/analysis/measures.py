"""What can be kept of a run as a number: each measure by its name, with its meaning and its better end."""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from kplace.analysis import metrics
from kplace.analysis.subject import endings
from kplace.api import Cluster, Placements
from kplace.config.misfits import suggestion
from kplace.errors import UsageError
from kplace.frames.placements import STATUSES
from kplace.frames.schema import resource_of

Values = Mapping[str, float]
"""Numbers by what follows the colon; the empty text for a measure that has a single one."""
LOW, HIGH = "lower", "higher"


class Run:
    """A run that is over, with what several measures look at.

    Parameters
    ----------
    before : Cluster
    placements : Placements
    """

    def __init__(self, before: Cluster, placements: Placements) -> None:
        self.before = before
        self.placements = placements

    @cached_property
    def statuses(self) -> Mapping[str, int]:
        """Number of pods by status."""
        counts = np.bincount(self.placements.columns.status, minlength=len(STATUSES))
        return dict(zip(STATUSES, counts.tolist(), strict=True))

    @cached_property
    def nodes(self) -> pd.DataFrame:
        """The nodes as the run left them."""
        return self.placements.nodes

    @cached_property
    def resources(self) -> list[str]:
        """Resources that nodes offer."""
        return [resource_of(ending) for ending in endings(self.nodes)]

    @cached_property
    def skews(self) -> pd.DataFrame:
        """The topology spread constraints as the run left them."""
        return metrics.skews(self.placements)

    @property
    def pending(self) -> int:
        """Pods that found no node."""
        return self.statuses["unschedulable"] + self.statuses["error"]


@dataclass(frozen=True, slots=True)
class Measure:
    """A number, or one for each resource.

    Attributes
    ----------
    name, meaning : str
    compute : callable
    better : str
        `LOW`, `HIGH`, or empty where it depends.
    """

    name: str
    meaning: str
    compute: Callable[[Run], Values]
    better: str = ""
    by_resource: bool = False


def _by_resource(table: pd.DataFrame, column: str) -> Values:
    return dict(zip(table["resource"].astype("str"), table[column].astype("float64").tolist(), strict=True))


def _victims(run: Run) -> Values:
    return {"": int(run.placements.preemptions["victim_row"].nunique())}


def _pending_share(run: Run) -> Values:
    tried = run.statuses["scheduled"] + run.pending
    return {"": run.pending / tried if tried else math.nan}


def _stranded(run: Run) -> Values:
    holding = run.placements.cluster
    return _by_resource(metrics.stranded(run.nodes, metrics.smallest_needs(holding.pods)), "share")


def _lopsided(run: Run) -> Values:
    distances = metrics.lopsided(run.nodes).to_numpy(np.float64)
    known = distances[~np.isnan(distances)]
    return {"": float(known.mean()) if len(known) else math.nan}


def _skew(run: Run) -> Values:
    skews = run.skews["skew"]
    return {"": int(skews.max()) if len(skews) else math.nan}


def _gpu_fragmentation(run: Run) -> Values:
    pods = run.before.pods
    mix = metrics.gpu_mix(pods)
    found = metrics.gpu_fragmentation(run.nodes, mix)
    return {"": found.of_capacity}


MEASURES = (
    Measure("scheduled", "Pods that were placed.", lambda run: {"": run.statuses["scheduled"]}, HIGH),
    Measure("pending", "Pods that found no node.", lambda run: {"": run.pending}, LOW),
    Measure("pending_share", "Pods that found no node, as a share of those that were tried.", _pending_share, LOW),
    Measure("gated", "Pods that wait for a gate.", lambda run: {"": run.statuses["gated"]}),
    Measure("victims", "Pods that left, or would have to, for others.", _victims, LOW),
    Measure(
        "utilisation",
        "Requested as a share of allocatable, over all nodes.",
        lambda run: _by_resource(metrics.utilisation(run.nodes), "utilisation"),
        HIGH,
        by_resource=True,
    ),
    Measure(
        "imbalance",
        "Standard deviation of the nodes' utilisations.",
        lambda run: _by_resource(metrics.imbalance(run.nodes), "stddev"),
        LOW,
        by_resource=True,
    ),
    Measure(
        "stranded",
        "Free but of no use to the smallest pod, because the node is out of something else; as a share of allocatable.",
        _stranded,
        LOW,
        by_resource=True,
    ),
    Measure(
        "largest_free",
        "The largest free block on one node.",
        lambda run: _by_resource(metrics.largest_free(run.nodes), "largest"),
        HIGH,
        by_resource=True,
    ),
    Measure("nodes_used", "Nodes with at least one pod.", lambda run: {"": metrics.packing(run.nodes).used}, LOW),
    Measure("nodes_empty", "Nodes without a pod.", lambda run: {"": metrics.packing(run.nodes).empty}, HIGH),
    Measure(
        "packing",
        "The fewest nodes that could hold what is requested, as a share of those in use.",
        lambda run: {"": metrics.packing(run.nodes).efficiency},
        HIGH,
    ),
    Measure("lopsided", "Mean distance of a node's utilisations of cpu and memory.", _lopsided, LOW),
    Measure("skew", "The largest skew of a topology spread constraint; NaN without any.", _skew, LOW),
    Measure(
        "skews_violated",
        "Topology spread constraints with a larger skew than allowed.",
        lambda run: {"": int(run.skews["violates"].sum())},
        LOW,
    ),
    Measure(
        "tied",
        "Share of the placed pods for which a node was drawn among equals.",
        lambda run: {"": metrics.margins(run.placements).share_tied},
    ),
    Measure(
        "margin",
        "Median of the winner's total less the runner-up's.",
        lambda run: {"": metrics.margins(run.placements).median},
    ),
    Measure(
        "gpu_fragmentation",
        "Share of the GPUs that is idle and of no use to the cluster's own mix of pods, in expectation.",
        _gpu_fragmentation,
        LOW,
    ),
)
BY_NAME = {measure.name: measure for measure in MEASURES}


def measured(run: Run, names: Iterable[str]) -> dict[str, float]:
    """Take some measures of a run.

    Parameters
    ----------
    names : iterable of str
        ``NAME`` or ``NAME:RESOURCE``.

    Returns
    -------
    dict of str to float
        By ``NAME`` or ``NAME:RESOURCE``; NaN for a resource that no node offers.
    """
    found: dict[str, float] = {}
    kept: dict[str, Values] = {}
    for wanted in names:
        name, colon, resource = wanted.partition(":")
        if name not in kept:
            kept[name] = BY_NAME[name].compute(run)
        if colon:
            found[wanted] = float(kept[name].get(resource, math.nan))
        else:
            for part, value in kept[name].items():
                found[f"{name}:{part}" if part else name] = float(value)
    return found


def refusal(wanted: str) -> str:
    """What is wrong with the name of a measure; empty if nothing is."""
    name, colon, resource = wanted.partition(":")
    if name not in BY_NAME:
        return f'there is no metric "{name}"{suggestion(name, BY_NAME)} (there are {", ".join(BY_NAME)})'
    if colon and not (BY_NAME[name].by_resource and resource):
        return f"{name} is one number, not one for each resource" if resource else "expected NAME:RESOURCE"
    return ""


def known_measures(argument: str, names: str | Iterable[str]) -> list[str]:
    """Check names of measures, for a function that takes them.

    Raises
    ------
    UsageError
        There is no such measure.
    """
    found = [names] if isinstance(names, str) else list(dict.fromkeys(names))
    for name in found:
        if wrong := refusal(name):
            msg = f"{argument}: {wrong}"
            raise UsageError(msg)
    return found


def better_of(metric: str) -> str:
    """Which end of a metric is the better one: `LOW`, `HIGH`, or empty."""
    measure = BY_NAME.get(metric.partition(":")[0])
    return "" if measure is None else measure.better
