"""The queue of a run, as a configuration and a release would have it."""

from collections.abc import Mapping

from kplace.api.setup import Setup
from kplace.engine.cycle import Options
from kplace.engine.place import MAX_BINDINGS
from kplace.engine.simulate import Settings
from kplace.queue import SECOND, Backoff

POP_FROM_BACKOFF = "SchedulerPopFromBackoffQ"
ASYNC_PREEMPTION = "SchedulerAsyncPreemption"


def backoff_of(setup: Setup, gates: Mapping[str, bool]) -> Backoff:
    """How long pods wait before they are tried again; ``gates`` are feature gates that were set for this run."""
    configuration, behaviour = setup.configuration, setup.behaviour
    return Backoff(
        configuration.pod_initial_backoff_seconds * SECOND,
        configuration.pod_max_backoff_seconds * SECOND,
        pops_early=gates.get(POP_FROM_BACKOFF, behaviour.pops_from_backoff),
        holds_at_end=behaviour.holds_at_end,
        counts_attempts=behaviour.counts_attempts,
    )


def standing_settings(setup: Setup, options: Options) -> Settings:
    """Settings of a run in which nothing comes from outside: bindings take no time, evictions what pods ask for."""
    return Settings(
        options=options,
        backoff=backoff_of(setup, {}),
        grace=None,
        preempts_async=setup.behaviour.preempts_async,
        asks_hints=setup.behaviour.queueing_hints,
        most_setbacks=MAX_BINDINGS,
    )
