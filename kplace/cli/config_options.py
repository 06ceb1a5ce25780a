"""Options of every command that reads a scheduler configuration."""

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from kplace.cli.console import note

if TYPE_CHECKING:
    from kplace.config import Options, Reading

F = TypeVar("F", bound=Callable[..., Any])

STDIN = "-"
DEFAULTS = "<defaults>"


def reading_options(function: F) -> F:
    """``--allow-unknown-plugins``, ``--read-as`` and ``--feature-gates``."""
    allow_unknown = click.option(
        "--allow-unknown-plugins", is_flag=True, help="Let plugins through that are not in-tree; they do nothing."
    )
    read_as = click.option(
        "--read-as",
        type=click.Choice(["v1"]),
        help="Read a file of an older version as if it were v1, not by the rules of its time.",
    )
    gates = click.option(
        "--feature-gates",
        metavar="A=true,...",
        help="Gates that change what a configuration means, as kube-scheduler takes them.",
    )
    return allow_unknown(read_as(gates(function)))


def plugin_option(function: F) -> F:
    """``--plugin``."""
    return click.option(
        "--plugin",
        multiple=True,
        metavar="MODULE:CLASS",
        help="An out-of-tree plugin: package.module:Class, file.py:Class, or the name of an installed one. It runs "
        "where the configuration names it; without one, at all its points after the default plugins. May be repeated.",
    )(function)


def load_plugins(names: "Sequence[str]") -> "list[type]":
    """The classes that ``--plugin`` names.

    Raises
    ------
    KplaceError
        One of them cannot be found or imported.
    """
    if not names:
        return []
    from kplace.framework.loading import load_plugin

    return [load_plugin(name) for name in names]


def options_of(
    *, allow_unknown_plugins: bool, read_as: str | None, feature_gates: str | None, kube_version: str = "1.34"
) -> "Options":
    """What the options come to.

    Raises
    ------
    ConfigError
        A feature gate is unknown.
    """
    from kplace.config import Options, parse_feature_gates
    from kplace.config.versions import behaviour_of

    return Options(
        allow_unknown_plugins=allow_unknown_plugins,
        read_as_v1=read_as is not None,
        gates=behaviour_of(kube_version).gates | parse_feature_gates(feature_gates or ""),
    )


def read_config(source: str | None, options: "Options", plugins: "Sequence[type]" = ()) -> "Reading":
    """Read a configuration: a file, standard input, an algorithm provider, or what runs without one.

    Parameters
    ----------
    source : str or None
        As given on the command line.
    plugins : sequence of type
        Out-of-tree plugins that it may name; those that packages offer are found by their names.
    """
    from kplace.config import load_configuration, read_configuration
    from kplace.config.wire import KIND, V1
    from kplace.plugins.in_tree import IN_TREE

    content = None
    if source is None:
        source, content = DEFAULTS, f"apiVersion: {V1}\nkind: {KIND}\n".encode()
    elif source == STDIN:
        source, content = "<stdin>", sys.stdin.buffer.read()
    if not plugins:
        if content is None:
            reading = load_configuration(source, IN_TREE, options)
        else:
            reading = read_configuration(content, IN_TREE, source=source, options=options)
        if not reading.unknown_plugins:
            return reading
    from kplace.api.configuring import reading_of, with_plugins
    from kplace.api.plugins import KnownPlugins

    known = KnownPlugins(plugins)
    if source == DEFAULTS:
        return reading_of(with_plugins(known.given.values()), known, options, source)
    return reading_of(source if content is None else content, known, options, source)


def tell(reading: "Reading") -> None:
    """Print what a person should know of a configuration: its notes, or a way on where it is refused."""
    if reading.configuration is not None:
        for text in reading.configuration.notes:
            note(f"{reading.source}: {text}")
    elif reading.unknown_plugins and not reading.stand_ins:
        names = ", ".join(reading.unknown_plugins)
        note(f"{reading.source}: --allow-unknown-plugins lets plugins through that are not in-tree: {names}")
