"""What the configuration must know about plugins; the table itself is passed in, for plugins lie above this layer."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

from kplace.config.fields import FieldError
from kplace.config.gates import FeatureGates
from kplace.config.points import ExtensionPoint
from kplace.config.wire import TypeMeta

A = TypeVar("A", bound=TypeMeta)


def _unchanged(args: A, _gates: FeatureGates) -> A:
    return args


def _accept(_args: A, _path: str, _gates: FeatureGates) -> list[FieldError]:
    return []


@dataclass(frozen=True, slots=True)
class ArgsSpec(Generic[A]):
    """How a plugin's arguments are decoded, defaulted, checked and turned into what the plugin takes.

    Attributes
    ----------
    wire : type
        The arguments as they stand in a file.
    build : callable
        Makes the plugin's own dataclass from defaulted arguments that passed the checks.
    default : callable
        Fills in what is absent.
    check : callable
        Given the arguments, the path to them and the gates, lists what is wrong.
    is_checked_early : bool
        Checked when the whole file is validated, enabled or not; else only when the plugin is made. (Upstream looks
        for NodeResourcesFit's under a name that no plugin has.)
    """

    wire: type[A]
    build: Callable[[A], Any]
    default: Callable[[A, FeatureGates], A] = _unchanged
    check: Callable[[A, str, FeatureGates], list[FieldError]] = _accept
    is_checked_early: bool = True


@dataclass(frozen=True, slots=True)
class PluginSpec:
    """A plugin.

    Attributes
    ----------
    name : str
    points : frozenset of ExtensionPoint
        Those that it implements.
    args : ArgsSpec, optional
        None: its arguments stay as they are, unchecked.
    gate : str, optional
        Feature gate without which it is made but does nothing.
    """

    name: str
    points: frozenset[ExtensionPoint]
    args: ArgsSpec[Any] | None = None
    gate: str | None = None


def by_name(plugins: Iterable[PluginSpec]) -> dict[str, PluginSpec]:
    """Plugins by their names."""
    return {plugin.name: plugin for plugin in plugins}


@dataclass(frozen=True, slots=True)
class DefaultPlugin:
    """A plugin of the default set, with its weight (0: none is given)."""

    name: str
    weight: int = 0


@dataclass(frozen=True, slots=True)
class Catalogue:
    """All plugins that can be named, and those that are on by default.

    Attributes
    ----------
    plugins : mapping of str to PluginSpec
    defaults : mapping of str to tuple of DefaultPlugin
        The default plugin sets by their names in the file, each in its order. Since v1beta3 there is but multiPoint.
    removed : mapping of str to str
        Plugins that earlier releases had, with the version that did away with them; to enable one is an error of
        its own.
    former : mapping of str to str
        What to tell a person who names a plugin of earlier releases.
    retired : mapping of str to PluginSpec
        Plugins that only older versions know.
    older_args : mapping of str to (mapping of str to ArgsSpec)
        By version, then plugin: how an older version reads arguments where it does so in a way of its own.
    relisted_keeps_place : bool
        A default plugin that is enabled again is replaced where it stands; else it is there twice, which is an error.
    """

    plugins: Mapping[str, PluginSpec]
    defaults: Mapping[str, tuple[DefaultPlugin, ...]]
    removed: Mapping[str, str] = field(default_factory=dict)
    former: Mapping[str, str] = field(default_factory=dict)
    retired: Mapping[str, PluginSpec] = field(default_factory=dict)
    older_args: Mapping[str, Mapping[str, ArgsSpec[Any]]] = field(default_factory=dict)
    relisted_keeps_place: bool = True

    def with_plugins(self, plugins: Iterable[PluginSpec]) -> "Catalogue":
        """The same with further plugins, such as out-of-tree ones; one of the same name takes the place of the old."""
        return replace(self, plugins={**self.plugins, **by_name(plugins)})

    def on_by_default(self, set_name: str, gates: FeatureGates) -> tuple[DefaultPlugin, ...]:
        """A default plugin set without the plugins whose gate is off."""
        return tuple(
            plugin
            for plugin in self.defaults.get(set_name, ())
            if (gate := self.plugins[plugin.name].gate) is None or gates.is_on(gate)
        )

    def implements(self, name: str, point: ExtensionPoint) -> bool:
        """Whether there is such a plugin and it implements the point."""
        return name in self.plugins and point in self.plugins[name].points

    def args_of(self, name: str) -> ArgsSpec[Any] | None:
        """How the arguments of a plugin are read; None if there is nothing to know about them."""
        return self.plugins[name].args if name in self.plugins else None
