"""Tuning: what is tried, what comes of it, and going on after an interruption."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kplace
from kplace.analysis.tuning import candidates_of, tune
from kplace.analysis.tuning.outcome import nodes_table
from kplace.analysis.tuning.sweep import pareto_front
from kplace.errors import InputError, UsageError
from kplace.plugins.defaults import default_profile
from kplace.state import ClusterState
from kplace.testing import make_node, make_pod
from kplace.testing.clusters import cluster_of


@pytest.fixture
def cluster():
    nodes = [make_node(f"n{at}").capacity(cpu="4", memory="8Gi", pods="10").zone("ab"[at % 2]) for at in range(4)]
    pods = [make_pod(f"web-{at}").label(app="web").req(cpu="1", memory="1Gi") for at in range(4)]
    return cluster_of(*nodes, *pods)


def test_packing_and_spreading(cluster):
    only_fit = {item.plugin.name: int(item.plugin.name == "NodeResourcesFit") for item in default_profile().score}
    tuning = tune(cluster, vectors=0, weights=[only_fit], strategies=("LeastAllocated", "MostAllocated"))
    table = tuning.table.set_index(["strategy", "weight_TaintToleration"])
    assert table.loc[("MostAllocated", 0), "nodes_used"] == 1
    assert table.loc[("LeastAllocated", 0), "nodes_used"] == 4
    assert table.loc[("MostAllocated", 0), "utilisation_cpu"] == 1
    assert table.loc[("LeastAllocated", 0), "utilisation_cpu"] == 0.25
    assert table.loc[("LeastAllocated", 0), "imbalance"] == 0
    assert table.loc[("LeastAllocated", 0), "front"]
    assert table.loc[("MostAllocated", 0), "front"]


def test_the_first_candidate_is_what_place_does(cluster):
    placed = kplace.place(cluster, preemption="off", seed=3)
    used = placed.nodes["requested_pods"].gt(0).sum()
    outcome = tune(cluster, vectors=3, seed=3).outcomes[0]
    assert (outcome.pending, outcome.nodes_used) == (0, used)


def test_broken_constraints_are_counted():
    nodes = [make_node(f"n{at}").capacity(cpu="4", memory="8Gi", pods="10").zone("ab"[at]) for at in range(2)]
    running = [make_pod(f"old-{at}").label(app="web").req(cpu="500m").on("n0").spread("zone") for at in range(3)]
    waiting = make_pod("new").req(cpu="1")
    assert tune(cluster_of(*nodes, *running, waiting), vectors=0).outcomes[0].violations == 1


def test_what_the_metrics_see_is_what_the_cluster_says(cluster):
    table, wanted = nodes_table(ClusterState(cluster.columns)), cluster.nodes
    for name in table.columns:
        assert table[name].astype("str").tolist() == wanted[name].astype("str").tolist(), name


def test_candidates():
    profile = default_profile()
    few = candidates_of(profile, vectors=5, seed=1)
    more = candidates_of(profile, vectors=9, seed=1)
    assert more[: len(few)] == few
    assert dict(few[0].weights) == {item.plugin.name: item.weight for item in profile.score}
    both = candidates_of(profile, vectors=5, seed=1, strategies=("LeastAllocated", "MostAllocated"))
    assert len(both) == 2 * len(few)
    assert len({item.key for item in both}) == len(both)
    named = candidates_of(profile, weights=[{"ImageLocality": 7}])
    assert dict(named[1].weights) == dict(few[0].weights) | {"ImageLocality": 7}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"weights": [{"ImageLocallity": 1}]},
            r"weights\[0\]: ImageLocallity does not score.*did you mean ImageLocality",
        ),
        ({"weights": [{"ImageLocality": -1}]}, "expected a whole number from 0 on for ImageLocality, got -1"),
        ({"strategies": ["Most"]}, "strategies: expected some of LeastAllocated"),
        ({"objectives": ["cost"]}, "objectives: expected some of pending"),
        ({"vectors": -1}, "expected numbers from 0 on"),
    ],
)
def test_what_cannot_be_used(cluster, arguments, message):
    with pytest.raises(UsageError, match=message):
        tune(cluster, **arguments)


class TestJournal:
    def test_it_goes_on_where_it_was(self, cluster, tmp_path, monkeypatch):
        path = tmp_path / "journal.jsonl"
        wanted = tune(cluster, vectors=6)

        def stop(done: int, _total: int) -> None:
            if done == 3:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            tune(cluster, vectors=6, journal=path, progress=stop)
        lines = path.read_text().splitlines()
        assert len(lines) == 1 + 3
        monkeypatch.setattr("kplace.analysis.tuning.sweep.place_batch", _counted(calls := []))
        assert tune(cluster, vectors=6, journal=path).outcomes == wanted.outcomes
        assert len(calls) == len(wanted.candidates) - 3

    def test_that_of_something_else_is_refused(self, cluster, tmp_path):
        path = tmp_path / "journal.jsonl"
        tune(cluster, vectors=1, journal=path)
        with pytest.raises(InputError, match="another cluster, seed or configuration"):
            tune(cluster, vectors=1, seed=1, journal=path)
        path.write_text(json.dumps({"format": "other"}))
        with pytest.raises(InputError, match="expected what kplace tune"):
            tune(cluster, vectors=1, journal=path)


def _counted(calls: list[int]):
    from kplace.engine.batch import place_batch

    def place(*arguments, **more):
        calls.append(1)
        return place_batch(*arguments, **more)

    return place


@given(st.lists(st.tuples(*[st.integers(0, 3)] * 3), min_size=1, max_size=12))
def test_the_front_is_what_nothing_dominates(rows):
    front = pareto_front(np.array(rows, np.float64))
    for row, is_front in zip(rows, front.tolist(), strict=True):
        dominated = any(all(a <= b for a, b in zip(other, row, strict=True)) and other != row for other in rows)
        assert is_front != dominated


def test_the_command(cluster, tmp_path):
    from click.testing import CliRunner

    from kplace.cli.main import cli

    cluster.to_manifests(tmp_path / "input", form="folder")
    run = CliRunner().invoke
    common = ["tune", str(tmp_path / "input"), "--vectors", "3"]
    shown = run(cli, [*common, "--strategy", "MostAllocated", "--strategy", "LeastAllocated"])
    assert shown.exit_code == 0, shown.output
    assert "Pareto front" in shown.stdout
    assert "as it is" in shown.stdout
    rows = json.loads(run(cli, [*common, "--format", "json", "--weights", "ImageLocality=9"]).stdout)
    assert [row["weight_ImageLocality"] for row in rows[:2]] == [1, 9]
    assert run(cli, [*common, "-q", "--out", str(tmp_path / "t.parquet")]).exit_code == 0
    refused = run(cli, [*common, "--weights", "ImageLocality"])
    assert refused.exit_code == 2
    assert "expected PLUGIN=WEIGHT" in refused.output
