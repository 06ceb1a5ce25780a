"""What is to be done later."""

import heapq
from typing import Generic, TypeVar

A = TypeVar("A")


class Agenda(Generic[A]):
    """Things to do by time; those of the same time in the order in which they were added."""

    def __init__(self) -> None:
        self._heap: list[tuple[int, int, A]] = []
        self._n_added = 0

    def __len__(self) -> int:
        return len(self._heap)

    def add(self, time: int, thing: A) -> None:
        """Add a thing to do."""
        heapq.heappush(self._heap, (time, self._n_added, thing))
        self._n_added += 1

    def next_time(self) -> int | None:
        """Time of the first thing to do; None if there is none."""
        return self._heap[0][0] if self._heap else None

    def due(self, now: int) -> A | None:
        """Take out the first thing to do whose time has come; None if there is none."""
        if not self._heap or self._heap[0][0] > now:
            return None
        return heapq.heappop(self._heap)[2]
