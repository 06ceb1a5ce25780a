"""In what two resolved configurations differ."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, TypeGuard

from kplace.config import ExtensionPoint, Reading, to_json


@dataclass(frozen=True, slots=True)
class Difference:
    """Something that two configurations have differently; empty where one lacks it."""

    where: str
    first: str
    second: str


def differences(first: Reading, second: Reading) -> list[Difference]:
    """In what two configurations differ, both of which can be used.

    Notes
    -----
    Profiles are compared by their names. Lists of plugins are cut down to what differs in them: plugins that only one
    has, or has with another weight. If it is the order alone, they are shown in full.
    """
    found = list(_compared("", *(_flat(to_json(reading)["global"]) for reading in (first, second))))
    sides = [_profiles(reading) for reading in (first, second)]
    for name in dict.fromkeys([*sides[0], *sides[1]]):
        where, (mine, other) = f"profile {name}", (side.get(name) for side in sides)
        if mine is None or other is None:
            found.append(Difference(where, "is there" if mine else "", "is there" if other else ""))
        else:
            found += _compared(f"{where}: ", mine, other)
    extenders = [to_json(reading).get("extenders", []) for reading in (first, second)]
    for i, (mine, other) in enumerate(zip_longest(*extenders)):
        if mine is None or other is None:
            found.append(Difference(f"extender {i}", *(side["urlPrefix"] if side else "" for side in (mine, other))))
        else:
            found += _compared(f"extender {i}: ", mine, other)
    return found


def _compared(where: str, mine: Mapping[str, Any], other: Mapping[str, Any]) -> Iterator[Difference]:
    for key in dict.fromkeys([*mine, *other]):
        values = mine.get(key), other.get(key)
        if values[0] != values[1]:
            yield Difference(f"{where}{key}", *_cut(*values))


def _flat(settings: Mapping[str, Any]) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in settings.items():
        flat |= {f"{key}.{name}": held for name, held in value.items()} if isinstance(value, dict) else {key: value}
    return flat


def _profiles(reading: Reading) -> dict[str, dict[str, Any]]:
    """Profiles by name: the plugins of each point as lists of names with weights, and the arguments in effect."""
    args = args_in_effect(reading)
    flat = {}
    for profile in reading.require().profiles:
        points = {
            point.value: [f"{ref.name} {ref.weight}" if ref.weight else ref.name for ref in profile.points[point]]
            for point in ExtensionPoint
        }
        held = _flat({name: given or {} for name, given in args[profile.scheduler_name].items()})
        own = {"percentageOfNodesToScore": profile.percentage_of_nodes_to_score}
        flat[profile.scheduler_name] = own | points | held
    return flat


def _cut(mine: object, other: object) -> tuple[str, str]:
    if not (_is_list_of_texts(mine) and _is_list_of_texts(other)):
        return flow(mine), flow(other)
    first = [item for item in mine if item not in other]
    second = [item for item in other if item not in mine]
    if not first and not second:
        first, second = mine, other
    return ", ".join(first), ", ".join(second)


def _is_list_of_texts(value: object) -> TypeGuard[list[str]]:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def flow(value: object) -> str:
    """A value as a person would write it in one line of YAML.

    Examples
    --------
    >>> flow({"type": "LeastAllocated", "resources": [{"name": "cpu", "weight": 1}], "on": True})
    '{type: LeastAllocated, resources: [{name: cpu, weight: 1}], on: true}'
    """
    match value:
        case None:
            return ""
        case str():
            return value
        case dict():
            return f"{{{', '.join(f'{key}: {flow(inner)}' for key, inner in value.items())}}}"
        case list():
            return f"[{', '.join(map(flow, value))}]"
    return json.dumps(value)


def args_in_effect(reading: Reading) -> dict[str, dict[str, Any]]:
    """The arguments that take effect, by profile and plugin, of plugins that run."""
    record, configuration = to_json(reading), reading.require()
    shown = {}
    for profile, resolved in zip(record["profiles"], configuration.profiles, strict=True):
        args = profile["pluginConfig"] | profile.get("effectivePluginConfig", {})
        shown[resolved.scheduler_name] = {name: args[name] for name in args if name in resolved.plugin_names}
    return shown
