"""commands.md: every command with its options, the environment, the exit codes."""

import ast
import inspect
import re
from collections.abc import Iterator
from itertools import pairwise

import click

from kplace.cli import main
from kplace.cli.app import cli
from reference.markdown import code, fenced, page, plain, table

ENVIRONMENT = (
    ("KPLACE_CACHE_DIR", "Folder of the compiled kernels. By default `kplace` in `$XDG_CACHE_HOME` or `~/.cache`."),
    ("NO_COLOR", "If it is set and not empty: no colours, see [no-color.org](https://no-color.org)."),
    ("COLUMNS", "Width of the tables where standard output is no terminal; 80 without. 120 is the most."),
    ("NUMBA_DISABLE_JIT", "`1` runs everything without compiling: slow, for debugging."),
)


def make() -> str:
    """The page."""
    parts = [
        "`kplace COMMAND --help` prints the same. Options may stand before, between and after the inputs.",
        *sections(cli, "kplace", None),
        "## Exit codes",
        table(("code", "when"), ((str(value), meaning) for value, meaning in exit_codes())),
        "## Environment",
        table(("variable", "what it does"), ((code(name), meaning) for name, meaning in ENVIRONMENT)),
    ]
    return page("Commands", *parts)


def sections(command: click.Command, name: str, parent: click.Context | None) -> Iterator[str]:
    """A command and those below it."""
    context = click.Context(command, info_name=name, parent=parent, **command.context_settings)
    yield section(command, context)
    if isinstance(command, click.Group):
        for own in command.list_commands(context):
            found = command.get_command(context, own)
            assert found is not None
            yield from sections(found, own, context)


def section(command: click.Command, context: click.Context) -> str:
    """One command: usage, help text, options."""
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    offered = (item for item in command.get_params(context) if isinstance(item, click.Option))
    records = [record for item in offered if (record := item.get_help_record(context))]
    options = table(("option", "what it does"), ((code(names), plain(meaning)) for names, meaning in records))
    return "\n\n".join([f"## {context.command_path}", fenced(usage), *_paragraphs(command), options])


def _paragraphs(command: click.Command) -> Iterator[str]:
    """The help text; what click prints as it stands is fenced."""
    for paragraph in inspect.cleandoc(command.help or "").split("\n\n"):
        if paragraph.startswith("\b\n"):
            yield fenced(paragraph.removeprefix("\b\n"))
        else:
            yield re.sub(r"(?<![\w.])(--[a-z][a-z-]*)", r"`\1`", plain(" ".join(paragraph.split())))


def exit_codes() -> Iterator[tuple[int, str]]:
    """The exit codes with what their docstrings say."""
    body = ast.parse(inspect.getsource(main)).body
    for statement, following in pairwise(body):
        match statement, following:
            case (
                ast.Assign(targets=[ast.Name()], value=ast.Constant(value=int(number))),
                ast.Expr(value=ast.Constant(value=str(text))),
            ):
                yield number, text.replace("``", "`")
