"""``kplace drain``: nodes that go, every node on its own, refusals."""

import csv
import io

import pytest

from tests.cli.clusters import node, pod, write_list


@pytest.fixture
def folder(tmp_path):
    """Three nodes of 4 cpu; one pod of 3 cpu on each of the first two, which cannot share a node."""
    pods = pod("web", nodeName="one", cpu="3"), pod("api", nodeName="two", cpu="3")
    return write_list(tmp_path / "input.json", node("one"), node("two"), node("three"), *pods)


def rows(result):
    assert result.exit_code == 0, result.stderr
    return list(csv.DictReader(io.StringIO(result.stdout)))


def test_one_node(kplace, folder):
    result = kplace("drain", folder, "--node", "one")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[0] == "1 pods move"
    assert "without a controller: nobody makes them anew" in result.stdout
    (row,) = rows(kplace("drain", folder, "--node", "one", "--format", "csv"))
    assert (row["pod"], row["outcome"], row["node"]) == ("web", "moves", "three")


def test_two_nodes_are_too_many(kplace, folder):
    result = kplace("drain", folder, "--node", "one", "--node", "two", "--fail-on-pending")
    assert result.exit_code == 1
    assert "1 stay pending" in result.stdout.splitlines()[0]
    assert "Insufficient cpu" in result.stdout


def test_every_node_on_its_own(kplace, folder):
    result = kplace("drain", folder, "--all")
    assert result.stdout.splitlines()[0] == "3 of 3 nodes can go by themselves"
    found = {row["node"]: row for row in rows(kplace("drain", folder, "--all", "--format", "csv"))}
    assert {name: row["can_go"] for name, row in found.items()} == {"one": "True", "two": "True", "three": "True"}
    assert sum(row["in_set"] == "True" for row in found.values()) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "Error: --node: name at least one node, or say where they are (--where zone=a)"),
        (("--node", "onne"), "there is no node onne in the input; did you mean one?"),
        (("--all", "--node", "one"), "tries every node on its own"),
        (("--where", "zone=x"), "Error: --where: no node has 'zone=x'"),
        (("--where", "foo=bar"), "no node has 'foo=bar'; there are zone, region, instance_type, taints"),
    ],
)
def test_refusals(kplace, folder, arguments, message):
    result = kplace("drain", folder, *arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert not result.stdout
