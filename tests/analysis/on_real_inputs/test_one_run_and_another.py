"""Compare against two runs joined by pandas, stability and sampling against explicit loops over kplace.place."""

import json
from collections import Counter

import pandas as pd
import pytest

import kplace
from kplace.analysis.compare import compare
from kplace.analysis.sampling import sampling
from kplace.analysis.stability import arriving, stability, start_of
from tests.analysis.on_real_inputs.plain import keys_of, nodes_by_pod, others_that_wait

MOST_ALLOCATED = {
    "apiVersion": "kubescheduler.config.k8s.io/v1",
    "kind": "KubeSchedulerConfiguration",
    "profiles": [
        {"pluginConfig": [{"name": "NodeResourcesFit", "args": {"scoringStrategy": {"type": "MostAllocated"}}}]}
    ],
}


@pytest.mark.parametrize("second", [{"seed": 1}, {"config": MOST_ALLOCATED}], ids=["seed", "strategy"])
def test_compare_is_two_runs_joined(each, second):
    found = compare(each.waiting, second=second)
    one = kplace.place(each.waiting, preemption="off").pods
    other = kplace.place(each.waiting, preemption="off", **second).pods
    both = pd.DataFrame({"before": one["node"].astype("object"), "after": other["node"].astype("object")})
    both.index = keys_of(one)
    assert both.index.tolist() == keys_of(other)
    there = both.notna()
    kinds = {
        "moved": there.all(axis=1) & (both["before"] != both["after"]),
        "now pending": there["before"] & ~there["after"],
        "now placed": ~there["before"] & there["after"],
    }
    for change, mask in kinds.items():
        own = found.pods[found.pods["change"] == change]
        assert set(keys_of(own)) == set(both.index[mask]), change
        assert found.counts[change] == mask.sum()
        for key, before, after in zip(keys_of(own), own["node_before"], own["node_after"], strict=True):
            for value, expected in ((before, both.loc[key, "before"]), (after, both.loc[key, "after"])):
                assert value == expected or (pd.isna(value) and pd.isna(expected))
    placed = found.figures.loc["placed"]
    assert (placed["before"], placed["after"]) == (there["before"].sum(), there["after"].sum())


def test_stability_is_a_loop_over_seeds(small):
    runs, n_nodes = 4, len(small.waiting.nodes)
    found = stability(small.waiting, runs=runs, seed=3, metrics=["pending", "nodes_used"])
    loop = [
        kplace.place(arriving(small.waiting, seed), seed=seed, start_index=start_of(seed, n_nodes))
        for seed in range(3, 3 + runs)
    ]
    assert found.runs["result_hash"].tolist() == [run.result_hash for run in loop]
    assert found.runs["pending"].tolist() == [(run.pods["status"] == "unschedulable").sum() for run in loop]
    assert found.runs["nodes_used"].tolist() == [(run.nodes["requested_pods"] > 0).sum() for run in loop]
    tables = [run.cluster.pods for run in loop]
    ends = {key: Counter() for key in keys_of(tables[0])}
    for table in tables:
        for key, node in nodes_by_pod(table).items():
            ends[key][node] += 1
    for row, key in zip(found.pods.to_dict("records"), keys_of(found.pods), strict=True):
        on_nodes = {node: number for node, number in ends[key].items() if node is not None}
        assert row["p_placed"] == sum(on_nodes.values()) / runs
        assert row["p_node"] == max(on_nodes.values(), default=0) / runs
        assert row["nodes"] == len(on_nodes)


def test_sampling_is_a_loop_over_percentages(trace, tmp_path):
    """Losses by decision records: of the run, and of each pod's turn once more with all nodes."""
    found = sampling(trace.waiting, percentages=[5, 80], pods=4)
    whole = kplace.place(trace.waiting, percentage_of_nodes_to_score=100, preemption="off")
    for row in found.table.to_dict("records"):
        run = kplace.place(trace.waiting, percentage_of_nodes_to_score=row["percentage"], preemption="off")
        assert row["scored"] == pytest.approx(run.pods["feasible"].mean())
        assert row["filtered"] == pytest.approx(run.pods["evaluated"].mean())
        assert row["pending"] == (run.pods["status"] == "unschedulable").sum()
        nodes = nodes_by_pod(run.pods)
        assert row["elsewhere"] == sum(nodes[key] != node for key, node in nodes_by_pod(whole.pods).items())
        order = [key for key in keys_of(run.pods) if nodes[key] is not None]
        own = found.pods[found.pods["percentage"] == row["percentage"]]
        assert len(own) > 2
        for turn, key in zip(own.to_dict("records"), keys_of(own), strict=True):
            before = run.cluster.released(order[order.index(key) :])
            before = before.without_pods(others_that_wait(before, [key]))
            kplace.place(before, percentage_of_nodes_to_score=100, preemption="off", trace=tmp_path / "turn.json")
            (full,) = json.loads((tmp_path / "turn.json").read_text())["pods"]
            assert turn["loss"] == max(full["total"].values()) - full["total"][nodes[key]]


def test_sampling_of_5000_nodes(large):
    found = sampling(large.waiting, percentages=[20], pods=3)
    for row in found.table.to_dict("records"):
        run = kplace.place(large.waiting, percentage_of_nodes_to_score=row["percentage"], preemption="off")
        assert row["scored"] == pytest.approx(run.pods["feasible"].mean())
        assert row["pending"] == (run.pods["status"] == "unschedulable").sum()
    # Of 5,000 nodes, 0 means a tenth.
    assert dict(zip(found.table["percentage"], found.table["nodes_wanted"], strict=True)) == {
        0: 500,
        20: 1000,
        100: 5000,
    }
