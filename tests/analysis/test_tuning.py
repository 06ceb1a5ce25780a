"""Tuning: what is tried, what comes of it, and going on after an interruption."""

import json
from dataclasses import asdict, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kplace
from kplace.analysis.metrics import domains, imbalance, packing, smallest_needs, stranded, utilisation
from kplace.analysis.tuning import candidates_of, tune
from kplace.analysis.tuning.outcome import Measures
from kplace.analysis.tuning.sweep import pareto_front
from kplace.dtypes import PreemptionMode
from kplace.engine.batch import place_batch
from kplace.engine.cycle import Options
from kplace.errors import InputError, UsageError
from kplace.plugins.defaults import default_profile
from kplace.state import ClusterState
from kplace.testing import make_node, make_pod
from kplace.testing.clusters import cluster_of
from kplace.testing.strategies import Size, clusters


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


def by_definition(columns, node_of_pod, needs) -> dict[str, float]:
    """The outcome from the tables of the cluster, by the metrics' own definitions."""
    cluster = kplace.Cluster(replace(columns, pods=replace(columns.pods, node=node_of_pod)))
    nodes, resources = cluster.nodes, ("cpu", "memory")
    used = utilisation(nodes[nodes["requested_pods"] > 0], resources=resources)["utilisation"].tolist()
    names = ["workload", "topology_key", "max_skew", "enforced"]
    return {
        "nodes_used": packing(nodes, resources=resources).used,
        "utilisation_cpu": used[0],
        "utilisation_memory": used[1],
        "imbalance": float(imbalance(nodes, resources=resources)["stddev"].mean()),
        "fragmentation": float(stranded(nodes, needs).set_index("resource").loc[list(resources), "share"].mean()),
        "violations": int(domains(cluster).drop_duplicates(names)["violates"].sum()),
    }


def check_outcome(cluster: kplace.Cluster) -> None:
    needs = smallest_needs(cluster.pods)
    measures = Measures(cluster.columns, needs)
    for run in (0, 1):
        state = ClusterState(cluster.columns)
        if run:
            place_batch(state, [default_profile()], Options(preemption=PreemptionMode.OFF))
        found = asdict(measures.outcome(state, 0)) | {"pending": 0}
        wanted = by_definition(cluster.columns, state.node_of_pod, needs) | {"pending": 0}
        assert {name: repr(value) for name, value in found.items()} == {name: repr(wanted[name]) for name in found}


@settings(max_examples=25)
@given(clusters(Size(nodes=8, running=20, waiting=8)))
def test_an_outcome_is_bit_for_bit_what_the_metrics_say(made):
    check_outcome(made.cluster())


@pytest.mark.parametrize("preset", ["web", "ml-gpu"])
def test_so_it_is_in_larger_clusters(preset):
    check_outcome(kplace.synth(preset, nodes=40, pods=300))


def test_outcome_of_nodes_that_offer_nothing():
    check_outcome(cluster_of(make_node("bare"), make_pod("web").req(cpu="1")))
    check_outcome(cluster_of(make_node("half").capacity(cpu="4", pods="2"), make_pod("web").req(cpu="1").on("half")))


def test_the_largest_weights(cluster):
    largest = {item.plugin.name: 2**31 - 1 for item in default_profile().score}
    assert tune(cluster, vectors=2, max_weight=2**31 - 1, weights=[largest]).outcomes[1].pending == 0


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
        (
            {"weights": [{"ImageLocality": -1}, {"ImageLocality": 2**31}]},
            r"weights\[0\]: expected a whole number from 0 to 2147483647 for ImageLocality, got -1\n"
            r"weights\[1\]: .* got 2147483648",
        ),
        ({"strategies": ["Most"]}, "strategies: expected some of LeastAllocated"),
        ({"objectives": ["cost"]}, "objectives: expected some of pending"),
        ({"vectors": -1}, "expected vectors from 0 on"),
        ({"max_weight": 2**31}, "max_weight from 0 to 2147483647"),
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
        monkeypatch.setattr("kplace.engine.rerun.place_batch", _counted(calls := []))
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
