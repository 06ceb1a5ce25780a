"""Who hears of which event: the registrations of all plugins of all profiles."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import IntEnum
from typing import NamedTuple

from kplace.framework import Plugin, Profile
from kplace.framework.events import (
    NODE_TAINT,
    Action,
    ClusterEvent,
    Happening,
    Hint,
    Registration,
    RequeueingPlugin,
    Resource,
)
from kplace.queue.entry import QueuedPod

EVERYTHING = tuple(
    Registration(ClusterEvent(resource, Action.ALL))
    for resource in (
        Resource.POD,
        Resource.NODE,
        Resource.PERSISTENT_VOLUME,
        Resource.PERSISTENT_VOLUME_CLAIM,
        Resource.CSI_NODE,
        Resource.CSI_DRIVER,
        Resource.CSI_STORAGE_CAPACITY,
        Resource.STORAGE_CLASS,
        Resource.RESOURCE_CLAIM,
        Resource.DEVICE_CLASS,
    )
)
"""What a plugin is registered for that does not say (upstream ``defaultEnqueueExtension``)."""


class Strategy(IntEnum):
    """What becomes of a pod after an event."""

    SKIP = 0
    AFTER_BACKOFF = 1
    AT_ONCE = 2


class _Rule(NamedTuple):
    plugin: str
    event: ClusterEvent
    hint: Hint | None


class Rules:
    """The registrations of each profile.

    Parameters
    ----------
    profiles : mapping of str to Profile
        By scheduler name.
    asks_hints : bool
        The gate SchedulerQueueingHints: plugins are asked whether an event may help. Otherwise every event that they
        have registered may.
    """

    def __init__(self, profiles: Mapping[str, Profile], *, asks_hints: bool = True) -> None:
        self._profiles = profiles
        self.asks_hints = asks_hints
        self._rules = {name: _rules(plugins_of(profile)) for name, profile in profiles.items()}
        self._heard: dict[tuple[str, ClusterEvent], list[_Rule]] = {}
        self._wanted: dict[ClusterEvent, bool] = {}

    def __reduce__(self) -> tuple[Callable[..., "Rules"], tuple[Mapping[str, Profile], bool]]:
        # Hints may be closures; the profiles give them anew.
        return _rules_again, (self._profiles, self.asks_hints)

    def is_wanted(self, event: ClusterEvent) -> bool:
        """Whether any plugin of any profile wants to hear of an event."""
        if event.resource is Resource.WILD_CARD:
            return True
        if event not in self._wanted:
            self._wanted[event] = any(rule.event.covers(event) for rules in self._rules.values() for rule in rules)
        return self._wanted[event]

    def opens(self, plugin: str, event: ClusterEvent) -> bool:
        """Whether an event may open the gate that a plugin keeps shut."""
        return any(
            rule.plugin == plugin and rule.event.covers(event) for rules in self._rules.values() for rule in rules
        )

    def hears(self, profile: str, plugin: str, event: ClusterEvent) -> bool:
        """Whether a plugin of a profile wants to hear of an event."""
        return any(rule.plugin == plugin for rule in self._of(profile, event))

    def verdict(self, entry: QueuedPod, happening: Happening) -> Strategy:
        """What an event means to a pod: the plugins that rejected it are asked, no others.

        Mirrors ``isPodWorthRequeuing``.
        """
        rejecting = entry.rejecting
        if not rejecting or happening.event.resource is Resource.WILD_CARD:
            return Strategy.AFTER_BACKOFF
        found = Strategy.SKIP
        for rule in self._of(entry.profile, happening.event):
            if rule.plugin not in rejecting:
                continue
            if self.asks_hints and rule.hint is not None and not rule.hint(entry.image, happening):
                continue
            if rule.plugin in entry.pending:
                return Strategy.AT_ONCE
            if not entry.pending:
                return Strategy.AFTER_BACKOFF
            found = Strategy.AFTER_BACKOFF
        return found

    def verdict_on_own_update(self, entry: QueuedPod, change: Happening) -> Strategy:
        """What an update of the pod itself means to it; without hints any update does that is not of its status."""
        if self.asks_hints:
            return self.verdict(entry, change)
        old, new = change.pods
        is_new = old is None or new is None or old.template is not new.template
        return Strategy.AFTER_BACKOFF if is_new else Strategy.SKIP

    def _of(self, profile: str, event: ClusterEvent) -> list[_Rule]:
        heard = self._heard.get((profile, event))
        if heard is None:
            heard = [rule for rule in self._rules[profile] if rule.event.covers(event)]
            self._heard[profile, event] = heard
        return heard


def _rules_again(profiles: Mapping[str, Profile], asks_hints: bool) -> Rules:
    return Rules(profiles, asks_hints=asks_hints)


def plugins_of(profile: Profile) -> list[Plugin]:
    """All plugins that run at any point of a profile, each once."""
    listed: Iterable[Plugin] = (
        profile.queue_sort,
        *profile.pre_enqueue,
        *profile.pre_filter,
        *profile.filter,
        *profile.post_filter,
        *profile.pre_score,
        *(item.plugin for item in profile.score),
        *profile.reserve,
        *profile.permit,
        *profile.pre_bind,
        *profile.bind,
        *profile.post_bind,
    )
    return list({plugin.name: plugin for plugin in listed}.values())


def _rules(plugins: Sequence[Plugin]) -> list[_Rule]:
    return [
        _Rule(plugin.name, item.event, item.hint)
        for plugin in plugins
        for item in with_fallback(plugin.events_to_register() if isinstance(plugin, RequeueingPlugin) else EVERYTHING)
    ]


def with_fallback(registrations: Sequence[Registration]) -> Sequence[Registration]:
    """Registrations of a plugin as upstream completes them.

    Who hears of new nodes and not of taints hears of every change of taints, without a hint: a node that was added with
    a taint might otherwise never be looked at again.
    """
    actions = [item.event.action for item in registrations if item.event.resource is Resource.NODE]
    hears_of_new = any(action & Action.ADD for action in actions)
    hears_of_taints = any(action & Action.UPDATE_NODE_TAINT for action in actions)
    if hears_of_new and not hears_of_taints:
        return (*registrations, Registration(NODE_TAINT))
    return registrations
