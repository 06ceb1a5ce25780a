"""Plugins from outside: by module and class, by file and class, and those that installed packages offer."""

import importlib
import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType

from kplace.errors import PluginError, UsageError

GROUP = "kplace.plugins"
"""The group of entry points under which packages offer plugins, each under the plugin's name."""

_LOADED: dict[Path, ModuleType] = {}
"""Files that were run already, by whatever name they were given: a class must stay the same one."""

_NOT_OWN = {"kplace", "numpy", *sys.stdlib_module_names}
_OWN: set[Path] = set()
"""Files that plugins and the classes that they build on are written in: often not those that they are loaded by."""


def load_plugin(name: str) -> type:
    """Find a plugin's class.

    Parameters
    ----------
    name : str
        ``package.module:Class``, ``path/to/file.py:Class``, or the name of a plugin that an installed package offers.
        Modules are looked for in the working directory as well.

    Raises
    ------
    UsageError
        There is nothing of that name.
    PluginError
        The module cannot be run.
    """
    place, colon, attribute = name.rpartition(":")
    if not colon:
        return _offered(name)
    if not place or not attribute.isidentifier():
        msg = f"plugin: expected MODULE:CLASS or FILE.py:CLASS, got {name!r}"
        raise UsageError(msg)
    module = _file(Path(place)) if place.endswith(".py") else _module(place)
    found = getattr(module, attribute, None)
    if isinstance(found, type):
        return _remembered(found)
    classes = [key for key, value in vars(module).items() if isinstance(value, type) and _is_of(value, module)]
    meant = get_close_matches(attribute, classes, 1)
    hint = f"; did you mean {meant[0]}?" if meant else f"; its classes are {', '.join(classes)}" if classes else ""
    there = "" if found is None else f", only a {type(found).__name__} of that name"
    msg = f"plugin: {place} has no class {attribute}{there}{hint}"
    raise UsageError(msg)


def installed_plugins() -> dict[str, EntryPoint]:
    """The plugins that installed packages offer, by name; none of them is imported."""
    return {point.name: point for point in entry_points(group=GROUP)}


def load_installed(point: EntryPoint) -> type:
    """Import a plugin that an installed package offers.

    Raises
    ------
    PluginError
        It cannot be imported, or it is no class.
    """
    with _explained(f"{point.name} ({point.value})"):
        found = point.load()
    if not isinstance(found, type):
        msg = f"plugin {point.name}: {point.value} is no class"
        raise PluginError(msg)
    return _remembered(found)


def is_plugin_file(path: str) -> bool:
    """Whether a file is one that plugins were loaded from, or are written in."""
    where = Path(path).resolve()
    return where in _LOADED or where in _OWN


def _remembered(found: type) -> type:
    """The same class; the files that it and its bases outside kplace are written in are a plugin's from now on."""
    for kind in found.__mro__:
        file = getattr(sys.modules.get(kind.__module__), "__file__", None)
        if file is not None and kind.__module__.partition(".")[0] not in _NOT_OWN:
            _OWN.add(Path(file).resolve())
    return found


def _offered(name: str) -> type:
    offered = installed_plugins()
    if name in offered:
        return load_installed(offered[name])
    meant = get_close_matches(name, offered, 1)
    hint = f"; did you mean {meant[0]}?" if meant else ""
    msg = f"plugin: expected MODULE:CLASS, FILE.py:CLASS or the name of an installed one, got {name!r}{hint}"
    raise UsageError(msg)


def _is_of(kind: type, module: ModuleType) -> bool:
    return kind.__module__ == module.__name__


def _module(name: str) -> ModuleType:
    with _importing_from(Path.cwd()), _explained(name):
        try:
            spec = importlib.util.find_spec(name)
            where = None if spec is None or spec.origin is None else Path(spec.origin).resolve()
            if where in _LOADED:
                return _LOADED[where]
            module = importlib.import_module(name)
            if where is not None:
                _LOADED[where] = module
            return module
        except ModuleNotFoundError as error:
            # One that the module itself imports is another matter.
            if error.name is None or not f"{name}.".startswith(f"{error.name}."):
                raise
            msg = f"plugin: there is no module {name}"
            raise UsageError(msg) from error


def _file(path: Path) -> ModuleType:
    where = path.resolve()
    if where in _LOADED:
        return _LOADED[where]
    for module in list(sys.modules.values()):
        own = getattr(module, "__file__", None)
        if own is not None and Path(own).resolve() == where:
            return _LOADED.setdefault(where, module)
    # Under its own name, so that importing it later gives the same classes; but it must not stand before another one.
    name = path.stem if _is_free(path.stem, where) else f"kplace_plugin_{path.stem}_{len(_LOADED)}"
    spec = importlib.util.spec_from_file_location(name, where)
    if spec is None or spec.loader is None or not where.is_file():
        msg = f"plugin: there is no file {path}"
        raise UsageError(msg)
    module = importlib.util.module_from_spec(spec)
    # Dataclasses look their module up while they are made.
    sys.modules[spec.name] = module
    with _importing_from(where.parent), _explained(str(path)):
        spec.loader.exec_module(module)
    _LOADED[where] = module
    return module


def _is_free(name: str, path: Path) -> bool:
    """Whether no other module has a name, now or when somebody imports it."""
    if name in sys.modules:
        return False
    spec = importlib.util.find_spec(name) if name.isidentifier() else None
    return spec is None or spec.origin is None or Path(spec.origin).resolve() == path


@contextmanager
def _importing_from(folder: Path) -> Iterator[None]:
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))


@contextmanager
def _explained(what: str) -> Iterator[None]:
    """Within it, whatever a module does wrong while it is run becomes a `PluginError`."""
    try:
        yield
    except (PluginError, UsageError):
        raise
    except SyntaxError as error:
        msg = f"plugin: {what}: line {error.lineno}: {error.msg}"
        raise PluginError(msg) from error
    except (Exception, SystemExit) as error:
        msg = f"plugin: {what}: {type(error).__name__}: {error}"
        raise PluginError(msg) from error
