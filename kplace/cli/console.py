"""Where text goes: data and summaries to standard output, everything else to standard error."""

import os
import sys
from collections.abc import Callable, Iterable
from typing import IO, TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rich.console import Console

MAX_WIDTH = 120
"""A wider terminal does not make lines easier to read."""

_QUIET = "kplace.quiet"


def set_quiet(ctx: click.Context, _parameter: click.Parameter, value: bool) -> None:
    """Remember ``--quiet``, which may stand before or after the command: a click callback."""
    if value:
        ctx.meta[_QUIET] = True


def is_quiet() -> bool:
    """Whether the command line that is being run says ``--quiet``."""
    ctx = click.get_current_context(silent=True)
    return bool(ctx and ctx.meta.get(_QUIET))


def colourless() -> bool:
    """Whether ``NO_COLOR`` is set (https://no-color.org)."""
    return bool(os.environ.get("NO_COLOR"))


def say(text: str) -> None:
    """Print a line for people on standard error, unless quiet."""
    if not is_quiet():
        _to_stderr(text)


def note(text: str) -> None:
    """Print something worth knowing on standard error, unless quiet."""
    say(click.style("note: ", fg="cyan") + text)


def complain(lines: Iterable[str], message: str, file: IO[Any] | None = None) -> None:
    """Print a refusal on standard error: its details, then what it comes to."""
    for line in lines:
        _to_stderr(line, file)
    _to_stderr(click.style("kplace: ", fg="red", bold=True) + message, file)


def _to_stderr(text: str, file: IO[Any] | None = None) -> None:
    try:
        click.echo(text, file=file, err=True, color=False if colourless() else None)
    except BrokenPipeError:
        pass  # nobody reads it; the work itself goes on


def console() -> "Console":
    """A rich console on standard output: at most `MAX_WIDTH` columns, plain where it is not a terminal."""
    from rich.console import Console

    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        # Rather a question mark than a traceback where the locale lacks a letter.
        reconfigure(errors="replace")
    made = Console(
        file=sys.stdout,
        color_system=None if colourless() else "auto",
        highlight=False,
        markup=False,
        emoji=False,
    )
    made.width = min(made.width, MAX_WIDTH)
    return made


def emit(write: Callable[[], None]) -> None:
    """Run what writes to standard output; a reader that has gone away is no error."""
    from kplace.cli.main import drop_output

    try:
        write()
        sys.stdout.flush()
    except BrokenPipeError:
        drop_output()
