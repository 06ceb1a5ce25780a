"""Single settings inside a scheduler configuration, by their paths."""

import copy
from collections.abc import Mapping
from typing import Any

from kplace.errors import UsageError

WEIGHT, ARGS = "weight", "args"
Json = dict[str, Any]


def with_settings(document: Mapping[str, Any], settings: Mapping[str, Any]) -> Json:
    """Build the same configuration with some settings changed.

    Parameters
    ----------
    document : mapping
        A KubeSchedulerConfiguration as plain values.
    settings : mapping of str to object
        ``weight.PLUGIN``, ``args.PLUGIN.FIELD...``, both for all profiles, or the path of a field.

    Raises
    ------
    UsageError
        A path leads nowhere.

    Examples
    --------
    >>> with_settings({}, {"weight.ImageLocality": 0, "args.NodeResourcesFit.scoringStrategy.type": "MostAllocated"})
    {'profiles': [{'plugins': {'score': {'disabled': [{'name': 'ImageLocality'}]}}, 'pluginConfig': \
[{'name': 'NodeResourcesFit', 'args': {'scoringStrategy': {'type': 'MostAllocated'}}}]}]}
    >>> with_settings({}, {"podMaxBackoffSeconds": 20})
    {'podMaxBackoffSeconds': 20}
    """
    changed: Json = copy.deepcopy(dict(document))
    for path, value in settings.items():
        head, _, rest = path.partition(".")
        plugin, _, inner = rest.partition(".")
        if head == WEIGHT and plugin and not inner:
            for profile in _profiles(changed):
                _set_weight(profile, plugin, value)
        elif head == ARGS and plugin and inner:
            for profile in _profiles(changed):
                _set_at(_args_of(profile, plugin), inner, value, path)
        elif head in (WEIGHT, ARGS):
            msg = f"{path}: expected weight.PLUGIN or args.PLUGIN.FIELD"
            raise UsageError(msg)
        else:
            _set_at(changed, path, value, path)
    return changed


def _profiles(document: Json) -> list[Json]:
    if not document.get("profiles"):
        document["profiles"] = [{}]
    profiles: list[Json] = document["profiles"]
    return profiles


def _set_weight(profile: Json, plugin: str, weight: object) -> None:
    plugins = profile.setdefault("plugins", {})
    score = plugins.setdefault("score", {})
    if weight == 0:
        score["enabled"] = [item for item in score.get("enabled") or () if item.get("name") != plugin]
        if not score["enabled"]:
            del score["enabled"]
        score["disabled"] = [*(score.get("disabled") or ()), {"name": plugin}]
        return
    for listed in (score, plugins.get("multiPoint") or {}):
        for item in listed.get("enabled") or ():
            if item.get("name") == plugin:
                item["weight"] = weight
                return
    score["enabled"] = [*(score.get("enabled") or ()), {"name": plugin, "weight": weight}]


def _args_of(profile: Json, plugin: str) -> Json:
    configs = profile.setdefault("pluginConfig", [])
    for item in configs:
        if item.get("name") == plugin:
            args: Json = item.setdefault("args", {})
            return args
    configs.append({"name": plugin, "args": {}})
    added: Json = configs[-1]["args"]
    return added


def _set_at(place: Any, path: str, value: object, whole: str) -> None:  # noqa: ANN401 - plain values of any shape
    *steps, last = path.split(".")
    for step in steps:
        if isinstance(place, list):
            place = place[_index(place, step, whole)]
        elif isinstance(place, dict):
            if place.get(step) is None:
                place[step] = {}
            place = place[step]
        else:
            break
    if isinstance(place, list):
        place[_index(place, last, whole)] = value
    elif isinstance(place, dict):
        place[last] = value
    else:
        msg = f"{whole}: there is no field {last} in a value that is no table"
        raise UsageError(msg)


def _index(place: list[Any], step: str, whole: str) -> int:
    if not step.isdecimal() or int(step) >= len(place):
        msg = f"{whole}: expected a number below {len(place)} in the place of {step!r}"
        raise UsageError(msg)
    return int(step)
