"""Refusals that name what would be right."""

from collections.abc import Sequence

from kplace.api.hints import close_names, did_you_mean, listed
from kplace.errors import UsageError


def known_column(argument: str, name: str, known: Sequence[str], given: str | None = None) -> None:
    """Check that a table has a column, or a choice a name.

    Raises
    ------
    UsageError
        It has not; the message lists what there is.
    """
    if name in known:
        return
    meant = did_you_mean(close_names(name, known)) or f"; there are {listed(known)}"
    msg = f"{argument}: there is no {given or name!r}{meant}"
    raise UsageError(msg)
