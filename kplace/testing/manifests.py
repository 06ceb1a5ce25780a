"""Objects as they stand in a manifest, and texts that stand for parts of them."""

import re
from collections.abc import Mapping
from copy import deepcopy
from typing import Any, Generic, Self, TypeVar

import msgspec

from kplace.api.only import parse_selector
from kplace.columns.selectors import OPERATORS

Manifest = dict[str, Any]
"""An object, or a part of one, as plain dicts and lists."""

Selector = str | Mapping[str, str]
"""A label selector: kubectl's text such as ``"app in (web, api), !canary"``, or a map of labels."""

S = TypeVar("S", bound=msgspec.Struct)

SHORT_KEYS = {
    "zone": "topology.kubernetes.io/zone",
    "region": "topology.kubernetes.io/region",
    "hostname": "kubernetes.io/hostname",
}
"""Short names of the well-known topology keys."""

_WORDS = {operator: word for word, operator in OPERATORS.items()}
_COMPARISON = re.compile(r"\s*([^\s<>]+)\s*([<>])\s*(\S+)\s*")
_COMMA = re.compile(r",(?![^()]*\))")


def requirements(text: str) -> list[Manifest]:
    """Requirements of a text as ``matchExpressions`` has them; ``key>5`` and ``key<5`` stand for Gt and Lt.

    Examples
    --------
    >>> requirements("zone in (a, b), gen>3")
    [{'key': 'zone', 'operator': 'In', 'values': ['a', 'b']}, {'key': 'gen', 'operator': 'Gt', 'values': ['3']}]
    >>> requirements("!gpu")
    [{'key': 'gpu', 'operator': 'DoesNotExist'}]
    """
    return [item for part in _COMMA.split(text) for item in _requirement(part)]


def _requirement(part: str) -> list[Manifest]:
    compared = _COMPARISON.fullmatch(part)
    if compared:
        key, sign, bound = compared.groups()
        return [{"key": key, "operator": "Gt" if sign == ">" else "Lt", "values": [bound]}]
    return [
        {"key": item.key, "operator": _WORDS[item.operator]} | ({"values": list(item.values)} if item.values else {})
        for item in parse_selector(part).requirements
    ]


def label_selector(selector: Selector) -> Manifest:
    """A ``metav1.LabelSelector``.

    Examples
    --------
    >>> label_selector({"app": "web"}), label_selector("!canary")
    ({'matchLabels': {'app': 'web'}}, {'matchExpressions': [{'key': 'canary', 'operator': 'DoesNotExist'}]})
    """
    if isinstance(selector, str):
        return {"matchExpressions": requirements(selector)}
    return {"matchLabels": dict(selector)}


class ObjectBuilder(Generic[S]):
    """Builds one object step by step.

    Every step returns a new builder and leaves this one as it is, so that several objects can be made of one beginning.

    Parameters
    ----------
    struct : type
        What `obj` makes.
    manifest : dict
    """

    def __init__(self, struct: type[S], manifest: Manifest) -> None:
        self._struct = struct
        self._manifest = manifest

    def manifest(self) -> Manifest:
        """The object as it would stand in a manifest."""
        return deepcopy(self._manifest)

    def obj(self) -> S:
        """The object as kplace has it after reading."""
        return msgspec.convert(self._manifest, self._struct)

    def named(self, name: str) -> Self:
        """Give another name."""
        return self._with("metadata", {"name": name})

    def label(self, labels: Mapping[str, str] | None = None, /, **more: str) -> Self:
        """Add labels, those with other characters than a Python name may have as a map."""
        own = self._manifest["metadata"].get("labels", {})
        return self._with("metadata", {"labels": own | dict(labels or {}) | more})

    def without_label(self, key: str) -> Self:
        """Take a label away."""
        kept = {name: value for name, value in self._manifest["metadata"].get("labels", {}).items() if name != key}
        return self._with("metadata", {"labels": kept})

    def metadata(self, fields: Mapping[str, Any] | None = None, /, **more: object) -> Self:
        """Set fields of ``metadata`` as a manifest has them, for whatever there is no step for."""
        return self._with("metadata", dict(fields or {}) | more)

    def spec(self, fields: Mapping[str, Any] | None = None, /, **more: object) -> Self:
        """Set fields of ``spec`` as a manifest has them, for whatever there is no step for."""
        return self._with("spec", dict(fields or {}) | more)

    def status(self, fields: Mapping[str, Any] | None = None, /, **more: object) -> Self:
        """Set fields of ``status`` as a manifest has them."""
        return self._with("status", dict(fields or {}) | more)

    def _with(self, part: str, fields: Manifest) -> Self:
        """Return a new builder with some fields of a part replaced; what the builders share is never modified."""
        changed = type(self).__new__(type(self))
        ObjectBuilder.__init__(changed, self._struct, self._manifest | {part: self._manifest.get(part, {}) | fields})
        return changed
