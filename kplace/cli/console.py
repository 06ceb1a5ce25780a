"""Where text goes: data and summaries to standard output, everything else to standard error."""

import os
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import IO, TYPE_CHECKING, Any

import click

from kplace.cli.text import one_line

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
    say(click.style("note: ", fg="cyan") + one_line(text))


def complain(lines: Iterable[str], message: str, file: IO[Any] | None = None) -> None:
    """Print a refusal on standard error: its details, then what it comes to."""
    for line in lines:
        _to_stderr(line, file)
    _to_stderr(click.style("Error: ", fg="red") + message, file)


def _to_stderr(text: str, file: IO[Any] | None = None) -> None:
    with suppress(BrokenPipeError):  # nobody reads it; the work itself goes on
        click.echo(text, file=file, err=True, color=False if colourless() else None)


def show(render: Callable[["Console"], None]) -> None:
    """Print what ``render`` prints on a rich console: at most `MAX_WIDTH` columns, plain where it is no terminal."""
    from rich.console import Console

    console = Console(
        file=sys.stdout,
        color_system=None if colourless() else "auto",
        highlight=False,
        markup=False,
        emoji=False,
    )
    console.width = min(console.width, MAX_WIDTH)
    with console.capture() as capture:
        render(console)
    lines = [line.rstrip() for line in capture.get().splitlines()]
    emit(lambda: write_text("\n".join(lines) + "\n"))


def write_text(text: str) -> None:
    """Write to standard output; letters that its encoding lacks become question marks."""
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(text.encode(encoding, "replace").decode(encoding))


def emit(write: Callable[[], None]) -> None:
    """Run what writes to standard output; a reader that has gone away is no error."""
    from kplace.cli.main import drop_output

    try:
        write()
        sys.stdout.flush()
    except BrokenPipeError:
        drop_output()
