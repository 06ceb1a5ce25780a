"""``kplace provision``: the plan for people, rows, refusals."""

import csv
import io
import json

import pytest

from tests.cli.clusters import node, pod, write_list


@pytest.fixture
def folder(tmp_path):
    """One node of 4 cpu, a pod of 3 cpu on it, and three that wait: one fits, one needs a node, one is too large."""
    return write_list(
        tmp_path / "input.json",
        node("one"),
        pod("web", nodeName="one", cpu="3"),
        pod("fits", cpu="1"),
        pod("late", cpu="3"),
        pod("huge", cpu="30"),
    )


def rows(result):
    assert result.exit_code == 0, result.stderr
    return list(csv.DictReader(io.StringIO(result.stdout)))


def test_the_plan_for_people(kplace, folder):
    result = kplace("provision", folder, "--pools", "--price", "one=0.25", "--unit", "$/h")
    assert result.exit_code == 0, result.stderr
    lines = result.stdout.splitlines()
    assert lines[0] == "add 1 like one zone-one  1 stay pending"
    assert lines[1] == "1 of 2 pods that find no node get one, 1 node for 0.25 $/h: the least possible"
    assert "new-like-one-zone-one-0000" in result.stdout
    assert "shop/huge" in result.stdout
    assert "Insufficient cpu" in result.stdout


def test_rows(kplace, folder):
    (plan,) = rows(kplace("provision", folder, "--pools", "--format", "csv"))
    assert (plan["nodes"], plan["placed"], plan["pending"], plan["gap"]) == ("1", "1", "1", "0.0")
    (new,) = rows(kplace("provision", folder, "--pools", "--rows", "nodes", "--format", "csv"))
    assert (new["pods"], new["requested_cpu_milli"]) == ("1", "3000")
    late, huge = json.loads(kplace("provision", folder, "--pools", "--rows", "pods", "--format", "json").stdout)
    assert (late["candidate"], huge["why_pending"]) == ("like one zone-one", "1 Insufficient cpu")
    (candidate,) = rows(kplace("provision", folder, "--pools", "--rows", "candidates", "--format", "csv"))
    assert candidate["source"] == "pool"


def test_manifests_as_candidates(kplace, folder, tmp_path):
    file = write_list(tmp_path / "node.json", node("large", cpu="32"))
    result = kplace("provision", folder, "--node", file, "--fail-on-pending")
    assert result.exit_code == 0, result.stderr
    assert result.stdout.startswith("add 2 large\n")
    assert "no prices are known: every node costs 1" in result.stderr


def test_pending_pods_can_fail_it(kplace, folder):
    assert kplace("provision", folder, "--pools", "--fail-on-pending").exit_code == 1


def test_nothing_to_do(kplace, tmp_path):
    file = write_list(tmp_path / "input.json", node("one"), pod("fits"))
    result = kplace("provision", file, "--pools")
    assert result.stdout.startswith("no pod needs a new node\n1 waiting pod placed as things are\n")


def test_faults_of_the_table_and_of_single_prices_are_told_together(kplace, folder, tmp_path):
    table = tmp_path / "bad.csv"
    table.write_text("instance_type,price\none,1\n,3\none,2\n")
    result = kplace("provision", folder, "--pools", "--prices", str(table), "--price", "x=-3")
    assert result.exit_code == 2
    assert "line 3: instance_type: is empty" in result.stderr
    assert "line 4: price: one costs 2 here, but 1 in line 2" in result.stderr
    assert "price: x: expected 0 or more, got -3" in result.stderr
    assert "price: there is no candidate x" in result.stderr
    assert "4 faults in 2 inputs; nothing was done" in result.stderr
    assert not result.stdout
    result = kplace("provision", folder, "--pools", "--price", "x=-3")
    assert "--price: x: expected 0 or more" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "candidates: say what could be added"),
        (("--pools", "--price", "one"), "expected NAME=NUMBER such as m5.large=0.096, got 'one'"),
        (("--pools", "--rate", "cpu=much"), "--rate: cpu: expected a number such as 0.096, got 'much'"),
        (("--node", "nowhere.yaml"), "nowhere.yaml"),
        (("--pools", "--prices", "nowhere.csv"), "nowhere.csv"),
        (("--pools", "--without-waiting"), "without the waiting pods, name others"),
    ],
)
def test_refusals(kplace, folder, arguments, message):
    result = kplace("provision", folder, *arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert not result.stdout
