"""``kplace capacity``: numbers for people, rows, and the report of cluster-capacity."""

import csv
import io
import json

import pytest

from tests.cli.clusters import node, pod, write_list


@pytest.fixture
def folder(tmp_path):
    """Two nodes of 4 cpu, a pod of 1 cpu on one of them, and one that waits."""
    return write_list(
        tmp_path / "input.json", node("one"), node("two"), pod("web", nodeName="one", cpu="1"), pod("late")
    )


def rows(result):
    assert result.exit_code == 0, result.stderr
    return list(csv.DictReader(io.StringIO(result.stdout)))


def test_more_of_a_pod(kplace, folder):
    result = kplace("capacity", folder, "--like", "shop/web")
    assert result.exit_code == 0
    first = result.stdout.splitlines()[0]
    number = int(first.split()[0])
    assert first == f"{number} more of shop/web fit"
    assert "Why not one more" in result.stdout
    assert "1 waiting pod left out; --after-place places them first" in result.stderr
    (row,) = rows(kplace("capacity", folder, "--like", "shop/web", "--format", "csv"))
    assert int(row["capacity"]) == number


def test_waiting_pods_can_be_placed_first(kplace, folder):
    before, after = (
        int(rows(kplace("capacity", folder, "--like", "shop/web", "--format", "csv", *more))[0]["capacity"])
        for more in ((), ("--after-place",))
    )
    assert after == before - 1


def test_rows_by_node_add_up(kplace, folder):
    found = rows(kplace("capacity", folder, "--like", "shop/web", "--by", "node", "--format", "csv"))
    (whole,) = rows(kplace("capacity", folder, "--like", "shop/web", "--format", "csv"))
    assert sum(int(row["copies"]) for row in found) == int(whole["capacity"])


def test_the_report_of_cluster_capacity(kplace, folder):
    result = kplace("capacity", folder, "--like", "shop/web", "--limit", "2", "--format", "cluster-capacity")
    review = json.loads(result.stdout)
    assert review["status"]["replicas"] == 2
    assert review["status"]["failReason"]["failType"] == "LimitReached"


def test_a_mix_and_a_frontier(kplace, folder):
    result = kplace(
        "capacity", folder, "--like", "shop/web", "--like", "shop/late", "--mix", "web=2", "--mix", "late=1"
    )
    assert result.exit_code == 0
    assert "whole round" in result.stdout.splitlines()[0]
    points = rows(
        kplace("capacity", folder, "--like", "shop/web", "--like", "shop/late", "--frontier", "--format", "csv")
    )
    assert points[0]["shop/web"] == "0"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--like", "shop/wep"), "there is neither a workload nor a pod shop/wep in the input; did you mean shop/web?"),
        (("--like", "shop/web", "--mix", "web"), "expected NAME=N such as web=3, got 'web'"),
        (("--like", "shop/web", "--frontier"), "frontier: expected two kinds of pods, got 1"),
        (("--pods", "nowhere.yaml"), "nowhere.yaml"),
    ],
)
def test_refusals(kplace, folder, arguments, message):
    result = kplace("capacity", folder, *arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert not result.stdout
