"""``kplace bench``."""

import json

import pytest

from kplace.analysis.bench import timing

PLUGIN = """
class Flat:
    def score(self, cycle, nodes):
        return cycle.at(nodes).free("pods") * 0
"""


@pytest.fixture(autouse=True)
def brief(monkeypatch):
    monkeypatch.setattr(timing, "ROUND_NS", 1)


def test_an_authors_loop(kplace, tmp_path):
    """Write, measure, keep, compare."""
    (tmp_path / "flat.py").write_text(PLUGIN)
    once = ("bench", "plugins", "--plugin", f"{tmp_path}/flat.py:Flat", "--nodes", "20", "--rounds", "2")
    files = [tmp_path / name for name in ("before.json", "cost.svg")]
    result = kplace(*once, "--out", files[0], "--out", files[1])
    assert result.exit_code == 0, result.output
    assert "20 nodes" in result.stdout
    assert "Flat score" in result.stdout
    assert "NodeResourcesBalancedAllocation score" in result.stdout
    assert files[1].read_text().startswith("<svg")
    result = kplace(*once, "--against", files[0], "--only", "Flat")
    assert result.exit_code == 0, result.output
    assert "1 cost compared" in result.stdout
    assert "NodeResources" not in result.stdout


def test_what_got_slower_can_fail_a_pipeline(kplace, tmp_path):
    path = tmp_path / "before.json"
    once = ("bench", "plugins", "--nodes", "20", "--rounds", "2", "--only", "NodeName")
    assert kplace(*once, "--out", path).exit_code == 0
    record = json.loads(path.read_text())
    for cost in record["costs"]:
        cost["ns"] = [0.001, 0.001]
    path.write_text(json.dumps(record))
    result = kplace(*once, "--against", path, "--fail-on-slower")
    assert result.exit_code == 1
    assert "1 slower beyond the noise" in result.stdout
    result = kplace(*once, "--against", path, "--format", "csv")
    assert result.exit_code == 0
    assert result.stdout.startswith("plugin,point,nodes,pod,")
    assert "slower: NodeName filter at 20 nodes" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--nodes", "many"], "expected numbers of nodes, parted by commas"),
        (["--out", "x.txt"], "known are .json and .svg"),
        (["--fail-on-slower"], "there is no --against"),
        (["--nodes", "5", "--rounds", "2", "--only", "Nome"], "nothing was measured of Nome; there is"),
        (["--against", "missing.json"], "missing.json: does not exist; expected what kplace bench plugins --out"),
    ],
)
def test_what_cannot_be_used(kplace, arguments, message):
    result = kplace("bench", "plugins", *arguments)
    assert result.exit_code == 2
    assert message in " ".join(result.output.split())


def test_workloads(kplace):
    result = kplace("bench", "workloads", "--only", "Basic/", "--labels", "short", "--format", "json")
    assert result.exit_code == 0, result.output
    (row,) = json.loads(result.stdout)
    assert (row["case"], row["workload"], row["nodes"], row["pods"], row["scheduled"]) == ("Basic", "small", 10, 20, 20)
    listed = kplace("bench", "workloads", "--list").stdout
    assert "PodAffinity/5000Nodes_5000Pods" in listed
    assert "short" not in listed
    result = kplace("bench", "workloads", "--labels", "none-such")
    assert result.exit_code == 2
    assert "there are the labels performance, short" in " ".join(result.output.split())
