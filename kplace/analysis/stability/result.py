"""What many runs come to, as tables."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from kplace.analysis import schema_runs as schema
from kplace.analysis.plots import chance
from kplace.analysis.stability.counting import Copies, Tally
from kplace.analysis.stability.drawing import Told
from kplace.analysis.stability.running import Runner
from kplace.api import Cluster, Placements
from kplace.columns import Note
from kplace.dtypes import F64, I32, I64, NO_NODE
from kplace.errors import UsageError
from kplace.frames.build import Values, category, frame, node_category, nullable, texts
from kplace.frames.pods import owner_part
from kplace.frames.schema import stamp

if TYPE_CHECKING:
    from kplace.analysis.plots.figure import Figure

_SUMS = ("min", "mean", "max", "std")


@dataclass(frozen=True, slots=True)
class Row:
    """A run.

    Attributes
    ----------
    told : Told
    outcome : str
        Short hash of where every pod is.
    result_hash : str
        `Placements.result_hash`.
    metrics : dict of str to float
    """

    told: Told
    outcome: str
    result_hash: str
    metrics: dict[str, float]


@dataclass(frozen=True)
class Stability:
    """What many runs of one cluster come to.

    Attributes
    ----------
    before : Cluster
    vary : tuple of str
        What varies between the runs.
    rows : tuple of Row
        The runs.
    tally : Tally
    copies : Copies
    keys : list of (str, str, str)
        Namespace, kind and name of the workloads that ``copies`` counts.
    runner : Runner
    notes : tuple of Note
        What is to be said of the last run.
    """

    before: Cluster
    vary: tuple[str, ...]
    rows: tuple[Row, ...]
    tally: Tally
    copies: Copies
    keys: list[tuple[str, str, str]]
    runner: Runner
    notes: tuple[Note, ...]

    def placements(self, run: int) -> Placements:
        """Do a run once more, for all of its tables.

        Parameters
        ----------
        run : int
            Its number in the table of runs.

        Raises
        ------
        UsageError
            There is no such run.
        """
        if not 0 <= run < len(self.rows):
            msg = f"run: expected 0 to {len(self.rows) - 1}, got {run!r}"
            raise UsageError(msg)
        return self.runner.place(self.before, self.rows[run].told)

    def __repr__(self) -> str:
        outcomes = len({row.outcome for row in self.rows})
        return f"<Stability: {len(self.rows)} runs of {len(self.tally.concerned)} pods, {outcomes} outcomes>"

    @cached_property
    def runs(self) -> pd.DataFrame:
        """One row per run: `kplace.analysis.schema_runs.STABILITY_RUNS`."""
        told = [row.told for row in self.rows]
        table: dict[str, Values] = {
            "run": np.arange(len(told), dtype=np.int64),
            "seed": np.array([item.seed for item in told], np.int64),
            "start_index": np.array([item.start_index for item in told], np.int64),
            "order": nullable(np.array([-1 if item.order is None else item.order for item in told], np.int64), -1),
            "outcome": texts([row.outcome for row in self.rows]),
            "result_hash": texts([row.result_hash for row in self.rows]),
            **{name: np.array([row.metrics[name] for row in self.rows]) for name in self.rows[0].metrics},
        }
        return stamp(frame(table, len(told)), schema.STABILITY_RUNS)

    @cached_property
    def metrics(self) -> pd.DataFrame:
        """One row per metric, over the runs: `kplace.analysis.schema_runs.STABILITY_METRICS`."""
        names = list(self.rows[0].metrics)
        values = np.array([[row.metrics[name] for name in names] for row in self.rows], np.float64)
        is_same = values.min(axis=0) == values.max(axis=0)
        table: dict[str, Values] = {
            "metric": texts(names),
            "min": values.min(axis=0),
            **{f"q{share:02}": np.quantile(values, share / 100, axis=0) for share in (10, 50, 90)},
            "max": values.max(axis=0),
            # Equal numbers have their mean, which their sum, rounded, need not give.
            "mean": np.where(is_same, values[0], values.mean(axis=0)),
            "std": np.where(is_same, 0.0, values.std(axis=0)),
        }
        return stamp(frame(table, len(names)), schema.STABILITY_METRICS)

    @cached_property
    def nodes(self) -> pd.DataFrame:
        """One row per pod and node that it was on in a run: `kplace.analysis.schema_runs.STABILITY_NODES`."""
        pods, nodes, counts = self._pairs
        table: dict[str, Values] = {
            **self._names(pods),
            "node": node_category(self.before.columns.nodes, nodes),
            "runs": counts,
            "probability": counts / self.tally.runs,
            "row": pods,
        }
        return stamp(frame(table, len(pods)), schema.STABILITY_NODES)

    @cached_property
    def pods(self) -> pd.DataFrame:
        """One row per pod: `kplace.analysis.schema_runs.STABILITY_PODS`."""
        rows = self.tally.concerned.astype(np.int32)
        columns = self.before.columns
        pods, nodes, counts = self._pairs
        at, runs = np.searchsorted(rows, pods), self.tally.runs
        pending, preempted = self.tally.pending[rows] / runs, self.tally.preempted[rows] / runs
        placed = np.bincount(at, weights=counts, minlength=len(rows)) / runs
        entropy = np.bincount(at, weights=_bits(counts / runs), minlength=len(rows))
        best, most = _likeliest(at, nodes, counts, len(rows))
        table: dict[str, Values] = {
            **self._names(rows),
            **owner_part(columns, columns.pods.template[rows]),
            "p_placed": placed,
            "p_pending": pending,
            "p_preempted": preempted,
            "nodes": np.bincount(at, minlength=len(rows)).astype(np.int64),
            "node": node_category(columns.nodes, best),
            "p_node": most / runs,
            "entropy": entropy + _bits(pending) + _bits(preempted),
            "row": rows,
        }
        return stamp(frame(table, len(rows)), schema.STABILITY_PODS)

    @cached_property
    def workloads(self) -> pd.DataFrame:
        """One row per workload with a waiting pod: `kplace.analysis.schema_runs.STABILITY_WORKLOADS`."""
        pending, skew = (np.array(part, np.int64) for part in (self.copies.pending, self.copies.skews))
        table: dict[str, Values] = {
            "workload": texts(self._workloads),
            "kind": texts([kind for _, kind, _ in self.keys]),
            "copies_mean": self.copies.total.sum(axis=1) / self.tally.runs,
            **{f"pending_{name}": value for name, value in _summed(pending).items()},
            "p_pending": (pending > 0).mean(axis=0),
            **{f"skew_{name}": value for name, value in _summed(skew).items()},
        }
        return stamp(frame(table, len(self.keys)), schema.STABILITY_WORKLOADS)

    @cached_property
    def zones(self) -> pd.DataFrame:
        """One row per workload and zone with a copy in a run: `kplace.analysis.schema_runs.STABILITY_ZONES`."""
        copies, runs = self.copies, self.tally.runs
        workload, zone = np.nonzero(copies.most)
        total, squares = copies.total[workload, zone], copies.squares[workload, zone]
        zones = self.before.nodes["zone"].cat.categories
        table: dict[str, Values] = {
            "workload": texts(self._workloads).take(workload),
            "zone": category(zone.astype(np.int32), list(zones)),
            "min": copies.least[workload, zone],
            "mean": total / runs,
            "max": copies.most[workload, zone],
            "std": np.sqrt(runs * squares - total * total) / runs,
        }
        return stamp(frame(table, len(workload)), schema.STABILITY_ZONES)

    def plot(self) -> "Figure":
        """Pods that find a node in some runs only, as a picture."""
        return chance.chance(self.pods)

    @cached_property
    def _pairs(self) -> tuple[I32, I32, I64]:
        return self.tally.pairs()

    @property
    def _workloads(self) -> list[str]:
        return [f"{space}/{name}" for space, _, name in self.keys]

    def _names(self, rows: I32) -> dict[str, Values]:
        pods = self.before.columns.pods
        names = texts([pods.names[pod] for pod in rows.tolist()])
        return {"namespace": category(pods.namespace[rows], list(pods.namespaces)), "pod": names}


def _bits(shares: F64) -> F64:
    """What each outcome of some probability adds to the entropy, in bits."""
    return -shares * np.log2(shares, out=np.zeros(len(shares)), where=shares > 0)


def _likeliest(at: I64, nodes: I32, counts: I64, n_rows: int) -> tuple[I32, I64]:
    """For each row the node with the most runs, the first of equal ones, and these runs."""
    order = np.lexsort((nodes, -counts, at))
    rows, first = np.unique(at[order], return_index=True)
    best, most = np.full(n_rows, NO_NODE, np.int32), np.zeros(n_rows, np.int64)
    best[rows], most[rows] = nodes[order][first], counts[order][first]
    return best, most


def _summed(values: I64) -> dict[str, Values]:
    """Minimum, mean, maximum and standard deviation over the runs, shape (n_runs, n)."""
    found = (values.min(axis=0), values.mean(axis=0), values.max(axis=0), values.std(axis=0))
    return dict(zip(_SUMS, found, strict=True))
