"""Reading scheduler configurations with the plugins that they may name."""

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from kplace.api.plugins import KnownPlugins, Plugins
from kplace.config import (
    Configuration,
    ExtensionPoint,
    Options,
    Reading,
    load_configuration,
    parse_feature_gates,
    read_configuration,
)
from kplace.config.versions import DEFAULT_VERSION, behaviour_of
from kplace.config.wire import KIND, V1
from kplace.errors import UsageError
from kplace.framework.registry import PluginEntry
from kplace.plugins import names

ConfigSource = str | os.PathLike[str] | Mapping[str, object]
"""A file, the name of an algorithm provider, or what such a file holds."""


def read_config(
    source: ConfigSource,
    *,
    plugins: Plugins = (),
    allow_unknown_plugins: bool = False,
    read_as: str | None = None,
    feature_gates: str = "",
    kube_version: str = DEFAULT_VERSION,
) -> Configuration:
    """Read a scheduler configuration as kube-scheduler 1.34 does; see ``kplace config show``.

    Parameters
    ----------
    source : path or mapping
        A KubeSchedulerConfiguration as YAML or JSON, a ConfigMap that holds one, or a Policy; those of older versions
        are read by the rules of their time. The name of an algorithm provider. A mapping is what such a file would
        hold; ``apiVersion`` and ``kind`` may be left out.
    plugins : mapping or iterable, optional
        Out-of-tree plugins that it may name, as for `kplace.place`.
    allow_unknown_plugins : bool
        Plugins that nobody knows do nothing instead of being an error.
    read_as : {"v1"}, optional
        Read a file of an older version as if it were of v1.
    feature_gates : str
        Gates as kube-scheduler takes them: ``"A=true,B=false"``.
    kube_version : str
        The release that has the other gates; nothing else is read by its rules.

    Returns
    -------
    Configuration

    Raises
    ------
    ConfigError
        With every fault of the configuration.
    UsageError
        Another argument cannot be used.

    Examples
    --------
    >>> strategy = {"scoringStrategy": {"type": "MostAllocated", "resources": [{"name": "cpu", "weight": 2}]}}
    >>> packing = {"profiles": [{"pluginConfig": [{"name": "NodeResourcesFit", "args": strategy}]}]}
    >>> read_config(packing).profiles[0].args["NodeResourcesFit"].scoring_strategy.resources
    (ResourceSpec(name='cpu', weight=2),)
    """
    if read_as not in (None, "v1"):
        msg = f"read_as: expected 'v1', got {read_as!r}"
        raise UsageError(msg)
    gates = behaviour_of(kube_version).gates | parse_feature_gates(feature_gates)
    options = Options(allow_unknown_plugins, read_as == "v1", gates)
    return reading_of(source, KnownPlugins(plugins), options).require()


def reading_of(source: ConfigSource | bytes, known: KnownPlugins, options: Options, name: str = "<config>") -> Reading:
    """Read a configuration; installed plugins that it names are imported.

    Parameters
    ----------
    source : path, mapping or bytes
        Bytes are a file's content.
    known : KnownPlugins
        What is imported is among them afterwards.
    name : str
        What the source is called where it is no file.
    """
    reading = _read(source, known, options, name)
    if known.import_installed(reading.unknown_plugins):
        reading = _read(source, known, options, name)
    return reading


def with_plugins(entries: Iterable[PluginEntry]) -> dict[str, object]:
    """The default profile with further plugins at all their points.

    They come after the default ones, but one that sorts the queue takes the place of the default one, and one that
    binds comes before it: there it would never be asked.
    """
    listed = list(entries)
    points = {point for entry in listed for point in entry.spec.points}
    enabled, disabled = [entry.name for entry in listed], []
    if ExtensionPoint.QUEUE_SORT in points:
        disabled.append(names.PRIORITY_SORT)
    if ExtensionPoint.BIND in points:
        disabled.append(names.DEFAULT_BINDER)
        enabled.append(names.DEFAULT_BINDER)
    sets = {"enabled": [{"name": name} for name in enabled], "disabled": [{"name": name} for name in disabled]}
    return {"profiles": [{"plugins": {"multiPoint": sets}}]}


def _read(source: object, known: KnownPlugins, options: Options, name: str) -> Reading:
    if isinstance(source, bytes):
        return read_configuration(source, known.catalogue, source=name, options=options)
    if isinstance(source, Mapping):
        content = {"apiVersion": V1, "kind": KIND} | dict(source)
        return read_configuration(_as_json(content), known.catalogue, source=name, options=options)
    if isinstance(source, str | os.PathLike):
        return load_configuration(Path(source), known.catalogue, options)
    msg = f"config: expected a path, a mapping or a Configuration, got {type(source).__name__}"
    raise UsageError(msg)


def _as_json(content: dict[str, object]) -> bytes:
    try:
        return json.dumps(content).encode()
    except (TypeError, ValueError) as error:
        msg = f"config: {error}"
        raise UsageError(msg) from error
