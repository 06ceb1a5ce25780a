"""What a simulation tells its watchers."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from kplace.engine.attempt import Attempt
from kplace.engine.diagnose import Reasons
from kplace.engine.simulate.found import Found
from kplace.engine.simulate.live_pod import LivePod
from kplace.framework.binding import Setback
from kplace.queue import SchedulingQueue
from kplace.queue.scheduling_queue import Move


class Result(StrEnum):
    """What an attempt came to."""

    SCHEDULED = "scheduled"
    UNSCHEDULABLE = "unschedulable"
    ERROR = "error"
    SKIPPED = "skipped"
    BIND_ERROR = "bind-error"


@dataclass(frozen=True, slots=True)
class AttemptRecord:
    """An attempt, or the failure to bind what came of one.

    Attributes
    ----------
    at, popped_at : int
        Nanoseconds since the start: when it ended and when it began.
    pod : LivePod
    number : int
        Of the pod's attempts, from 1.
    result : Result
    node : str
        The node found; empty if none.
    message : str
        Why it failed.
    plugins : frozenset of str
        Those that rejected the pod.
    nominated : str or None
        The node that the pod was promised; empty if a promise was taken back; None if there was neither.
    victims : tuple of LivePod
        The pods that have to leave for it.
    attempt : Attempt or None
        All that was found out; None if it did not come to that, or if the attempt was a swift one.
    found : Found or None
        The node and how it was found; None if none was.
    reasons : tuple of (str, str, int)
        Plugin, reason and number of nodes.
    setback : Setback or None
        Why the pod does not get the node that was found.
    """

    at: int
    popped_at: int
    pod: LivePod
    number: int
    result: Result
    node: str = ""
    message: str = ""
    plugins: frozenset[str] = frozenset()
    nominated: str | None = None
    victims: tuple[LivePod, ...] = ()
    attempt: Attempt | None = None
    found: Found | None = None
    reasons: Reasons = ()
    setback: Setback | None = None


class Watcher(Protocol):
    """Is told of everything."""

    def moved(self, now: int, moves: Sequence[Move]) -> None:
        """Pods went from one place of the queue to another, by one event; sorted by name."""
        ...

    def tried(self, attempt: Attempt, message: str) -> None:
        """An attempt has found what it found, with its message (empty if that is a node); nothing is changed yet."""
        ...

    def attempted(self, record: AttemptRecord) -> None:
        """An attempt has ended, or a binding has failed."""
        ...

    def bound(self, now: int, pod: LivePod) -> None:
        """A pod was bound to its node."""
        ...

    def evicted(self, now: int, pod: LivePod, preemptor: LivePod) -> None:
        """A pod has to leave for another."""
        ...

    def settled(self, now: int, queue: SchedulingQueue) -> None:
        """Nothing more happens at this time."""
        ...


class Quiet:
    """A watcher that keeps nothing; others may be made from it."""

    def moved(self, now: int, moves: Sequence[Move]) -> None:
        """Pods went from one place of the queue to another."""

    def tried(self, attempt: Attempt, message: str) -> None:
        """An attempt has found what it found; nothing is changed yet."""

    def attempted(self, record: AttemptRecord) -> None:
        """An attempt has ended, or a binding has failed."""

    def bound(self, now: int, pod: LivePod) -> None:
        """A pod was bound to its node."""

    def evicted(self, now: int, pod: LivePod, preemptor: LivePod) -> None:
        """A pod has to leave for another."""

    def settled(self, now: int, queue: SchedulingQueue) -> None:
        """Nothing more happens at this time."""


@dataclass(frozen=True, slots=True)
class Relay:
    """Tells several watchers."""

    watchers: tuple[Watcher, ...]

    def moved(self, now: int, moves: Sequence[Move]) -> None:
        """Pods went from one place of the queue to another."""
        for watcher in self.watchers:
            watcher.moved(now, moves)

    def tried(self, attempt: Attempt, message: str) -> None:
        """An attempt has found what it found; nothing is changed yet."""
        for watcher in self.watchers:
            watcher.tried(attempt, message)

    def attempted(self, record: AttemptRecord) -> None:
        """An attempt has ended, or a binding has failed."""
        for watcher in self.watchers:
            watcher.attempted(record)

    def bound(self, now: int, pod: LivePod) -> None:
        """A pod was bound to its node."""
        for watcher in self.watchers:
            watcher.bound(now, pod)

    def evicted(self, now: int, pod: LivePod, preemptor: LivePod) -> None:
        """A pod has to leave for another."""
        for watcher in self.watchers:
            watcher.evicted(now, pod, preemptor)

    def settled(self, now: int, queue: SchedulingQueue) -> None:
        """Nothing more happens at this time."""
        for watcher in self.watchers:
            watcher.settled(now, queue)


_quiet: type[Watcher] = Quiet
_relay: type[Watcher] = Relay
