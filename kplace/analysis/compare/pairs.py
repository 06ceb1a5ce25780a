"""Two runs, pod by pod and figure by figure."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Unpack

import numpy as np
import pandas as pd

from kplace.analysis.compare.figures import figures
from kplace.analysis.compare.replay import cause, turns
from kplace.analysis.schema import COMPARE
from kplace.analysis.trial import Scheduling, Trial, waiting_rows
from kplace.api import Cluster, Placements
from kplace.dtypes import NO_NODE
from kplace.errors import UsageError
from kplace.frames.schema import stamp

MOST_EXPLAINED = 500
CHANGES = ("moved", "now pending", "now placed", "only before", "only after")


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
        both = _side_by_side(self.before.pods, self.after.pods)
        changed = both[both["change"] != ""].reset_index(drop=True)
        causes = self._causes(changed)
        changed["cause"] = [causes.get(row, ("", ""))[0] for row in changed["row"].tolist()]
        changed["plugin"] = [causes.get(row, ("", ""))[1] for row in changed["row"].tolist()]
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

    @cached_property
    def counts(self) -> dict[str, int]:
        """Number of pods by change."""
        return {change: int((self.pods["change"] == change).sum()) for change in CHANGES}

    def _causes(self, changed: pd.DataFrame) -> dict[int, tuple[str, str]]:
        if self.trials is None or not len(changed):
            return {}
        one, other = self.trials
        rows = changed.loc[changed["row"] >= 0, "row"].head(MOST_EXPLAINED).to_numpy(np.int32)
        placed = [_node_by_row(run) for run in (self.before, self.after)]
        return {
            turn.pod: cause(turn, placed[0].get(turn.pod, NO_NODE), placed[1].get(turn.pod, NO_NODE))
            for turn in turns(self.after, other, one, rows)
        }


def compare(
    before: Cluster | Placements,
    after: Cluster | Placements | None = None,
    *,
    first: Mapping[str, object] | None = None,
    second: Mapping[str, object] | None = None,
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
    **scheduling
        What both are told; as for `kplace.capacity`.

    Returns
    -------
    Comparison
        `Comparison.pods` has the pods that the runs disagree on; where both placed the same cluster, with the cause and
        the plugin (for the first 500 of them). `Comparison.figures` has the metrics of both.

    Notes
    -----
    Pods push nobody out here; a run that is given may have. A cause is found by going through the second run up to the
    pod's turn and asking the first scheduler there: ``earlier`` means that it would have done the same, so that the
    difference comes from pods before; the others name what this pod itself met.

    Examples
    --------
    >>> cluster = Cluster.from_frames(
    ...     pd.DataFrame({"node": ["a", "b"], "cpu": [4, 4], "memory": "8Gi"}),
    ...     pd.DataFrame({"pod": ["web", "db"], "cpu": "1", "memory": "1Gi"}),
    ... )
    >>> compare(cluster, second={"seed": 1}).counts["now pending"]
    0
    """
    runs: list[Placements] = []
    trials: list[Trial | None] = []
    for subject, told in ((before, first), (before if after is None else after, second)):
        if isinstance(subject, Placements):
            runs.append(subject)
            trials.append(None)
        else:
            _insist_on_cluster(subject)
            trial = Trial.of(subject, {**scheduling, **(told or {})})  # type: ignore[typeddict-item]
            view = trial.view_of(subject)
            runs.append(trial.placements(view, waiting_rows(view.columns)))
            trials.append(trial)
    one, other = trials
    same = after is None and one is not None and other is not None
    return Comparison(runs[0], runs[1], (one, other) if same and one and other else None)


def _insist_on_cluster(subject: object) -> None:
    if not isinstance(subject, Cluster):
        msg = f"compare: expected a Cluster or Placements, got {type(subject).__name__}"
        raise UsageError(msg)


def _side_by_side(before: pd.DataFrame, after: pd.DataFrame) -> pd.DataFrame:
    keys = ["namespace", "pod"]
    columns = [*keys, "status", "node", "total"]
    texts = {"namespace": "str", "status": "str", "node": "str"}
    left, right = before[columns].astype(texts), after[[*columns, "row"]].astype(texts)
    both = left.merge(right, on=keys, how="outer", suffixes=("_before", "_after"), sort=False)
    both["row"] = both["row"].fillna(-1).astype("int32")
    placed = both["status_before"] == "scheduled", both["status_after"] == "scheduled"
    there = both["status_before"].notna(), both["status_after"].notna()
    moved = placed[0] & placed[1] & (both["node_before"] != both["node_after"])
    both["change"] = np.select(
        [moved, there[0] & ~there[1], ~there[0] & there[1], placed[0] & ~placed[1], ~placed[0] & placed[1]],
        ["moved", "only before", "only after", "now pending", "now placed"],
        "",
    )
    order = {row: position for position, row in enumerate(after["row"].tolist())}
    at = both["row"].map(order).fillna(len(order)).to_numpy()
    return both.iloc[np.argsort(at, kind="stable")].reset_index(drop=True)


def _node_by_row(run: Placements) -> dict[int, int]:
    return dict(zip(run.columns.pod.tolist(), run.columns.node.tolist(), strict=True))
