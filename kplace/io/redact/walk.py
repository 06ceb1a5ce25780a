"""Objects, field by field, by their rules."""

import functools
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import msgspec
from msgspec import Raw, Struct, inspect, structs

from kplace.columns.annotations import GPU_COUNT, GPU_INDEX, GPU_MILLI, GPU_MODEL, LASTS
from kplace.columns.node_selectors import parse_int64
from kplace.columns.storage.claims import BETA_CLASS, BIND_COMPLETED, SELECTED_NODE
from kplace.columns.storage.in_tree import MIGRATED_PLUGINS
from kplace.io.redact.hashing import Hasher
from kplace.io.redact.rules import CONDITIONS, KINDS, RULES, Rule
from kplace.objects.meta import NodeSelectorTerm, SelectorRequirement
from kplace.objects.storage import CSIDriver

S = TypeVar("S", bound=Struct)

COMPARING = ("Gt", "Lt")
"""Operators that compare numbers."""
AVOID_PODS = "scheduler.alpha.kubernetes.io/preferAvoidPods"
_KEPT_ANNOTATIONS = frozenset(
    {
        *(GPU_MILLI, GPU_COUNT, GPU_INDEX, LASTS, BIND_COMPLETED, MIGRATED_PLUGINS),
        "pv.kubernetes.io/bound-by-controller",
        "deployment.kubernetes.io/revision",
        "deprecated.daemonset.template.generation",
        "batch.kubernetes.io/job-completion-index",
    }
)


class Walk:
    """Redacts objects.

    Parameters
    ----------
    hasher : Hasher
    """

    def __init__(self, hasher: Hasher) -> None:
        self.hasher = hasher
        self._texts: dict[Rule, Callable[[str], str]] = {
            Rule.NAME: hasher.name,
            Rule.KEY: hasher.label_key,
            Rule.IMAGE: hasher.image,
            Rule.DRIVER: hasher.driver,
            Rule.HANDLE: hasher.handle,
            Rule.UID: hasher.uid,
            Rule.ADDRESS: hasher.address,
            Rule.KIND: self._kind,
        }
        self._wholes: dict[Rule, Callable[[Any], Any]] = {
            Rule.KEEP: lambda value: value,
            Rule.DROP: lambda _: Raw(),
            Rule.LABELS: self.labels,
            Rule.AMOUNTS: lambda amounts: {hasher.resource(name): amount for name, amount in amounts.items()},
            Rule.NAMES_OF: lambda kept: {hasher.name(name): value for name, value in kept.items()},
            Rule.ANNOTATIONS: self._annotations,
            Rule.CONDITIONS: lambda found: tuple(item for item in found if item.type in CONDITIONS) or None,
        }

    def struct(self, item: S) -> S:
        """The same object for others to see."""
        changes: dict[str, Any] = {}
        rules = RULES.get(type(item), {})
        for name in _fields(type(item)):
            value = getattr(item, name)
            if value is None or value in ("", ()):
                continue
            changes[name] = self._field(item, value, rules.get(name))
        if isinstance(item, NodeSelectorTerm) and item.match_fields:
            changes["match_fields"] = tuple(map(self._of_field, item.match_fields))
        if isinstance(item, CSIDriver):
            changes["metadata"] = structs.replace(changes["metadata"], name=self.hasher.driver(item.metadata.name))
        return structs.replace(item, **changes)

    def labels(self, labels: Mapping[str, str]) -> dict[str, str]:
        """Keys with their values."""
        hasher = self.hasher
        return {hasher.label_key(key): hasher.label_value(key, value) for key, value in labels.items()}

    def _field(self, item: Struct, value: Any, rule: Rule | None) -> Any:  # noqa: ANN401 - whatever the field holds
        if rule is None:
            return self._inner(value)
        if rule in self._texts:
            return _each(value, self._texts[rule])
        if rule is Rule.GROUP:
            return value if getattr(item, "kind", "") in KINDS else "example.com/v1"
        if rule is Rule.VALUE:
            return _each(value, lambda text: self._value(item, text))
        return self._wholes[rule](value)

    def _inner(self, value: Any) -> Any:  # noqa: ANN401
        """What needs no rule of its own: numbers, flags, further structs."""
        if isinstance(value, Struct):
            return self.struct(value)
        if isinstance(value, tuple):
            return tuple(map(self._inner, value))
        assert not isinstance(value, str | dict), "a text without a rule"
        return value

    def _value(self, item: Struct, text: str) -> str:
        """A value of the label that an item names; what is compared is a number, or nothing that could be one."""
        if getattr(item, "operator", "") not in COMPARING:
            return self.hasher.label_value(getattr(item, "key", ""), text)
        return text if parse_int64(text) is not None else self.hasher.label_value("", text)

    def _of_field(self, item: SelectorRequirement) -> SelectorRequirement:
        """A requirement on a field of a node, of which there is only the name."""
        return structs.replace(item, values=None if item.values is None else tuple(map(self.hasher.name, item.values)))

    def _kind(self, kind: str) -> str:
        return kind if kind in KINDS else f"K{self.hasher.token(kind)}"

    def _annotations(self, annotations: Mapping[str, str]) -> dict[str, str] | None:
        """Those that rules read, with what they name hashed; all others are left out."""
        kept: dict[str, str] = {}
        for key, text in annotations.items():
            if key in _KEPT_ANNOTATIONS:
                kept[key] = text
            elif key in (SELECTED_NODE, BETA_CLASS):
                kept[key] = self.hasher.name(text)
            elif key == GPU_MODEL:
                kept[key] = self.hasher.models(text)
            elif key == AVOID_PODS:
                kept[key] = self._avoided(text)
        return kept or None

    def _avoided(self, text: str) -> str:
        try:
            given = msgspec.json.decode(text)
        except msgspec.DecodeError:
            return "{"  # what is no JSON stays none
        return msgspec.json.encode(self._avoided_part(given, "")).decode()

    def _avoided_part(self, value: object, key: str) -> object:
        if isinstance(value, dict):
            return {name: self._avoided_part(item, name) for name, item in value.items()}
        if isinstance(value, list):
            return [self._avoided_part(item, key) for item in value]
        if isinstance(value, str) and key != "apiVersion":
            return self._kind(value) if key == "kind" else self.hasher.uid(value) if key == "uid" else ""
        return value


def _each(value: Any, change: Callable[[str], str]) -> Any:  # noqa: ANN401 - a text or several
    return tuple(map(change, value)) if isinstance(value, tuple) else change(value)


@functools.cache
def _fields(struct: type[Struct]) -> tuple[str, ...]:
    info = inspect.type_info(struct)
    assert isinstance(info, inspect.StructType)
    return tuple(field.name for field in info.fields)
