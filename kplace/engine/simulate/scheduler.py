"""The scheduler's attempts on a simulated clock (upstream ``schedule_one.go``)."""

from collections.abc import Mapping

from kplace.dtypes import NO_NODE
from kplace.engine.attempt import Attempt
from kplace.engine.cycle import find_way_out, try_pod
from kplace.engine.diagnose import diagnose
from kplace.engine.simulate.agenda import Agenda
from kplace.engine.simulate.binding_cycle import BindingCycle
from kplace.engine.simulate.duties import SCHEDULER_ERROR, UNSCHEDULABLE, Binding, Duty, Failure, Running
from kplace.engine.simulate.evictions import Evictions, Evictor
from kplace.engine.simulate.found import Found
from kplace.engine.simulate.live_pod import LivePod
from kplace.engine.simulate.record import AttemptRecord, Result, Watcher
from kplace.engine.simulate.rejection import rejecting_plugins
from kplace.engine.simulate.returns import Returns
from kplace.engine.simulate.settings import Settings
from kplace.engine.simulate.swift import SwiftAttempts
from kplace.engine.simulate.world import World
from kplace.framework import Profile
from kplace.framework.diagnosis import NO_NODES
from kplace.preemption.eligibility import POD_GONE
from kplace.queue import Clock, QueuedPod, SchedulingQueue
from kplace.state import ClusterState


class Scheduler:
    """Tries the pods of a queue one by one.

    Parameters
    ----------
    world : World
    queue : SchedulingQueue
    swift : SwiftAttempts
    profiles : mapping of str to Profile
    settings : Settings
    clock : Clock
    agenda : Agenda of Duty
    evictions : Evictions
    watcher : Watcher

    Attributes
    ----------
    n_attempts : int
        Number of attempts so far, each of which has its own draws.
    """

    def __init__(  # noqa: PLR0913, PLR0917 - it is where everything meets
        self,
        world: World,
        queue: SchedulingQueue,
        swift: SwiftAttempts,
        profiles: Mapping[str, Profile],
        settings: Settings,
        clock: Clock,
        agenda: Agenda[Duty],
        evictions: Evictions,
        watcher: Watcher,
    ) -> None:
        self.n_attempts = 0
        self._world = world
        self._queue = queue
        self._swift = swift
        self._profiles = profiles
        self._settings = settings
        self._clock = clock
        self._watcher = watcher
        self._returns = Returns(world, queue, settings, clock, watcher)
        self._bindings = BindingCycle(world, queue, settings, clock, agenda, self._returns, watcher)
        self._evictor = Evictor(world, queue, settings, clock, agenda, evictions, self._bindings.waiting, watcher)
        world.reject_waiting = self._bindings.reject

    def begin(self) -> Running | None:
        """Pop a pod and look for a node; None if there is no pod to pop.

        The snapshot stays as it is until `finish`.
        """
        while (entry := self._queue.pop()) is not None:
            pod = self._world.by_row[entry.pod]
            if not (pod.is_terminating or pod.assumed):
                return self._look(entry, pod)
            self._skip(entry, pod)
        return None

    def finish(self, running: Running) -> None:
        """Bring an attempt to its end: the pod is being bound, or goes back into the queue, and others may leave."""
        cluster = self._world.cluster
        if running.found is None:
            self._fail(running)
        else:
            # The state is still that of the attempt.
            node = cluster.state.columns.nodes.names[running.found.node]
            if running.attempt is not None:
                self._watcher.tried(running.attempt, "")
            cluster.release()
            self._bindings.begin(running, node)
        self._bindings.settle()

    def do(self, duty: Duty) -> None:
        """Do something that is due."""
        if isinstance(duty, Binding):
            self._bindings.finish(duty)
        else:
            self._evictor.finish(duty)
        self._bindings.settle()

    def settle(self) -> None:
        """Go on with the pods that waited and were allowed or rejected."""
        self._bindings.settle()

    def drain(self, node: str) -> None:
        """Evict the pods of a node but those of a DaemonSet."""
        self._evictor.drain(node)

    def watch_end(self, pod: LivePod) -> None:
        """Let a pod that is on its node from the start end in time."""
        self._bindings.watch_end(pod)

    @property
    def n_waiting(self) -> int:
        """How many pods Permit plugins let wait."""
        return len(self._bindings.waiting)

    @property
    def next_deadline(self) -> int | None:
        """When the next of them will be out of time."""
        return self._bindings.waiting.next_deadline_ns

    def expire(self) -> None:
        """Reject those that are out of time."""
        self._bindings.waiting.expire(self._clock.now)
        self._bindings.settle()

    def _look(self, entry: QueuedPod, pod: LivePod) -> Running:
        cluster = self._world.cluster
        cluster.sync()
        state = cluster.state
        running = Running(entry, pod, None, self._clock.now)
        if state.n_nodes:
            own = state.columns.nodes.index.get(pod.image.nominated, NO_NODE)
            state.nominations.node_of_pod[pod.row] = own
            profile = self._profiles[pod.scheduler]
            running.found = self._swift.find(state, profile, pod.row, self.n_attempts)
            if running.found is None:
                running.attempt = self._try(state, profile, entry)
                if running.attempt.node != NO_NODE:
                    running.found = Found.of(running.attempt)
                state.next_start_index = running.attempt.next_start_index
            else:
                state.next_start_index = running.found.next_start_index
        self.n_attempts += 1
        cluster.hold()
        return running

    def _try(self, state: ClusterState, profile: Profile, entry: QueuedPod) -> Attempt:
        options, waiting = self._settings.options, self._bindings.waiting
        attempt = try_pod(state, profile, entry.pod, self.n_attempts, options, waiting)
        attempt.retry = entry.attempts - 1
        return attempt

    def _skip(self, entry: QueuedPod, pod: LivePod) -> None:
        message = f"skip schedule deleting pod: {pod.key}" if pod.is_terminating else ""
        self._queue.done(entry)
        now = self._clock.now
        self._watcher.attempted(AttemptRecord(now, now, pod, entry.attempts, Result.SKIPPED, message=message))

    def _fail(self, running: Running) -> None:
        attempt, pod = running.attempt, running.pod
        failure = self._diagnose(running)
        preemption = attempt.preemption if attempt is not None else None
        victims: tuple[LivePod, ...] = ()
        if attempt is not None:
            if preemption is not None:
                victims = tuple(self._world.by_row[row] for row in preemption.victims.tolist())
            attempt.is_preempting = bool(victims)
            self._watcher.tried(attempt, failure.message)
        self._world.cluster.release()
        if self._settings.preempts_async:
            self._returns.put_back(running, failure, victims)
            self._evictor.evict(pod, failure.nomination or "", victims)
        else:
            self._evictor.evict_at_once(pod, failure.nomination or "", victims)
            self._returns.put_back(running, failure, victims)

    def _diagnose(self, running: Running) -> Failure:
        attempt = running.attempt
        if attempt is None:
            return Failure(Result.UNSCHEDULABLE, UNSCHEDULABLE, NO_NODES)
        if attempt.error:
            return Failure(Result.ERROR, SCHEDULER_ERROR, attempt.error)
        if not running.pod.exists:
            attempt.cycle.write(POD_GONE, True)
        attempt.post_filters = find_way_out(attempt, self._settings.options)
        nomination: str | None = ""
        if attempt.post_filters is not None:
            found = attempt.post_filters.result.nomination
            nomination = None if found is None else ""
            if found is not None and found != NO_NODE:
                nomination = attempt.cycle.state.columns.nodes.names[found]
        reasons, message = diagnose(attempt)
        plugins = rejecting_plugins(attempt)
        return Failure(Result.UNSCHEDULABLE, UNSCHEDULABLE, message, plugins, nomination, reasons)
