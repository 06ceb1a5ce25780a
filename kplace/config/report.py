"""What came of reading a configuration, as JSON."""

from collections.abc import Mapping
from typing import Any

from kplace.config.build import BuiltProfile
from kplace.config.defaults import DefaultedProfile
from kplace.config.fields import summary
from kplace.config.go import print_duration
from kplace.config.merge import Member, MergedPlugins, score_weight
from kplace.config.points import ExtensionPoint
from kplace.config.reading import Reading, Stage, StageError
from kplace.config.resolve import call_order, effective_timeout
from kplace.config.schema import encode
from kplace.config.validate import shown_args
from kplace.config.wire import Extender, KubeSchedulerConfiguration

Json = dict[str, Any]

_NOT_GLOBAL = {"apiVersion", "kind", "profiles", "extenders"}


def to_json(reading: Reading) -> Json:
    """Put a reading into the schema in which kube-scheduler's own results are recorded.

    Returns
    -------
    dict
        ``ok``, ``errors`` and, as far as there is anything to say, ``failedStage``, ``message``, ``errorDetails``,
        ``laterErrors``, ``note``, ``apiVersion``, ``readAs``, ``global``, ``profiles``, ``extenders``,
        ``extenderCallOrder``, ``unknownPlugins``, ``standIns``.
    """
    out: Json = {"ok": reading.ok, "errors": [error.text for error in reading.errors]}
    if reading.errors:
        out |= _failure(reading.errors)
    if reading.later_errors:
        out["laterErrors"] = [f"{error.stage.public}: {error.text}" for error in reading.later_errors]
    for key, text in (("note", reading.note), ("apiVersion", reading.api_version), ("readAs", reading.read_as)):
        if text:
            out[key] = text
    if reading.defaulted is not None:
        out |= _resolved(reading)
    if reading.unknown_plugins:
        out["unknownPlugins"] = list(reading.unknown_plugins)
    if reading.stand_ins:
        out["standIns"] = dict(reading.stand_ins)
    return out


def _failure(errors: tuple[StageError, ...]) -> Json:
    stage, texts = errors[0].stage, [error.text for error in errors]
    message = f"strict decoding error: {', '.join(texts)}" if stage is Stage.DECODE_STRICT else summary(texts)
    return {"failedStage": stage.public, "message": message, "errorDetails": [_detail(error) for error in errors]}


def _detail(error: StageError) -> Json:
    found = error.field
    if found is None:
        return {"stage": error.stage.value}
    detail = {"stage": error.stage.value, "type": found.type.value, "field": found.field, "value": found.value}
    return detail | {"detail": found.detail} if found.detail else detail


def _resolved(reading: Reading) -> Json:
    assert reading.defaulted is not None
    settings = reading.defaulted.settings
    out: Json = {"global": _global(settings)}
    if reading.built is not None and reading.built.profiles:
        extenders = [str(problem) for problem in reading.built.extender_problems[:1]]
        pairs = zip(reading.defaulted.profiles, reading.built.profiles, strict=True)
        out["profiles"] = [_profile(profile, built, extenders) for profile, built in pairs]
    if settings.extenders:
        out["extenders"] = [_extender(extender) for extender in settings.extenders]
        if reading.built is not None and not reading.built.problems:
            out["extenderCallOrder"] = [extender.url_prefix for extender in call_order(settings.extenders)]
    return out


def _global(settings: KubeSchedulerConfiguration) -> Json:
    return {key: value for key, value in encode(settings).items() if key not in _NOT_GLOBAL}


def _extender(extender: Extender) -> Json:
    return encode(extender) | {"effectiveHTTPTimeout": print_duration(effective_timeout(extender))}


def _profile(profile: DefaultedProfile, built: BuiltProfile, problems: list[str]) -> Json:
    problems = [*problems, *map(str, built.problems)]
    shown = {entry.name: shown_args(entry.args) for entry in reversed(profile.plugin_config)}
    effective = {entry.name: shown_args(entry.args) for entry in reversed(built.profile.plugin_config)}
    changed = {name: args for name, args in effective.items() if args != shown[name]}
    order = built.order if not problems else None
    out: Json = {
        "schedulerName": profile.scheduler_name,
        "percentageOfNodesToScore": profile.percentage_of_nodes_to_score,
        "extensionPoints": None if order is None else _points(order, profile.plugins),
        "pluginConfig": shown,
        "pluginConfigOrder": [entry.name for entry in profile.plugin_config],
    }
    if changed:
        out["effectivePluginConfig"] = changed
    out["mergedPlugins"] = _merged(profile.plugins)
    if problems:
        out["buildError"] = problems[0]
    return out


def _points(order: Mapping[ExtensionPoint, tuple[Member, ...]], plugins: MergedPlugins) -> Json:
    points: Json = {point.value: [member.name for member in members] for point, members in order.items()}
    points[ExtensionPoint.SCORE] = [
        {"name": name, "weight": score_weight(plugins, name)} for name in points[ExtensionPoint.SCORE]
    ]
    return points


def _merged(plugins: MergedPlugins) -> Json:
    return {
        name: {
            "enabled": [{"name": member.name, "weight": member.weight} for member in merged.enabled],
            "disabled": list(merged.disabled),
        }
        for name, merged in plugins.sets.items()
        if not merged.is_empty
    }
