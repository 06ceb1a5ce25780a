"""The simulated clock."""

from dataclasses import dataclass

SECOND = 1_000_000_000
"""Nanoseconds."""


@dataclass(slots=True)
class Clock:
    """The time, and the order of what happens at the same time.

    Attributes
    ----------
    now : int
        Nanoseconds since the start, which is at a whole second of the wall clock.
    """

    now: int = 0
    _steps: int = 0

    def step(self) -> int:
        """Number of the next step: larger than all before, whatever the time."""
        self._steps += 1
        return self._steps


def whole_second(time: int) -> int:
    """The last whole second that is not after a time.

    Examples
    --------
    >>> whole_second(2_999_999_999), whole_second(-1)
    (2000000000, -1000000000)
    """
    return time // SECOND * SECOND
