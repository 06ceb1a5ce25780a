"""What several functions of the API ask of their arguments."""

from collections.abc import Sequence
from difflib import get_close_matches

from kplace.api.cluster import Cluster
from kplace.errors import UsageError


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


def percentage_for(cluster: Cluster, given: int | None) -> int:
    """Say what a run's percentageOfNodesToScore is: what is given, else the golden case's, else 0 (adaptive).

    Raises
    ------
    UsageError
        It lies outside 0 to 100.
    """
    if given is None:
        case = cluster.case.percentage_of_nodes_to_score if cluster.case else None
        return case or 0
    if isinstance(given, bool) or not isinstance(given, int) or not 0 <= given <= 100:
        msg = f"percentage_of_nodes_to_score: expected a whole number from 0 to 100, got {given!r}"
        raise UsageError(msg)
    return given
