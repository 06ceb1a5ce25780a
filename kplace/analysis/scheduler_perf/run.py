"""Running a workload: the pods that are measured, and how long they take."""

import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from kplace.analysis.scheduler_perf.document import Workload
from kplace.analysis.scheduler_perf.script import Script, Step, script_of
from kplace.api import Cluster
from kplace.api.setup import set_up
from kplace.dtypes import NO_NODE, PreemptionMode
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
    once, the others having left at once.

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
    if not any(step.is_measured for step in script.steps):
        msg = f"{workload.title}: nothing in it is measured; no operation has collectMetrics"
        raise UsageError(msg)
    runs = [_run(workload, script) for _ in range(repeat)]
    seconds, tried, scheduled = min(runs)
    return Measured(workload, len(script.columns.nodes), tried, scheduled, seconds, script.notes)


def _run(workload: Workload, script: Script) -> tuple[float, int, int]:
    """Seconds, measured pods, and how many of them found a node."""
    cluster = Cluster(script.columns)
    setup = set_up(cluster, None if workload.config is None else str(workload.config), extenders="off")
    state = ClusterState(script.columns)
    options = Options(
        percentage_of_nodes_to_score=setup.percentage_of_nodes_to_score, preemption=PreemptionMode.IMMEDIATE
    )
    place = place_batch if can_batch(setup.profiles, options) else place_waiting
    seconds, measured = 0.0, []
    deleted: set[int] = set()
    for step in script.steps:
        if step.deletes:
            deleted.update(step.pods.tolist())
            _delete(state, step)
            continue
        pods = step.pods[~np.isin(step.pods, list(deleted))] if deleted else step.pods
        began = time.perf_counter()
        place(state, setup.profiles, options, only=pods)
        if step.is_measured:
            seconds += time.perf_counter() - began
            measured += list(_without_churn(script, step))
    found = int((state.node_of_pod[measured] != NO_NODE).sum())
    return seconds, len(measured), found


def _without_churn(script: Script, step: Step) -> Iterator[int]:
    pods = script.columns.pods
    churn = pods.namespaces.find("churn")
    return (pod for pod in step.pods.tolist() if pods.namespace[pod] != churn)


def _delete(state: ClusterState, step: Step) -> None:
    for pod in step.pods[state.node_of_pod[step.pods] != NO_NODE].tolist():
        state.forget(pod)
