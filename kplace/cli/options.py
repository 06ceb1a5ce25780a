"""Arguments and options that several commands share."""

import glob
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import click

from kplace.cli.console import set_quiet

F = TypeVar("F", bound=Callable[..., Any])


def inputs_argument(function: F) -> F:
    """Files, folders, globs or ``-``, any number of them but at least one."""
    kind = click.Path(allow_dash=True)  # whether it exists is for the reader to say, together with all other faults
    return click.argument("inputs", nargs=-1, required=True, metavar="INPUT...", type=kind)(function)


def quiet_option(function: F) -> F:
    """``--quiet``: data and errors only."""
    return click.option(
        "-q",
        "--quiet",
        is_flag=True,
        expose_value=False,
        callback=set_quiet,
        help="Only data and errors: no notes, no progress, no summary.",
    )(function)


def kube_version_option(function: F) -> F:
    """``--kube-version``."""
    return click.option(
        "--kube-version",
        metavar="1.N",
        default="1.34",
        show_default=True,
        callback=checked_version,
        help="Do as this release of Kubernetes does, 1.29 to 1.37.",
    )(function)


def check_there(option: str, names: Iterable[str], expected: str) -> None:
    """Refuse files and folders that do not exist, by the option that names them; patterns and ``-`` are let through.

    Raises
    ------
    BadParameter
        With the first of them.
    """
    for name in names:
        if name != "-" and not glob.has_magic(name) and not Path(name).exists():
            msg = f"{name}: does not exist; expected {expected}"
            raise click.BadParameter(msg, param_hint=f"'{option}'")


def checked_version(_ctx: click.Context, _option: click.Parameter, given: str | None) -> str | None:
    """Refuse a release that is not known, by the name of the option it was given with; a click callback."""
    if given is None:
        return None
    from kplace.config.versions import behaviour_of
    from kplace.errors import UsageError

    try:
        behaviour_of(given)
    except UsageError as error:
        raise click.BadParameter(str(error).removeprefix("kube_version: ")) from error
    return given


def percentage_option(function: F) -> F:
    """``--percentage-of-nodes-to-score``."""
    return click.option(
        "--percentage-of-nodes-to-score",
        type=click.IntRange(0, 100),
        metavar="P",
        help="Stop the search once P % of the nodes are found feasible; 0 adapts it to their number. "
        "[default: as the input says, or 0]",
    )(function)
