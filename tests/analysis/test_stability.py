"""Many runs, held against runs one by one, plain counting, and what is known without counting."""

import math
from collections import Counter, defaultdict

import numpy as np
import pandas as pd
import pytest

import kplace
from kplace.analysis.measures import Run, measured
from kplace.analysis.stability import arriving, stability, start_of
from kplace.analysis.stability.counting import PairCounts
from kplace.errors import UsageError
from kplace.testing import cluster_of, make_node, make_pod

RUNS = 6
FEW = ("scheduled", "pending", "victims", "imbalance:cpu", "tied")


@pytest.fixture(scope="module")
def demo():
    return kplace.read("data/demo")


@pytest.fixture(scope="module")
def found(demo):
    return stability(demo, runs=RUNS, seed=5, metrics=FEW)


@pytest.fixture(scope="module")
def one_by_one(demo):
    """The runs as a user would do them by what is documented."""
    n_nodes = len(demo.nodes)
    return [
        kplace.place(arriving(demo, run), seed=run, start_index=start_of(run, n_nodes)) for run in range(5, 5 + RUNS)
    ]


def ends(demo, run):
    """What became of each pod: the name of its node, ``pending`` or ``preempted``."""
    pods = run.pods[run.pods["status"].isin(["scheduled", "unschedulable", "error", "preempted"])]
    outcome = {
        row["row"]: row["node"] if row["status"] == "scheduled" else "pending" for row in pods.to_dict("records")
    }
    for victim in run.preemptions.loc[run.preemptions["carried_out"], "victim_row"].tolist():
        outcome[victim] = "preempted"
    return outcome


def counted(demo, runs):
    tables = [ends(demo, run) for run in runs]
    concerned = sorted({row for table in tables for row in table})
    at_first = demo.pods["node"]
    return {row: Counter(table.get(row, at_first[row]) for table in tables) for row in concerned}


def test_runs_are_those_that_place_gives(found, one_by_one):
    assert found.runs["result_hash"].tolist() == [run.result_hash for run in one_by_one]
    assert found.runs["seed"].tolist() == list(range(5, 5 + RUNS))
    assert found.placements(3).result_hash == one_by_one[3].result_hash


def test_pods_and_nodes_against_plain_counting(demo, found, one_by_one):
    counts = counted(demo, one_by_one)
    pods = found.pods.set_index("row")
    assert pods.index.tolist() == list(counts)
    assert pods["p_preempted"].any()
    assert pods["p_pending"].between(0, 1, "neither").any()
    for row, outcomes in counts.items():
        own = pods.loc[row]
        on_nodes = {name: n for name, n in outcomes.items() if name not in ("pending", "preempted")}
        assert own["p_pending"] == outcomes["pending"] / RUNS
        assert own["p_preempted"] == outcomes["preempted"] / RUNS
        assert own["p_placed"] == sum(on_nodes.values()) / RUNS
        assert own["nodes"] == len(on_nodes)
        assert own["entropy"] == pytest.approx(-sum(n / RUNS * math.log2(n / RUNS) for n in outcomes.values()))
        assert own["p_node"] == max(on_nodes.values(), default=0) / RUNS
        if on_nodes:
            assert on_nodes[own["node"]] == max(on_nodes.values())
    rows = found.nodes.to_dict("records")
    assert {(row["row"], row["node"]): row["runs"] for row in rows} == {
        (row, name): n
        for row, outcomes in counts.items()
        for name, n in outcomes.items()
        if name not in ("pending", "preempted")
    }
    assert (found.nodes["probability"] * RUNS == found.nodes["runs"]).all()


def test_metrics_against_plain_pandas(demo, found, one_by_one):
    values = pd.DataFrame([measured(Run(demo, run), FEW) for run in one_by_one])
    pd.testing.assert_frame_equal(found.runs[list(FEW)], values, check_dtype=False)
    table = found.metrics.set_index("metric")
    for name in FEW:
        column = values[name]
        expected = [column.min(), column.quantile(0.1), column.median(), column.quantile(0.9), column.max()]
        assert table.loc[name, ["min", "q10", "q50", "q90", "max"]].tolist() == pytest.approx(expected)
        assert table.loc[name, ["mean", "std"]].tolist() == pytest.approx(
            [column.mean(), column.std(ddof=0)], abs=1e-12
        )


def test_zones_against_plain_counting(demo, found, one_by_one):
    zone = dict(zip(demo.nodes["node"].astype("str"), demo.nodes["zone"].astype("str"), strict=True))
    copies, skews, pending = defaultdict(list), defaultdict(list), defaultdict(list)
    names = found.workloads["workload"].tolist()
    for run in one_by_one:
        pods = run.cluster.pods.assign(workload=kplace.analysis.workloads.workload_column(run.cluster.pods))
        there = pods[pods["node"].notna() & ~pods["terminating"] & ~pods["phase"].isin(["Succeeded", "Failed"])]
        counts = Counter(zip(there["workload"], there["node"].astype("str").map(zone), strict=True))
        left = run.pods[run.pods["status"] == "unschedulable"]
        waiting = Counter(pods.loc[pods["waiting"] & pods["pod"].isin(left["pod"]), "workload"])
        for name in names:
            by_zone = [counts[name, item] for item in sorted(set(zone.values()) - {"nan"})]
            skews[name].append(max(by_zone) - min(by_zone))
            pending[name].append(waiting[name])
            for item, number in zip(sorted(set(zone.values()) - {"nan"}), by_zone, strict=True):
                copies[name, item].append(number)
    rows = {(row["workload"], row["zone"]): row for row in found.zones.to_dict("records")}
    assert set(rows) == {key for key, numbers in copies.items() if any(numbers)}
    for key, row in rows.items():
        numbers = np.array(copies[key])
        expected = [numbers.min(), numbers.mean(), numbers.max(), numbers.std()]
        assert [row["min"], row["mean"], row["max"], row["std"]] == pytest.approx(expected)
    table = found.workloads.set_index("workload")
    for name in names:
        assert table.loc[name, ["skew_min", "skew_max"]].tolist() == [min(skews[name]), max(skews[name])]
        assert table.loc[name, "skew_mean"] == pytest.approx(np.mean(skews[name]))
        assert table.loc[name, "pending_mean"] == pytest.approx(np.mean(pending[name]))
        assert table.loc[name, "p_pending"] == np.mean(np.array(pending[name]) > 0)


def test_the_same_seed_gives_the_same_tables(demo, found):
    again = stability(demo, runs=RUNS, seed=5, metrics=FEW)
    for name in ("pods", "nodes", "workloads", "zones", "metrics", "runs"):
        pd.testing.assert_frame_equal(getattr(again, name), getattr(found, name))


def test_runs_of_the_next_seed_are_those_runs_but_one(demo, found):
    shifted = stability(demo, runs=2, seed=6, metrics=FEW)
    assert shifted.runs["result_hash"].tolist() == found.runs["result_hash"].tolist()[1:3]


def equal_nodes(n, **request):
    return cluster_of(*(make_node(f"n{i}") for i in range(n)), make_pod("web").req(**request))


@pytest.mark.parametrize("vary", ["ties", "start"])
def test_two_equal_nodes_get_half_each(vary):
    tie_break = "random" if vary == "ties" else "first"
    found = stability(equal_nodes(2, cpu="1"), runs=200, vary=vary, tie_break=tie_break, metrics=["pending"])
    assert found.nodes["node"].tolist() == ["n0", "n1"]
    # Four standard deviations of a fair coin; the seed is fixed.
    assert (found.nodes["probability"] - 0.5).abs().max() < 0.14
    assert found.pods["entropy"].tolist() == pytest.approx([1], abs=0.03)
    assert found.pods["p_placed"].tolist() == [1]


def rivals(*priorities):
    pods = [make_pod(f"p{i}").req(cpu="1").priority(value) for i, value in enumerate(priorities)]
    return cluster_of(make_node("n0").capacity(cpu="1"), *pods)


def test_of_two_pods_that_want_one_place_each_waits_in_half_of_the_runs():
    found = stability(rivals(0, 0), runs=200, vary="order", metrics=["pending"])
    assert found.pods["p_pending"].sum() == 1
    assert abs(found.pods["p_pending"][0] - 0.5) < 0.14
    assert found.metrics[["min", "max"]].to_numpy().tolist() == [[1, 1]]


def test_order_does_not_go_against_priority():
    found = stability(rivals(0, 1000), runs=20, vary="order", metrics=["pending"], preemption="off")
    assert found.pods["p_pending"].tolist() == [1, 0]


def test_nothing_varied_nothing_differs(demo):
    found = stability(demo, runs=3, vary=(), tie_break="first", metrics=FEW)
    assert found.vary == ()
    assert found.runs["outcome"].nunique() == found.runs["result_hash"].nunique() == 1
    assert found.runs["result_hash"][0] == kplace.place(demo, tie_break="first").result_hash
    assert set(found.pods["entropy"]) == {0}
    assert found.metrics["std"].tolist() == [0] * len(FEW)
    assert found.runs["order"].isna().all()


def test_without_draws_ties_do_not_vary(demo):
    found = stability(demo, runs=1, tie_break="first", metrics=["pending"])
    assert found.vary == ("start", "order")
    assert found.runs["seed"].tolist() == [0]


def test_every_order_of_arrival_comes_about_as_often():
    cluster = cluster_of(make_node("n0"), *(make_pod(f"p{i}") for i in range(3)))
    orders = Counter(tuple(kplace.place(arriving(cluster, seed)).pods["pod"]) for seed in range(120))
    assert len(orders) == 6
    assert min(orders.values()) > 6


def test_arriving_changes_times_of_waiting_pods_only(demo):
    changed = arriving(demo, 1)
    waiting = demo.pods["waiting"]
    same = [name for name in demo.pods.columns if name != "created"]
    pd.testing.assert_frame_equal(changed.pods[same], demo.pods[same])
    assert changed.pods.loc[~waiting, "created"].equals(demo.pods.loc[~waiting, "created"])
    assert changed.pods.loc[waiting, "created"].is_unique
    assert changed.pods.loc[waiting, "created"].min() == demo.pods.loc[waiting, "created"].min()


def test_a_configuration_and_plugins_are_taken(demo):
    packing = {"scoringStrategy": {"type": "MostAllocated", "resources": [{"name": "cpu", "weight": 1}]}}
    config = {"profiles": [{"pluginConfig": [{"name": "NodeResourcesFit", "args": packing}]}]}
    settings = {"config": config, "kube_version": "1.30", "percentage_of_nodes_to_score": 50}
    found = stability(demo, runs=1, vary="ties", preemption="off", metrics=["pending"], **settings)
    assert found.runs["result_hash"][0] == kplace.place(demo, preemption="off", **settings).result_hash


def test_progress_counts_the_pods_of_all_runs(demo):
    told = []
    stability(demo, runs=2, metrics=["pending"], progress=lambda done, total: told.append((done, total)))
    assert {total for _, total in told} == {2 * told[-1][0] // 2}
    assert [done for done, _ in told] == sorted(done for done, _ in told)


def test_pairs_are_counted_in_any_number_of_batches(monkeypatch):
    monkeypatch.setattr("kplace.analysis.stability.counting._FIRST_MERGE", 5)
    random, pairs, plain = np.random.default_rng(0), PairCounts(7), Counter()
    for _ in range(40):
        pods = random.permutation(9)[:4].astype(np.int32)
        nodes = random.integers(7, size=4).astype(np.int32)
        pairs.add(pods, nodes)
        plain.update(zip(pods.tolist(), nodes.tolist(), strict=True))
    found = zip(*(part.tolist() for part in pairs.pairs()), strict=True)
    assert [((pod, node), n) for pod, node, n in found] == sorted(plain.items())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"runs": 0}, "runs: expected a whole number, 1 or more, got 0"),
        ({"seed": -1}, "seed: expected a whole number, 0 or more, got -1"),
        ({"vary": "tie"}, "vary: there is no 'tie'; did you mean ties?"),
        ({"vary": "ties", "tie_break": "first"}, "vary: tie_break='first' takes no draw, so that 'ties' cannot vary"),
        ({"metrics": ["imbalanc"]}, 'metrics: there is no metric "imbalanc"'),
        ({"preemption": "maybe"}, "preemption: expected"),
    ],
)
def test_bad_arguments(demo, arguments, message):
    with pytest.raises(UsageError) as caught:
        stability(demo, **arguments)
    assert str(caught.value).startswith(message)


def test_nothing_to_place_is_refused():
    with pytest.raises(UsageError, match="there is nothing to place"):
        stability(cluster_of(make_node("n0"), make_pod("web").on("n0")))


def test_there_is_no_such_run(found):
    with pytest.raises(UsageError, match=f"run: expected 0 to {RUNS - 1}, got {RUNS}"):
        found.placements(RUNS)
