"""Pods that leave for others, and the pods that wait for that (upstream ``preemption/executor.go``)."""

from kplace.engine.simulate.agenda import Agenda
from kplace.engine.simulate.duties import Departure, Duty
from kplace.engine.simulate.live_pod import LivePod
from kplace.engine.simulate.record import Watcher
from kplace.engine.simulate.settings import Settings, grace_of
from kplace.engine.simulate.world import World
from kplace.framework.events import PodImage
from kplace.framework.waiting import WaitingPods
from kplace.plugins import names
from kplace.queue import Clock, SchedulingQueue


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


class Evictor:
    """Lets pods leave.

    Parameters
    ----------
    world : World
    queue : SchedulingQueue
    settings : Settings
    clock : Clock
    agenda : Agenda of Duty
    evictions : Evictions
    waiting : WaitingPods
        Those that wait to be bound: they need not be deleted to make room.
    watcher : Watcher
    """

    def __init__(  # noqa: PLR0913, PLR0917 - see its parameters
        self,
        world: World,
        queue: SchedulingQueue,
        settings: Settings,
        clock: Clock,
        agenda: Agenda[Duty],
        evictions: Evictions,
        waiting: WaitingPods,
        watcher: Watcher,
    ) -> None:
        self._world = world
        self._queue = queue
        self._settings = settings
        self._clock = clock
        self._agenda = agenda
        self._evictions = evictions
        self._waiting = waiting
        self._watcher = watcher

    def evict(self, pod: LivePod, node: str, victims: tuple[LivePod, ...]) -> None:
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

    def evict_at_once(self, pod: LivePod, node: str, victims: tuple[LivePod, ...]) -> None:
        """Evict while the pod is still in flight, as upstream does without the gate SchedulerAsyncPreemption."""
        for victim in victims:
            if victim.exists and not victim.is_terminating:
                self._evict_one(victim, pod)
        if victims:
            self._clear_lower(pod, node)

    def drain(self, node: str) -> None:
        """Evict the pods of a node but those of a DaemonSet."""
        for pod in self._world.bound_to(node):
            owner = pod.image.template.owner
            if not pod.is_terminating and (owner is None or owner.kind != "DaemonSet"):
                self._evict_one(pod, None)

    def finish(self, departure: Departure) -> None:
        """Let a pod be gone."""
        if departure.pod.exists:
            self._world.delete(departure.pod, is_forced=departure.is_forced)

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
        held = self._waiting.get(victim.row)
        if held is not None:
            held.reject(names.DEFAULT_PREEMPTION, "preempted")
            return
        grace = grace_of(victim.image.template.spec) if self._settings.grace is None else self._settings.grace
        departure = Departure(victim, is_forced=True)
        if grace:
            self._world.begin_deletion(victim, is_preempted=pod is not None)
            self._agenda.add(self._clock.now + grace, departure)
        else:
            self.finish(departure)
