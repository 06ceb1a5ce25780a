"""The scheduler's loop on a simulated clock: attempts, failures, bindings, evictions (upstream ``schedule_one.go``)."""

from collections.abc import Mapping
from dataclasses import dataclass

from kplace.dtypes import NO_NODE
from kplace.engine.attempt import Attempt
from kplace.engine.cycle import find_way_out, try_pod
from kplace.engine.diagnose import diagnose
from kplace.engine.simulate.agenda import Agenda
from kplace.engine.simulate.live_pod import LivePod
from kplace.engine.simulate.record import AttemptRecord, Result, Watcher
from kplace.engine.simulate.rejection import rejecting_plugins
from kplace.engine.simulate.settings import Settings
from kplace.engine.simulate.world import World
from kplace.framework import Profile
from kplace.framework.diagnosis import NO_NODES
from kplace.framework.events import PodImage
from kplace.preemption.eligibility import POD_GONE
from kplace.queue import Clock, QueuedPod, SchedulingQueue
from kplace.queue.clock import whole_second
from kplace.queue.entry import NO_PLUGINS

UNSCHEDULABLE = "Unschedulable"
SCHEDULER_ERROR = "SchedulerError"


@dataclass(slots=True)
class Running:
    """An attempt that has begun.

    Attributes
    ----------
    entry : QueuedPod
    pod : LivePod
    attempt : Attempt or None
        None if there was no node at all.
    popped_at : int
    """

    entry: QueuedPod
    pod: LivePod
    attempt: Attempt | None
    popped_at: int


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a pod comes back.

    Attributes
    ----------
    result : Result
    reason, message : str
        As its condition has them.
    plugins : frozenset of str
    nomination : str or None
        The node it is promised; empty takes a promise back, None says nothing.
    """

    result: Result
    reason: str
    message: str
    plugins: frozenset[str] = NO_PLUGINS
    nomination: str | None = ""


@dataclass(frozen=True, slots=True, eq=False)
class Binding:
    """A binding that comes to its end.

    Attributes
    ----------
    running : Running
        The attempt that led to it.
    node : str
    error : str
        Why it fails; empty if it does not.
    """

    running: Running
    node: str
    error: str


@dataclass(frozen=True, slots=True, eq=False)
class Departure:
    """A pod that comes to its end.

    Attributes
    ----------
    pod : LivePod
    is_forced : bool
        It was evicted; otherwise it has done what it was for.
    """

    pod: LivePod
    is_forced: bool


Duty = Binding | Departure
"""What is to be done later."""


class Evictions:
    """Which pods are having others evicted for them, and may not be tried meanwhile (upstream ``preempting``)."""

    def __init__(self) -> None:
        self._last_victims: dict[int, LivePod | None] = {}

    def begin(self, pod: int) -> None:
        """Begin to evict for a pod."""
        self._last_victims[pod] = None

    def come_to_last(self, pod: int, victim: LivePod) -> None:
        """All but this one are evicted: the pod may be tried as soon as this one is."""
        self._last_victims[pod] = victim

    def end(self, pod: int) -> None:
        """All are evicted."""
        del self._last_victims[pod]

    def may_enter(self, image: PodImage) -> bool:
        """Whether a pod may enter the queue (upstream's PreEnqueue of DefaultPreemption)."""
        if image.pod not in self._last_victims:
            return True
        last = self._last_victims[image.pod]
        return last is not None and (not last.exists or last.is_terminating)


class Scheduler:
    """Tries the pods of a queue one by one.

    Parameters
    ----------
    world : World
    queue : SchedulingQueue
    profiles : mapping of str to Profile
    settings : Settings
    clock : Clock
    agenda : Agenda of Duty
    evictions : Evictions
    watcher : Watcher
    """

    def __init__(  # noqa: PLR0913, PLR0917 - it is where everything meets
        self,
        world: World,
        queue: SchedulingQueue,
        profiles: Mapping[str, Profile],
        settings: Settings,
        clock: Clock,
        agenda: Agenda[Duty],
        evictions: Evictions,
        watcher: Watcher,
    ) -> None:
        self._world = world
        self._queue = queue
        self._profiles = profiles
        self._settings = settings
        self._clock = clock
        self._agenda = agenda
        self._evictions = evictions
        self._watcher = watcher
        self._n_attempts = 0

    @property
    def n_attempts(self) -> int:
        """Number of attempts so far."""
        return self._n_attempts

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
        attempt, pod = running.attempt, running.pod
        if attempt is not None and attempt.node != NO_NODE:
            node = attempt.cycle.state.columns.nodes.names[attempt.node]
            self._world.cluster.release()
            self._start_binding(running, node)
            return
        failure = self._diagnose(running)
        preemption = attempt.preemption if attempt is not None else None
        victims: tuple[LivePod, ...] = ()
        if preemption is not None:
            victims = tuple(self._world.by_row[row] for row in preemption.victims.tolist())
        self._world.cluster.release()
        if self._settings.preempts_async:
            self._fail(running, failure, victims)
            self._evict(pod, failure.nomination or "", victims)
        else:
            self._evict_at_once(pod, failure.nomination or "", victims)
            self._fail(running, failure, victims)

    def do(self, duty: Duty) -> None:
        """Do something that is due."""
        if isinstance(duty, Binding):
            self._finish_binding(duty)
        elif duty.pod.exists:
            self._world.delete(duty.pod, is_forced=duty.is_forced)

    def drain(self, node: str) -> None:
        """Evict the pods of a node but those of a DaemonSet."""
        for pod in self._world.bound_to(node):
            owner = pod.image.template.owner
            if not pod.is_terminating and (owner is None or owner.kind != "DaemonSet"):
                self._evict_one(pod, None)

    def watch_end(self, pod: LivePod) -> None:
        """Let a pod that is on its node end in time."""
        if pod.lasts is not None:
            self._agenda.add(self._clock.now + pod.lasts, Departure(pod, is_forced=False))

    # Attempts.

    def _look(self, entry: QueuedPod, pod: LivePod) -> Running:
        cluster = self._world.cluster
        cluster.sync()
        state = cluster.state
        attempt = None
        if state.n_nodes:
            own = state.columns.nodes.index.get(pod.image.nominated, NO_NODE)
            state.nominations.node_of_pod[pod.row] = own
            profile = self._profiles[pod.scheduler]
            attempt = try_pod(state, profile, pod.row, self._n_attempts, self._settings.options)
            state.next_start_index = attempt.next_start_index
        self._n_attempts += 1
        cluster.hold()
        return Running(entry, pod, attempt, self._clock.now)

    def _skip(self, entry: QueuedPod, pod: LivePod) -> None:
        message = f"skip schedule deleting pod: {pod.key}" if pod.is_terminating else ""
        self._queue.done(entry)
        now = self._clock.now
        self._watcher.attempted(AttemptRecord(now, now, pod, entry.attempts, Result.SKIPPED, message=message))

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
        _, message = diagnose(attempt)
        return Failure(Result.UNSCHEDULABLE, UNSCHEDULABLE, message, rejecting_plugins(attempt), nomination)

    def _fail(self, running: Running, failure: Failure, victims: tuple[LivePod, ...] = (), node: str = "") -> None:
        """Put a pod back, tell its nomination, and write its status (upstream ``handleSchedulingFailure``)."""
        entry, pod = running.entry, running.pod
        is_waiting = pod.exists and not pod.image.node
        nominator = self._queue.nominator
        entry.plugins = failure.plugins
        if is_waiting:
            entry.image = pod.image
            self._queue.put_back(entry)
            nominator.add(pod.row, pod.image.nominated if failure.nomination is None else failure.nomination)
        else:
            self._queue.done(entry)
            nominator.delete(pod.row)
        has_changed = failure.nomination is not None and failure.nomination != pod.image.nominated
        self._watcher.attempted(
            AttemptRecord(
                at=self._clock.now,
                popped_at=running.popped_at,
                pod=pod,
                number=entry.attempts,
                result=failure.result,
                node=node,
                message=failure.message,
                plugins=failure.plugins,
                nominated=failure.nomination if has_changed or failure.nomination else None,
                victims=victims,
                attempt=running.attempt,
            )
        )
        condition = (failure.reason, failure.message)
        if is_waiting and (has_changed or condition != pod.condition):
            pod.condition = condition
            nominated = pod.image.nominated if failure.nomination is None else failure.nomination
            self._world.nominate(pod, nominated)

    # Binding.

    def _start_binding(self, running: Running, node: str) -> None:
        entry, pod = running.entry, running.pod
        self._world.assume(pod, node)
        self._queue.done(entry)
        self._watcher.attempted(
            AttemptRecord(
                at=self._clock.now,
                popped_at=running.popped_at,
                pod=pod,
                number=entry.attempts,
                result=Result.SCHEDULED,
                node=node,
                attempt=running.attempt,
            )
        )
        outcome = self._settings.binding(pod.row, entry.attempts)
        self._later(outcome.delay, Binding(running, node, outcome.error))

    def _finish_binding(self, binding: Binding) -> None:
        running, node, error = binding.running, binding.node, binding.error
        pod = running.pod
        if not pod.exists:
            error = f'pods "{pod.name}" not found'
        if not error:
            started = self._settings.epoch_ns + whole_second(self._clock.now)
            pod.condition = ("", "")
            self._world.bind(pod, node, started)
            self._watcher.bound(self._clock.now, pod)
            self.watch_end(pod)
            return
        self._world.forget(pod)
        running.popped_at = self._clock.now
        failure = Failure(Result.BIND_ERROR, SCHEDULER_ERROR, f"binding rejected: {error}")
        self._fail(running, failure, node=node)

    # Preemption.

    def _evict(self, pod: LivePod, node: str, victims: tuple[LivePod, ...]) -> None:
        """Take lower promises of the node back and evict those victims that are not leaving already."""
        leaving = [victim for victim in victims if not victim.is_terminating]
        if not leaving:
            return
        self._evictions.begin(pod.row)
        self._clear_lower(pod, node)
        for victim in leaving[:-1]:
            self._evict_one(victim, pod)
        self._evictions.come_to_last(pod.row, leaving[-1])
        self._evict_one(leaving[-1], pod)
        self._evictions.end(pod.row)

    def _evict_at_once(self, pod: LivePod, node: str, victims: tuple[LivePod, ...]) -> None:
        """Evict while the pod is still in flight, as upstream does without the gate SchedulerAsyncPreemption."""
        for victim in victims:
            if victim.exists and not victim.is_terminating:
                self._evict_one(victim, pod)
        if victims:
            self._clear_lower(pod, node)

    def _clear_lower(self, pod: LivePod, node: str) -> None:
        """Take back what pods of a lower priority were promised on a node."""
        for row in self._queue.nominator.on(node):
            other = self._world.by_row[row]
            if other.image.template.priority < pod.image.template.priority and other.image.nominated:
                self._world.nominate(other, "")

    def _evict_one(self, victim: LivePod, pod: LivePod | None) -> None:
        """Let a pod leave, for another one or because its node is drained."""
        if not victim.exists:
            return
        if pod is not None:
            self._watcher.evicted(self._clock.now, victim, pod)
        if self._settings.grace:
            self._world.begin_deletion(victim, is_preempted=pod is not None)
        self._later(self._settings.grace, Departure(victim, is_forced=True))

    def _later(self, delay: int, duty: Duty) -> None:
        if delay:
            self._agenda.add(self._clock.now + delay, duty)
        else:
            self.do(duty)
