"""Messages about arguments of functions are put in the words of the command line."""

import click
import pytest

from kplace.cli.option_names import in_options, option_names

NAMES = {"nodes": "--node", "where": "--where", "weights": "--weights"}


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("nodes: name one, or where='zone=a'", "--node: name one, or --where zone=a"),
        ("weights[0]: no plugin 'x'", "--weights[0]: no plugin 'x'"),
        ("other: nodes: as it is, where='a'", "other: nodes: as it is, where='a'"),
        ("nodes are missing", "nodes are missing"),
        ("nodes: colour='red'", "--node: colour='red'"),
    ],
)
def test_messages(message, expected):
    assert in_options(message, NAMES) == expected


def test_names_of_a_group_are_those_of_its_commands():
    inner = click.Command("inner", params=[click.Option(["-p", "--plugin", "plugins"]), click.Argument(["file"])])
    group = click.Group("outer", commands=[inner], params=[click.Option(["--quiet"])])
    assert option_names(group) == {"plugins": "--plugin", "quiet": "--quiet"}
    assert option_names(None) == {}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("place", "--only", "nope/"), "Error: --only: there are no pods"),
        (("place", "--plugin", "nope"), "Error: --plugin: expected MODULE:CLASS"),
        (("capacity", "--like", "foo"), "Error: --like: there is neither"),
        (("simulate", "--step", "0s"), "Error: --step: expected seconds, more than 0"),
        (("tune", "--weights", "Nope=1"), "Error: --weights[0]: "),
    ],
)
def test_commands(kplace, cluster, arguments, message):
    command, *options = arguments
    result = kplace(command, cluster, *options, COLUMNS="300")
    assert result.exit_code == 2
    assert message in result.stderr
