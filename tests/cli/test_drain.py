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
    assert result.stdout.splitlines()[0] == "1 pod moves"
    assert "1 pod without a controller: nobody makes it anew" in result.stdout
    (row,) = rows(kplace("drain", folder, "--node", "one", "--format", "csv"))
    assert (row["pod"], row["outcome"], row["node"]) == ("web", "moves", "three")


def test_two_nodes_are_too_many(kplace, folder):
    result = kplace("drain", folder, "--node", "one", "--node", "two", "--fail-on-pending")
    assert result.exit_code == 1
    assert "1 stays pending" in result.stdout.splitlines()[0]
    assert "Insufficient cpu" in result.stdout


def test_pods_of_a_workload_with_the_same_reasons_share_a_row(kplace, tmp_path):
    own = {"kind": "ReplicaSet", "name": "web", "apiVersion": "apps/v1", "uid": "1", "controller": True}
    pods = [pod(f"web-{i}", nodeName="one", cpu="1") for i in range(3)]
    for item in pods:
        item["metadata"]["ownerReferences"] = [own]
    path = write_list(tmp_path / "input.json", node("one"), *pods)
    result = kplace("drain", path, "--node", "one", "--fail", COLUMNS="120")
    assert result.exit_code == 0
    assert "Nodes  they fail all at once" in result.stdout
    assert "as they are drained" not in result.stdout
    (row,) = [line for line in result.stdout.splitlines() if "shop/web" in line]
    assert row.split()[0] == "3"


def test_mirrors_of_static_pods_stay_with_their_node(kplace, tmp_path):
    mirror, web = pod("kube-proxy-one", nodeName="one"), pod("web", nodeName="one")
    mirror["metadata"]["annotations"] = {"kubernetes.io/config.mirror": "0123"}
    path = write_list(tmp_path / "input.json", node("one"), node("two"), mirror, web)
    found = rows(kplace("drain", path, "--node", "one", "--format", "csv"))
    assert {row["pod"]: row["outcome"] for row in found} == {"kube-proxy-one": "daemon", "web": "moves"}
    assert [row["pod"] for row in rows(kplace("rescore", path, "--format", "csv"))] == ["web"]
    assert "kube-proxy-one" not in kplace("why", path, "--pod", "shop/web").stdout


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
