"""The out-of-tree plugins of a run: those that were given, those that are marked, those that packages offer."""

from collections.abc import Iterable, Mapping

from kplace.config import Catalogue
from kplace.errors import PluginError, UsageError
from kplace.framework import PluginRegistry
from kplace.framework.loading import installed_plugins, load_installed, load_plugin
from kplace.framework.registry import DECORATED, PluginEntry, Source
from kplace.plugins.in_tree import IN_TREE

Plugins = Mapping[str, Source] | Iterable[Source | str]
"""Plugins by name or in a row: classes, plugins that are made already, or what `kplace.framework.loading` finds."""


class KnownPlugins:
    """All out-of-tree plugins that can be named.

    Parameters
    ----------
    given : mapping or iterable
        See `Plugins`.

    Attributes
    ----------
    given : PluginRegistry

    Raises
    ------
    UsageError, PluginError
        One of those given is none, or has the name of another one.
    """

    def __init__(self, given: Plugins = ()) -> None:
        if isinstance(given, str | type) or not isinstance(given, Mapping | Iterable):
            msg = f"plugins: expected a list of plugins, or a mapping of their names to them, got {given!r}"
            raise UsageError(msg)
        if isinstance(given, Mapping):
            self.given = PluginRegistry(given)
        else:
            self.given = PluginRegistry(load_plugin(item) if isinstance(item, str) else item for item in given)
        self._entries: dict[str, PluginEntry] = {}
        for entry in (*DECORATED.values(), *self.given.values()):
            self._take_up(entry)

    @property
    def entries(self) -> Mapping[str, PluginEntry]:
        """All of them by name."""
        return self._entries

    @property
    def catalogue(self) -> Catalogue:
        """These and the in-tree plugins, as configurations may name them."""
        return IN_TREE.with_plugins(entry.spec for entry in self._entries.values())

    def import_installed(self, names: Iterable[str]) -> bool:
        """Import those of some plugins that installed packages offer; whether there were any."""
        wanted = set(names) - self._entries.keys() - IN_TREE.plugins.keys() - IN_TREE.retired.keys()
        if not wanted:
            return False
        offered = installed_plugins()
        found = sorted(wanted & offered.keys())
        for name in found:
            self._take_up(PluginRegistry().add(load_installed(offered[name]), name=name))
        return bool(found)

    def _take_up(self, entry: PluginEntry) -> None:
        if entry.name in IN_TREE.plugins or entry.name in IN_TREE.retired:
            msg = f"plugin {entry.name}: that is the name of one of kube-scheduler's own"
            raise PluginError(msg)
        self._entries[entry.name] = entry
