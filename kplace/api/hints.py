"""What may have been meant: close names, and lists of names that do not get out of hand."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

MOST_SHOWN = 8
_MOST_COMPARED = 2000


def listed(names: Iterable[str], most: int = MOST_SHOWN) -> str:
    """Names in a row, in the order given; beyond ``most`` only their number.

    Examples
    --------
    >>> listed(["a", "b", "c"]), listed(["a", "b", "c", "d"], most=2)
    ('a, b, c', 'a, b and 2 more')
    """
    shown = list(names)
    rest = len(shown) - most
    return ", ".join(shown[:most]) + (f" and {rest:,} more" if rest > 0 else "")


def close_names(word: str, names: Iterable[str], most: int = 1) -> list[str]:
    """The names that a word may be a misspelling of, best first.

    Examples
    --------
    >>> close_names("wbe", ["api", "web"]), close_names("wbe", ["api"])
    (['web'], [])
    """
    return get_close_matches(word, list(dict.fromkeys(names))[:_MOST_COMPARED], most)


def did_you_mean(names: Sequence[str]) -> str:
    """The end of a message that suggests names; empty without any.

    Examples
    --------
    >>> did_you_mean(["web", "api"]), did_you_mean([])
    ('; did you mean web or api?', '')
    """
    return f"; did you mean {' or '.join(names)}?" if names else ""
