"""Merging a profile's plugin sets with the default ones, and the order in which plugins then run at each point."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from kplace.config.catalogue import Catalogue
from kplace.config.fields import child, item
from kplace.config.gates import FeatureGates
from kplace.config.points import MULTI_POINT, ExtensionPoint
from kplace.config.wire import Plugins, PluginSet

ALL = "*"
"""Under ``disabled``: every default plugin."""


class Origin(StrEnum):
    """Where a plugin at a point comes from."""

    DEFAULT = "default"
    MULTI_POINT = "multiPoint"
    EXPLICIT = "explicit"


@dataclass(frozen=True, slots=True)
class Member:
    """A plugin in a merged set.

    Attributes
    ----------
    name : str
    weight : int
        0 if none is given.
    origin : Origin
    path : str
        Of its entry in the file; empty for one of the defaults.
    """

    name: str
    weight: int
    origin: Origin
    path: str = ""


@dataclass(frozen=True, slots=True)
class MergedSet:
    """A plugin set after merging."""

    enabled: tuple[Member, ...] = ()
    disabled: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether it says nothing."""
        return not (self.enabled or self.disabled)


@dataclass(frozen=True, slots=True)
class MergedPlugins:
    """All plugin sets of a profile after merging.

    Attributes
    ----------
    sets : mapping of str to MergedSet
        By their names in the file, multiPoint first.
    """

    sets: Mapping[str, MergedSet]

    @property
    def multi_point(self) -> MergedSet:
        """The set that stands for all points."""
        return self.sets[MULTI_POINT]

    def at(self, point: ExtensionPoint) -> MergedSet:
        """The set of one point."""
        return self.sets[point.value]

    def members(self) -> Iterator[Member]:
        """All plugins enabled in any set."""
        for merged in self.sets.values():
            yield from merged.enabled

    def enabled_names(self) -> set[str]:
        """Names of the plugins enabled in any set."""
        return {member.name for member in self.members()}


def merge_plugins(custom: Plugins | None, catalogue: Catalogue, gates: FeatureGates, path: str) -> MergedPlugins:
    """Merge a profile's plugin sets with the default ones.

    Parameters
    ----------
    path : str
        Of ``plugins`` in the file.
    """
    sets = (custom or Plugins()).sets()
    return MergedPlugins({name: _merged(name, sets[name], catalogue, gates, child(path, name)) for name in sets})


def _merged(name: str, custom: PluginSet, catalogue: Catalogue, gates: FeatureGates, path: str) -> MergedSet:
    """Upstream's ``mergePluginSet``: a default that is enabled again keeps its place with the new entry as a whole."""
    origin = Origin.MULTI_POINT if name == MULTI_POINT else Origin.EXPLICIT
    mine = [
        Member(plugin.name, plugin.weight or 0, origin, item(child(path, "enabled"), i))
        for i, plugin in enumerate(custom.enabled)
    ]
    disabled = tuple(plugin.name for plugin in custom.disabled)
    again = {member.name: member for member in mine} if catalogue.relisted_keeps_place else {}
    defaults = [
        again.get(plugin.name) or Member(plugin.name, plugin.weight, Origin.DEFAULT)
        for plugin in catalogue.on_by_default(name, gates)
        if ALL not in disabled and plugin.name not in disabled
    ]
    placed = {member.path for member in defaults}
    return MergedSet((*defaults, *(member for member in mine if member.path not in placed)), disabled)


def running_order(plugins: MergedPlugins, point: ExtensionPoint, catalogue: Catalogue) -> tuple[Member, ...]:
    """The plugins of a point in the order in which they run.

    Parameters
    ----------
    plugins : MergedPlugins
        Those of a profile that can be built: every plugin is known, none is there twice.

    Notes
    -----
    First come the point's own plugins that multiPoint names as well, in their own order, then those of multiPoint,
    then the point's other ones (upstream's ``expandMultiPointPlugins``). ``*`` under the point's ``disabled`` keeps
    multiPoint out. So to name a default plugin at a point moves it to the front, and to disable it there too moves it
    to the end.
    """
    own = plugins.at(point)
    if ALL in own.disabled:
        return own.enabled
    named = {member.name for member in own.enabled}
    from_multi_point = [
        member
        for member in plugins.multi_point.enabled
        if catalogue.implements(member.name, point) and member.name not in own.disabled
    ]
    overridden = {member.name for member in from_multi_point} & named
    return (
        *(member for member in own.enabled if member.name in overridden),
        *(member for member in from_multi_point if member.name not in named),
        *(member for member in own.enabled if member.name not in overridden),
    )


def score_weight(plugins: MergedPlugins, name: str) -> int:
    """The weight of a score plugin: the first that the point's own set or multiPoint gives; none or 0 is 1."""
    members = (*plugins.at(ExtensionPoint.SCORE).enabled, *plugins.multi_point.enabled)
    return next((member.weight for member in members if member.name == name), 0) or 1
