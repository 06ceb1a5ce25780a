"""Running a workload: the pods that are measured, and how long they take."""

import time
from dataclasses import dataclass

import numpy as np

from kplace.analysis.scheduler_perf.document import Workload
from kplace.analysis.scheduler_perf.script import Script, script_of
from kplace.analysis.scheduler_perf.steps import Placing, Retrying, Step
from kplace.api import Cluster
from kplace.api.setup import Setup, set_up
from kplace.dtypes import I32, NO_NODE, PreemptionMode
from kplace.engine.batch import can_batch, place_batch
from kplace.engine.cycle import Options
from kplace.engine.place import place_waiting
from kplace.errors import UsageError
from kplace.state import ClusterState


@dataclass(frozen=True, slots=True)
class Measured:
    """What a workload has come to.

    Attributes
    ----------
    workload : Workload
    nodes : int
    pods : int
        Pods that were measured, those that churn brought not counted.
    scheduled : int
        How many of them found a node.
    seconds : float
        How long placing them took, the fastest of all repetitions.
    notes : tuple of str
        In what it is not quite what upstream does.
    """

    workload: Workload
    nodes: int
    pods: int
    scheduled: int
    seconds: float
    notes: tuple[str, ...]

    @property
    def pods_per_second(self) -> float:
        """Pods that found a node, per second; what upstream calls the throughput."""
        return self.scheduled / max(self.seconds, 1e-9)

    @property
    def factor(self) -> float | None:
        """How many times upstream's threshold that is."""
        threshold = self.workload.threshold
        return self.pods_per_second / threshold if threshold else None


def run_workload(workload: Workload, *, repeat: int = 1) -> Measured:
    """Make a workload's cluster and run its operations one after the other; of the measured ones the time is taken.

    No API server is in the loop, as there is in upstream's figures. Pods that others must leave for are tried again at
    once, the others having left at once; pods without a node when nodes come, objects change or pods leave, and at a
    barrier.

    Raises
    ------
    UsageError
        It cannot be run, or measures nothing.
    InputError
        A template cannot be used.
    """
    if workload.obstacles:
        msg = f"{workload.title}: cannot be run: {'; '.join(workload.obstacles)}"
        raise UsageError(msg)
    script = script_of(workload)
    if not len(script.measured):
        msg = f"{workload.title}: nothing in it is measured; no operation has collectMetrics"
        raise UsageError(msg)
    courses = []
    for _ in range(repeat):
        course = _Course(workload, script)
        course.run()
        courses.append(course)
    best = min(courses, key=lambda course: course.seconds)
    nodes = len(script.stages[-1].columns.nodes)
    return Measured(workload, nodes, len(script.measured), best.n_found, best.seconds, script.notes)


class _Course:
    """One run of a workload: where its pods are, and how long those that are measured have taken."""

    def __init__(self, workload: Workload, script: Script) -> None:
        self._config = None if workload.config is None else str(workload.config)
        self._stages = script.stages
        n_pods = len(script.stages[-1].columns.pods)
        self._is_measured = np.zeros(n_pods, np.bool_)
        self._is_measured[script.measured] = True
        self._was_tried, self._is_gone, self._was_placed = (np.zeros(n_pods, np.bool_) for _ in range(3))
        self._state: ClusterState | None = None
        self.seconds = 0.0

    @property
    def n_found(self) -> int:
        """Number of measured pods that found a node, whether or not they have left it since."""
        return int((self._was_placed & self._is_measured).sum())

    def run(self) -> None:
        """Go through all stages."""
        for stage in self._stages:
            before = self._state
            state = self._state = ClusterState(stage.columns)
            setup = set_up(Cluster(stage.columns), self._config, extenders="off")
            if before is not None:
                _move(before, state)
            for step in stage.steps:
                self._do(step, state, setup)

    def _do(self, step: Step, state: ClusterState, setup: Setup) -> None:
        if isinstance(step, Placing):
            self._was_tried[step.pods] = True
            self._place(step.pods[~self._is_gone[step.pods]], state, setup)
        elif isinstance(step, Retrying):
            while self._place(self._pending(state), state, setup):
                pass
        else:
            self._is_gone[step.pods] = True
            for pod in step.pods[state.node_of_pod[step.pods] != NO_NODE].tolist():
                state.forget(pod)

    def _pending(self, state: ClusterState) -> I32:
        known = slice(len(state.node_of_pod))
        is_pending = self._was_tried[known] & ~self._is_gone[known] & (state.node_of_pod == NO_NODE)
        return np.flatnonzero(is_pending).astype(np.int32)

    def _place(self, pods: I32, state: ClusterState, setup: Setup) -> bool:
        """Try pods; whether one of them got a node."""
        if not len(pods):
            return False
        options = Options(
            percentage_of_nodes_to_score=setup.percentage_of_nodes_to_score, preemption=PreemptionMode.IMMEDIATE
        )
        place = place_batch if can_batch(setup.profiles, options) else place_waiting
        began = time.perf_counter()
        placed = place(state, setup.profiles, options, only=pods)
        if self._is_measured[pods].any():
            self.seconds += time.perf_counter() - began
        self._is_gone[placed.preemptions.gone] = True
        found = pods[state.node_of_pod[pods] != NO_NODE]
        self._was_placed[found] = True
        return bool(len(found))


def _move(before: ClusterState, after: ClusterState) -> None:
    """Put the pods of a stage onto their nodes in the next one, and go on where the search for nodes was."""
    names, index = before.columns.nodes.names, after.columns.nodes.index
    for pod in np.flatnonzero(before.node_of_pod != NO_NODE).tolist():
        after.assume(pod, index[names[before.node_of_pod[pod]]])
    after.next_start_index = before.next_start_index % max(after.n_nodes, 1)
