"""The question: the same cluster again and again, with what nobody decides decided otherwise."""

from collections.abc import Iterable, Sequence
from typing import Unpack

import numpy as np

from kplace.analysis.measures import Run, known_measures, measured
from kplace.analysis.metrics.gpu import NVIDIA
from kplace.analysis.stability.counting import Copies, Tally, digest
from kplace.analysis.stability.drawing import TIES, VARIABLE, told
from kplace.analysis.stability.result import Row, Stability
from kplace.analysis.stability.running import Runner
from kplace.analysis.trial import Progress, Scheduling
from kplace.analysis.words import known_column
from kplace.analysis.workloads import Workloads
from kplace.api import Cluster, Placements
from kplace.api.arguments import seed_of, whole
from kplace.columns import ClusterColumns
from kplace.dtypes import I32, I64, Status
from kplace.errors import UsageError

METRICS = (
    "scheduled",
    "pending",
    "victims",
    "nodes_used",
    "packing",
    "utilisation",
    "imbalance",
    "stranded",
    "largest_free",
    "lopsided",
    "skew",
    "skews_violated",
    "tied",
    "margin",
)
"""What is measured by default; where nodes offer GPUs, their fragmentation as well."""
GPU = "gpu_fragmentation"
MOST_RUNS = 1_000_000


def stability(
    cluster: Cluster,
    *,
    runs: int = 20,
    vary: str | Iterable[str] | None = None,
    metrics: Sequence[str] | None = None,
    preemption: str | None = None,
    progress: Progress | None = None,
    **scheduling: Unpack[Scheduling],
) -> Stability:
    """Place a cluster many times and say what is the same in all runs and what is chance.

    Parameters
    ----------
    cluster : Cluster
        Its waiting pods are placed.
    runs : int
        How often.
    vary : str or iterable of str, optional
        What varies between runs, by default all of it: ``"ties"``, the seed of the draws among equally good nodes;
        ``"start"``, the node at which the first search begins; ``"order"``, the order in which pods of equal priority
        arrive. With ``tie_break="first"`` there are no draws, hence no ties to vary.
    metrics : sequence of str, optional
        What is measured of each run: metrics of the reference page on studies, ``"NAME"`` or ``"NAME:RESOURCE"``. By
        default those that say how full and how even nodes are, and what became of the pods.
    preemption : {"queue", "immediate", "dry-run", "off"}, optional
        As for `kplace.place`.
    progress : callable, optional
        Called now and then with the numbers of pods tried and to try, of all runs together.
    **scheduling
        As for `kplace.capacity`. What does not vary is the same in all runs: the seed, start index 0, the order of the
        input.

    Returns
    -------
    Stability
        Tables by pod, by pod and node, by workload, by workload and zone, by metric and by run.

    Raises
    ------
    UsageError
        An argument cannot be used, or the scheduler has no pod to try.

    Notes
    -----
    Run ``k`` of seed ``s`` is ``kplace.place(arriving(cluster, r), seed=r, start_index=start_of(r, n))`` where ``r`` is
    ``s + k`` and ``n`` the number of nodes; the functions are those of `kplace.analysis.stability`. The table of runs
    has these numbers, and `Stability.placements` does a run once more. Extenders are called, but bind nothing.

    Examples
    --------
    >>> import pandas as pd
    >>> nodes = pd.DataFrame({"node": ["a", "b"], "cpu": [1, 1]})
    >>> pods = pd.DataFrame({"pod": ["web", "db", "log"], "cpu": ["1", "1", "1"]})
    >>> found = stability(Cluster.from_frames(nodes, pods), runs=30)
    >>> found.pods[["pod", "p_pending"]].round(2).to_dict("list")
    {'pod': ['web', 'db', 'log'], 'p_pending': [0.13, 0.37, 0.5]}
    """
    varied = _varied(vary, scheduling.get("tie_break", "random"))
    names = _metrics(cluster) if metrics is None else known_measures("metrics", metrics)
    number = whole("runs", runs, 1)
    if number > MOST_RUNS:
        msg = f"runs: expected at most {MOST_RUNS:,}, got {number:,}"
        raise UsageError(msg)
    seed = seed_of(whole("seed", scheduling.get("seed", 0), 0), further=number - 1)
    runner, counting, rows = Runner.of(scheduling, preemption), _Counting(cluster.columns), []
    for run in range(number):
        told_now = told(seed, run, varied, len(cluster.columns.nodes))
        placements = runner.place(cluster, told_now, _over_all(progress, run, number))
        after = counting.add(placements)
        values = measured(Run(cluster, placements), names)
        rows.append(Row(told_now, digest(after), placements.result_hash, values))
    if not counting.tally.tried.any():
        msg = "there is nothing to place: the scheduler tries no pod of this input"
        raise UsageError(msg)
    notes = tuple(placements.notes)
    return Stability(cluster, varied, tuple(rows), counting.tally, counting.copies, counting.workloads, runner, notes)


class _Counting:
    """Everything that is counted run by run."""

    def __init__(self, columns: ClusterColumns) -> None:
        own = Workloads(columns)
        pods = columns.pods
        has_controller = np.array([kind != "Pod" for _, kind, _ in own.keys], np.bool_)
        is_asked = np.zeros(len(own.keys), np.bool_)
        is_asked[own.of_pod[pods.waiting]] = True
        chosen = np.flatnonzero(is_asked & has_controller)
        code = np.full(len(own.keys), -1, np.int64)
        code[chosen] = np.arange(len(chosen))
        workload: I64 = np.where(pods.terminating, -1, code[own.of_pod]).astype(np.int64)
        zones = Cluster(columns).nodes.sort_values("position")["zone"].cat
        self.tally = Tally(columns)
        shape = len(chosen), len(zones.categories)
        codes: I64 = zones.codes.to_numpy().astype(np.int64)
        self.copies = Copies(workload, codes, shape)
        self.workloads = [own.keys[key] for key in chosen.tolist()]

    def add(self, placements: Placements) -> I32:
        outcome = placements.columns
        after = self.tally.add(outcome)
        found_none = (outcome.status == Status.UNSCHEDULABLE) | (outcome.status == Status.ERROR)
        self.copies.add(after, outcome.pod[found_none].astype(np.int64))
        return after


def _over_all(progress: Progress | None, run: int, runs: int) -> Progress | None:
    if progress is None:
        return None
    return lambda done, total: progress(run * total + done, runs * total)


def _varied(vary: str | Iterable[str] | None, tie_break: str) -> tuple[str, ...]:
    if vary is None:
        return VARIABLE if tie_break == "random" else tuple(what for what in VARIABLE if what != TIES)
    given = [vary] if isinstance(vary, str) else list(vary)
    for name in given:
        known_column("vary", name, VARIABLE)
    if TIES in given and tie_break == "first":
        msg = f"vary: tie_break='first' takes no draw, so that {TIES!r} cannot vary"
        raise UsageError(msg)
    return tuple(what for what in VARIABLE if what in given)


def _metrics(cluster: Cluster) -> list[str]:
    column = f"allocatable_{NVIDIA}"
    nodes = cluster.nodes
    return [*METRICS, GPU] if column in nodes and nodes[column].any() else list(METRICS)
