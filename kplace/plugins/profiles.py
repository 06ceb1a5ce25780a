"""From a resolved configuration to profiles: every plugin made once, with its arguments, at its points in order."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from inspect import signature
from typing import Any

import numpy as np

from kplace.config import Configuration, ExtensionPoint, PluginRef, ResolvedProfile
from kplace.config.versions import V1_34, Behaviour
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
from kplace.framework.ranks import as_queue_sort
from kplace.framework.registry import PluginEntry
from kplace.plugins import names
from kplace.plugins.older import OLDER
from kplace.plugins.registry import in_tree_registry
from kplace.plugins.unprepared import COMPLAINTS, PREPARING, AsksItself, Unprepared

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
    """

    profiles: tuple[Profile, ...]


def build_profiles(
    configuration: Configuration, others: Mapping[str, PluginEntry] | None = None, behaviour: Behaviour = V1_34
) -> BuiltProfiles:
    """Build all profiles of a configuration.

    Parameters
    ----------
    configuration : Configuration
    others : mapping of str to PluginEntry, optional
        The out-of-tree plugins that it may name.
    behaviour : Behaviour, optional
        That of another release.

    Raises
    ------
    ConfigError
        It enables a plugin that nobody knows.
    PluginError
        A plugin cannot be made.
    """
    makers: dict[str, Maker] = {name: _in_tree(factory, behaviour) for name, factory in in_tree_registry().items()}
    makers |= OLDER
    makers |= {name: entry.make for name, entry in (others or {}).items()}
    idle = configuration.unknown_plugins - makers.keys() | configuration.inert_plugins
    return BuiltProfiles(tuple(build_profile(profile, makers, idle) for profile in configuration.profiles))


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


def _in_tree(factory: Callable[..., Plugin], behaviour: Behaviour) -> Maker:
    """Make an in-tree plugin with its arguments and a release's behaviour, if it is one that takes them."""
    parameters = signature(factory).parameters
    given = {"behaviour": behaviour} if "behaviour" in parameters else {}
    return lambda args: factory(args, **given) if "args" in parameters else factory(**given)


@dataclass(slots=True)
class _Builder:
    """One profile on its way."""

    resolved: ResolvedProfile
    makers: Mapping[str, Maker]
    idle: frozenset[str]
    made: dict[str, Plugin] = field(default_factory=dict)

    def profile(self) -> Profile:
        return Profile(
            scheduler_name=self.resolved.scheduler_name,
            queue_sort=self._queue_sort(),
            pre_enqueue=tuple(p for p in self._at(ExtensionPoint.PRE_ENQUEUE) if isinstance(p, PreEnqueuePlugin)),
            pre_filter=tuple(p for p in self._at(ExtensionPoint.PRE_FILTER) if isinstance(p, PreFilterPlugin)),
            filter=tuple(self._filters()),
            post_filter=tuple(p for p in self._at(ExtensionPoint.POST_FILTER) if isinstance(p, PostFilterPlugin)),
            pre_score=tuple(p for p in self._at(ExtensionPoint.PRE_SCORE) if isinstance(p, PreScorePlugin)),
            score=tuple(self._scores()) or tuple(self._idle_scores()),
            reserve=tuple(self._reserves()),
            permit=tuple(p for p in self._at(ExtensionPoint.PERMIT) if isinstance(p, PermitPlugin)),
            pre_bind=tuple(p for p in self._at(ExtensionPoint.PRE_BIND) if isinstance(p, PreBindPlugin)),
            bind=self._binds(),
            post_bind=tuple(p for p in self._at(ExtensionPoint.POST_BIND) if isinstance(p, PostBindPlugin)),
            percentage_of_nodes_to_score=self.resolved.percentage_of_nodes_to_score,
        )

    def _queue_sort(self) -> QueueSortPlugin:
        """The plugin that sorts; the in-tree one where that is one that does nothing."""
        plugin = next(iter(self._at(ExtensionPoint.QUEUE_SORT)), None) or self._plugin(names.PRIORITY_SORT)
        sorter = as_queue_sort(plugin)
        assert sorter is not None
        return sorter

    def _binds(self) -> tuple[BindPlugin, ...]:
        """The plugins that bind; the in-tree one where they all do nothing."""
        plugins = self._at(ExtensionPoint.BIND) or [self._plugin(names.DEFAULT_BINDER)]
        return tuple(plugin for plugin in plugins if isinstance(plugin, BindPlugin))

    def _names(self, point: ExtensionPoint) -> tuple[str, ...]:
        """Plugins that are there, also those that no list of an older version names."""
        return (*(ref.name for ref in self.resolved.points[point]), *self.resolved.implied.get(point, ()))

    def _refs(self, point: ExtensionPoint) -> Iterator[PluginRef]:
        return (ref for ref in self.resolved.points[point] if ref.name not in self.idle)

    def _at(self, point: ExtensionPoint) -> list[Plugin]:
        """The plugins of a point; some of the in-tree ones have nothing to do there."""
        return [self._plugin(name) for name in self._names(point) if name not in self.idle]

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
