"""A heap of pods from which any can be taken."""

import heapq
from collections.abc import Callable, Iterator

from kplace.queue.entry import QueuedPod

Rank = tuple[int, ...]


class PodHeap:
    """Pods by rank, the smallest first.

    Parameters
    ----------
    rank : callable
        Rank of a pod when it is added; no two pods may have the same.
    """

    def __init__(self, rank: Callable[[QueuedPod], Rank]) -> None:
        self._rank = rank
        self._heap: list[tuple[Rank, int]] = []
        self._held: dict[int, tuple[Rank, QueuedPod]] = {}

    def __len__(self) -> int:
        return len(self._held)

    def __contains__(self, pod: int) -> bool:
        return pod in self._held

    def __iter__(self) -> Iterator[QueuedPod]:
        """In the order in which they would be popped."""
        return (entry for _, entry in sorted(self._held.values(), key=lambda item: item[0]))

    def add(self, entry: QueuedPod) -> None:
        """Add a pod, or give one that is there its place anew."""
        rank = self._rank(entry)
        self._held[entry.pod] = rank, entry
        heapq.heappush(self._heap, (rank, entry.pod))

    def get(self, pod: int) -> QueuedPod | None:
        """A pod, if it is here."""
        held = self._held.get(pod)
        return held[1] if held is not None else None

    def remove(self, pod: int) -> None:
        """Take a pod out."""
        del self._held[pod]

    def peek(self) -> QueuedPod | None:
        """The first pod; None if there is none."""
        while self._heap:
            rank, pod = self._heap[0]
            held = self._held.get(pod)
            if held is not None and held[0] == rank:
                return held[1]
            heapq.heappop(self._heap)
        return None

    def pop(self) -> QueuedPod | None:
        """Take the first pod out; None if there is none."""
        entry = self.peek()
        if entry is not None:
            heapq.heappop(self._heap)
            del self._held[entry.pod]
        return entry
