"""The question: why is this pod pending, and what single change would let it in."""

from dataclasses import dataclass, replace
from typing import Unpack

import numpy as np
import pandas as pd

from kplace.analysis.metrics.pending import funnel
from kplace.analysis.schema import WHY
from kplace.analysis.trial import Scheduling, Trial
from kplace.analysis.why.candidates import candidates
from kplace.analysis.why.changes import KINDS, Change
from kplace.api import Cluster
from kplace.api.finding import find_pod
from kplace.api.standing import why_untried
from kplace.columns import ClusterColumns
from kplace.columns.release import released
from kplace.dtypes import NO_NODE
from kplace.engine.diagnose import diagnose
from kplace.frames.explain import explain_frame
from kplace.frames.schema import stamp


@dataclass(frozen=True)
class Why:
    """Why a pod is pending.

    Attributes
    ----------
    pod : str
        ``namespace/name``.
    node : str
        Where it fits as things are; empty if nowhere.
    untried : str
        Why the scheduler would not try it at all; empty if it would.
    message : str
        What the scheduler says; empty if it fits.
    nodes : DataFrame
        What each node says: `kplace.frames.schema.EXPLAIN`.
    changes : DataFrame
        Single changes with which it fits, each tried: `kplace.analysis.schema.WHY`.
    """

    pod: str
    node: str
    untried: str
    message: str
    nodes: pd.DataFrame
    changes: pd.DataFrame

    @property
    def funnel(self) -> pd.DataFrame:
        """How the search narrows down: `kplace.analysis.metrics.funnel`."""
        return funnel(self.nodes)


def why(cluster: Cluster, pod: str, *, each: int = 3, **scheduling: Unpack[Scheduling]) -> Why:
    """Say why a pod is pending, and which single changes would let it in.

    Changes of the pod: a lower request of one resource, a toleration, a rule left out or loosened. Changes of the
    cluster: a node uncordoned or labelled, one pod evicted, one more node of a shape that is there. Each is tried: it
    is told only if the scheduler then finds a node.

    Parameters
    ----------
    cluster : Cluster
        As it stands: other waiting pods are left out. For the end of a run take its `Placements.cluster`.
    pod : str
        ``NAMESPACE/NAME``; a name alone is looked for in ``default``. A pod on a node is taken off first.
    each : int
        The most changes of a kind, the smallest first.
    **scheduling
        As for `kplace.capacity`.

    Returns
    -------
    Why

    Raises
    ------
    UsageError
        There is no such pod.

    Examples
    --------
    >>> nodes = pd.DataFrame({"node": ["a"], "cpu": [4], "memory": ["8Gi"]})
    >>> pods = pd.DataFrame({"pod": ["web"], "cpu": ["6"], "memory": ["1Gi"]})
    >>> why(Cluster.from_frames(nodes, pods), "web").changes["change"].tolist()
    ['request 4,000m of cpu instead of 6,000m']
    """
    index = find_pod(cluster.columns, pod)
    trial = Trial.of(cluster, scheduling, "dry-run")
    columns = trial.view_of(cluster).columns
    if columns.pods.node[index] != NO_NODE:
        columns = released(columns, np.array([index], np.int32))
    everywhere = replace(trial, options=replace(trial.options, percentage_of_nodes_to_score=100))
    attempt = everywhere.attempt(columns, index)
    explained = explain_frame(attempt)
    fits = attempt.node != NO_NODE
    profile = trial.profile_of(columns, index)
    return Why(
        pod=columns.pods.key(index),
        node=columns.nodes.names[attempt.node] if fits else "",
        untried=why_untried(columns, index, trial.setup.profiles, profile),
        message="" if fits else diagnose(attempt)[1],
        nodes=explained,
        changes=_table([] if fits else _tried(everywhere, columns, index, explained, each)),
    )


def _tried(
    trial: Trial, columns: ClusterColumns, pod: int, explained: pd.DataFrame, each: int
) -> list[tuple[Change, str]]:
    """Changes with which the pod fits, with the node that it then goes to; the smallest of each kind."""
    found: list[tuple[Change, str]] = []
    by_kind: dict[str, list[Change]] = {}
    for change in candidates(columns, pod, explained):
        by_kind.setdefault(change.kind, []).append(change)
    for kind in KINDS:
        number = 0
        for change in sorted(by_kind.get(kind, ()), key=lambda item: item.size):
            attempt = trial.attempt(change.columns, change.pod, asks_others=False)
            if attempt.node != NO_NODE:
                found.append((change, change.columns.nodes.names[attempt.node]))
                number += 1
            if number == each:
                break
    return found


def _table(found: list[tuple[Change, str]]) -> pd.DataFrame:
    rows = [(change.kind, change.text, node, float(change.size)) for change, node in found]
    table = pd.DataFrame(rows, columns=["kind", "change", "node", "size"])
    return stamp(table.astype({"kind": "str", "change": "str", "node": "str", "size": "float64"}), WHY)
