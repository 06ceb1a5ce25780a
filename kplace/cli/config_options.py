"""Options of every command that reads a scheduler configuration."""

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from kplace.cli.console import note

if TYPE_CHECKING:
    from kplace.config import Options, Reading

F = TypeVar("F", bound=Callable[..., Any])

STDIN = "-"


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


def options_of(*, allow_unknown_plugins: bool, read_as: str | None, feature_gates: str | None) -> "Options":
    """What the options come to.

    Raises
    ------
    ConfigError
        A feature gate is unknown.
    """
    from kplace.config import Options, parse_feature_gates

    return Options(
        allow_unknown_plugins=allow_unknown_plugins,
        read_as_v1=read_as is not None,
        gates=parse_feature_gates(feature_gates or ""),
    )


def read_config(source: str | None, options: "Options") -> "Reading":
    """Read a configuration: a file, standard input, an algorithm provider, or what kube-scheduler runs without one.

    Parameters
    ----------
    source : str or None
        As given on the command line.
    """
    from kplace.config import load_configuration, read_configuration
    from kplace.config.wire import KIND, V1
    from kplace.plugins.in_tree import IN_TREE

    if source is None:
        return read_configuration(
            f"apiVersion: {V1}\nkind: {KIND}\n".encode(), IN_TREE, source="<defaults>", options=options
        )
    if source == STDIN:
        return read_configuration(sys.stdin.buffer.read(), IN_TREE, source="<stdin>", options=options)
    return load_configuration(source, IN_TREE, options)


def tell(reading: "Reading") -> None:
    """Print what a person should know of a configuration: its notes, or a way on where it is refused."""
    if reading.configuration is not None:
        for text in reading.configuration.notes:
            note(f"{reading.source}: {text}")
    elif reading.unknown_plugins and not reading.stand_ins:
        names = ", ".join(reading.unknown_plugins)
        note(f"{reading.source}: --allow-unknown-plugins lets plugins through that are not in-tree: {names}")
