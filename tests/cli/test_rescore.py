"""``kplace rescore``: which pods would move, the moves that do most, refusals."""

import csv
import io
import json

import pytest

from tests.cli.clusters import node, pod, write_list


@pytest.fixture
def folder(tmp_path):
    """Two nodes of 4 cpu, all pods on the first, one of which may not be there any more."""
    pods = [pod(f"web-{i}", nodeName="one", cpu="500m", memory="1Gi") for i in range(4)]
    pods.append(pod("pinned", nodeName="one", nodeSelector={"disk": "ssd"}))
    return write_list(tmp_path / "input.json", node("one"), node("two"), *pods)


def rows(result):
    assert result.exit_code == 0, result.stderr
    return list(csv.DictReader(io.StringIO(result.stdout)))


def test_for_people(kplace, folder):
    result = kplace("rescore", folder)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0] == "4 of 5 pods would move today"
    assert "1 pod on nodes that a filter rejects now" in lines[1]
    assert lines[2] == "1 pod would find no node"
    assert "node(s) didn't match Pod's node affinity/selector" in " ".join(result.stdout.split())
    assert "no further one does any good" in result.stdout
    assert "Before and after the moves" in result.stdout


def test_rows(kplace, folder):
    found = rows(kplace("rescore", folder, "--format", "csv"))
    assert [row["pod"] for row in found] == ["pinned", *(f"web-{i}" for i in range(4))]
    assert found[0]["rejected_by"] == "NodeAffinity"
    assert all(int(row["regret"]) > 0 for row in found[1:])
    moves = json.loads(kplace("rescore", folder, "--rows", "moves", "--format", "json").stdout)
    assert [move["to_node"] for move in moves] == ["two"] * 3
    assert moves[-1]["share"] == 1
    for name in ("plugins", "workloads", "figures"):
        assert rows(kplace("rescore", folder, "--rows", name, "--format", "csv"))


def test_top_and_sort(kplace, folder):
    command = ("rescore", folder, "--moves", "0", "--format", "csv")
    assert len(rows(kplace(*command, "--top", "2"))) == 2
    totals = [row["best_total"] for row in rows(kplace(*command, "--sort", "best_total"))]
    assert totals == [*sorted(totals[:4], key=int, reverse=True), ""]
    names = [row["pod"] for row in rows(kplace(*command, "--sort", "pod", "--top", "2"))]
    assert names == ["pinned", "web-0"]
    result = kplace("rescore", folder, "--top", "1", "--moves", "0")
    assert "and 4 more pods: --rows pods --format csv lists all" in result.stdout
    assert "Moves" not in result.stdout


def test_a_choice_of_pods(kplace, folder):
    found = rows(kplace("rescore", folder, "--workload", "shop/web-1", "--format", "csv"))
    assert [row["pod"] for row in found] == ["web-1"]
    result = kplace("rescore", folder, "--namespace", "shop", "--where", "zone=zone-two")
    assert result.exit_code == 2
    assert "no pod that could be elsewhere is left" in result.stderr


def test_any_number_of_moves_can_be_asked_for(kplace, folder):
    all_moves, many = (kplace("rescore", folder, *more) for more in ((), ("--moves", str(10**20))))
    assert many.exit_code == 0
    assert many.stdout == all_moves.stdout


def test_nothing_is_on_a_node(kplace, tmp_path):
    path = write_list(tmp_path / "input.json", node("one"), pod("web"))
    result = kplace("rescore", path)
    assert result.exit_code == 0
    assert result.stdout.splitlines()[0] == "no pod on a node could be elsewhere"
    assert "1 waiting pod left out; --after-place places them first" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--moves", "-1"), "Invalid value for '--moves'"),
        (("--share", "0"), "Invalid value for '--share'"),
        (
            ("--rows", "moves", "--sort", "regret"),
            "--rows: without effect here: it is for --format json and csv\nError: --sort: without effect here",
        ),
        (("--sort", "regert", "--format", "csv"), "Error: --sort: there is no 'regert'; did you mean regret?"),
        (("--namespace", "web"), "Error: --namespace: there is no pod in a namespace 'web'; the pods are in "),
        (
            ("--namespace", "web", "--workload", "a/b"),
            "'web'; the pods are in shop\nError: --workload: there is neither",
        ),
        (
            ("--workload", "shop/wbe-1"),
            "nor a pod shop/wbe-1 in the input; did you mean shop/web-1?",
        ),
        (("--where", "zone"), "Error: --where: expected KEY=VALUE"),
    ],
)
def test_refusals(kplace, folder, arguments, message):
    result = kplace("rescore", folder, *arguments, COLUMNS="200")
    assert result.exit_code == 2
    assert message in result.stderr
    assert not result.stdout
