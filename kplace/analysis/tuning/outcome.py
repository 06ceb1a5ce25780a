"""What placing all pods has come to, in a few numbers."""

from dataclasses import dataclass

import numpy as np

from kplace.analysis.metrics.constraints import Constraints
from kplace.columns import ClusterColumns
from kplace.dtypes import CPU, F64, I64, MEMORY, Mask
from kplace.state import ClusterState


@dataclass(frozen=True, slots=True)
class Outcome:
    """Where a placement stands; the definitions are those of `kplace.analysis.metrics`.

    Attributes
    ----------
    pending : int
        Pods that found no node.
    nodes_used : int
        Nodes with at least one pod.
    utilisation_cpu, utilisation_memory : float
        Requested of what the nodes in use offer.
    imbalance : float
        Standard deviation of the nodes' utilisation, the mean of cpu and memory.
    fragmentation : float
        What is free but stranded, of what is offered, the mean of cpu and memory.
    violations : int
        Topology spread constraints of workloads that are broken.
    """

    pending: int
    nodes_used: int
    utilisation_cpu: float
    utilisation_memory: float
    imbalance: float
    fragmentation: float
    violations: int


class Measures:
    """Measures placements of one cluster: the numbers of `kplace.analysis.metrics`, straight from the state's columns.

    Parameters
    ----------
    columns : ClusterColumns
    needs : dict of str to int
        What the smallest pod requests of cpu and memory, for which room must be left that is worth anything.
    """

    def __init__(self, columns: ClusterColumns, needs: dict[str, int]) -> None:
        self._needs = {row: needs[name] for row, name in ((CPU, "cpu"), (MEMORY, "memory")) if name in needs}
        self._open = ~columns.nodes.unschedulable
        self._constraints = Constraints(columns)
        # Of workloads that cannot be told apart by their names the first one counts.
        firsts: dict[tuple[object, ...], int] = {}
        for number, item in enumerate(self._constraints.items):
            firsts.setdefault((item.workload, item.domains.key, item.max_skew, item.enforced), number)
        self._firsts = np.array(list(firsts.values()), np.int64)
        self._max_skew = np.array([self._constraints.items[number].max_skew for number in self._firsts], np.int64)

    def outcome(self, state: ClusterState, pending: int) -> Outcome:
        """Measure a state after its pods were placed, of which so many found no node."""
        used = state.resources.pods > 0
        rows = (CPU, MEMORY)
        return Outcome(
            pending=pending,
            nodes_used=int(used.sum()),
            utilisation_cpu=_utilisation(state, CPU, used),
            utilisation_memory=_utilisation(state, MEMORY, used),
            imbalance=_mean([_deviation(state, row) for row in rows]),
            fragmentation=_mean([self._stranded(state, row) for row in rows]),
            violations=self._broken(state),
        )

    def _stranded(self, state: ClusterState, row: int) -> float:
        """What is free of a resource but stranded, as a share of what is offered."""
        resources = state.resources
        blocked = resources.allowed_pods - resources.pods < 1
        for other, amount in self._needs.items():
            if other != row:
                blocked = blocked | (resources.allocatable[other] - resources.requested[other] < amount)
        left = np.maximum(resources.allocatable[row] - resources.requested[row], 0)
        offered = resources.allocatable[row].sum()
        return float(left[blocked & self._open].sum() / offered) if offered > 0 else np.nan

    def _broken(self, state: ClusterState) -> int:
        if not len(self._firsts):
            return 0
        skews = self._constraints.skews(self._constraints.counts(state.node_of_pod))[self._firsts]
        return int(((self._max_skew >= 0) & (skews > self._max_skew)).sum())


def _utilisation(state: ClusterState, row: int, used: Mask) -> float:
    offered, requested = (
        _total(column[row][used]) for column in (state.resources.allocatable, state.resources.requested)
    )
    return requested / offered if offered > 0 else np.nan


def _deviation(state: ClusterState, row: int) -> float:
    """Standard deviation of the nodes' utilisations, in ascending order so that it is the same however nodes are."""
    offered = state.resources.allocatable[row]
    offers = offered > 0
    shares: F64 = np.sort(state.resources.requested[row][offers].astype(np.float64) / offered[offers])
    return float(shares.std()) if len(shares) else np.nan


def _mean(values: list[float]) -> float:
    """Mean of the numbers that there are."""
    known = [value for value in values if not np.isnan(value)]
    return sum(known) / len(known) if known else np.nan


def _total(values: I64) -> int:
    """Sum of integers that may be more together than 64 bits hold."""
    if len(values) and np.abs(values).max() > np.iinfo(np.int64).max // len(values):
        return sum(values.tolist())
    return int(values.sum())
