"""Timing of short calls on a machine whose speed is not constant."""

import gc
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import numpy as np

ROUND_NS = 2_000_000
"""How long a call is repeated in one round; one that takes longer runs once."""


def rounds_of(
    calls: Sequence[Callable[[], object]], n_rounds: int, advance: Callable[[int, int], None] | None = None
) -> list[list[float]]:
    """Nanoseconds per call, a list of one figure per round for each of ``calls``.

    All calls take turns in each round, so that a machine which slows down for a while does so for all of them. Before
    the first round each is run once, for what is made at the first call, and once to see how long it takes.

    Parameters
    ----------
    advance : callable, optional
        Called with how many measurements of how many are done.
    """
    times = [_repeats(call) for call in calls]
    found: list[list[float]] = [[] for _ in calls]
    with _no_collection():
        for number in range(n_rounds):
            for at, (call, repeats) in enumerate(zip(calls, times, strict=True)):
                found[at].append(_timed(call, repeats))
            if advance is not None:
                advance(number + 1, n_rounds)
    return found


def _repeats(call: Callable[[], object]) -> int:
    call()
    return max(1, int(ROUND_NS / max(_timed(call, 1), 1.0)))


def _timed(call: Callable[[], object], repeats: int) -> float:
    began = time.perf_counter_ns()
    for _ in range(repeats):
        call()
    return (time.perf_counter_ns() - began) / repeats


@contextmanager
def _no_collection() -> Iterator[None]:
    """Keep the garbage collector from running in the middle of a measurement."""
    was_enabled = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def probe_ns() -> float:
    """Nanoseconds that a fixed piece of work takes: how fast the machine is just now.

    It is the median of several tries at sorting the same 20,000 numbers.
    """
    numbers = np.random.default_rng(0).integers(0, 1 << 40, 20_000)
    return float(np.median([_timed(lambda: np.sort(numbers), 1) for _ in range(25)]))
