"""Which pod has which devices."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from kplace.columns.annotations import GPU_MODEL
from kplace.columns.cluster import ClusterColumns
from kplace.columns.nodes import NodeColumns
from kplace.columns.vocab import Vocabulary
from kplace.dtypes import I32, I64, NO_NODE, Mask
from kplace.errors import PluginError
from kplace.plugins.contrib.gpushare.demand import AnnotationError, known_models, read_demand, read_index
from kplace.plugins.contrib.gpushare.kernels import MILLI, GpuDemand, GpuDevices, take_tightest
from kplace.state import ClusterState

MAX_DEVICES = 1024
"""Of one node; more are a sign that a resource counts something else."""

Choice = Callable[[int, GpuDemand, Mask], object]
"""Chooses devices of a node for a demand: takes them off the node's row of ``free`` and marks them."""


class DeviceLedger:
    """The devices of a cluster and the pods that have them.

    It follows the state: before it is asked anything, `follow` gives devices to pods that have come to a node otherwise
    than by `take`, and takes them back from pods that have left.

    Parameters
    ----------
    columns : ClusterColumns
    resources : sequence of str
        Those that say how many devices nodes have and pods take.

    Attributes
    ----------
    devices : GpuDevices
    models : Vocabulary
    demands : list of GpuDemand
        By template; of one whose annotations cannot be read, that of a pod without GPUs.
    complaints : dict of int to str
        By template, what is wrong with annotations.
    node_of_pod : int32 ndarray, shape (n_pods,)
        Where each pod is, as far as the ledger knows.
    held : bool ndarray, shape (n_pods, max_devices)
        The devices that each pod has.
    """

    def __init__(self, columns: ClusterColumns, resources: Sequence[str]) -> None:
        rows = {name: row for name in resources if (row := columns.resources.find(name)) >= 0}
        self.models: Vocabulary = known_models(columns)
        self.devices = _devices(columns.nodes, list(rows.values()), self.models)
        self.complaints: dict[int, str] = {}
        self._columns = columns
        self.demands, self._index = self._read_templates(rows)
        self.node_of_pod: I32 = np.full(len(columns.pods), NO_NODE, np.int32)
        self.held: Mask = np.zeros((len(columns.pods), self.devices.free.shape[1]), np.bool_)
        self._milli: I64 = np.zeros(len(columns.pods), np.int64)
        self._tried: dict[tuple[int, int], Mask] = {}

    def demand_of(self, pod: int) -> GpuDemand:
        """What a pod takes."""
        return self.demands[self._columns.pods.template[pod]]

    def follow(self, state: ClusterState) -> None:
        """Make up for what has happened to pods since the last call."""
        moved = np.flatnonzero(self.node_of_pod != state.node_of_pod)
        for pod in moved.tolist():
            self.release(pod)
        for pod in moved[state.node_of_pod[moved] != NO_NODE].tolist():
            self.take(pod, int(state.node_of_pod[pod]), self._given)

    def take(self, pod: int, node: int, choose: Choice) -> None:
        """Give a pod the devices that are chosen for it."""
        demand = self.demand_of(pod)
        if demand.number:
            index = self._index[self._columns.pods.template[pod]]
            if not self._take_index(pod, node, index):
                choose(node, demand, self.held[pod])
        self._milli[pod] = demand.milli
        self.node_of_pod[pod] = node
        self.devices.version[node] += 1

    def release(self, pod: int) -> None:
        """Take a pod's devices back; undoes `take` exactly."""
        node = int(self.node_of_pod[pod])
        if node != NO_NODE:
            self.devices.free[node, self.held[pod]] += self._milli[pod]
            self.held[pod] = False
            self.node_of_pod[pod] = NO_NODE
            self.devices.version[node] += 1

    def shift(self, pod: int, node: int, sign: int) -> None:
        """Try a pod on a node (``sign`` 1) or off (-1) until the opposite call."""
        free, demand = self.devices.free[node], self.demand_of(pod)
        self.devices.version[node] += 1
        if self.node_of_pod[pod] == node:
            free[self.held[pod]] -= sign * self._milli[pod]
        elif sign > 0:
            taken = self._tried[pod, node] = np.zeros(self.held.shape[1], np.bool_)
            self._given(node, demand, taken)
        else:
            free[self._tried.pop((pod, node))] += demand.milli

    def inherit(self, other: "DeviceLedger") -> None:
        """Let pods that are on a node of the same name keep the devices that they had there by an earlier ledger.

        A ledger of other pods has nothing to say.
        """
        if other._columns.pods is not self._columns.pods:
            return
        names, index = other._columns.nodes.names, self._columns.nodes.index
        for pod in np.flatnonzero(other.held.any(axis=1)).tolist():
            node = index.get(names[other.node_of_pod[pod]])
            kept = np.flatnonzero(other.held[pod])
            if node is not None and (not len(kept) or kept[-1] < self.devices.number[node]):
                self.held[pod, kept] = True
                self._milli[pod] = other._milli[pod]
                self.devices.free[node, kept] -= self._milli[pod]
                self.node_of_pod[pod] = node

    def _given(self, node: int, demand: GpuDemand, taken: Mask) -> None:
        """Choose for a pod that is on the node anyway: where it does not fit, the emptiest devices hold too much."""
        free, number = self.devices.free[node], int(self.devices.number[node])
        lacking = take_tightest(free, number, demand, taken)
        rest = [d for d in np.argsort(-free[:number], kind="stable").tolist() if not taken[d]][:lacking]
        taken[rest] = True
        free[rest] -= demand.milli

    def _take_index(self, pod: int, node: int, index: tuple[int, ...]) -> bool:
        """Give a pod that is on the node from the start the devices that its annotation names, if there are such."""
        is_old = self._columns.pods.node[pod] == node
        if not (is_old and index and max(index) < self.devices.number[node]):
            return False
        chosen = list(index)
        self.held[pod, chosen] = True
        self.devices.free[node, chosen] -= self.demand_of(pod).milli
        return True

    def _read_templates(self, rows: Mapping[str, int]) -> tuple[list[GpuDemand], list[tuple[int, ...]]]:
        demands, index = [], []
        for template in self._columns.templates:
            try:
                demands.append(read_demand(template, self.models, rows))
                index.append(read_index(template))
            except AnnotationError as error:
                self.complaints[template.code] = str(error)
                del demands[template.code :]
                demands.append(GpuDemand(0, 0, 0, np.ones(len(self.models) + 1, np.bool_)))
                index.append(())
        return demands, index


def _devices(nodes: NodeColumns, rows: Sequence[int], models: Vocabulary) -> GpuDevices:
    """Idle devices of all nodes."""
    number: I64 = np.zeros(len(nodes), np.int64)
    for row in rows:
        number = np.where(number > 0, number, nodes.allocatable[row])
    if number.max(initial=0) > MAX_DEVICES:
        most = int(number.argmax())
        msg = f"GpuShare: node {nodes.names[most]} has {number[most]} devices, at most {MAX_DEVICES} can be told apart"
        raise PluginError(msg)
    codes = nodes.label_codes(GPU_MODEL).astype(np.int64)
    free = np.where(np.arange(number.max(initial=1)) < number[:, None], MILLI, 0)
    return GpuDevices(free, number, np.where(codes >= 0, codes, len(models)), np.zeros(len(nodes), np.int64))
