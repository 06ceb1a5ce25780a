"""A scheduler configuration, redacted so that it still goes with its cluster."""

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import convert, to_builtins

from kplace.io.redact.walk import Walk
from kplace.objects.core import NodeAffinity

_KEYS = frozenset({"topologyKey", "presentLabels", "absentLabels", "affinityLabels", "antiAffinityLabelsPreference"})
_NAMES = frozenset({"schedulerName"})


def redacted_config(config: Mapping[str, Any], walk: Walk) -> dict[str, Any]:
    """Redact a configuration: names of schedulers, labels, resources; extenders are left out."""
    kept = {name: value for name, value in config.items() if name != "extenders"}
    return {name: _part(name, value, walk) for name, value in kept.items()}


def _part(name: str, value: Any, walk: Walk) -> Any:  # noqa: ANN401 - plain values
    if name == "addedAffinity" and isinstance(value, Mapping):
        return to_builtins(walk.struct(convert(value, NodeAffinity)))
    if name == "resources" and isinstance(value, list):
        return [item | {"name": walk.hasher.resource(item["name"])} for item in value]
    if name == "ignoredResources" and isinstance(value, list):
        return list(map(walk.hasher.resource, value))
    if name in _KEYS:
        return _texts(value, walk.hasher.label_key)
    if name in _NAMES:
        return _texts(value, walk.hasher.name)
    if isinstance(value, Mapping):
        return {key: _part(key, item, walk) for key, item in value.items()}
    if isinstance(value, list):
        return [_part("", item, walk) for item in value]
    return value


def _texts(value: Any, change: Callable[[str], str]) -> Any:  # noqa: ANN401 - a text or several
    return list(map(change, value)) if isinstance(value, list) else change(value)
