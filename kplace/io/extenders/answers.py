"""What an extender answers, as ``k8s.io/kube-scheduler/extender/v1`` has it.

Read as Go's ``encoding/json`` does: names of fields in any case, unknown ones passed over, ``null`` for nothing, and
whatever stands behind the first value of no account.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from kplace.errors import ExtenderError

_INT64 = 2**63
_SPACE = " \t\r\n"
_OBJECT, _ARRAY, _STRING, _INTEGER = "an object", "an array", "a string", "an integer of 64 bits"


@dataclass(frozen=True, slots=True)
class FilterResult:
    """``ExtenderFilterResult``.

    Attributes
    ----------
    nodes : list of str or None
        The names of the Node objects; None if there is no such list.
    node_names : list of str or None
    failed, unresolvable : dict of str to str
    error : str
    """

    nodes: list[str] | None
    node_names: list[str] | None
    failed: dict[str, str]
    unresolvable: dict[str, str]
    error: str


class MetaVictims(NamedTuple):
    """``MetaVictims``: the uids of pods, and how many disruption budgets their eviction would break."""

    uids: list[str]
    violations: int


def read_filter_result(body: bytes) -> FilterResult:
    """Read the answer to ``filter``.

    Raises
    ------
    ExtenderError
        It is something else.
    """
    result = _fields(_first_value(body), "")
    node_names = result.get("nodenames")
    return FilterResult(
        nodes=_names_of_nodes(result.get("nodes")),
        node_names=None if node_names is None else _names(node_names, "NodeNames"),
        failed=_texts(result.get("failednodes"), "FailedNodes"),
        unresolvable=_texts(result.get("failedandunresolvablenodes"), "FailedAndUnresolvableNodes"),
        error=_text(result.get("error"), "Error"),
    )


def read_host_priorities(body: bytes) -> list[tuple[str, int]]:
    """Read the answer to ``prioritize``: hosts and scores.

    Raises
    ------
    ExtenderError
        It is something else.
    """
    items = [_fields(item, "[]") for item in _list(_first_value(body), "")]
    return [(_text(item.get("host"), "[].Host"), _integer(item.get("score"), "[].Score")) for item in items]


def read_preemption_result(body: bytes) -> dict[str, MetaVictims]:
    """Read the answer to ``preempt``: victims by the name of the node.

    Raises
    ------
    ExtenderError
        It is something else.
    """
    where = "NodeNameToMetaVictims"
    result = _fields(_first_value(body), "")
    return {name: _meta_victims(item, f"{where}.{name}") for name, item in _map(result.get(where.lower()), where)}


def read_binding_result(body: bytes) -> str:
    """Read the answer to ``bind``: an error, or nothing.

    Raises
    ------
    ExtenderError
        It is something else.
    """
    return _text(_fields(_first_value(body), "").get("error"), "Error")


def _names(value: object, where: str) -> list[str]:
    return [_text(name, where) for name in _list(value, where)]


def _names_of_nodes(nodes: object) -> list[str] | None:
    if nodes is None:
        return None
    items = _list(_fields(nodes, "Nodes").get("items"), "Nodes.items")
    metadata = [_fields(_fields(item, "Nodes.items[]").get("metadata"), "Nodes.items[].metadata") for item in items]
    return [_text(item.get("name"), "Nodes.items[].metadata.name") for item in metadata]


def _meta_victims(item: object, where: str) -> MetaVictims:
    if item is None:
        raise _UnexpectedError(_OBJECT, item, where)
    victims = _fields(item, where)
    uids = []
    for pod in _list(victims.get("pods"), f"{where}.Pods"):
        if pod is None:
            raise _UnexpectedError(_OBJECT, pod, f"{where}.Pods[]")
        uids.append(_text(_fields(pod, f"{where}.Pods[]").get("uid"), f"{where}.Pods[].UID"))
    return MetaVictims(uids, _integer(victims.get("numpdbviolations"), f"{where}.NumPDBViolations"))


class _Fraction(str):
    """A number that is written with a point or an exponent, which Go does not take for an integer."""

    __slots__ = ()


def _no_constant(name: str) -> object:
    msg = f"unexpected {name}"
    raise ValueError(msg)


_DECODER = json.JSONDecoder(parse_float=_Fraction, parse_constant=_no_constant)


def _first_value(body: bytes) -> object:
    text = body.decode("utf-8", "replace").lstrip(_SPACE)
    if not text:
        msg = "the answer is empty"
        raise ExtenderError(msg)
    try:
        value: object = _DECODER.raw_decode(text)[0]
    except (ValueError, RecursionError) as error:
        msg = f"the answer is not JSON: {error}"
        raise ExtenderError(msg) from error
    return value


def _fields(value: object, where: str) -> dict[str, object]:
    """Members of an object by their names in lower case; none for null."""
    return {name.lower(): member for name, member in _map(value, where)}


def _map(value: object, where: str) -> list[tuple[str, object]]:
    if value is None:
        return []
    if not isinstance(value, dict):
        raise _UnexpectedError(_OBJECT, value, where)
    return [(_whole(name), member) for name, member in value.items()]


def _texts(value: object, where: str) -> dict[str, str]:
    return {name: _text(member, f"{where}.{name}") for name, member in _map(value, where)}


def _list(value: object, where: str) -> list[object]:
    if value is None:
        return []
    if not isinstance(value, list):
        raise _UnexpectedError(_ARRAY, value, where)
    return value


def _text(value: object, where: str) -> str:
    if value is None:
        return ""
    if not isinstance(value, str) or isinstance(value, _Fraction):
        raise _UnexpectedError(_STRING, value, where)
    return _whole(value)


def _whole(text: str) -> str:
    """Put a replacement character where an escape names half a character."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _integer(value: object, where: str) -> int:
    if value is None:
        return 0
    if isinstance(value, bool) or not isinstance(value, int) or not -_INT64 <= value < _INT64:
        raise _UnexpectedError(_INTEGER, value, where)
    return value


class _UnexpectedError(ExtenderError):
    """A value of another kind than it should be."""

    def __init__(self, expected: str, value: object, where: str) -> None:
        given = next(word for kind, word in _WORDS.items() if isinstance(value, kind))
        place = f"{where} of the answer" if where else "the answer"
        super().__init__(f"{place}: expected {expected}, got {given}")


_WORDS: Mapping[type, str] = {
    dict: _OBJECT,
    list: _ARRAY,
    bool: "a boolean",
    int: "a number",
    _Fraction: "a number",
    str: _STRING,
    type(None): "null",
}
