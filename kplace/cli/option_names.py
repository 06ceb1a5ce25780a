"""Arguments of functions, as messages name them, in the words of the command line."""

import re
from collections.abc import Iterator

import click

_NAMED = re.compile(r"([a-z_]+)((?:\[\d+\])*): ")
_GIVEN = re.compile(r"\b([a-z_]+)='([^']*)'")


def in_options(message: str, names: dict[str, str]) -> str:
    """A message about an argument of a function, for whoever gave it as an option.

    Parameters
    ----------
    message : str
        One line, such as ``nodes: name at least one node``.
    names : dict
        Options by the names of the arguments; see `option_names`.

    Examples
    --------
    >>> in_options("nodes: name one, or where='zone=a'", {"nodes": "--node", "where": "--where"})
    '--node: name one, or --where zone=a'
    """
    named = _NAMED.match(message)
    if named is None or named[1] not in names:
        return message
    rest = _GIVEN.sub(lambda found: f"{names[found[1]]} {found[2]}" if found[1] in names else found[0], message)
    return names[named[1]] + rest[named.end(1) :]


def option_names(command: click.Command | None) -> dict[str, str]:
    """The options of a command, or of all in a group, by the names of the arguments that they become."""
    return {option.name: max(option.opts, key=len) for option in _options(command) if option.name is not None}


def _options(command: click.Command | None) -> Iterator[click.Option]:
    if isinstance(command, click.Group):
        for inner in command.commands.values():
            yield from _options(inner)
    if command is not None:
        yield from (parameter for parameter in command.params if isinstance(parameter, click.Option))
