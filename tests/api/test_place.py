import gzip
import hashlib
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import kplace
from kplace.dtypes import NO_NODE
from kplace.errors import OutputError, UsageError
from tests.frames.tables import NODES, PODS, cluster


def many() -> kplace.Cluster:
    """Forty equal nodes: every pod can choose."""
    nodes = {"node": [f"n{i}" for i in range(40)], "cpu": 8, "memory": "16Gi"}
    pods = {"pod": [f"p{i}" for i in range(20)], "cpu": "1", "memory": "1Gi"}
    return kplace.Cluster.from_frames(pd.DataFrame(nodes), pd.DataFrame(pods))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"tie_break": "frist"}, "tie_break: expected 'random' or 'first', got 'frist'; did you mean 'first'?"),
        ({"trace_detail": "all"}, "trace_detail: expected 'full' or 'counts', got 'all'"),
        (
            {"percentage_of_nodes_to_score": 101},
            "percentage_of_nodes_to_score: expected a whole number from 0 to 100, got 101",
        ),
        (
            {"percentage_of_nodes_to_score": -1},
            "percentage_of_nodes_to_score: expected a whole number from 0 to 100, got -1",
        ),
        (
            {"percentage_of_nodes_to_score": True},
            "percentage_of_nodes_to_score: expected a whole number from 0 to 100, got True",
        ),
        ({"seed": 1.5}, "seed: expected a whole number, got 1.5"),
        ({"seed": True}, "seed: expected a whole number, got True"),
        ({"seed": 2**63}, "seed: expected at most 9,223,372,036,854,775,807, got 9,223,372,036,854,775,808"),
        ({"start_index": -1}, "start_index: expected the position of a node, 0 to "),
        ({"start_index": 1.5}, "start_index: expected a whole number, got 1.5"),
        ({"only": "/app=web"}, "only: expected NS or NS/SELECTOR"),
        ({"only": "nowhere"}, "only: there are no pods in the namespace 'nowhere'; some are waiting in data, shop"),
    ],
    ids=lambda value: "" if isinstance(value, str) else "-".join(f"{name}={given}" for name, given in value.items()),
)
def test_bad_arguments(arguments, message):
    with pytest.raises(UsageError) as caught:
        kplace.place(cluster(), **arguments)
    assert str(caught.value).startswith(message)


def test_seeds_decide_among_equals_and_the_hash_tells():
    made = many()
    first, again, other = (kplace.place(made, seed=seed) for seed in (1, 1, 2))
    assert first.result_hash == again.result_hash != other.result_hash
    assert (first.columns.node != other.columns.node).any()
    assert kplace.place(made, seed=np.int64(1)).result_hash == first.result_hash


def test_first_takes_no_draw():
    made = many()
    assert (
        kplace.place(made, tie_break="first", seed=1).result_hash == kplace.place(made, tie_break="first").result_hash
    )


@pytest.mark.parametrize("engine", ["batch", "cycle"])
@pytest.mark.parametrize("preemption", ["queue", "off"])
def test_a_run_goes_on_where_another_one_stopped(engine, preemption):
    nodes = {"node": [f"n{i}" for i in range(150)], "cpu": 8, "memory": "16Gi"}
    pods = {"pod": [f"p{i}" for i in range(12)], "cpu": "1", "memory": "1Gi"}
    whole = kplace.Cluster.from_frames(pd.DataFrame(nodes), pd.DataFrame(pods))
    told = {"tie_break": "first", "engine": engine, "preemption": preemption}
    first = kplace.place(kplace.Cluster.from_frames(pd.DataFrame(nodes), pd.DataFrame(pods).head(5)), **told)
    start = int(first.columns.next_start_index[-1])
    assert start > 0
    bound = pd.DataFrame(pods).assign(node=first.pods["node"].astype("str").reindex(range(12)))
    rest = kplace.Cluster.from_frames(pd.DataFrame(nodes), bound)
    columns = ["pod", "node", "total", "evaluated", "next_start_index"]
    expected = kplace.place(whole, **told).pods[columns].tail(7).reset_index(drop=True)
    found = kplace.place(rest, start_index=start, **told)
    pd.testing.assert_frame_equal(found.pods[columns], expected)
    assert found.run.start_index == start


def test_the_first_search_begins_at_the_start_index():
    made = many()
    placed = kplace.place(made, tie_break="first", start_index=17)
    assert placed.pods["node"][0] == made.nodes.sort_values("position")["node"].iloc[17]
    with pytest.raises(UsageError, match=r"start_index: expected the position of a node, 0 to 39, got 40"):
        kplace.place(made, start_index=40)


def test_the_hash_is_of_pod_node_total_evaluated_and_next_start_index():
    columns = kplace.place(cluster()).columns
    parts = (columns.pod, columns.node, columns.total, columns.evaluated, columns.next_start_index)
    text = b"".join(int(number).to_bytes(8, "little", signed=True) for part in parts for number in part)
    assert kplace.place(cluster()).result_hash == hashlib.sha256(text).hexdigest()


def test_the_cluster_is_not_modified():
    made = cluster()
    before = made.columns.pods.node.copy()
    placements = kplace.place(made)
    np.testing.assert_array_equal(made.columns.pods.node, before)
    assert placements.before is made
    # db, web-1 and train are bound now, huge is not.
    assert placements.cluster.columns.pods.node.tolist()[3] == NO_NODE
    assert (placements.cluster.columns.pods.node >= 0).sum() == 4


def test_placing_again_tries_the_pending_pods_only():
    after = kplace.place(kplace.place(cluster()).cluster)
    assert after.pods["pod"].tolist() == ["huge"]


def test_only_tries_a_part():
    placements = kplace.place(cluster(), only="data/app in (db, train)")
    assert placements.pods["pod"].tolist() == ["db", "train"]
    assert placements.cluster.pods["waiting"].tolist() == [False, True, False, True, False]


def test_progress_counts_to_the_number_of_pods_tried():
    calls = []
    kplace.place(cluster(), progress=lambda done, total: calls.append((done, total)))
    assert calls == sorted(calls)
    assert calls[-1] == (4, 4)
    calls.clear()
    kplace.place(cluster(), only="shop", progress=lambda done, total: calls.append((done, total)))
    assert calls[-1] == (1, 1)


@pytest.mark.parametrize("detail", ["full", "counts"])
def test_traces_are_written_beside_and_compressed_by_name(tmp_path, detail):
    plain, packed = tmp_path / "trace.json", tmp_path / "trace.json.gz"
    for path in (plain, packed):
        kplace.place(cluster(), trace=path, trace_detail=detail)
    assert gzip.decompress(packed.read_bytes()) == plain.read_bytes()
    record = json.loads(plain.read_bytes())
    assert list(record) == ["nodeOrder", "queueOrder", "pods"]
    assert record["nodeOrder"] == ["a", "b", "c"]
    assert record["queueOrder"] == [attempt["pod"] for attempt in record["pods"]]
    feasible = record["pods"][0]["sample"]["feasible"]
    assert feasible == (1 if detail == "counts" else ["a"])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["trace.json", "trace.json.gz"]


def test_a_trace_of_a_part_holds_that_part(tmp_path):
    kplace.place(cluster(), trace=tmp_path / "trace.json", only="shop")
    record = json.loads((tmp_path / "trace.json").read_bytes())
    assert record["queueOrder"] == ["shop/web-1"]
    assert [attempt["pod"] for attempt in record["pods"]] == ["shop/web-1"]


def test_an_interrupt_leaves_no_trace(tmp_path):
    def interrupt(done: int, total: int) -> None:
        raise KeyboardInterrupt

    old = tmp_path / "trace.json"
    old.write_text("an earlier one")
    with pytest.raises(KeyboardInterrupt):
        kplace.place(cluster(), trace=old, progress=interrupt)
    assert old.read_text() == "an earlier one"
    assert list(tmp_path.iterdir()) == [old]


def test_a_trace_that_cannot_be_written_is_refused_before_anything_is_placed(tmp_path):
    tried = []
    with pytest.raises(OutputError, match=r"nowhere.trace\.json: cannot be written: No such file or directory"):
        kplace.place(cluster(), trace=tmp_path / "nowhere" / "trace.json", progress=lambda *call: tried.append(call))
    assert not tried


def test_summary():
    pods = PODS.assign(gated=[False, False, False, False, True])
    summary = kplace.place(kplace.Cluster.from_frames(NODES, pods)).summary()
    assert (summary.nodes, summary.pods) == (3, 5)
    assert (summary.placed, summary.pending, summary.gated, summary.skipped) == (2, 1, 1, 0)
    assert {(reason.plugin, reason.pods, reason.nodes) for reason in summary.reasons} == {
        ("NodeResourcesFit", 1, 1),
        ("TaintToleration", 1, 1),
        ("NodeUnschedulable", 1, 1),
    }
    cpu = summary.utilisation[0]
    # 4 + 2 + 1 cores; web-0 runs, db (2 cores) and web-1 (a half) are placed.
    assert (cpu.resource, cpu.allocatable, cpu.before, cpu.after) == ("cpu", 7000, 500, 3000)
    assert cpu.share_after == 3 / 7
    assert [use.resource for use in summary.utilisation] == ["cpu", "memory", "pods", "nvidia.com/gpu"]
    busiest = summary.busiest[0]
    assert (busiest.node, busiest.zone, busiest.resource, busiest.share, busiest.placed) == ("a", "x", "cpu", 0.75, 2)
    assert len(summary.busiest) == 1


def test_a_case_sets_the_percentage():
    path = sorted((Path(__file__).parents[1] / "conformance" / "cases" / "sampling").glob("*.json.gz"))[0]
    config = json.loads(gzip.decompress(path.read_bytes())).get("config", {})
    made = kplace.read(path)
    assert made.case
    assert kplace.place(made).run.percentage_of_nodes_to_score == (config.get("percentageOfNodesToScore") or 0)
    assert kplace.place(made, percentage_of_nodes_to_score=7).run.percentage_of_nodes_to_score == 7
