"""A configuration as the scheduler uses it: all that a file, an older version or a policy comes down to."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from kplace.config.merge import Origin
from kplace.config.points import ExtensionPoint
from kplace.config.wire import Extender


@dataclass(frozen=True, slots=True)
class PluginRef:
    """A plugin at an extension point.

    Attributes
    ----------
    name : str
    weight : int
        At Score; 0 elsewhere.
    origin : Origin
        Default, from the file's multiPoint, or named at the point itself.
    """

    name: str
    weight: int
    origin: Origin


@dataclass(frozen=True, slots=True)
class ResolvedProfile:
    """A profile.

    Attributes
    ----------
    scheduler_name : str
    percentage_of_nodes_to_score : int or None
        None: the global one applies.
    points : mapping of ExtensionPoint to tuple of PluginRef
        Every point, its plugins in running order.
    args : mapping of str to object
        By plugin: the dataclass of a plugin whose arguments are known, plain values (or None) for any other that the
        file has arguments for. With the resources that extenders keep to themselves.
    implied : mapping of ExtensionPoint to tuple of str
        Of a file of an older version: plugins that must do their work at PreFilter or PreScore too, though no list of
        their time says so, for then they had none to do there.
    """

    scheduler_name: str
    percentage_of_nodes_to_score: int | None
    points: Mapping[ExtensionPoint, tuple[PluginRef, ...]]
    args: Mapping[str, Any]
    implied: Mapping[ExtensionPoint, tuple[str, ...]] = field(default_factory=dict)

    @property
    def plugin_names(self) -> frozenset[str]:
        """Names of the plugins that run at any point."""
        return frozenset(ref.name for refs in self.points.values() for ref in refs)


@dataclass(frozen=True, slots=True)
class Configuration:
    """A configuration that can be used.

    Attributes
    ----------
    profiles : tuple of ResolvedProfile
        In the file's order.
    extenders : tuple of Extender
        In the order in which they are called, with the timeout (nanoseconds) that takes effect.
    percentage_of_nodes_to_score : int
        0 adapts it to the number of nodes.
    pod_initial_backoff_seconds, pod_max_backoff_seconds : int
    parallelism : int
        Changes nothing in the result.
    unknown_plugins : frozenset of str
        Plugins that were let through and do nothing.
    inert_plugins : frozenset of str
        Plugins that are known but do nothing, for their feature gate is off.
    read_as : str
        ``v1beta2``, ``Policy`` or the like, if it is not v1.
    notes : tuple of str
        What a person should know: settings without effect, plugins that do nothing.
    """

    profiles: tuple[ResolvedProfile, ...]
    extenders: tuple[Extender, ...] = ()
    percentage_of_nodes_to_score: int = 0
    pod_initial_backoff_seconds: int = 1
    pod_max_backoff_seconds: int = 10
    parallelism: int = 16
    unknown_plugins: frozenset[str] = field(default_factory=frozenset)
    inert_plugins: frozenset[str] = field(default_factory=frozenset)
    read_as: str = ""
    notes: tuple[str, ...] = ()

    def profile(self, scheduler_name: str) -> ResolvedProfile | None:
        """The profile of a scheduler name."""
        return next((profile for profile in self.profiles if profile.scheduler_name == scheduler_name), None)
