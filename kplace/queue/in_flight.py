"""Pods that are being tried, and what has happened meanwhile (part of upstream's ``active_queue.go``)."""

from collections import deque

from kplace.framework.events import Happening


class InFlight:
    """The pods in flight and the events since the first of them was popped."""

    def __init__(self) -> None:
        self._events: deque[Happening] = deque()
        self._first = 0
        self._since: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self._since)

    def __contains__(self, pod: int) -> bool:
        return pod in self._since

    def take(self, pod: int) -> None:
        """Note that a pod is being tried from now on."""
        self._since[pod] = self._first + len(self._events)

    def record(self, happening: Happening) -> None:
        """Keep an event for those pods that may want to hear of it when they come back."""
        if self._since:
            self._events.append(happening)

    def events(self, pod: int) -> list[Happening]:
        """What has happened since a pod was popped."""
        return [self._events[i] for i in range(self._since[pod] - self._first, len(self._events))]

    def done(self, pod: int) -> None:
        """Note that a pod is no longer being tried; events that nobody waits for are dropped."""
        if self._since.pop(pod, None) is None:
            return
        needed = min(self._since.values(), default=self._first + len(self._events))
        while self._first < needed:
            self._events.popleft()
            self._first += 1
