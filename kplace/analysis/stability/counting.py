"""Where pods were, counted run by run: what is kept grows with what differs, not with the number of runs."""

import hashlib

import numpy as np

from kplace.columns import ClusterColumns
from kplace.dtypes import I32, I64, NO_NODE, Mask, Status
from kplace.engine.results import PlacementColumns
from kplace.frames.usage import holding_nodes

_FIRST_MERGE = 1 << 18


class PairCounts:
    """How often each pod was on each node, only of pairs that occurred: 16 bytes for each of them.

    Parameters
    ----------
    n_nodes : int
    """

    def __init__(self, n_nodes: int) -> None:
        self._n_nodes = max(n_nodes, 1)
        self._keys: I64 = np.zeros(0, np.int64)
        self._counts: I64 = np.zeros(0, np.int64)
        self._new: list[I64] = []
        self._n_new = 0

    def add(self, pods: I32, nodes: I32) -> None:
        """Count pods on nodes, once each."""
        self._new.append(pods.astype(np.int64) * self._n_nodes + nodes)
        self._n_new += len(pods)
        if self._n_new > max(len(self._keys), _FIRST_MERGE):
            self._merge()

    def _merge(self) -> None:
        keys = np.concatenate([self._keys, *self._new])
        counts = np.concatenate([self._counts, np.ones(self._n_new, np.int64)])
        order = np.argsort(keys, kind="stable")
        keys, counts = keys[order], counts[order]
        first = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]])) if len(keys) else order
        self._keys, self._counts = keys[first], np.add.reduceat(counts, first) if len(keys) else counts
        self._new, self._n_new = [], 0

    def pairs(self) -> tuple[I32, I32, I64]:
        """Pods, nodes and counts, by pod and of one pod by node."""
        self._merge()
        pods, nodes = np.divmod(self._keys, self._n_nodes)
        return pods.astype(np.int32), nodes.astype(np.int32), self._counts


class Tally:
    """What became of every pod, over runs.

    Parameters
    ----------
    columns : ClusterColumns
        Before any of the runs.

    Attributes
    ----------
    runs : int
    tried : bool ndarray, shape (n_pods,)
        A run tried the pod.
    pending, preempted : int64 ndarrays, shape (n_pods,)
        In how many runs it found no node, or left for another pod.
    """

    def __init__(self, columns: ClusterColumns) -> None:
        n_pods = len(columns.pods)
        self._held = holding_nodes(columns)
        self._on = PairCounts(len(columns.nodes))
        self.runs = 0
        self.tried: Mask = np.zeros(n_pods, np.bool_)
        self.pending: I64 = np.zeros(n_pods, np.int64)
        self.preempted: I64 = np.zeros(n_pods, np.int64)

    def add(self, outcome: PlacementColumns) -> I32:
        """Count a run; returns the node of every pod after it, `NO_NODE` for none, shape (n_pods,)."""
        self.runs += 1
        self.tried[outcome.pod[outcome.attempt >= 0]] = True
        found_none = (outcome.status == Status.UNSCHEDULABLE) | (outcome.status == Status.ERROR)
        self.pending[outcome.pod[found_none]] += 1
        gone = outcome.preemptions.gone
        self.preempted[gone] += 1
        placed = outcome.node != NO_NODE
        self._on.add(outcome.pod[placed], outcome.node[placed])
        after = self._held.copy()
        after[outcome.pod[placed]] = outcome.node[placed]
        after[gone] = NO_NODE
        return after

    @property
    def concerned(self) -> I64:
        """The pods that runs tried, and those that left for others; ascending."""
        return np.flatnonzero(self.tried | (self.preempted > 0))

    def pairs(self) -> tuple[I32, I32, I64]:
        """Pods of `concerned`, the nodes they were on and in how many runs; by pod, of one pod by node."""
        is_held = (self._held >= 0) & ~self.tried
        stayed = np.flatnonzero(is_held & (self.preempted > 0) & (self.preempted < self.runs)).astype(np.int32)
        pods, nodes, counts = self._on.pairs()
        pods = np.concatenate([pods, stayed])
        nodes = np.concatenate([nodes, self._held[stayed]])
        counts = np.concatenate([counts, self.runs - self.preempted[stayed]])
        order = np.argsort(pods, kind="stable")
        return pods[order], nodes[order], counts[order]


class Copies:
    """Copies of workloads by zone, over runs.

    Parameters
    ----------
    workload : int64 ndarray, shape (n_pods,)
        Of each pod that counts; -1 for the others.
    zone : int64 ndarray, shape (n_nodes,)
        Of each node; -1 for none.
    shape : (int, int)
        Number of workloads and of zones.

    Attributes
    ----------
    least, most, total, squares : int64 ndarrays, shape (n_workloads, n_zones)
        Over the runs: the fewest and the most copies, their sum and the sum of their squares.
    skews : list of int64 ndarrays, shape (n_workloads,)
        For each run: copies in the zone with the most less copies in the one with the fewest.
    pending : list of int64 ndarrays, shape (n_workloads,)
        For each run: copies that found no node.
    """

    def __init__(self, workload: I64, zone: I64, shape: tuple[int, int]) -> None:
        self._workload, self._zone, self._shape = workload, zone, shape
        self.least: I64 = np.full(shape, np.iinfo(np.int64).max, np.int64)
        self.most: I64 = np.zeros(shape, np.int64)
        self.total: I64 = np.zeros(shape, np.int64)
        self.squares: I64 = np.zeros(shape, np.int64)
        self.skews: list[I64] = []
        self.pending: list[I64] = []

    def add(self, after: I32, pending: I64) -> None:
        """Count a run.

        Parameters
        ----------
        after : int32 ndarray, shape (n_pods,)
            Node of every pod.
        pending : int64 ndarray
            The pods that found no node.
        """
        n_workloads, n_zones = self._shape
        counted = np.flatnonzero((after >= 0) & (self._workload >= 0))
        zone = self._zone[after[counted]]
        keys = (self._workload[counted] * n_zones + zone)[zone >= 0]
        counts = np.bincount(keys, minlength=n_workloads * n_zones).reshape(self._shape)
        np.minimum(self.least, counts, out=self.least)
        np.maximum(self.most, counts, out=self.most)
        self.total += counts
        self.squares += counts * counts
        self.skews.append(counts.max(axis=1) - counts.min(axis=1) if n_zones else np.zeros(n_workloads, np.int64))
        own = self._workload[pending]
        self.pending.append(np.bincount(own[own >= 0], minlength=n_workloads))


def digest(after: I32) -> str:
    """Short name of an outcome: equal if every pod is on the same node."""
    return hashlib.sha256(after.astype("<i4").tobytes()).hexdigest()[:16]
