"""What sampling costs, held against a plain pass through the readable engine, score by score."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kplace
from kplace.analysis.metrics import imbalance
from kplace.analysis.sampling import sampling
from kplace.engine.batch import STRIDE
from kplace.errors import UsageError


def cluster(n_nodes, n_pods, seed=0, **columns):
    """Nodes of several sizes and fillings in three zones, and pods of two sizes."""
    random = np.random.default_rng(seed)
    nodes = {
        "node": [f"n{i}" for i in range(n_nodes)],
        "cpu": random.integers(2, 17, n_nodes),
        "memory": [f"{size}Gi" for size in random.integers(4, 65, n_nodes)],
        "zone": [f"z{i % 3}" for i in range(n_nodes)],
    }
    pods = {
        "pod": [f"p{i}" for i in range(n_pods)],
        "cpu": random.choice(["500m", "3"], n_pods),
        "memory": random.choice(["1Gi", "3Gi"], n_pods),
        "owner_kind": "ReplicaSet",
        "owner": "web",
        "label:app": "web",
        **columns,
    }
    return kplace.Cluster.from_frames(pd.DataFrame(nodes), pd.DataFrame(pods))


@pytest.fixture(scope="module")
def large():
    return cluster(160, 40)


@pytest.fixture(scope="module")
def found(large):
    return sampling(large, percentages=[5, 70], pods=None)


def attempts(path):
    return [item for item in json.loads(path.read_text())["pods"] if item["state"] == "scheduled"]


def plain_losses(folder, whole, percentage, seed=0):
    """Losses out of decision records: one of the run, and for each pod one of its turn with 100."""
    sampled, full = folder / "sampled.json", folder / "full.json"
    kplace.place(whole, percentage_of_nodes_to_score=percentage, preemption="off", trace=sampled, seed=seed)
    losses, node_of = {}, {}
    for attempt in attempts(sampled):
        name = attempt["pod"].partition("/")[2]
        pods = whole.pods.astype({"node": "object"})
        pods["node"] = [node_of.get(pod, own) for pod, own in zip(pods["pod"], pods["node"], strict=True)]
        pods = pods[pods["node"].notna() | (pods["pod"] == name)]
        before = kplace.Cluster.from_frames(whole.nodes, pods, others=whole)
        kplace.place(before, percentage_of_nodes_to_score=100, preemption="off", trace=full)
        (turn,) = attempts(full)
        losses[name] = max(turn["total"].values()) - turn["total"][attempt["chosen"]]
        node_of[name] = attempt["chosen"]
    return losses


@pytest.mark.parametrize("percentage", [5, 70])
def test_losses_against_decision_records(tmp_path, large, found, percentage):
    own = found.pods[found.pods["percentage"] == percentage]
    expected = plain_losses(tmp_path, large, percentage)
    assert dict(zip(own["pod"], own["loss"], strict=True)) == expected
    assert any(expected.values())
    row = found.table.set_index("percentage").loc[percentage]
    losses = np.array(list(expected.values()))
    assert row["loss_mean"] == pytest.approx(losses.mean())
    assert (row["loss_max"], row["loss_stderr"]) == (losses.max(), 0)
    assert row["not_best"] == pytest.approx((losses > 0).mean())


def test_each_percentage_ends_as_place_does(large, found):
    for row in found.table.to_dict("records"):
        run = kplace.place(large, percentage_of_nodes_to_score=row["percentage"], preemption="off")
        whole = kplace.place(large, percentage_of_nodes_to_score=100, preemption="off")
        assert row["filtered"] == pytest.approx(run.pods["evaluated"].mean())
        assert row["scored"] == pytest.approx(run.pods["feasible"].mean())
        assert row["elsewhere"] == (run.pods["node"].astype("str") != whole.pods["node"].astype("str")).sum()
        assert (row["placed"], row["pending"]) == (len(run.pods), 0)
        own = found.metrics.query("percentage == @row['percentage'] and metric == 'imbalance:cpu'")
        spread = [imbalance(item).set_index("resource")["stddev"]["cpu"] for item in (run, whole)]
        assert own["value"].tolist() == pytest.approx([spread[0]])
        assert own["change"].tolist() == pytest.approx([spread[0] - spread[1]], abs=1e-12)


def test_with_all_nodes_nothing_is_lost(found):
    whole = found.table.set_index("percentage").loc[100]
    assert whole[["loss_mean", "loss_max", "not_best", "elsewhere", "relative_time"]].tolist() == [0, 0, 0, 0, 1]
    assert (found.metrics.loc[found.metrics["percentage"] == 100, "change"].dropna() == 0).all()


def test_the_table_goes_by_the_nodes_that_are_looked_for(found):
    # Of 160 nodes, 5 and 49 % are fewer than 100.
    assert found.table["percentage"].tolist() == [0, 5, 70, 100]
    assert found.table["nodes_wanted"].tolist() == [100, 100, 112, 160]
    assert found.current == 0
    assert found.table.loc[found.table["current"], "percentage"].tolist() == [0]


@settings(max_examples=15, deadline=None)
@given(
    n_nodes=st.integers(100, 180),
    n_pods=st.integers(1, 12),
    seed=st.integers(0, 99),
    percentage=st.integers(0, 99),
    pods=st.one_of(st.none(), st.integers(1, 5)),
)
def test_loss_is_never_less_than_nothing(n_nodes, n_pods, seed, percentage, pods):
    told = {"percentages": [percentage], "pods": pods, "metrics": ["pending"], "seed": seed}
    found = sampling(cluster(n_nodes, n_pods, seed), **told)
    assert (found.pods["loss"] >= 0).all()
    assert (found.pods["loss"] == found.pods["best"] - found.pods["total"]).all()
    assert (found.pods.loc[found.pods["percentage"] == 100, "loss"] == 0).all()
    assert (found.pods["feasible"] <= n_nodes).all()
    assert len(found.pods) == len(found.rungs) * min(pods or n_pods, n_pods)
    one = found.pods[found.pods["node"].astype("str") == found.pods["best_node"].astype("str")]
    assert (one["loss"] == 0).all()


def test_a_few_turns_are_those_of_all(large, found):
    few = sampling(large, percentages=[5, 70], pods=7, metrics=["pending"])
    keys = ["percentage", "row"]
    both = few.pods.merge(found.pods, on=keys, suffixes=("", "_all"))
    assert len(both) == len(few.pods) == 7 * len(few.rungs)
    assert (both["loss"] == both["loss_all"]).all()
    row = few.table.set_index("percentage").loc[5]
    losses = few.pods.loc[few.pods["percentage"] == 5, "loss"].to_numpy()
    # The correction for a finite population: 7 of 40 pods.
    assert row["loss_stderr"] == pytest.approx(losses.std(ddof=1) / np.sqrt(7) * np.sqrt(1 - 7 / 40))


def test_looking_on_changes_nothing(large, found):
    for rung in found.rungs:
        run = kplace.place(large, percentage_of_nodes_to_score=rung.percentage, preemption="off")
        assert rung.outcome.node.tolist() == run.columns.node.tolist()
        assert rung.outcome.next_start_index.tolist() == run.columns.next_start_index.tolist()


def test_turns_beyond_a_stride(monkeypatch):
    monkeypatch.setattr("kplace.engine.batch.STRIDE", 4)
    assert STRIDE > 40
    made = cluster(120, 40)
    strided = sampling(made, percentages=[5], pods=9, metrics=["pending"])
    monkeypatch.undo()
    at_once = sampling(made, percentages=[5], pods=9, metrics=["pending"])
    pd.testing.assert_frame_equal(strided.pods, at_once.pods)


class Last:
    """A plugin that the fused loop does not know: it likes the nodes at the end."""

    name = "Last"

    def score(self, cycle, nodes):
        return nodes.astype(np.int64) * 100 // max(cycle.state.n_nodes - 1, 1)


class Waits(Last):
    """One that is asked at Permit, so that pods go through the readable engine."""

    def permit(self, cycle, node):
        return None


@pytest.mark.parametrize("plugin", [Last, Waits])
def test_plugins_of_ones_own(plugin, tmp_path):
    made = cluster(130, 8)
    own = sampling(made, percentages=[5], pods=None, metrics=["pending"], plugins=[plugin()])
    losses = own.pods.loc[own.pods["percentage"] == 5, "loss"]
    # The best node by this plugin is the last one, which a search for 100 of 130 does not come by at first.
    assert losses.iloc[0] > 0
    again = sampling(made, percentages=[5], pods=3, metrics=["pending"], plugins=[plugin()])
    assert set(again.pods["loss"]) <= set(own.pods["loss"])


def test_recommendation(large):
    costs = {row["percentage"]: row for row in sampling(large, pods=None, metrics=["pending"]).table.to_dict("records")}
    worst = max(row["loss_mean"] for row in costs.values())
    for tolerance in (0, worst / 2, worst):
        found = sampling(large, pods=None, metrics=["pending"], tolerance=tolerance)
        within = [row for row in costs.values() if row["loss_mean"] <= tolerance]
        least = min(row["nodes_wanted"] for row in within)
        assert costs[found.recommended]["nodes_wanted"] == least
        assert found.table.loc[found.table["recommended"], "percentage"].tolist() == [found.recommended]
    assert found.recommended == 0


def test_what_is_set_now_is_tried_as_well(large):
    found = sampling(large, percentages=[5], pods=3, metrics=["pending"], percentage_of_nodes_to_score=90)
    assert found.current == 90
    assert set(found.table["percentage"]) == {5, 90, 100}
    config = {"percentageOfNodesToScore": 80}
    assert sampling(large, percentages=[5], pods=3, metrics=["pending"], config=config).current == 80


def test_fewer_than_100_nodes_are_all_scored():
    found = sampling(cluster(99, 5, cpu="500m", memory="1Gi"), percentages=[5, 50])
    assert not found.can_happen
    assert found.recommended is None
    assert found.table["percentage"].tolist() == [100]
    assert found.table["scored"].tolist() == [99]


def test_pods_that_find_no_node_lose_nothing():
    found = sampling(cluster(110, 6, cpu="64"), percentages=[5], pods=None, metrics=["pending"])
    assert found.table["pending"].tolist() == [6] * len(found.rungs)
    assert found.table["pods"].tolist() == [0] * len(found.rungs)
    assert found.table["loss_mean"].isna().all()
    assert not len(found.pods)


def test_progress_counts_the_pods_of_all_percentages(large):
    told = []
    sampling(large, percentages=[5], pods=2, metrics=["pending"], progress=lambda *numbers: told.append(numbers))
    assert told[-1] == (120, 120)
    assert told == sorted(told)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"percentages": [101]}, "percentages: expected whole numbers from 0 to 100, got 101"),
        ({"percentages": [-1]}, "percentages: expected a whole number, 0 or more, got -1"),
        ({"percentages": [5.5]}, "percentages: expected a whole number, 0 or more, got 5.5"),
        ({"pods": 0}, "pods: expected a whole number, 1 or more, got 0"),
        ({"tolerance": -1}, "tolerance: expected points of the weighted total, 0 or more, got -1"),
        ({"tolerance": float("nan")}, "tolerance: expected points of the weighted total, 0 or more, got nan"),
        ({"metrics": ["nope"]}, 'metrics: there is no metric "nope"'),
        ({"percentage_of_nodes_to_score": 200}, "percentage_of_nodes_to_score: expected"),
    ],
)
def test_bad_arguments(large, arguments, message):
    with pytest.raises(UsageError) as caught:
        sampling(large, **arguments)
    assert str(caught.value).startswith(message)


def test_nothing_to_place_is_refused():
    with pytest.raises(UsageError, match="there is nothing to place"):
        sampling(cluster(100, 1, node="n0"))
