"""Plugins that are not in-tree: what a class must be to be one, and the table of those that are known by name."""

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar, overload

from kplace.config.catalogue import PluginSpec
from kplace.config.misfits import suggestion
from kplace.config.points import ExtensionPoint
from kplace.errors import PluginError
from kplace.framework.interface import Plugin
from kplace.framework.plugin_args import args_spec

C = TypeVar("C", bound=type)

METHODS = {point: "rank" if point is ExtensionPoint.QUEUE_SORT else point.attribute for point in ExtensionPoint}
"""The method by which a plugin shows that it runs at a point."""

_ARGUMENTS = {
    "pre_enqueue": ("template",),
    "sort": ("pods", "waiting"),
    "rank": ("template", "timestamp"),
    "pre_filter": ("cycle",),
    "filter": ("cycle", "nodes"),
    "reasons": ("cycle", "detail"),
    "couples": ("cycle", "template"),
    "count_pod": ("cycle", "pod", "node", "sign"),
    "post_filter": ("cycle", "failure"),
    "pre_score": ("cycle", "nodes"),
    "score": ("cycle", "nodes"),
    "normalize_score": ("cycle", "nodes", "scores"),
    "reserve": ("cycle", "node"),
    "unreserve": ("cycle", "node"),
    "permit": ("cycle", "node"),
    "pre_bind": ("cycle", "node"),
    "bind": ("cycle", "node"),
    "post_bind": ("cycle", "node"),
}
"""Every method that means something, with its arguments."""

_NEEDS = {
    "normalize_score": ("score",),
    "unreserve": ("reserve",),
    "reserve": ("unreserve",),
    "count_pod": ("pre_filter",),
    "sort": ("rank",),
    "reasons": ("filter",),
    "filter": ("reasons", "reason"),
}
"""What a class with a member must have as well: one of these."""


@dataclass(frozen=True, slots=True)
class PluginEntry:
    """A plugin that is known by name.

    Attributes
    ----------
    spec : PluginSpec
        Its name, the extension points at which it runs, and how its arguments are read.
    source : object
        The class, or the one plugin there is.
    make : callable
        Makes the plugin; given its arguments, or None for the defaults.
    """

    spec: PluginSpec
    source: object
    make: Callable[[Any], Plugin]

    @property
    def name(self) -> str:
        """Name of the plugin."""
        return self.spec.name


Source = type | Plugin | PluginEntry
"""What a plugin can be given as: its class, or a plugin that is made already."""


class PluginRegistry(Mapping[str, PluginEntry]):
    """Plugins by name.

    Parameters
    ----------
    plugins : mapping of str to (class or plugin), or iterable of them

    Raises
    ------
    PluginError
        One of them is no plugin, or two have the same name.
    """

    def __init__(self, plugins: "Mapping[str, Source] | Iterable[Source]" = ()) -> None:
        self._entries: dict[str, PluginEntry] = {}
        if isinstance(plugins, Mapping):
            for name, source in plugins.items():
                self.add(source, name=name)
        else:
            for source in plugins:
                self.add(source)

    def add(self, source: Source, *, name: str = "") -> PluginEntry:
        """Take up a plugin; the same one may come twice.

        Parameters
        ----------
        name : str
            The name that it must have, if any.
        """
        entry = source if isinstance(source, PluginEntry) else entry_of(source)
        if name and entry.name != name:
            msg = f"plugin {name}: it names itself {entry.name}"
            raise PluginError(msg)
        known = self._entries.get(entry.name)
        if known is not None and not _is_same(known.source, entry.source):
            msg = f"plugin {entry.name}: there are two of that name, {_described(known)} and {_described(entry)}"
            raise PluginError(msg)
        self._entries[entry.name] = entry
        return entry

    def __getitem__(self, name: str) -> PluginEntry:
        return self._entries[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)


DECORATED = PluginRegistry()
"""The plugins that `plugin` marks: they are known by name to every configuration, but not on without one."""


@overload
def plugin(cls: C) -> C: ...


@overload
def plugin(*, name: str) -> Callable[[C], C]: ...


def plugin(cls: C | None = None, *, name: str = "") -> C | Callable[[C], C]:
    """Mark a class as a plugin, which configurations can name from then on.

    Parameters
    ----------
    cls : type
        It has the methods of one or several extension points (see `kplace.framework.interface`). A filter may return an
        array of booleans and have an attribute ``reason`` (see `kplace.framework.masks`). A nested dataclass ``Args``
        says which arguments it takes; it is made with them.
    name : str
        Its name in configurations; by default its attribute ``name``, or the name of the class.

    Raises
    ------
    PluginError
        The class is no plugin, or another one has that name.

    Examples
    --------
    >>> @plugin
    ... class FewPods:
    ...     reason = "node(s) had ten pods already"
    ...
    ...     def filter(self, cycle, nodes):
    ...         return cycle.at(nodes).requested("pods") < 10
    >>> FewPods.name
    'FewPods'
    """

    def mark(marked: C) -> C:
        if name:
            marked.name = name  # type: ignore[attr-defined]
        DECORATED.add(marked)
        return marked

    return mark if cls is None else mark(cls)


def entry_of(source: object) -> PluginEntry:
    """Check a class or a plugin, and say what it is.

    Raises
    ------
    PluginError
        It is no plugin; the message says what it lacks.
    """
    kind = source if isinstance(source, type) else type(source)
    points = _points(getattr(source, "name", kind.__name__), source)
    _give_name(kind)
    name = getattr(source, "name", None)
    if not isinstance(name, str) or not name:
        msg = f"plugin {kind.__name__}: its name must be a text, got {name!r}"
        raise PluginError(msg)
    if not isinstance(source, type):
        assert isinstance(source, Plugin)
        return PluginEntry(PluginSpec(name, points), source, _always(source))
    kind_of_args = getattr(source, "Args", None)
    spec = None if kind_of_args is None else args_spec(name, kind_of_args)
    return PluginEntry(PluginSpec(name, points, spec), source, _Maker(name, source, kind_of_args))


def _give_name(kind: type) -> None:
    """Name a class after itself, unless it has a name; one that a base has been given so does not count."""
    holder = next((base for base in kind.__mro__ if "name" in vars(base)), None)
    if holder is None or (holder is not kind and vars(holder)["name"] == holder.__name__):
        kind.name = kind.__name__  # type: ignore[attr-defined]


def _always(plugin: Plugin) -> Callable[[Any], Plugin]:
    return lambda _args: plugin


@dataclass(frozen=True, slots=True)
class _Maker:
    """Makes plugins of a class."""

    name: str
    kind: type
    args: type | None

    def __call__(self, args: Any) -> Plugin:  # noqa: ANN401 - each plugin has its own
        try:
            if self.args is not None:
                plugin = self.kind(self.args() if args is None else args)
            elif args is None or not _takes_args(self.kind):
                plugin = self.kind()
            else:
                plugin = self.kind(args)
        except (TypeError, ValueError, LookupError, ArithmeticError) as error:
            msg = f"plugin {self.name} cannot be made: {type(error).__name__}: {error}"
            raise PluginError(msg) from error
        assert isinstance(plugin, Plugin)
        return plugin


def _takes_args(kind: type) -> bool:
    """Whether a class without ``Args`` can be made with plain values."""
    try:
        inspect.signature(kind).bind(None)
    except (TypeError, ValueError):
        return False
    return True


def _members(source: object) -> set[str]:
    return {name for name in dir(source) if not name.startswith("_")}


def _points(name: object, source: object) -> frozenset[ExtensionPoint]:
    """Points at which a plugin runs, by its methods."""
    members = _members(source)
    for member, one_of in _NEEDS.items():
        if member in members and not members.intersection(one_of):
            msg = f"plugin {name}: with {member} it needs {' or '.join(one_of)}"
            raise PluginError(msg)
    for member in members & _ARGUMENTS.keys():
        _check_arguments(name, source, member)
    points = frozenset(point for point, method in METHODS.items() if method in members)
    if not points:
        meant = [hint for member in sorted(members) if (hint := suggestion(member, _ARGUMENTS))]
        msg = f"plugin {name}: it has no method of any extension point, such as filter or score{(meant or [''])[0]}"
        raise PluginError(msg)
    return points


def _check_arguments(name: object, source: object, member: str) -> None:
    method = getattr(source, member)
    expected = ("self", *_ARGUMENTS[member]) if isinstance(source, type) else _ARGUMENTS[member]
    if isinstance(inspect.getattr_static(source, member), staticmethod | classmethod):
        expected = _ARGUMENTS[member]
    try:
        inspect.signature(method).bind(*expected)
    except TypeError as error:
        msg = f"plugin {name}: {member} must take ({', '.join(expected)})"
        raise PluginError(msg) from error


def _is_same(first: object, second: object) -> bool:
    """Whether two are the same, or the second is the first defined anew, as in a notebook."""
    if first is second:
        return True
    if not (isinstance(first, type) and isinstance(second, type)):
        return False
    return (first.__module__, first.__qualname__) == (second.__module__, second.__qualname__)


def _described(entry: PluginEntry) -> str:
    kind = entry.source if isinstance(entry.source, type) else type(entry.source)
    return f"{kind.__module__}.{kind.__qualname__}"
