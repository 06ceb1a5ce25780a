"""YAML 1.1 as upstream's ``sigs.k8s.io/yaml`` reads it: the first document only, turned into what JSON can say."""

import base64
import binascii
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

import yaml

from kplace.config.nodes import Duplicate, Entry, Mapping, Node, Scalar, Sequence, TextError, Value

_BOOLEANS = {
    **dict.fromkeys(("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"), True),
    **dict.fromkeys(("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"), False),
}
_NULLS = {"", "~", "null", "Null", "NULL"}
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_INTEGER = re.compile(r"[-+]?(?:0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|0|[1-9][0-9]*)")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_DATE = re.compile(r"[0-9]{4}-[0-9]")
_TAG = "tag:yaml.org,2002:"
_RESOLVED = {f"{_TAG}{name}": name for name in ("str", "bool", "int", "float", "null", "timestamp")}
_SMALLEST, _LARGEST = -(2**63), 2**64 - 1
_DEEPEST = 200


def parse_yaml(text: str) -> tuple[Node, tuple[Duplicate, ...]]:
    r"""Parse the first document of a YAML text; what follows it need not even be YAML.

    Parameters
    ----------
    text : str
        Without a byte order mark.

    Returns
    -------
    node : Node
        Null if the document is empty.
    duplicates : tuple of Duplicate
        Keys given again, in the order of the text; the last one counts.

    Raises
    ------
    TextError
        It is not YAML, or means something that JSON cannot say.

    Notes
    -----
    Bare ``yes``, ``no``, ``on``, ``off``, ``y`` and ``n`` are booleans, ``010`` is 8, ``1_000`` a number, timestamps
    are texts, whole floats are integers, and keys become texts (``on:`` is ``"true"``). A key merged by ``<<`` and
    given as well is a duplicate.

    Examples
    --------
    >>> node, _ = parse_yaml("a: NO\nb: 0x10\nc: 3.0\nd: '5'\n")
    >>> [entry.value.value for entry in node.entries]
    [False, 16, 3, '5']
    >>> parse_yaml("a: 1\na: 2\n")[1]
    (Duplicate(line=2, key='a'),)
    """
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        tree = _first_document(yaml.parse(text, Loader=loader))
    except yaml.MarkedYAMLError as error:
        raise TextError(*_syntax_error(error, text)) from error
    except yaml.YAMLError as error:
        msg = f"not valid YAML: {' '.join(str(error).split())}"
        raise TextError(msg) from error
    if tree is None:
        return Scalar(1, None), ()
    converter = _Converter(len(text))
    return converter.node(tree, 0), tuple(converter.duplicates)


def _syntax_error(error: yaml.MarkedYAMLError, text: str) -> tuple[str, int | None]:
    mark = error.problem_mark
    if mark is None:
        return f"not valid YAML: {error.problem or error.context}", None
    lines = text.splitlines()
    indentation = re.match(r"\s*", lines[mark.line]) if mark.line < len(lines) else None
    if indentation and "\t" in indentation[0]:
        return "not valid YAML: a tab in the indentation: YAML wants blanks", mark.line + 1
    context = f" ({error.context})" if error.context else ""
    return f"not valid YAML: {error.problem}{context}", mark.line + 1


# The text as written, before aliases and merge keys are followed.


@dataclass(slots=True)
class _Leaf:
    line: int
    text: str
    tag: str
    is_plain: bool


@dataclass(slots=True)
class _List:
    line: int
    items: "list[_Tree]" = field(default_factory=list)


@dataclass(slots=True)
class _Map:
    line: int
    pairs: "list[tuple[_Tree, _Tree]]" = field(default_factory=list)


@dataclass(slots=True)
class _Alias:
    line: int
    name: str
    target: "_Tree"


_Tree: TypeAlias = _Leaf | _List | _Map | _Alias


def _first_document(events: Iterator[yaml.Event]) -> _Tree | None:
    for event in events:
        if isinstance(event, yaml.DocumentStartEvent):
            return _compose(events, next(events), {}, 0)
    return None


def _compose(events: Iterator[yaml.Event], event: yaml.Event, anchors: dict[str, _Tree], depth: int) -> _Tree:
    line = event.start_mark.line + 1 if event.start_mark is not None else 1
    if depth > _DEEPEST:
        msg = "nested too deeply"
        raise TextError(msg, line)
    tree: _Tree
    if isinstance(event, yaml.AliasEvent):
        if event.anchor not in anchors:
            msg = f"not valid YAML: unknown anchor {event.anchor}"
            raise TextError(msg, line)
        return _Alias(line, event.anchor, anchors[event.anchor])
    if isinstance(event, yaml.ScalarEvent):
        tree = _Leaf(line, event.value, event.tag or "", event.implicit[0])
        _remember(anchors, event, tree)
        return tree
    assert isinstance(event, yaml.CollectionStartEvent)
    tree = _Map(line) if isinstance(event, yaml.MappingStartEvent) else _List(line)
    _remember(anchors, event, tree)
    for inner in events:
        if isinstance(inner, yaml.CollectionEndEvent):
            break
        value = _compose(events, inner, anchors, depth + 1)
        if isinstance(tree, _Map):
            tree.pairs.append((value, _compose(events, next(events), anchors, depth + 1)))
        else:
            tree.items.append(value)
    return tree


def _remember(anchors: dict[str, _Tree], event: yaml.NodeEvent, tree: _Tree) -> None:
    if event.anchor:
        anchors[event.anchor] = tree


class _Converter:
    """Follows aliases and merges, resolves scalars, and sorts keys.

    Aliases can make a small text mean a huge document, so no more than several values a character are let through.
    """

    def __init__(self, characters: int) -> None:
        self.duplicates: list[Duplicate] = []
        self._values_left = 100_000 + 10 * characters
        self._open: set[int] = set()

    def node(self, tree: _Tree, depth: int) -> Node:
        self._values_left -= 1
        if depth > _DEEPEST or self._values_left < 0:
            msg = "nested too deeply" if depth > _DEEPEST else "its aliases make it mean too much"
            raise TextError(msg, tree.line)
        match tree:
            case _Alias():
                return self._follow(tree, lambda target: self.node(target, depth + 1))
            case _List():
                return Sequence(tree.line, tuple(self.node(item, depth + 1) for item in tree.items))
            case _Map():
                entries: dict[str, Entry] = {}
                self._fill(entries, tree, depth)
                in_order = sorted(entries.values(), key=lambda entry: entry.key.encode())
                return Mapping(tree.line, tuple(in_order))
            case _Leaf():
                return Scalar(tree.line, _resolve(tree), tree.text)

    def _follow(self, alias: _Alias, use: "Callable[[_Tree], Node]") -> Node:
        if id(alias.target) in self._open:
            msg = f"not valid YAML: anchor '{alias.name}' value contains itself"
            raise TextError(msg, alias.line)
        self._open.add(id(alias.target))
        node = use(alias.target)
        self._open.remove(id(alias.target))
        return node

    def _fill(self, entries: dict[str, Entry], tree: _Map, depth: int) -> None:
        for key_tree, value_tree in tree.pairs:
            if _is_merge(key_tree):
                self._merge(entries, value_tree, depth)
                continue
            key = self._key(key_tree, depth)
            if key in entries:
                self.duplicates.append(Duplicate(key_tree.line, key))
            entries[key] = Entry(key_tree.line, key, self.node(value_tree, depth + 1))

    def _merge(self, entries: dict[str, Entry], tree: _Tree, depth: int) -> None:
        target = tree.target if isinstance(tree, _Alias) else tree
        if isinstance(target, _Map):
            self._fill(entries, target, depth + 1)
        elif isinstance(tree, _List) and all(not isinstance(_target(item), _List | _Leaf) for item in tree.items):
            for item in reversed(tree.items):
                self._merge(entries, item, depth + 1)
        else:
            msg = "not valid YAML: << wants a map or a list of maps"
            raise TextError(msg, tree.line)

    def _key(self, tree: _Tree, depth: int) -> str:
        node = self.node(tree, depth + 1)
        value = node.value if isinstance(node, Scalar) else None
        if value is None:
            kind = "nothing" if isinstance(node, Scalar) else "a list" if isinstance(node, Sequence) else "a map"
            msg = f"{kind} cannot be a key"
            raise TextError(msg, tree.line)
        return ("true" if value else "false") if isinstance(value, bool) else str(value)


def _target(tree: _Tree) -> _Tree:
    return tree.target if isinstance(tree, _Alias) else tree


def _is_merge(tree: _Tree) -> bool:
    return isinstance(tree, _Leaf) and tree.text == "<<" and (tree.is_plain or tree.tag == f"{_TAG}merge")


def _resolve(leaf: _Leaf) -> Value:
    if not leaf.tag:
        return _implicit(leaf) if leaf.is_plain else leaf.text
    if leaf.tag == f"{_TAG}binary":
        return _decoded(leaf)
    kind = _RESOLVED.get(leaf.tag, "str")
    if kind in {"str", "timestamp"}:
        return leaf.text
    value = _implicit(leaf)
    fits = {"bool": bool, "int": int, "float": int | float, "null": type(None)}[kind]
    if not isinstance(value, fits) or (isinstance(value, bool) and kind != "bool"):
        msg = f"not valid YAML: cannot decode `{leaf.text}` as a !!{kind}"
        raise TextError(msg, leaf.line)
    return value


def _decoded(leaf: _Leaf) -> str:
    try:
        return base64.b64decode(leaf.text, validate=True).decode(errors="replace")
    except binascii.Error as error:
        msg = "not valid YAML: !!binary value contains invalid base64 data"
        raise TextError(msg, leaf.line) from error


def _implicit(leaf: _Leaf) -> Value:
    text = leaf.text
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    if text in _NULLS:
        return None
    if _NOT_FINITE.fullmatch(text):
        msg = f"{text} has no form in JSON"
        raise TextError(msg, leaf.line)
    if text[0] not in "+-.0123456789" or _DATE.match(text):
        return text
    digits = text if text[0] == "." else text.replace("_", "")
    integer = _integer(digits)
    if integer is not None:
        return integer
    return _float(digits) if _FLOAT.fullmatch(digits) else text


def _integer(digits: str) -> int | None:
    if not _INTEGER.fullmatch(digits):
        return None
    unsigned = digits.lstrip("+-")
    is_old_octal = len(unsigned) > 1 and unsigned[0] == "0" and unsigned[1].isdigit()
    value = int(unsigned, 8 if is_old_octal else 0) * (-1 if digits[0] == "-" else 1)
    return value if _SMALLEST <= value <= _LARGEST else None


def _float(digits: str) -> Value:
    value = float(digits)
    if math.isinf(value):
        return digits
    # Go writes 1e3 as 1000, and that is what the JSON decoder then sees.
    return int(value) if value.is_integer() and abs(value) < 1e21 else value
