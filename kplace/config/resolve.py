"""From what was built to what is used."""

from typing import Any

from msgspec.structs import replace

from kplace.config.build import BuiltProfile
from kplace.config.catalogue import Catalogue
from kplace.config.defaults import PluginArgs
from kplace.config.go import SECOND
from kplace.config.merge import score_weight
from kplace.config.points import ExtensionPoint
from kplace.config.resolved import Configuration, PluginRef, ResolvedProfile
from kplace.config.validate import shown_args
from kplace.config.wire import Extender, KubeSchedulerConfiguration, TypeMeta, given

DEFAULT_TIMEOUT = 5 * SECOND
"""Of an extender whose ``httpTimeout`` is 0."""


def resolve(
    settings: KubeSchedulerConfiguration, profiles: tuple[BuiltProfile, ...], catalogue: Catalogue
) -> Configuration:
    """Make the configuration that is used from one in which nothing is wrong."""
    return Configuration(
        profiles=tuple(_profile(built, catalogue) for built in profiles),
        extenders=tuple(
            replace(extender, http_timeout=effective_timeout(extender)) for extender in call_order(settings.extenders)
        ),
        percentage_of_nodes_to_score=given(settings.percentage_of_nodes_to_score, 0),
        pod_initial_backoff_seconds=given(settings.pod_initial_backoff_seconds, 0),
        pod_max_backoff_seconds=given(settings.pod_max_backoff_seconds, 0),
        parallelism=given(settings.parallelism, 0),
    )


def call_order(extenders: tuple[Extender, ...]) -> list[Extender]:
    """Extenders in the order in which they are called: those that may fail come last."""
    return sorted(extenders, key=lambda extender: extender.ignorable)


def effective_timeout(extender: Extender) -> int:
    """How long an extender is waited for, in nanoseconds."""
    return extender.http_timeout or DEFAULT_TIMEOUT


def _profile(built: BuiltProfile, catalogue: Catalogue) -> ResolvedProfile:
    profile = built.profile
    assert built.order is not None
    points = {}
    for point, members in built.order.items():
        is_score = point is ExtensionPoint.SCORE
        points[point] = tuple(
            PluginRef(member.name, score_weight(profile.plugins, member.name) if is_score else 0, member.origin)
            for member in members
        )
    args = {entry.name: _args(entry, catalogue) for entry in reversed(profile.plugin_config)}
    return ResolvedProfile(profile.scheduler_name, profile.percentage_of_nodes_to_score, points, args)


def _args(entry: PluginArgs, catalogue: Catalogue) -> Any:  # noqa: ANN401 - each plugin has its own
    spec = catalogue.args_of(entry.name)
    if spec is None or not isinstance(entry.args, TypeMeta):
        return shown_args(entry.args)
    return spec.build(entry.args)
