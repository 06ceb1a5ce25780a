"""Doing runs: what every way of doing them has to offer, and the plainest one."""

import math
from collections.abc import Iterator
from itertools import islice
from typing import Protocol

from kplace.sweeps.runs import Batch, Planned, Runner

GOAL = 0.5
"""Seconds that a worker should be busy with what it is sent at once: much more than sending it takes."""
MOST_A_SECOND = 200
"""Portions that a scheduler should have to deal with in a second: with many workers each is sent more at once."""
MOST_AT_ONCE = 500
SHARES = 4
"""Near the end, what is left is dealt out in so many parts for each worker, that none waits for another."""


class Executor(Protocol):
    """Does runs, in any order."""

    def batches(self, planned: Iterator[Planned], total: int) -> Iterator[Batch]:
        """Do runs; what came of them follows as it comes.

        Parameters
        ----------
        planned : iterator of (str, Parameters)
            Is drawn from only as fast as runs are done.
        total : int
            How many there are.
        """


class Sequential:
    """Does runs one after the other in this process.

    Parameters
    ----------
    runner : Runner
    """

    def __init__(self, runner: Runner) -> None:
        self._runner = runner

    def batches(self, planned: Iterator[Planned], total: int) -> Iterator[Batch]:
        """Do runs: see `Executor`."""
        for one in planned:
            yield self._runner.batch([one])


class Portions:
    """Deals out runs in portions that take about `GOAL` seconds each, or longer with hundreds of workers.

    Parameters
    ----------
    planned : iterator of (str, Parameters)
    total : int
        How many there are.
    workers : int
    """

    def __init__(self, planned: Iterator[Planned], total: int, workers: int) -> None:
        self._planned = planned
        self._left = total
        self._workers = workers
        self._seconds = math.inf
        self._goal = max(GOAL, workers / MOST_A_SECOND)

    def next(self) -> list[Planned]:
        """Take a portion; empty when all have been dealt out."""
        fair = math.ceil(self._left / (self._workers * SHARES))
        size = max(1, min(int(self._goal / self._seconds), MOST_AT_ONCE, fair))
        portion = list(islice(self._planned, size))
        self._left -= len(portion)
        return portion

    def learn(self, batch: Batch) -> None:
        """Take in how long a portion took."""
        each = max(batch.seconds / len(batch.outcomes), 1e-4)
        # What is slow to begin with, because it is loaded or compiled first, is soon forgotten.
        self._seconds = each if each < self._seconds else 0.7 * self._seconds + 0.3 * each
