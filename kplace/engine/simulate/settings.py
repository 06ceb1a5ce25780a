"""How a simulated cluster behaves beside its objects."""

from collections.abc import Callable
from dataclasses import dataclass, field

from kplace.engine.cycle import Options
from kplace.queue import Backoff

EPOCH_NS = 1_735_689_600_000_000_000
"""The start of 2025 in UTC, nanoseconds since 1970."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What becomes of a binding.

    Attributes
    ----------
    delay : int
        Nanoseconds.
    error : str
        Why it fails; empty if it does not.
    """

    delay: int = 0
    error: str = ""


_AT_ONCE = Outcome()


def bind_at_once(_pod: int, _attempt: int) -> Outcome:
    """Bind without delay and without failure."""
    return _AT_ONCE


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of a simulation.

    Attributes
    ----------
    options : Options
        For the attempts.
    backoff : Backoff
    binding : callable
        What becomes of a binding, by pod and number of its attempt.
    grace : int
        Nanoseconds from a pod's eviction to its end.
    cycle_time : int
        Nanoseconds that an attempt takes.
    preempts_async : bool
        The gate SchedulerAsyncPreemption: others are evicted once the pod that they leave for is back in the queue.
    asks_hints : bool
        The gate SchedulerQueueingHints.
    recreates : bool
        Pods of a controller come back, as new ones of the same name, if they were evicted or their node has failed.
    epoch_ns : int
        Wall clock at the start, nanoseconds since 1970; a whole second.
    """

    options: Options = field(default_factory=Options)
    backoff: Backoff = field(default_factory=Backoff)
    binding: Callable[[int, int], Outcome] = bind_at_once
    grace: int = 0
    cycle_time: int = 0
    preempts_async: bool = True
    asks_hints: bool = True
    recreates: bool = False
    epoch_ns: int = EPOCH_NS
