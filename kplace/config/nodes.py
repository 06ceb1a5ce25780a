"""A parsed text as a tree that still knows its lines; YAML and JSON give the same kinds of node."""

import re
from dataclasses import dataclass
from typing import TypeAlias

Value = None | bool | int | float | str

_STEP = re.compile(r"[^.\[\]]+")


@dataclass(frozen=True, slots=True)
class Scalar:
    """A single value.

    Attributes
    ----------
    line : int
        From 1.
    value : None, bool, int, float or str
    text : str
        As written, without quotes.
    """

    line: int
    value: Value
    text: str = ""


@dataclass(frozen=True, slots=True)
class Sequence:
    """A list."""

    line: int
    items: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class Entry:
    """A key with its value; ``line`` is the key's."""

    line: int
    key: str
    value: "Node"


@dataclass(frozen=True, slots=True)
class Mapping:
    """An object.

    Attributes
    ----------
    line : int
    entries : tuple of Entry
        From YAML: each key once, sorted, as upstream's conversion to JSON leaves them. From JSON: as written.
    """

    line: int
    entries: tuple[Entry, ...]

    def get(self, key: str) -> "Node | None":
        """The value of a key, the last one if there are several."""
        for entry in reversed(self.entries):
            if entry.key == key:
                return entry.value
        return None


Node: TypeAlias = Scalar | Sequence | Mapping


@dataclass(frozen=True, slots=True)
class Duplicate:
    """A key that a mapping of a YAML text holds a second time."""

    line: int
    key: str


class TextError(Exception):
    """A text cannot be parsed.

    Attributes
    ----------
    line : int or None
        From 1.
    """

    def __init__(self, message: str, line: int | None = None) -> None:
        self.line = line
        super().__init__(message)


def is_null(node: Node | None) -> bool:
    """Whether a value is absent: not given, or null."""
    return node is None or (isinstance(node, Scalar) and node.value is None)


def plain(node: Node | None) -> object:
    """A node as Python's plain values."""
    match node:
        case Mapping(entries=entries):
            return {entry.key: plain(entry.value) for entry in entries}
        case Sequence(items=items):
            return [plain(item) for item in items]
        case Scalar(value=value):
            return value
    return None


def described(node: Node) -> str:
    """What a node is, in words for a message.

    Examples
    --------
    >>> described(Scalar(1, "8", "8")), described(Scalar(1, False, "NO")), described(Sequence(1, ()))
    ('the text "8"', 'false (YAML reads a bare NO so: put it in quotes)', 'a list')
    """
    match node:
        case Mapping():
            return "an object"
        case Sequence():
            return "a list"
        case Scalar(value=str() as text):
            return f'the text "{text}"'
        case Scalar(value=bool() as value, text=text):
            word = "true" if value else "false"
            is_odd = text.lower() not in {"", "true", "false"}
            return f"{word} (YAML reads a bare {text} so: put it in quotes)" if is_odd else word
        case Scalar(value=None):
            return "nothing"
        case Scalar(value=value, text=text):
            return f"the number {text or value}"


def line_of(root: Node, path: str) -> int:
    """The line of a field, or of the innermost thing around it that the text has.

    Parameters
    ----------
    path : str
        Such as ``profiles[0].plugins.score``.

    Examples
    --------
    >>> root = Mapping(1, (Entry(2, "profiles", Sequence(3, (Mapping(3, (Entry(4, "plugins", Scalar(4, None)),)),))),))
    >>> line_of(root, "profiles[0].plugins.score.enabled[1]"), line_of(root, "profiles[7]"), line_of(root, "extenders")
    (4, 2, 1)
    """
    node, line = root, root.line
    for step in _STEP.findall(path):
        if isinstance(node, Mapping):
            found = next((entry for entry in reversed(node.entries) if entry.key == step), None)
            if found is None:
                break
            node, line = found.value, found.line
        elif isinstance(node, Sequence) and step.isdigit() and int(step) < len(node.items):
            node = node.items[int(step)]
            line = node.line
        else:
            break
    return line
