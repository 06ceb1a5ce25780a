"""What is to be done later."""

import heapq
from collections.abc import Callable

Action = Callable[[], None]


class Agenda:
    """Actions by time; those of the same time in the order in which they were added."""

    def __init__(self) -> None:
        self._heap: list[tuple[int, int, Action]] = []
        self._n_added = 0

    def __len__(self) -> int:
        return len(self._heap)

    def add(self, time: int, action: Action) -> None:
        """Add an action."""
        heapq.heappush(self._heap, (time, self._n_added, action))
        self._n_added += 1

    def next_time(self) -> int | None:
        """Time of the first action; None if there is none."""
        return self._heap[0][0] if self._heap else None

    def run(self, now: int) -> None:
        """Do what is due."""
        while self._heap and self._heap[0][0] <= now:
            heapq.heappop(self._heap)[2]()
