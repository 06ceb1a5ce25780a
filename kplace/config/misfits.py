"""What a strict decoder finds wrong with a text, in words for people."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from difflib import get_close_matches

from kplace.config.nodes import Node, described

_NEAR, _NEAR_IF_SHORT, _SHORT = 0.8, 0.75, 8
"""How alike (0 to 1) a word must be to be suggested; one letter weighs more in a word of few."""


@dataclass(frozen=True, slots=True)
class Misfit:
    """Something in a text that a schema has no place for.

    Attributes
    ----------
    line : int
    field : str
        Its path.
    message : str
        In words that can follow the path.
    is_fatal : bool
        A value of the wrong type ends upstream's decoding; unknown and repeated fields are collected.
    """

    line: int
    field: str
    message: str
    is_fatal: bool


@dataclass(slots=True)
class Misfits:
    """Collects all `Misfit` of a text."""

    found: list[Misfit] = field(default_factory=list)

    def wrong(self, node: Node, path: str, expected: str) -> None:
        """A value of the wrong type."""
        self.found.append(Misfit(node.line, path, f"expected {expected}, got {described(node)}", True))

    def unknown(self, line: int, path: str, key: str, known: Iterable[str]) -> None:
        """A field that the schema does not know."""
        meant = suggestion(key, known)
        self.found.append(Misfit(line, path, f"unknown field{meant}", False))

    def repeated(self, line: int, path: str) -> None:
        """A field given before."""
        self.found.append(Misfit(line, path, "is given twice", False))


def suggestion(word: str, known: Iterable[str]) -> str:
    """Say which known word may be meant; empty if none is near.

    Examples
    --------
    >>> suggestion("disable", ["enabled", "disabled"]), suggestion("foo", ["profiles"])
    ('; did you mean "disabled"?', '')
    """
    folded = {name.lower(): name for name in known}
    near = get_close_matches(word.lower(), folded, 1, _NEAR_IF_SHORT if len(word) < _SHORT else _NEAR)
    return f'; did you mean "{folded[near[0]]}"?' if near else ""
