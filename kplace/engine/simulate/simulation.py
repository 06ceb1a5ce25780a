"""The simulation: what happens at each time, in order.

At one instant the clock is set, the queue is flushed (backoff every second, the pool every 30), bindings and evictions
that are due come to their end, everything the scenario has for this time is done, and then pods are tried until none is
left to pop.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kplace.engine.batch import can_batch
from kplace.engine.simulate.agenda import Agenda
from kplace.engine.simulate.evictions import Evictions
from kplace.engine.simulate.record import Quiet, Watcher
from kplace.engine.simulate.scenario import Change, During, Scenario, Verb
from kplace.engine.simulate.scheduler import Scheduler
from kplace.engine.simulate.settings import Settings
from kplace.engine.simulate.swift import SwiftAttempts
from kplace.engine.simulate.world import World
from kplace.framework import PreEnqueuePlugin, Profile
from kplace.framework.answers import may_enter
from kplace.framework.events import WILD_CARD, Happening, PodImage
from kplace.plugins import names
from kplace.queue import SECOND, Clock, SchedulingQueue
from kplace.queue.scheduling_queue import Gate, Move

if TYPE_CHECKING:
    from kplace.engine.simulate.duties import Duty, Running

POOL_FLUSH = 30 * SECOND


class Simulation:
    """Runs a scenario.

    Parameters
    ----------
    scenario : Scenario
        Its columns are used up: they are changed in place.
    profiles : sequence of Profile
    settings : Settings
    watcher : Watcher, optional
    n_attempts, next_start : int
        Attempts that were made before, and where the first search begins.

    Attributes
    ----------
    clock : Clock
    queue : SchedulingQueue
    world : World
    """

    def __init__(
        self,
        scenario: Scenario,
        profiles: Sequence[Profile],
        settings: Settings,
        watcher: Watcher | None = None,
        *,
        n_attempts: int = 0,
        next_start: int = 0,
    ) -> None:
        by_name = {profile.scheduler_name: profile for profile in profiles}
        evictions = Evictions()
        self._scenario = scenario
        self._settings = settings
        self._watcher = watcher or Quiet()
        self._agenda: Agenda[Duty] = Agenda()
        self._running: tuple[int, Running] | None = None
        self._n_changes = 0
        self._has_begun = False
        self.clock = Clock()
        self.queue = SchedulingQueue(
            by_name,
            self.clock,
            settings.backoff,
            _gates(by_name, evictions),
            watcher=self._moved,
            asks_hints=settings.asks_hints,
            epoch_ns=settings.epoch_ns,
        )
        swift = _swift(scenario, by_name, settings)
        self.world = World(scenario, by_name, self.queue, swift, recreates=settings.recreates)
        self._scheduler = Scheduler(
            self.world, self.queue, swift, by_name, settings, self.clock, self._agenda, evictions, self._watcher
        )
        self._scheduler.n_attempts = n_attempts
        self.world.cluster.state.next_start_index = next_start

    @property
    def n_attempts(self) -> int:
        """Number of attempts so far."""
        return self._scheduler.n_attempts

    @property
    def horizon(self) -> int:
        """When the last change of the scenario is done."""
        return self._scenario.last_time

    @property
    def is_at_rest(self) -> bool:
        """Whether nothing more happens but that pods are tried again which nothing has helped meanwhile."""
        is_busy = self._running is not None or len(self._agenda) or self._n_changes < len(self._scenario.changes)
        n_moving = self._scheduler.n_waiting + len(self.queue.active) + len(self.queue.backoff.rejected)
        return not (is_busy or n_moving)

    def run(self, until: int) -> None:
        """Go on up to and including a time, nanoseconds since the start."""
        if not self._has_begun:
            self._has_begun = True
            self._begin()
            self._instant(0)
        while (time := self.next_time()) is not None and time <= until:
            self._instant(time)

    def _begin(self) -> None:
        initial = self._scenario.initial
        n_others = sum(change.kind != "Pod" for change in initial)
        # Pods come last, and the queue is to know by then what it is sorted by.
        self._do(initial[:n_others])
        self.world.cluster.inform()
        self._do(initial[n_others:])
        for pod in self.world.pods.values():
            if pod.image.node:
                self._scheduler.watch_end(pod)

    def next_time(self) -> int | None:
        """When something happens next; None if nothing ever does."""
        now = self.clock.now
        times = [self._agenda.next_time(), self._next_change(), self._scheduler.next_deadline]
        if self._running is not None:
            times.append(self._running[0])
        release = self.queue.backoff.next_release()
        if release is not None:
            times.append(max(_round_up(release, SECOND), _round_up(now + 1, SECOND)))
        if len(self.queue.pool):
            times.append(_round_up(now + 1, POOL_FLUSH))
        known = [time for time in times if time is not None]
        return min(known) if known else None

    def _next_change(self) -> int | None:
        changes = self._scenario.changes
        if self._n_changes == len(changes):
            return None
        when = changes[self._n_changes].when
        assert isinstance(when, int)
        return when

    def _instant(self, now: int) -> None:
        self.clock.now = now
        if now and now % SECOND == 0:
            self.queue.flush_backoff()
        if now and now % POOL_FLUSH == 0:
            self.queue.flush_pool(Happening(WILD_CARD, None, None, self.world.cluster.columns))
        self._scheduler.expire()
        while (duty := self._agenda.due(now)) is not None:
            self._scheduler.do(duty)
        while self._next_change() == now:
            change = self._scenario.changes[self._n_changes]
            self._n_changes += 1
            self._do((change,))
            if change.kind not in ("Node", "Pod"):
                self.world.cluster.inform()
        self._schedule(now)
        self._watcher.settled(now, self.queue)

    def _schedule(self, now: int) -> None:
        """End the attempt that is due, and try pods until none is left, or until one takes its time."""
        if self._running is not None:
            due, running = self._running
            if due > now:
                return
            self._running = None
            self._scheduler.finish(running)
        while (begun := self._scheduler.begin()) is not None:
            self._do(self._scenario.during.get(During(begun.pod.key, begun.entry.attempts), ()))
            if self._settings.cycle_time:
                self._running = now + self._settings.cycle_time, begun
                return
            self._scheduler.finish(begun)

    def _do(self, changes: Sequence[Change]) -> None:
        for change in changes:
            self.world.apply(change)
            if change.verb is Verb.DRAIN:
                self._scheduler.drain(change.name)
            self._scheduler.settle()

    def _moved(self, moves: Sequence[Move]) -> None:
        self._watcher.moved(self.clock.now, moves)


def _swift(scenario: Scenario, profiles: Mapping[str, Profile], settings: Settings) -> SwiftAttempts:
    """The fused engines of those profiles that have one, if attempts may be made by them at all."""
    may = settings.is_swift and not settings.cycle_time and not scenario.during
    is_known = may and can_batch(list(profiles.values()), settings.options)
    return SwiftAttempts(profiles if is_known else {}, settings.options)


def _gates(profiles: Mapping[str, Profile], evictions: Evictions) -> dict[str, dict[str, Gate]]:
    """What keeps pods out of the queue, by profile and plugin."""
    gates: dict[str, dict[str, Gate]] = {}
    for name, profile in profiles.items():
        own = gates[name] = {}
        for plugin in profile.pre_enqueue:
            own[plugin.name] = _PluginGate(plugin)
        if any(plugin.name == names.DEFAULT_PREEMPTION for plugin in profile.post_filter):
            own[names.DEFAULT_PREEMPTION] = evictions.may_enter
    return gates


@dataclass(frozen=True, slots=True)
class _PluginGate:
    """Asks a PreEnqueue plugin."""

    plugin: PreEnqueuePlugin

    def __call__(self, image: PodImage) -> bool:
        return may_enter(self.plugin, image.template)


def _round_up(time: int, step: int) -> int:
    return -(-time // step) * step
