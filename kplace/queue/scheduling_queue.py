"""The queue as a whole (upstream ``backend/queue/scheduling_queue.go``)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from kplace.framework import Profile
from kplace.framework.events import (
    UNSCHEDULED_POD_ADD,
    UNSCHEDULED_POD_DELETE,
    UNSCHEDULED_POD_UPDATE,
    WILD_CARD,
    Happening,
    PodImage,
)
from kplace.queue.backoff import Backoff, BackoffQueue
from kplace.queue.clock import SECOND, Clock
from kplace.queue.entry import NO_PLUGINS, Place, QueuedPod
from kplace.queue.heap import PodHeap, Rank
from kplace.queue.in_flight import InFlight
from kplace.queue.nominator import Nominator
from kplace.queue.pool import Pool
from kplace.queue.rules import Rules, Strategy

MOST_IN_POOL = 300 * SECOND
"""Pods that failed longer ago than this are tried again whatever happens."""

ATTEMPT_FAILURE = "ScheduleAttemptFailure"
BACKOFF_COMPLETE = "BackoffComplete"
POP_FROM_BACKOFF = "PopFromBackoffQ"
UNSCHEDULABLE_TIMEOUT = "UnschedulableTimeout"
FORCE_ACTIVATE = "ForceActivate"


class Move(NamedTuple):
    """A pod that went from one place to another, and why."""

    key: str
    origin: Place
    destination: Place
    label: str


Watcher = Callable[[Sequence[Move]], None]
"""Told of the moves of one event, sorted by the pods' names."""

Gate = Callable[[PodImage], bool]
"""Whether a pod may enter the queue."""


class SchedulingQueue:
    """Waiting pods: the active queue, backoff, the pool of unschedulable and gated pods, and those in flight.

    Parameters
    ----------
    profiles : mapping of str to Profile
        By scheduler name.
    clock : Clock
    backoff : Backoff
    gates : mapping of str to mapping
        By scheduler name and plugin: what keeps pods out of the queue.
    watcher : callable, optional
        Told of every move but the popping of active pods.
    asks_hints : bool
        See `Rules`. Otherwise pods are also tried again after any event while they are in flight, and after any update.
    epoch_ns : int
        What the clock's zero is since 1970: plugins that sort may compare with times that objects have.

    Attributes
    ----------
    active, backoff, pool, in_flight
        The places.
    nominator : Nominator
    """

    def __init__(
        self,
        profiles: Mapping[str, Profile],
        clock: Clock,
        backoff: Backoff,
        gates: Mapping[str, Mapping[str, Gate]],
        watcher: Watcher | None = None,
        *,
        asks_hints: bool = True,
        epoch_ns: int = 0,
    ) -> None:
        self._profiles = profiles
        self._clock = clock
        self._settings = backoff
        self._epoch_ns = epoch_ns
        self._gates = gates
        self._watcher = watcher
        self._rules = Rules(profiles, asks_hints=asks_hints)
        self._moves: list[Move] = []
        self._sort = next(iter(profiles.values())).queue_sort
        self.active = PodHeap(self._rank)
        self.backoff = BackoffQueue(backoff, clock, self._rank)
        self.pool = Pool()
        self.in_flight = InFlight()
        self.nominator = Nominator()

    def entries(self) -> Iterator[QueuedPod]:
        """All pods but those in flight."""
        yield from self.active
        yield from self.backoff
        yield from self.pool

    # What happens to pods of the queue.

    def add(self, image: PodImage, profile: str, key: str) -> QueuedPod:
        """Take in a new pod."""
        entry = self._new_entry(image, profile, key)
        self._to_active(entry, UNSCHEDULED_POD_ADD.label, Place.OUTSIDE)
        self._tell()
        return entry

    def update(self, entry: QueuedPod, changes: Sequence[Happening]) -> QueuedPod:
        """See an update of a pod that waits, is in flight, or is nowhere.

        Parameters
        ----------
        entry : QueuedPod
            As the queue last knew it.
        changes : sequence of Happening
            What changed, at least one; each with the pod before and after.

        Returns
        -------
        QueuedPod
            A new one if the pod was nowhere: it starts from zero.
        """
        old, new = changes[0].pods
        assert old is not None
        assert new is not None
        pod = new.pod
        if pod in self.in_flight:
            for change in changes:
                self.in_flight.record(change)
            return entry
        if pod in self.active or pod in self.backoff.rejected or pod in self.backoff.errors:
            entry.image = new
            (self.active.add if pod in self.active else self.backoff.update)(entry)
            self.nominator.update(pod, old.nominated, new.nominated)
        elif pod in self.pool:
            entry.image = new
            self.pool.add(entry)
            self.nominator.update(pod, old.nominated, new.nominated)
            self._wake_by_own_update(entry, changes)
        else:
            entry = self._new_entry(new, entry.profile, entry.key)
            self._to_active(entry, UNSCHEDULED_POD_UPDATE.label, Place.OUTSIDE)
        self._tell()
        return entry

    def delete(self, pod: int, *, is_bound: bool = False) -> None:
        """Forget a pod that was deleted, or that is bound, wherever it is; one in flight goes on until it is done."""
        self.nominator.delete(pod)
        entry = self._find(pod)
        if entry is None:
            return
        place = self.active if entry.place is Place.ACTIVE else self.pool
        (self.backoff if entry.place is Place.BACKOFF else place).remove(pod)
        if not is_bound:
            self._moves.append(Move(entry.key, entry.place, Place.OUTSIDE, UNSCHEDULED_POD_DELETE.label))
        entry.place = Place.OUTSIDE
        self._tell()

    # The scheduler's side.

    def pop(self) -> QueuedPod | None:
        """Take out the pod to try next: the first active one, or one out of backoff if there is none."""
        entry = self.active.pop()
        if entry is None:
            entry = self.backoff.pop_early()
            if entry is None:
                return None
            self._moves.append(Move(entry.key, Place.BACKOFF, Place.ACTIVE, POP_FROM_BACKOFF))
            self._tell()
        entry.attempts += 1
        entry.expiry = None
        entry.plugins, entry.pending, entry.gating = NO_PLUGINS, NO_PLUGINS, ""
        entry.place = Place.IN_FLIGHT
        self.in_flight.take(entry.pod)
        return entry

    def done(self, entry: QueuedPod) -> None:
        """A pod is no longer in flight, and does not come back."""
        self.in_flight.done(entry.pod)
        entry.place = Place.OUTSIDE

    def put_back(self, entry: QueuedPod) -> None:
        """Take back a pod that failed, with the plugins that rejected it in ``plugins`` and ``pending``.

        Mirrors ``AddUnschedulableIfNotPresent``: what happened while it was in flight may send it on at once.
        """
        pod = entry.pod
        if pod in self.pool or pod in self.active or pod in self.backoff.rejected or pod in self.backoff.errors:
            self.in_flight.done(pod)
            return
        if entry.rejecting:
            entry.unschedulable_count += 1
            entry.error_count = 0
        else:
            entry.error_count += 1
        entry.timestamp, entry.step = self._clock.now, self._clock.step()
        entry.expiry = None
        strategy = self._missed(entry)
        entry.place = Place.OUTSIDE
        self._requeue(entry, strategy, ATTEMPT_FAILURE, Place.IN_FLIGHT)
        self.in_flight.done(pod)
        self._tell()

    # Events and time.

    def happen(self, happening: Happening, most_priority: int | None = None, *, but: int | None = None) -> None:
        """Let an event wake pods of the pool, and pods in flight when they come back.

        Parameters
        ----------
        most_priority : int, optional
            Only pods of the pool of at most this priority are asked.
        but : int, optional
            A pod of the pool that is not asked.
        """
        if not self._rules.is_wanted(happening.event):
            return
        woken = [pair for kind in self.pool.kinds() for pair in self._ask(kind, happening, most_priority)]
        for entry, strategy in woken:
            if entry.pod != but:
                self._wake(entry, strategy, happening.event.label)
        self.in_flight.record(happening)
        self._tell()

    def flush_backoff(self) -> None:
        """Activate the pods whose backoff is over; upstream does so every second."""
        for entry in list(self.backoff.pop_completed()):
            entry.place = Place.OUTSIDE
            self._to_active(entry, BACKOFF_COMPLETE, Place.BACKOFF, is_checked=self._settings.pops_early)
        self._tell()

    def flush_pool(self, timeout: Happening) -> None:
        """Try pods again that have waited for too long; upstream looks for them every 30 seconds.

        Parameters
        ----------
        timeout : Happening
            A wild card, which pods in flight hear of.
        """
        late = [entry for entry in self.pool if self._clock.now - entry.timestamp > MOST_IN_POOL]
        if not late:
            return
        for entry in late:
            if not entry.gating:
                self._wake(entry, Strategy.AFTER_BACKOFF, UNSCHEDULABLE_TIMEOUT)
        self.in_flight.record(timeout)
        self._tell()

    def activate(self, pod: int, force: Happening) -> None:
        """Let a pod be tried again whatever keeps it; one in flight when it comes back.

        Parameters
        ----------
        force : Happening
            A wild card with the pod.
        """
        if pod in self.in_flight:
            self.in_flight.record(force)
            return
        entry = self.pool.get(pod)
        if entry is not None:
            origin = entry.place
            self.pool.remove(pod)
            self._to_active(entry, FORCE_ACTIVATE, origin)
            self._tell()

    # How it is done.

    def _rank(self, entry: QueuedPod) -> Rank:
        return (*self._sort.rank(entry.image.template, self._epoch_ns + entry.timestamp), entry.step)

    def _new_entry(self, image: PodImage, profile: str, key: str) -> QueuedPod:
        now = self._clock.now
        return QueuedPod(image, profile, key, now, self._clock.step(), now)

    def _ask(
        self, kind: dict[int, QueuedPod], happening: Happening, most_priority: int | None
    ) -> Iterator[tuple[QueuedPod, Strategy]]:
        """Pods of one kind to which an event means something, and what; the same to all but the event's own pod."""
        own = kind.get(happening.pod)
        other = next((entry for entry in kind.values() if entry is not own), None)
        first = own or other
        assert first is not None
        if first.gating and not self._rules.opens(first.gating, happening.event):
            return
        if most_priority is not None and first.priority > most_priority:
            return
        if other is not None:
            strategy = self._rules.verdict(other, happening)
            if strategy is not Strategy.SKIP:
                yield from ((entry, strategy) for entry in kind.values() if entry is not own)
        if own is not None:
            strategy = self._rules.verdict(own, happening)
            if strategy is not Strategy.SKIP:
                yield own, strategy

    def _wake(self, entry: QueuedPod, strategy: Strategy, label: str) -> None:
        origin = entry.place
        self.pool.remove(entry.pod)
        self._requeue(entry, strategy, label, origin)

    def _missed(self, entry: QueuedPod) -> Strategy:
        """What the events mean to a pod that came while it was in flight."""
        if not entry.rejecting:
            return Strategy.AFTER_BACKOFF
        if not self._rules.asks_hints:
            return Strategy.AFTER_BACKOFF if any(self.in_flight.events(entry.pod)) else Strategy.SKIP
        found = Strategy.SKIP
        for happening in self.in_flight.events(entry.pod):
            if happening.event == WILD_CARD and happening.new is not None and not happening.is_of(entry.pod):
                continue
            found = max(found, self._rules.verdict(entry, happening))
            if found is Strategy.AT_ONCE or (found is Strategy.AFTER_BACKOFF and not entry.pending):
                break
        return found

    def _wake_by_own_update(self, entry: QueuedPod, changes: Sequence[Happening]) -> None:
        for change in changes:
            strategy = self._rules.verdict_on_own_update(entry, change)
            if strategy is not Strategy.SKIP:
                origin = entry.place
                self._requeue(entry, strategy, change.event.label, origin)
                if entry.place in (Place.ACTIVE, Place.BACKOFF):
                    return

    def _requeue(self, entry: QueuedPod, strategy: Strategy, label: str, origin: Place) -> None:
        if strategy is Strategy.SKIP:
            self._to_pool(entry, label, origin)
        elif strategy is Strategy.AFTER_BACKOFF and self.backoff.is_backing_off(entry):
            self._to_backoff(entry, label, origin)
        else:
            self._to_active(entry, label, origin)

    def _to_pool(self, entry: QueuedPod, label: str, origin: Place) -> None:
        self.pool.add(entry)
        self._arrive(entry, Place.GATED if entry.gating else Place.UNSCHEDULABLE, label, origin)

    def _to_backoff(self, entry: QueuedPod, label: str, origin: Place) -> None:
        if self._settings.pops_early:
            self._run_gates(entry)
            if entry.gating:
                self._to_pool(entry, label, origin)
                return
        if entry.pod in self.pool:
            self.pool.remove(entry.pod)
        self.backoff.add(entry)
        self._arrive(entry, Place.BACKOFF, label, origin)

    def _to_active(self, entry: QueuedPod, label: str, origin: Place, *, is_checked: bool = False) -> None:
        if not is_checked:
            self._run_gates(entry)
        if entry.gating:
            self._to_pool(entry, label, origin)
            return
        if entry.active_since is None:
            entry.active_since = self._clock.now
        if entry.pod in self.pool:
            self.pool.remove(entry.pod)
        self.active.add(entry)
        self._arrive(entry, Place.ACTIVE, label, origin)
        if label in (UNSCHEDULED_POD_ADD.label, UNSCHEDULED_POD_UPDATE.label):
            self.nominator.add(entry.pod, entry.image.nominated)

    def _run_gates(self, entry: QueuedPod) -> None:
        """Ask the PreEnqueue plugins, the one that kept the pod out last time first."""
        gates = self._gates.get(entry.profile, {})
        last = entry.gating
        for plugin in sorted(gates, key=lambda name: name != last):
            if not gates[plugin](entry.image):
                entry.plugins |= {plugin}
                entry.gating = plugin
                return
        entry.gating = ""

    def _find(self, pod: int) -> QueuedPod | None:
        for heap in (self.active, self.backoff.rejected, self.backoff.errors):
            if pod in heap:
                return heap.get(pod)
        return self.pool.get(pod)

    def _arrive(self, entry: QueuedPod, place: Place, label: str, origin: Place) -> None:
        entry.place = place
        if place is not origin:
            self._moves.append(Move(entry.key, origin, place, label))

    def _tell(self) -> None:
        if self._moves and self._watcher is not None:
            self._watcher(sorted(self._moves))
        self._moves.clear()
