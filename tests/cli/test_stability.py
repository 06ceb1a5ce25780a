"""``kplace stability``: a summary for people, and a table that is asked for."""

import csv
import io

import pytest

from tests.cli.clusters import node, pod, write_list


@pytest.fixture
def full(tmp_path):
    """Two nodes with room for three of four pods."""
    nodes, pods = [node("one", cpu="2"), node("two", cpu="1")], [pod(f"p{i}") for i in range(4)]
    return write_list(tmp_path / "full.json", *nodes, *pods)


def rows(result):
    assert result.exit_code == 0, result.stderr
    return list(csv.DictReader(io.StringIO(result.stdout)))


def test_what_people_see(kplace, full):
    result = kplace("stability", full, "--runs", "12", "--metric", "pending", "--metric", "tied")
    assert result.exit_code == 0
    assert result.stdout.startswith("12 runs, varying ties, start, order: ")
    assert "4 pods: 0 always on the same node, 0 always on a node, but not on the same" in result.stdout
    assert "0 pending in every run, 4 in some" in result.stdout
    assert "shop/p3" in result.stdout
    assert "waiting pod" not in result.stderr


def test_nothing_differs(kplace, full):
    result = kplace("stability", full, "--runs", "2", "--vary", "start", "--tie-break", "first", "--seed", "3")
    assert "Metrics  no run differs from another" in result.stdout


@pytest.mark.parametrize("table", ["pods", "nodes", "workloads", "zones", "metrics", "runs"])
def test_tables(kplace, full, table):
    found = rows(kplace("stability", full, "--runs", "3", "--rows", table, "--format", "csv"))
    expected = {"pods": 4, "runs": 3, "workloads": 0, "zones": 0}
    assert len(found) == expected.get(table, len(found))
    if table == "nodes":
        assert sum(int(row["runs"]) for row in found) == 9
    if table == "metrics":
        assert {"pending", "imbalance:cpu"} <= {row["metric"] for row in found}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--vary", "ties,colour"), "Error: --vary: there is no 'colour'"),
        (("--runs", "0"), "'--runs'"),
        (("--runs", str(10**23)), "Error: --runs: expected at most 1,000,000, got 100,000,000,000"),
        (("--seed", str(2**63)), "Error: --seed: expected at most 9,223,372,036,854,775,"),
        (("--seed", str(2**63 - 2), "--runs", "3"), "Error: --seed: expected at most 9,223,372,036,854,775,805, got"),
        (("--metric", "nope"), 'Error: --metric: there is no metric "nope"'),
        (("--vary", "ties", "--tie-break", "first"), "Error: --vary: --tie-break first takes no draw"),
    ],
)
def test_refusals(kplace, full, arguments, message):
    result = kplace("stability", full, *arguments, COLUMNS="300")
    assert result.exit_code == 2
    assert message in result.stderr
