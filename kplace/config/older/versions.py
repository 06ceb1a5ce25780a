"""The table of older versions: how each is decoded, and the plugins of its time."""

from dataclasses import dataclass, replace

from kplace.config.catalogue import Catalogue
from kplace.config.decode import Reader
from kplace.config.older import tables
from kplace.config.older.wire import read_v1beta1, read_v1beta2, read_v1beta3
from kplace.config.wire import GROUP, V1


@dataclass(frozen=True, slots=True)
class OlderVersion:
    """A version before v1.

    Attributes
    ----------
    name : str
        Such as ``v1beta2``.
    read : callable
        Decodes a document.
    defaults : mapping
        Its default plugin sets.
    retired : tuple of str
        Plugins that it knows and v1 does not.
    removed : mapping of str to str
        Plugins that it refuses by name, with the version that did away with them.
    relisted_keeps_place : bool
        See `Catalogue`.
    """

    name: str
    read: Reader
    defaults: tables.DefaultSets
    retired: tuple[str, ...]
    removed: dict[str, str]
    relisted_keeps_place: bool = True

    @property
    def api_version(self) -> str:
        """With the group."""
        return f"{GROUP}/{self.name}"

    def catalogue(self, today: Catalogue) -> Catalogue:
        """The plugins of its time: those of today that it has too, and those that are gone."""
        plugins = {**today.plugins, **{name: today.retired[name] for name in self.retired}}
        for name, args in today.older_args.get(self.name, {}).items():
            plugins[name] = replace(plugins[name], args=args)
        return replace(
            today,
            plugins=plugins,
            defaults=self.defaults,
            removed=self.removed,
            relisted_keeps_place=self.relisted_keeps_place,
        )


_IN_V1BETA2 = dict.fromkeys(tables.REMOVED_IN_V1BETA2, f"{GROUP}/v1beta2")
_IN_V1BETA3 = dict.fromkeys(tables.REMOVED_IN_V1BETA3, f"{GROUP}/v1beta3")

V1BETA1 = OlderVersion(
    "v1beta1",
    read_v1beta1,
    tables.V1BETA1,
    (*tables.DISK_LIMITS, *tables.REMOVED_IN_V1BETA2, *tables.REMOVED_IN_V1BETA3),
    {},
    relisted_keeps_place=False,
)
_VERSIONS = (
    V1BETA1,
    OlderVersion(
        "v1beta2", read_v1beta2, tables.V1BETA2, (*tables.DISK_LIMITS, *tables.REMOVED_IN_V1BETA3), _IN_V1BETA2
    ),
    OlderVersion("v1beta3", read_v1beta3, tables.V1BETA3, tables.DISK_LIMITS, _IN_V1BETA2 | _IN_V1BETA3),
)
BY_API_VERSION = {version.api_version: version for version in _VERSIONS}
ALL_VERSIONS = frozenset({V1, *BY_API_VERSION})
"""Every version of the group; arguments in an older file may name any."""
