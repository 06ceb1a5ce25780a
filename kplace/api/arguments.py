"""What several functions of the API ask of their arguments."""

from collections.abc import Sequence
from difflib import get_close_matches

import numpy as np

from kplace.api.cluster import Cluster
from kplace.dtypes import PreemptionMode
from kplace.errors import UsageError

PREEMPTION_WORDS = {
    PreemptionMode.QUEUE: "queue",
    PreemptionMode.DRY_RUN: "dry-run",
    PreemptionMode.IMMEDIATE: "immediate",
    PreemptionMode.OFF: "off",
}
HIGHEST_SEED = 2**63 - 1
"""Seeds have 64 bits, with the sign."""


def one_of(argument: str, given: str, choices: Sequence[str]) -> str:
    """Check that an argument is one of a few words.

    Raises
    ------
    UsageError
        It is not.

    Examples
    --------
    >>> one_of("tie_break", "first", ("first", "random"))
    'first'
    """
    if given in choices:
        return given
    meant = get_close_matches(str(given), choices, 1)
    hint = f"; did you mean {meant[0]!r}?" if meant else ""
    msg = f"{argument}: expected {' or '.join(map(repr, choices))}, got {given!r}{hint}"
    raise UsageError(msg)


def whole(argument: str, given: int, least: int | None = None) -> int:
    """Check that an argument is a whole number, and not too low.

    Raises
    ------
    UsageError
        It is not.

    Examples
    --------
    >>> whole("runs", 3, 1)
    3
    """
    is_whole = isinstance(given, int | np.integer) and not isinstance(given, bool)
    if not is_whole or (least is not None and given < least):
        bound = "" if least is None else f", {least} or more"
        msg = f"{argument}: expected a whole number{bound}, got {given!r}"
        raise UsageError(msg)
    return int(given)


def seed_of(given: int, further: int = 0) -> int:
    """Check a seed: what draws are made of has 64 bits.

    Parameters
    ----------
    given : int
    further : int
        As many more seeds after it have to be ones too.

    Raises
    ------
    UsageError
        It is no whole number, or too large.
    """
    seed = whole("seed", given)
    most = HIGHEST_SEED - further
    if not -HIGHEST_SEED <= seed <= most:
        msg = f"seed: expected at most {most:,}, got {seed:,}" if seed > 0 else f"seed: {seed:,} is too low"
        raise UsageError(msg)
    return seed


def preemption_for(cluster: Cluster, given: str | None) -> PreemptionMode:
    """Say what a run does about preemption: what is given, else what the golden case says, else by the queue.

    Raises
    ------
    UsageError
        There is no such mode.
    """
    if given is None:
        if cluster.case is None:
            return PreemptionMode.QUEUE
        return PreemptionMode.IMMEDIATE if cluster.case.preempt else PreemptionMode.DRY_RUN
    modes = {word: mode for mode, word in PREEMPTION_WORDS.items()}
    return modes[one_of("preemption", given, tuple(modes))]
