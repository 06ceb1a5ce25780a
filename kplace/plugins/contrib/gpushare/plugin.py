"""GpuShare: fractional GPUs, with the device of each pod chosen within its node.

A pod says in annotations how many GPUs it takes (``alibabacloud.com/gpu-count``), how many thousandths of each
(``alibabacloud.com/gpu-milli``) and on which models it runs (``alibabacloud.com/gpu-card-model``, joined by bars): the
convention of open-simulator as the simulator of the OpenB trace has it. A node says how many it has by a resource of
its status, and their model by a label.
"""

from collections.abc import Sequence
from functools import lru_cache
from math import ceil, log

import numpy as np

from kplace.columns.annotations import GPU_MILLI
from kplace.columns.cluster import ClusterColumns
from kplace.dtypes import CPU, I32, I64, Code, Mask
from kplace.framework import Cycle, FilterPlugin, NormalizeScorePlugin, ScorePlugin, Verdict
from kplace.framework.events import Action, ClusterEvent, Registration, Resource
from kplace.framework.interface import (
    PROCEED,
    SKIP,
    PreFilterExtensions,
    PreFilterPlugin,
    PreFilterResult,
    ReservePlugin,
)
from kplace.framework.status import PluginStatus
from kplace.plugins.contrib.gpushare import kernels
from kplace.plugins.contrib.gpushare.args import FGD, SIGMOID, GpuShareArgs
from kplace.plugins.contrib.gpushare.kernels import GpuDemand, GradientMemo, TaskMix
from kplace.plugins.contrib.gpushare.ledger import DeviceLedger
from kplace.plugins.contrib.gpushare.mix import mix_of_args, mix_of_pods
from kplace.state import ClusterState

WRONG_MODEL = "node(s) didn't match the pod's GPU model"
NO_ROOM = f"Insufficient {GPU_MILLI}"

_CODES = np.array([Code.SUCCESS, *[Code.UNSCHEDULABLE_AND_UNRESOLVABLE] * 2, Code.UNSCHEDULABLE], np.int8)
"""By verdict: only devices that are taken may come free."""


class GpuShare:
    """Rules out nodes without the devices that a pod takes, chooses devices, and scores nodes by what would be left.

    Parameters
    ----------
    args : GpuShareArgs, optional

    Attributes
    ----------
    last_ledger : DeviceLedger or None
        Which pod has which devices, in the state that it saw last.

    Notes
    -----
    With ``BestFit`` the node is best that has the least cpu and GPU left, and on it the fullest device. With ``FGD``
    (fragmentation gradient descent, Weng et al., USENIX ATC 2023) node and device are best where the expected
    fragmentation falls the most or grows the least: the share of what is left that pods of the workload cannot use.

    A pod of several devices takes as many different ones. Pods that also request whole GPUs, for schedulers that know
    no better, need a NodeResourcesFit that ignores that resource.
    """

    name = "GpuShare"
    Args = GpuShareArgs
    is_local = True

    def __init__(self, args: GpuShareArgs | None = None) -> None:
        self._args = args or GpuShareArgs()
        self.last_ledger: DeviceLedger | None = None

    # Which nodes.

    def pre_filter(self, cycle: Cycle) -> PreFilterResult:
        """Skip pods without GPUs, and reject those whose annotations cannot be read."""
        ledger = self.ledger(cycle.state)
        complaint = ledger.complaints.get(cycle.template.code)
        if complaint is not None:
            return PreFilterResult(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, (complaint,))
        return PROCEED if self._demand(cycle, ledger).number else SKIP

    def count_pod(self, cycle: Cycle, pod: int, node: int, sign: int) -> None:
        """See one pod more (``sign`` 1) or less (-1) on a node."""
        self.ledger(cycle.state).shift(pod, node, sign)

    def filter(self, cycle: Cycle, nodes: I32) -> Verdict:
        """Judge each of ``nodes``."""
        ledger = self.ledger(cycle.state)
        detail = np.empty(len(nodes), np.int64)
        kernels.judge(ledger.devices, self._demand(cycle, ledger), nodes, detail)
        return Verdict(_CODES[detail], detail)

    def reasons(self, cycle: Cycle, detail: int) -> tuple[str, ...]:
        """Put a verdict into words."""
        return (WRONG_MODEL if detail == kernels.WRONG_MODEL else NO_ROOM,)

    def events_to_register(self) -> Sequence[Registration]:
        """Events that may help a pod which was rejected here."""
        changes = Action.ADD | Action.UPDATE_NODE_ALLOCATABLE | Action.UPDATE_NODE_LABEL
        return (
            Registration(ClusterEvent(Resource.ASSIGNED_POD, Action.DELETE)),
            Registration(ClusterEvent(Resource.NODE, changes)),
        )

    # Which of them.

    def score(self, cycle: Cycle, nodes: I32) -> I64:
        """Score each of ``nodes`` by the strategy of the args."""
        ledger, cpu_free = self.ledger(cycle.state), _cpu_free(cycle.state)
        demand = self._demand(cycle, ledger)
        scores = np.empty(len(nodes), np.int64)
        if self._args.scoring_strategy == FGD:
            memo = self._memo(cycle, ledger)
            kernels.gradient(ledger.devices, cpu_free, self.task_mix(cycle.state), demand, memo, nodes, scores)
        else:
            kernels.best_fit(ledger.devices, cpu_free, _largest(cycle.state, ledger), demand, nodes, scores)
        return scores

    def normalize_score(self, cycle: Cycle, nodes: I32, scores: I64) -> None:
        """Bring the scores to 0 to 100. Modified in place."""
        if self._args.scoring_strategy == FGD and self._args.fragmentation_scale == SIGMOID:
            weight = int(self.task_mix(cycle.state).weight.sum())
            scores[:] = np.searchsorted(logistic_steps(weight), scores, side="right")
        elif len(scores):
            kernels.stretch(scores)

    # Which devices.

    def reserve(self, cycle: Cycle, node: int) -> PluginStatus | None:
        """Choose devices for the pod, and note that it has them."""
        ledger = self.ledger(cycle.state)
        demand = self._demand(cycle, ledger)
        # The pod is on the node already, and the ledger has followed.
        ledger.release(cycle.pod)
        if kernels.fitting(ledger.devices.free[node], ledger.devices.number[node], demand.milli) < demand.number:
            return PluginStatus(Code.UNSCHEDULABLE, (NO_ROOM,))
        ledger.take(cycle.pod, node, lambda *where: self._choose(cycle.state, ledger, *where))
        return None

    def unreserve(self, cycle: Cycle, node: int) -> None:
        """Take the devices back."""
        self.ledger(cycle.state).release(cycle.pod)

    def ledger(self, state: ClusterState) -> DeviceLedger:
        """Which pod has which devices in a state, as it is now."""
        self.last_ledger = found = state.shared((self, DeviceLedger), self._new_ledger)
        found.follow(state)
        return found

    def task_mix(self, state: ClusterState) -> TaskMix:
        """The workload that fragmentation is measured against."""
        return state.shared((self, TaskMix), lambda columns: self._mix(state))

    def fragmentation(self, state: ClusterState) -> tuple[I64, int]:
        """Thousandths of GPU that pods of the task mix are expected to find unusable on each node.

        Returns
        -------
        lost : int64 ndarray, shape (n_nodes,)
            Times the weight.
        weight : int
            Of the whole mix.
        """
        mix, lost = self.task_mix(state), np.empty(state.n_nodes, np.int64)
        kernels.fragmentations(self.ledger(state).devices, _cpu_free(state), mix, lost)
        return lost, int(mix.weight.sum())

    def _new_ledger(self, columns: ClusterColumns) -> DeviceLedger:
        """Begin a ledger; where only the nodes of a run have changed, pods keep their devices."""
        ledger = DeviceLedger(columns, self._args.device_resources)
        if self.last_ledger is not None:
            ledger.inherit(self.last_ledger)
        return ledger

    def _choose(self, state: ClusterState, ledger: DeviceLedger, node: int, demand: GpuDemand, taken: Mask) -> None:
        free, number = ledger.devices.free[node], int(ledger.devices.number[node])
        if self._args.scoring_strategy == FGD:
            place = (free, number, int(_cpu_free(state)[node]), int(ledger.devices.model[node]))
            kernels.take_least_fragmenting(place, self.task_mix(state), demand, taken)
        else:
            kernels.take_tightest(free, number, demand, taken)

    def _demand(self, cycle: Cycle, ledger: DeviceLedger) -> GpuDemand:
        return ledger.demands[cycle.template.code]

    def _memo(self, cycle: Cycle, ledger: DeviceLedger) -> GradientMemo:
        """What is known of pods of the same demand; kinds of pods that differ in memory alone share it."""
        demand = self._demand(cycle, ledger)
        known = cycle.state.shared((self, GradientMemo), lambda _columns: dict[tuple[int | bytes, ...], GradientMemo]())
        key = (demand.cpu, demand.number, demand.milli, demand.models.tobytes())
        if key not in known:
            n_nodes = cycle.state.n_nodes
            known[key] = GradientMemo(*(np.full(n_nodes, value, np.int64) for value in (0, -1, 0)))
        return known[key]

    def _mix(self, state: ClusterState) -> TaskMix:
        ledger, pods = self.ledger(state), state.columns.pods
        if self._args.task_mix:
            return mix_of_args(self._args.task_mix, ledger.models)
        numbers = np.bincount(pods.template[~pods.finished], minlength=len(ledger.demands))
        return mix_of_pods(ledger.demands, numbers, self._args.task_mix_percentage)


@lru_cache(maxsize=16)
def logistic_steps(weight: int) -> I64:
    """The smallest drops in fragmentation, as kept by the kernels, that give scores of 1, 2, ..., 99.

    Examples
    --------
    >>> logistic_steps(1)[[0, 48, 49, 50]].tolist()  # 1, 49, 50, 51
    [-4595, -40, 0, 41]
    """
    return np.array([ceil(kernels.MILLI * weight * log(i / (100 - i))) for i in range(1, 100)], np.int64)


def _cpu_free(state: ClusterState) -> I64:
    """Milli-cpu left on every node."""
    return state.resources.allocatable[CPU] - state.resources.requested[CPU]


def _largest(state: ClusterState, ledger: DeviceLedger) -> tuple[int, int]:
    """Milli-cpu and thousandths of GPU of the largest nodes."""
    cpu = int(state.resources.allocatable[CPU].max(initial=1))
    return cpu, max(int(ledger.devices.number.max(initial=0)), 1) * kernels.MILLI


_pre_filter: type[PreFilterPlugin] = GpuShare
_extensions: type[PreFilterExtensions] = GpuShare
_filter: type[FilterPlugin] = GpuShare
_score: type[ScorePlugin] = GpuShare
_normalizer: type[NormalizeScorePlugin] = GpuShare
_reserve: type[ReservePlugin] = GpuShare
