"""How a simulated cluster behaves beside its objects."""

import sys
from collections.abc import Callable
from dataclasses import dataclass, field

from kplace.engine.cycle import Options
from kplace.objects.core import PodSpec
from kplace.queue import SECOND, Backoff

EPOCH_NS = 1_735_689_600_000_000_000
"""The start of 2025 in UTC, nanoseconds since 1970."""

_DEFAULT_GRACE = 30


def grace_of(spec: PodSpec) -> int:
    """How long a pod takes to end once it is told to, nanoseconds.

    Examples
    --------
    >>> grace_of(PodSpec()), grace_of(PodSpec(termination_grace_period_seconds=0))
    (30000000000, 0)
    """
    seconds = spec.termination_grace_period_seconds
    return (_DEFAULT_GRACE if seconds is None else max(seconds, 0)) * SECOND


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
    provisioning : callable or None
        How long it takes that a pod's claims are bound, by pod and number of its attempt; None if nobody does it.
    grace : int or None
        Nanoseconds from a pod's eviction to its end; None for what each pod says itself.
    cycle_time : int
        Nanoseconds that an attempt takes.
    preempts_async : bool
        The gate SchedulerAsyncPreemption: others are evicted once the pod that they leave for is back in the queue.
    asks_hints : bool
        The gate SchedulerQueueingHints.
    is_swift : bool
        The fused loop makes the attempts that it knows the way of; watchers see no `Attempt` of these. It comes to the
        same. Not used where attempts take their time, or something is done in the middle of one.
    recreates : bool
        Pods of a controller come back, as new ones of the same name, if they were evicted or their node has failed.
    most_setbacks : int
        How often a pod comes back that had found a node and did not get it; it is left alone then. Upstream, which
        does not come to an end, goes on for ever.
    epoch_ns : int
        Wall clock at the start, nanoseconds since 1970; a whole second.
    """

    options: Options = field(default_factory=Options)
    backoff: Backoff = field(default_factory=Backoff)
    binding: Callable[[int, int], Outcome] = bind_at_once
    provisioning: Callable[[int, int], Outcome] | None = None
    grace: int | None = 0
    cycle_time: int = 0
    preempts_async: bool = True
    asks_hints: bool = True
    is_swift: bool = False
    recreates: bool = False
    most_setbacks: int = sys.maxsize
    epoch_ns: int = EPOCH_NS
