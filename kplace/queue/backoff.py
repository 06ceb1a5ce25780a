"""Pods in backoff (upstream ``backend/queue/backoff_queue.go``)."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from kplace.queue.clock import SECOND, Clock, whole_second
from kplace.queue.entry import QueuedPod
from kplace.queue.heap import PodHeap, Rank


@dataclass(frozen=True, slots=True)
class Backoff:
    """How long a pod has to wait after a failure.

    Attributes
    ----------
    initial, most : int
        Nanoseconds.
    pops_early : bool
        The gate SchedulerPopFromBackoffQ: an idle scheduler takes pods out before their time, and backoff ends at whole
        seconds.
    holds_at_end : bool
        A pod still waits at the very moment at which its backoff ends.
    counts_attempts : bool
        Each attempt doubles the wait, whatever came of it; otherwise each rejection does, and each error in a row.
    """

    initial: int = SECOND
    most: int = 10 * SECOND
    pops_early: bool = True
    holds_at_end: bool = True
    counts_attempts: bool = False

    def duration(self, failures: int) -> int:
        """Wait after so many failures: the initial one, doubled with each further one.

        Examples
        --------
        >>> [Backoff().duration(failures) // SECOND for failures in range(7)]
        [0, 1, 2, 4, 8, 10, 10]
        """
        if failures == 0:
            return 0
        shift = failures - 1
        return self.most if self.initial > self.most >> shift else self.initial << shift

    def failures(self, entry: QueuedPod) -> int:
        """How many failures of a pod count."""
        return entry.attempts if self.counts_attempts else entry.error_count or entry.unschedulable_count

    def aligned(self, time: int) -> int:
        """A time as it counts for backoff."""
        return whole_second(time) if self.pops_early else time


class BackoffQueue:
    """Two heaps by the end of backoff: pods that plugins rejected, and pods that failed without.

    Parameters
    ----------
    rules : Backoff
    clock : Clock
    rank : callable
        Order of the active queue, which holds among rejected pods whose backoff ends in the same second.
    """

    def __init__(self, rules: Backoff, clock: Clock, rank: Callable[[QueuedPod], Rank]) -> None:
        self._rules = rules
        self._clock = clock
        self._rank = rank
        self.rejected = PodHeap(self._rank_of_rejected)
        self.errors = PodHeap(self._rank_of_errors)

    def __len__(self) -> int:
        return len(self.rejected) + len(self.errors)

    def __iter__(self) -> Iterator[QueuedPod]:
        """Rejected pods in order, then the others."""
        yield from self.rejected
        yield from self.errors

    def expiry(self, entry: QueuedPod) -> int:
        """When a pod's backoff ends."""
        if entry.expiry is None:
            duration = self._rules.duration(self._rules.failures(entry))
            entry.expiry = self._rules.aligned(entry.timestamp + duration)
        return entry.expiry

    def is_backing_off(self, entry: QueuedPod) -> bool:
        """Whether a pod still has to wait: through the whole second in which its backoff ends."""
        if not self._rules.failures(entry) or self._rules.most == 0:
            return False
        return self.expiry(entry) >= self._rules.aligned(self._clock.now) + (not self._rules.holds_at_end)

    def add(self, entry: QueuedPod) -> None:
        """Add a pod."""
        (self.rejected if entry.rejecting else self.errors).add(entry)

    def update(self, entry: QueuedPod) -> None:
        """Give a pod its place anew."""
        self._heap_of(entry.pod).add(entry)

    def remove(self, pod: int) -> None:
        """Take a pod out."""
        self._heap_of(pod).remove(pod)

    def pop_early(self) -> QueuedPod | None:
        """Take out the rejected pod that comes first, however long it would have to wait."""
        return self.rejected.pop() if self._rules.pops_early else None

    def pop_completed(self) -> Iterator[QueuedPod]:
        """Take out the pods that need not wait any more."""
        for heap in (self.rejected, self.errors):
            while (entry := heap.peek()) is not None and not self.is_backing_off(entry):
                heap.pop()
                yield entry

    def next_release(self) -> int | None:
        """The first time at which some pod need not wait any more; None if no pod waits."""
        heads = [entry for heap in (self.rejected, self.errors) if (entry := heap.peek()) is not None]
        if not heads:
            return None
        wait = SECOND if self._rules.pops_early else int(self._rules.holds_at_end)
        return min(map(self.expiry, heads)) + wait

    def _heap_of(self, pod: int) -> PodHeap:
        return self.rejected if pod in self.rejected else self.errors

    def _rank_of_errors(self, entry: QueuedPod) -> Rank:
        return self.expiry(entry), entry.step

    def _rank_of_rejected(self, entry: QueuedPod) -> Rank:
        if self._rules.pops_early:
            return (self.expiry(entry), *self._rank(entry))
        return self._rank_of_errors(entry)
