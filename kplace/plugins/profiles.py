"""From a resolved configuration to profiles: every plugin made once, with its arguments, at its points in their order."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from kplace.config import Configuration, ExtensionPoint, PluginRef, ResolvedProfile
from kplace.dtypes import I32, I64
from kplace.errors import ConfigError
from kplace.framework import (
    BindPlugin,
    Cycle,
    FilterPlugin,
    PermitPlugin,
    Plugin,
    PostBindPlugin,
    PostFilterPlugin,
    PreBindPlugin,
    PreEnqueuePlugin,
    PreFilterPlugin,
    PreScorePlugin,
    Profile,
    QueueSortPlugin,
    ReservePlugin,
    ScorePlugin,
    WeightedPlugin,
)
from kplace.framework.masks import as_filter
from kplace.framework.registry import PluginEntry
from kplace.plugins import names
from kplace.plugins.older import OLDER, WITHOUT_COUNTERPART
from kplace.plugins.registry import in_tree_registry
from kplace.plugins.unprepared import COMPLAINTS, PREPARING, AsksItself, Unprepared

P = TypeVar("P", bound=Plugin)
Maker = Callable[[Any], Plugin]

_ASK_THEMSELVES = frozenset({names.NODE_RESOURCES_BALANCED_ALLOCATION})
"""Score plugins that upstream lets go by their own PreScore if nobody asks it."""


@dataclass(frozen=True, slots=True)
class BuiltProfiles:
    """Profiles that are ready to run.

    Attributes
    ----------
    profiles : tuple of Profile
        In the configuration's order.
    notes : tuple of str
        What a person should know: plugins that do nothing here.
    """

    profiles: tuple[Profile, ...]
    notes: tuple[str, ...] = ()


def build_profiles(configuration: Configuration, others: Mapping[str, PluginEntry] | None = None) -> BuiltProfiles:
    """Build all profiles of a configuration.

    Parameters
    ----------
    configuration : Configuration
    others : mapping of str to PluginEntry, optional
        The out-of-tree plugins that it may name.

    Raises
    ------
    ConfigError
        It enables a plugin that nobody knows.
    PluginError
        A plugin cannot be made.
    """
    makers: dict[str, Maker] = {name: _in_tree(factory) for name, factory in in_tree_registry().items()}
    makers |= OLDER
    makers |= {name: entry.make for name, entry in (others or {}).items()}
    idle = (configuration.unknown_plugins | configuration.inert_plugins | WITHOUT_COUNTERPART.keys()) - makers.keys()
    notes = [
        f"{name}: {WITHOUT_COUNTERPART[name]}"
        for name in sorted(idle & WITHOUT_COUNTERPART.keys())
        if any(name in profile.plugin_names for profile in configuration.profiles)
    ]
    built = tuple(build_profile(profile, makers, idle | configuration.inert_plugins) for profile in configuration.profiles)
    return BuiltProfiles(built, tuple(notes))


def build_profile(resolved: ResolvedProfile, makers: Mapping[str, Maker], idle: frozenset[str]) -> Profile:
    """Build one profile.

    Parameters
    ----------
    makers : mapping of str to callable
        What makes each plugin, given its arguments.
    idle : frozenset of str
        Plugins that do nothing.
    """
    return _Builder(resolved, makers, idle).profile()


def _in_tree(factory: Callable[..., Plugin]) -> Maker:
    """Make an in-tree plugin with its arguments, if it is one that takes any."""
    takes_args = isinstance(factory, type) and factory.__init__ is not object.__init__
    return factory if takes_args else lambda _args: factory()


@dataclass(slots=True)
class _Builder:
    """One profile on its way."""

    resolved: ResolvedProfile
    makers: Mapping[str, Maker]
    idle: frozenset[str]
    made: dict[str, Plugin] = field(default_factory=dict)

    def profile(self) -> Profile:
        bind = self._of_kind(ExtensionPoint.BIND, BindPlugin)
        sorters = self._of_kind(ExtensionPoint.QUEUE_SORT, QueueSortPlugin)
        return Profile(
            scheduler_name=self.resolved.scheduler_name,
            queue_sort=sorters[0] if sorters else self._instead(names.PRIORITY_SORT, QueueSortPlugin),
            pre_enqueue=self._of_kind(ExtensionPoint.PRE_ENQUEUE, PreEnqueuePlugin),
            pre_filter=self._of_kind(ExtensionPoint.PRE_FILTER, PreFilterPlugin),
            filter=tuple(self._filters()),
            post_filter=self._of_kind(ExtensionPoint.POST_FILTER, PostFilterPlugin),
            pre_score=self._of_kind(ExtensionPoint.PRE_SCORE, PreScorePlugin),
            score=tuple(self._scores()) or tuple(self._idle_scores()),
            reserve=tuple(self._reserves()),
            permit=self._of_kind(ExtensionPoint.PERMIT, PermitPlugin),
            pre_bind=self._of_kind(ExtensionPoint.PRE_BIND, PreBindPlugin),
            bind=bind or (self._instead(names.DEFAULT_BINDER, BindPlugin),),
            post_bind=self._of_kind(ExtensionPoint.POST_BIND, PostBindPlugin),
            percentage_of_nodes_to_score=self.resolved.percentage_of_nodes_to_score,
        )

    def _names(self, point: ExtensionPoint) -> tuple[str, ...]:
        """Plugins that are there, also those that no list of an older version names."""
        return (*(ref.name for ref in self.resolved.points[point]), *self.resolved.implied.get(point, ()))

    def _refs(self, point: ExtensionPoint) -> Iterator[PluginRef]:
        return (ref for ref in self.resolved.points[point] if ref.name not in self.idle)

    def _of_kind(self, point: ExtensionPoint, kind: type[P]) -> tuple[P, ...]:
        """The plugins of a point; one of the in-tree plugins that has nothing to do there is left out."""
        plugins = (self._plugin(name) for name in self._names(point) if name not in self.idle)
        return tuple(plugin for plugin in plugins if isinstance(plugin, kind))

    def _plugin(self, name: str) -> Plugin:
        if name not in self.made:
            if name not in self.makers:
                msg = (
                    f"profile {self.resolved.scheduler_name}: plugin {name} is enabled, but nothing is known of it; "
                    "give it along with the configuration"
                )
                raise ConfigError(msg)
            self.made[name] = self.makers[name](self.resolved.args.get(name))
        return self.made[name]

    def _instead(self, name: str, kind: type[P]) -> P:
        """An in-tree plugin that does what one that does nothing would have done."""
        plugin = self._plugin(name)
        assert isinstance(plugin, kind)
        return plugin

    def _filters(self) -> Iterator[FilterPlugin]:
        for ref in self._refs(ExtensionPoint.FILTER):
            plugin = self._unprepared(ref.name, ExtensionPoint.FILTER) or as_filter(self._plugin(ref.name))
            if plugin is not None:
                yield plugin

    def _scores(self) -> Iterator[WeightedPlugin]:
        prepared = self._names(ExtensionPoint.PRE_SCORE)
        for ref in self._refs(ExtensionPoint.SCORE):
            stand_in = self._unprepared(ref.name, ExtensionPoint.SCORE)
            plugin = stand_in or self._plugin(ref.name)
            if ref.name in _ASK_THEMSELVES and ref.name not in prepared:
                assert isinstance(plugin, PreScorePlugin)
                plugin = AsksItself(plugin)
            if isinstance(plugin, ScorePlugin):
                yield WeightedPlugin.of(plugin, ref.weight)

    def _idle_scores(self) -> Iterator[WeightedPlugin]:
        """Score plugins that do nothing, where there are no others: nodes are searched for as with any."""
        return (WeightedPlugin.of(_Idle(ref.name), ref.weight) for ref in self.resolved.points[ExtensionPoint.SCORE])

    def _reserves(self) -> Iterator[ReservePlugin]:
        for ref in self._refs(ExtensionPoint.RESERVE):
            plugin = self._unprepared(ref.name, ExtensionPoint.RESERVE) or self._plugin(ref.name)
            if isinstance(plugin, ReservePlugin):
                yield plugin

    def _unprepared(self, name: str, point: ExtensionPoint) -> Unprepared | None:
        """What stands in for a plugin that cannot work without an earlier point at which it does not run."""
        complaint = COMPLAINTS[point].get(name)
        if complaint is None or name in self._names(PREPARING[point]):
            return None
        return Unprepared(name, complaint)


class _Idle:
    """A score plugin that says nothing."""

    def __init__(self, name: str) -> None:
        self.name = name

    def score(self, cycle: Cycle, nodes: I32) -> I64:
        return np.zeros(len(nodes), np.int64)
