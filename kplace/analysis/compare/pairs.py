"""Two runs, pod by pod and figure by figure."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Unpack

import numpy as np
import pandas as pd

from kplace.analysis.compare.figures import figures
from kplace.analysis.compare.outcomes import CHANGES, disagreements
from kplace.analysis.compare.plot import ComparisonPlot
from kplace.analysis.compare.replay import cause, turns
from kplace.analysis.schema import COMPARE
from kplace.analysis.trial import Scheduling, Trial, waiting_rows
from kplace.api import Cluster, Placements, place
from kplace.api.arguments import PREEMPTION_WORDS, one_of
from kplace.errors import UsageError
from kplace.frames.schema import stamp

MOST_EXPLAINED = 500
PUSHING = ("immediate", "queue")
"""Modes of preemption in which pods do leave for others."""


@dataclass(frozen=True)
class Comparison:
    """Two runs beside each other.

    Attributes
    ----------
    before, after : Placements
    trials : tuple of Trial or None
        Their schedulers, if causes can be told.
    """

    before: Placements
    after: Placements
    trials: tuple[Trial, Trial] | None = None

    @cached_property
    def pods(self) -> pd.DataFrame:
        """One row per pod that the runs disagree on: `kplace.analysis.schema.COMPARE`."""
        changed = disagreements(self.before, self.after)
        causes = self._causes(changed)
        changed["cause"] = [causes.get(row, ("", ""))[0] for row in changed["row"].tolist()]
        changed["plugin"] = [causes.get(row, ("", ""))[1] for row in changed["row"].tolist()]
        changed.loc[changed["pushes"] | changed["preemptor"].notna(), "cause"] = "preemption"
        table = changed[[column.name for column in COMPARE.columns]]
        return stamp(table.astype({"cause": "str", "plugin": "str"}), COMPARE)

    @cached_property
    def figures(self) -> pd.DataFrame:
        """Metrics of both runs, by name: ``before``, ``after``, ``change``."""
        table = pd.DataFrame({"before": figures(self.before), "after": figures(self.after)})
        table["change"] = table["after"] - table["before"]
        return table

    @property
    def is_same(self) -> bool:
        """Whether both runs decided the same in every respect, scores included."""
        return self.before.result_hash == self.after.result_hash

    def __repr__(self) -> str:
        told = [f"{number} {change}" for change, number in self.counts.items() if number]
        return f"<Comparison: {', '.join(told) or 'the same nodes for all pods'}>"

    @cached_property
    def counts(self) -> dict[str, int]:
        """Number of pods by change."""
        return {change: int((self.pods["change"] == change).sum()) for change in CHANGES}

    @property
    def plot(self) -> ComparisonPlot:
        """Pictures: ``plot.changes()``, ``plot.figures()``, ``plot.utilisation("cpu")``."""
        return ComparisonPlot(self)

    def _causes(self, changed: pd.DataFrame) -> dict[int, tuple[str, str]]:
        if self.trials is None or not len(changed):
            return {}
        one, other = self.trials
        rows = changed.loc[changed["row"] >= 0, "row"].head(MOST_EXPLAINED).to_numpy(np.int32)
        return {turn.pod: cause(turn) for turn in turns(self.after, other, one, rows)}


def compare(
    before: Cluster | Placements,
    after: Cluster | Placements | None = None,
    *,
    first: Mapping[str, object] | None = None,
    second: Mapping[str, object] | None = None,
    preemption: str = "off",
    **scheduling: Unpack[Scheduling],
) -> Comparison:
    """Place twice and say what differs: pods that moved, and why; pods that wait now, or no longer; metrics.

    Parameters
    ----------
    before : Cluster or Placements
        The cluster to place; or a run, to be compared as it is.
    after : Cluster or Placements, optional
        Another cluster or run; by default the same cluster.
    first, second : mapping, optional
        What each run is told beyond ``scheduling``: ``{"config": "scheduler.yaml"}``, ``{"kube_version": "1.36"}``,
        ``{"seed": 1}``.
    preemption : {"off", "dry-run", "immediate", "queue"}
        Whether pods push others out, as for `kplace.place`.
    **scheduling
        What both are told; as for `kplace.capacity`.

    Returns
    -------
    Comparison
        `Comparison.pods` has the pods that the runs disagree on; where both placed the same cluster and nobody was
        pushed out, with the cause and the plugin (for the first 500 of them). `Comparison.figures` has the metrics of
        both.

    Raises
    ------
    UsageError
        An argument cannot be used.

    Notes
    -----
    A cause is found by going through the second run up to the pod's turn and asking the first scheduler there:
    ``earlier`` means that it would have done the same, so that the difference comes from pods before; the others name
    what this pod itself met. Where pods are pushed out there is no such single turn; only those that left, and those
    that they left for, have a cause then: ``preemption``.

    Examples
    --------
    >>> cluster = Cluster.from_frames(
    ...     pd.DataFrame({"node": ["a", "b"], "cpu": [4, 4], "memory": "8Gi"}),
    ...     pd.DataFrame({"pod": ["web", "db"], "cpu": "1", "memory": "1Gi"}),
    ... )
    >>> compare(cluster, second={"seed": 1}).counts["now pending"]
    0
    """
    one_of("preemption", preemption, tuple(PREEMPTION_WORDS.values()))
    sides = [
        _run(subject, {**scheduling, **(told or {})}, preemption)  # type: ignore[typeddict-item]
        for subject, told in ((before, first), (before if after is None else after, second))
    ]
    (run, trial), (other_run, other_trial) = sides
    same = after is None and trial is not None and other_trial is not None
    return Comparison(run, other_run, (trial, other_trial) if same and trial and other_trial else None)


def _run(subject: Cluster | Placements, told: Scheduling, preemption: str) -> tuple[Placements, Trial | None]:
    """A run, and its scheduler where each pod had one turn in it."""
    if isinstance(subject, Placements):
        return subject, None
    _insist_on_cluster(subject)
    if preemption in PUSHING:
        return place(subject, preemption=preemption, **({"extenders": "ask"} | told)), None
    trial = Trial.of(subject, told, preemption)
    view = trial.view_of(subject)
    return trial.placements(view, waiting_rows(view.columns)), trial


def _insist_on_cluster(subject: object) -> None:
    if not isinstance(subject, Cluster):
        msg = f"compare: expected a Cluster or Placements, got {type(subject).__name__}"
        raise UsageError(msg)
