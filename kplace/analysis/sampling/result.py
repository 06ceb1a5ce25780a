"""What sampling costs, as tables."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from kplace.analysis import schema_runs as schema
from kplace.analysis.plots import search
from kplace.analysis.sampling.losing import Turn
from kplace.api import Cluster
from kplace.columns import Note
from kplace.dtypes import I64, NO_NODE
from kplace.engine.results import PlacementColumns
from kplace.engine.sampling import MIN_FEASIBLE_NODES_TO_FIND
from kplace.frames.build import Values, category, frame, node_category, texts
from kplace.frames.schema import stamp

if TYPE_CHECKING:
    from kplace.analysis.plots.figure import Figure


@dataclass(frozen=True, slots=True)
class Rung:
    """A run with one percentage.

    Attributes
    ----------
    percentage : int
    wanted : int
        Feasible nodes that a search over all nodes looks for.
    outcome : PlacementColumns
    turns : tuple of Turn
        Of the pods that were looked at and found a node.
    metrics : dict of str to float
    seconds : float
        That placing took.
    """

    percentage: int
    wanted: int
    outcome: PlacementColumns
    turns: tuple[Turn, ...]
    metrics: dict[str, float]
    seconds: float

    @property
    def losses(self) -> I64:
        """Loss of each pod that was looked at and found a node."""
        return np.array([turn.loss for turn in self.turns], np.int64)

    @property
    def mean(self) -> float:
        """Mean loss; NaN without a pod."""
        return float(self.losses.mean()) if self.turns else float("nan")

    def standard_error(self, total: int) -> float:
        """Standard error of the mean loss, of pods out of so many; 0 if all were looked at, NaN for fewer than two."""
        number = len(self.turns)
        if number >= total:
            return 0.0 if number else float("nan")
        if number < 2:
            return float("nan")
        return float(self.losses.std(ddof=1) / np.sqrt(number) * np.sqrt(1 - number / total))


@dataclass(frozen=True)
class Sampling:
    """What percentageOfNodesToScore costs a cluster.

    Attributes
    ----------
    before : Cluster
    rungs : tuple of Rung
        The run with 100 first.
    current : int or None
        What is set now; None if profiles differ in it.
    tolerance : float
    tried : int
        Pods that each run tried.
    notes : tuple of Note
    """

    before: Cluster
    rungs: tuple[Rung, ...]
    current: int | None
    tolerance: float
    tried: int
    notes: tuple[Note, ...]

    def __repr__(self) -> str:
        tried = ", ".join(str(rung.percentage) for rung in self.rungs)
        return f"<Sampling: percentages {tried}; recommended: {self.recommended}>"

    @property
    def can_happen(self) -> bool:
        """Whether a search may stop early: with fewer than 100 nodes it never does."""
        return len(self.before.columns.nodes) >= MIN_FEASIBLE_NODES_TO_FIND

    @property
    def recommended(self) -> int | None:
        """Percentage that looks for the fewest nodes of those within the tolerance; None if it makes no difference.

        Of those that look for equally many, what is set now comes first, then 0, then the lowest.
        """
        if not self.can_happen:
            return None
        within = [rung for rung in self.rungs if not rung.turns or rung.mean <= self.tolerance]
        least = min(rung.wanted for rung in within)
        equal = sorted(rung.percentage for rung in within if rung.wanted == least)
        return self.current if self.current in equal else equal[0]

    @cached_property
    def table(self) -> pd.DataFrame:
        """One row per percentage, the fewest nodes first: `kplace.analysis.schema_runs.SAMPLING`."""
        rungs = sorted(self.rungs, key=lambda rung: (rung.wanted, rung.percentage))
        whole, recommended = self.rungs[0], self.recommended
        rows = [self._row(rung, whole) for rung in rungs]
        table = pd.DataFrame(rows)
        table["current"] = [rung.percentage == self.current for rung in rungs]
        table["recommended"] = [rung.percentage == recommended for rung in rungs]
        return stamp(table, schema.SAMPLING)

    def _row(self, rung: Rung, whole: Rung) -> dict[str, object]:
        outcome, losses = rung.outcome, rung.losses
        was_tried = outcome.attempt >= 0
        placed = int((outcome.node[was_tried] != NO_NODE).sum())
        return {
            "percentage": rung.percentage,
            "nodes_wanted": rung.wanted,
            "loss_mean": rung.mean,
            "loss_stderr": rung.standard_error(placed),
            "loss_max": int(losses.max()) if len(losses) else 0,
            "not_best": float((losses > 0).mean()) if len(losses) else float("nan"),
            "pods": len(losses),
            "placed": placed,
            "pending": int(was_tried.sum()) - placed,
            "elsewhere": int((outcome.node != whole.outcome.node).sum()),
            "filtered": float(outcome.evaluated[was_tried].mean()),
            "scored": float(outcome.feasible[was_tried].mean()),
            "relative_time": rung.seconds / whole.seconds,
        }

    @cached_property
    def metrics(self) -> pd.DataFrame:
        """One row per percentage and metric: `kplace.analysis.schema_runs.SAMPLING_METRICS`."""
        whole = self.rungs[0].metrics
        rows = [
            (rung.percentage, name, value, value - whole[name])
            for rung in sorted(self.rungs, key=lambda rung: (rung.wanted, rung.percentage))
            for name, value in rung.metrics.items()
        ]
        table = pd.DataFrame(rows, columns=["percentage", "metric", "value", "change"])
        return stamp(table.astype({"metric": "str", "value": "float64", "change": "float64"}), schema.SAMPLING_METRICS)

    @cached_property
    def pods(self) -> pd.DataFrame:
        """One row per percentage and pod that was looked at: `kplace.analysis.schema_runs.SAMPLING_PODS`."""
        rungs = sorted(self.rungs, key=lambda rung: (rung.wanted, rung.percentage))
        turns = [turn for rung in rungs for turn in rung.turns]
        columns = self.before.columns
        rows = np.array([turn.pod for turn in turns], np.int32)
        table: dict[str, Values] = {
            "percentage": np.repeat([rung.percentage for rung in rungs], [len(rung.turns) for rung in rungs]),
            "namespace": category(columns.pods.namespace[rows], list(columns.pods.namespaces)),
            "pod": texts([columns.pods.names[row] for row in rows.tolist()]),
            "node": node_category(columns.nodes, np.array([turn.node for turn in turns], np.int32)),
            "best_node": node_category(columns.nodes, np.array([turn.best_node for turn in turns], np.int32)),
            "feasible": np.array([turn.feasible for turn in turns], np.int64),
            "total": np.array([turn.total for turn in turns], np.int64),
            "best": np.array([turn.best for turn in turns], np.int64),
            "loss": np.array([turn.loss for turn in turns], np.int64),
            "row": rows,
        }
        return stamp(frame(table, len(turns)), schema.SAMPLING_PODS)

    def plot(self) -> "Figure":
        """Mean loss by the number of nodes looked for, with what is recommended and set now, as a picture."""
        return search.losses(self.table, self.tolerance)
