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
    assert lines[0] == "add 1 like one zone-one  1 stays pending"
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
    assert "--price: expected 0 or more for x, got -3" in result.stderr
    assert "--price: there is no candidate x" in result.stderr
    assert "4 faults in 2 inputs; nothing was done" in result.stderr
    assert not result.stdout
    result = kplace("provision", folder, "--pools", "--price", "x=-3")
    assert "--price: expected 0 or more for x, got -3" in result.stderr


def test_faults_of_all_files_are_told_together(kplace, folder, tmp_path):
    manifests, limits, table = tmp_path / "nodes.yaml", tmp_path / "pool.yaml", tmp_path / "types.csv"
    price = (
        "{apiVersion: v1, kind: Node, metadata: {name: %s, annotations: {kplace.io/price: '%s'}}, status: %s}\n---\n"
    )
    status = "{allocatable: {cpu: '4', memory: 8Gi, pods: '10'}}"
    nodes = [price % ("a", "dear", status), price % ("b", "-1", status), price % ("c", "1", status.replace("8Gi", "x"))]
    manifests.write_text("".join(nodes))
    limits.write_text(
        "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: p}, spec: {limits: {cpu: -3}, weight: 101}}"
    )
    table.write_text("instance_type,alloc:cpu\nm,-1\n")
    files = ("--pods", "nowhere.yaml", "--node", str(manifests), "--shapes", str(table), "--nodepool", str(limits))
    result = kplace("provision", folder, *files, "--prices", "none.csv", "--price", "x=-1")
    assert result.exit_code == 2
    assert not result.stdout
    told = [
        "nowhere.yaml: does not exist",
        f"{manifests}: Node c: status.allocatable.memory: ",
        f"{manifests}: Node a: metadata.annotations[kplace.io/price]: expected a number such as 0.096, got 'dear'",
        f"{manifests}: Node b: metadata.annotations[kplace.io/price]: expected 0 or more, got -1",
        f'{table}: line 2: alloc:cpu: "-1" is negative',
        f'{limits}: NodePool p: spec.limits.cpu: "-3" is negative',
        f"{limits}: NodePool p: spec.weight: expected 1 to 100, got 101",
        "none.csv: cannot be read: No such file or directory",
        "--price: expected 0 or more for x, got -1",
    ]
    lines = result.stderr.splitlines()
    assert [line for line in told if not any(found.startswith(line) for found in lines)] == []
    assert "9 faults in 6 inputs; nothing was done" in lines[-1]


def test_without_prices_nodes_are_counted(kplace, folder):
    result = kplace("provision", folder, "--pools")
    assert "1 of 2 pods that find no node get one, 1 node: the least possible" in result.stdout
    assert "cost" not in result.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "Say what could be added: --node, --pools, --shapes or --nodepool."),
        (("--pools", "--price", "a=1", "--price", "a=2", "--price", "b"), "expected one number for a, got '1' and '2'"),
        (("--pools", "--rate", "cpu=1", "--rate", "cpu=1"), "--rate: expected one number for cpu"),
        (("--pools", "--price", "one=1e400"), "--price: expected a number such as 0.096 for one, got '1e400'"),
        (("--pools", "--rate", "cpu=1e999999999"), "--rate: expected a number such as 0.096 for cpu"),
        (("--pools", "--price", "one=1e20"), "--price: expected at most 1e+15 for one, got 1e20"),
        (("--pools", "--copies", "2"), "--copies: without effect here: it is for --pods and --like"),
        (("--pools", "--zone", "a"), "--zone: without effect here: it is for --shapes and --nodepool"),
        (("--pools", "--rows", "pods"), "--rows: without effect here: it is for --format json and csv"),
        (("--pools", "--unit", "$", "--format", "csv"), "--unit: without effect here: it is for --format table"),
        (("--pools", "--like", "a/b", "--like", "c"), "a/b in the input\nError: --like: there is neither"),
        (("--pools", "--price", "one"), "expected NAME=NUMBER such as m5.large=0.096, got 'one'"),
        (("--pools", "--rate", "cpu=much"), "--rate: expected a number such as 0.096 for cpu, got 'much'"),
        (("--node", "nowhere.yaml"), "nowhere.yaml"),
        (("--pools", "--prices", "nowhere.csv"), "nowhere.csv"),
        (("--pools", "--without-waiting"), "Without the waiting pods, say which have to fit: --pods or --like."),
    ],
)
def test_refusals(kplace, folder, arguments, message):
    result = kplace("provision", folder, *arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert not result.stdout
