"""Who is tried, in which order, and what a run leaves."""

import numpy as np
import pytest

import kplace
from kplace.dtypes import NO_NODE, Status, TieBreak
from kplace.engine.cycle import Options, try_pod
from kplace.engine.place import place_waiting, split_waiting
from kplace.engine.results import NO_SCORE, PlacementColumns
from kplace.plugins.defaults import default_profile
from kplace.state import ClusterState
from kplace.testing import cluster_of, make_node, make_pod, state_of
from kplace.testing.builders import PodBuilder

PROFILE = default_profile()
FIRST = Options(TieBreak.FIRST)
EARLY, LATE = "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"


def keys(state: ClusterState, pods: np.ndarray) -> list[str]:
    return [state.columns.pods.names[pod] for pod in pods]


def queue_of(*pods: PodBuilder) -> list[str]:
    state = state_of(make_node("n"), *pods)
    return keys(state, split_waiting(state, {PROFILE.scheduler_name: PROFILE})[2])


def test_queue_order():
    waiting = [
        make_pod("undated"),
        make_pod("late").created(LATE),
        make_pod("early").created(EARLY),
        make_pod("early-too").created(EARLY),
        make_pod("urgent").priority(5).created(LATE),
        make_pod("lowly").priority(-1).created(EARLY),
        make_pod("undated-too"),
    ]
    assert queue_of(*waiting) == ["urgent", "early", "early-too", "late", "undated", "undated-too", "lowly"]


def test_who_is_not_tried():
    state = state_of(
        make_node("n"),
        make_pod("running").on("n"),
        make_pod("done").phase("Succeeded"),
        make_pod("failed").phase("Failed"),
        make_pod("leaving").terminating(),
        make_pod("lost").on("gone"),
        make_pod("others").scheduler("another"),
        make_pod("held").gate("example.com/hold"),
        make_pod("web"),
    )
    skipped, gated, queued = split_waiting(state, {PROFILE.scheduler_name: PROFILE})
    assert [keys(state, part) for part in (skipped, gated, queued)] == [["others"], ["held"], ["web"]]
    placed = place_waiting(state, [PROFILE], FIRST)
    assert keys(state, placed.pod) == ["others", "held", "web"]
    assert placed.status.tolist() == [Status.SKIPPED, Status.GATED, Status.SCHEDULED]
    assert placed.node.tolist() == [NO_NODE, NO_NODE, 0]


def test_columns_of_a_run():
    nodes = [make_node(name).capacity(cpu="4", memory="8Gi") for name in "abc"]
    state = state_of(
        *nodes,
        make_pod("one").req(cpu="1", memory="1Gi"),
        make_pod("two").req(cpu="1", memory="1Gi").node_selector({"kubernetes.io/hostname": "b"}),
        make_pod("large").req(cpu="9"),
    )
    placed = place_waiting(state, [PROFILE], FIRST)
    assert placed.node.tolist() == [0, 1, NO_NODE]
    assert placed.evaluated.tolist() == [3, 3, 3]
    assert placed.feasible.tolist() == [3, 1, 0]
    assert placed.ties.tolist() == [3, 1, 0]
    assert placed.runner_up.tolist() == [placed.total[0], NO_SCORE, NO_SCORE]
    assert placed.messages[:2] == ["", ""]
    assert placed.messages[2].startswith("0/3 nodes are available: 3 Insufficient cpu.")
    assert placed.reasons == [(), (), (("NodeResourcesFit", "Insufficient cpu", 3),)]
    assert state.node_of_pod.tolist() == [0, 1, NO_NODE]


def test_a_pod_placed_earlier_is_seen_by_the_next():
    waiting = [make_pod(f"web-{number}").label(app="web").anti_affinity("hostname") for number in range(3)]
    state = state_of(make_node("a"), make_node("b"), *waiting)
    placed = place_waiting(state, [PROFILE], FIRST)
    assert sorted(placed.node.tolist()) == [NO_NODE, 0, 1]


def test_without_nodes():
    state = state_of(make_pod("web"))
    placed = place_waiting(state, [PROFILE], FIRST)
    assert (placed.evaluated.tolist(), placed.next_start_index.tolist()) == ([0], [0])
    assert placed.messages == ["no nodes available to schedule pods"]


def test_trying_changes_nothing():
    state = state_of(make_node("a"), make_node("b"), make_pod("web").req(cpu="1"))
    before = state.resources.requested.copy()
    attempts = [try_pod(state, PROFILE, 0, 0, FIRST) for _ in range(2)]
    assert [attempt.node for attempt in attempts] == [0, 0]
    assert np.array_equal(state.resources.requested, before)
    assert (state.node_of_pod.tolist(), state.next_start_index) == ([NO_NODE], 0)


def test_only_some():
    waiting = [make_pod(f"p{number}") for number in range(4)]
    state = state_of(make_node("a"), *waiting)
    placed = place_waiting(state, [PROFILE], FIRST, only=np.array([3, 1], np.int32))
    assert placed.pod.tolist() == [1, 3]
    assert state.node_of_pod.tolist() == [NO_NODE, 0, NO_NODE, 0]


@pytest.mark.parametrize("tie_break", ["first", "random"])
def test_watching_a_run_does_not_change_it(tie_break: str, tmp_path):
    nodes = [make_node(f"n{number}").zone("abc"[number % 3]).capacity(cpu="4", memory="8Gi") for number in range(12)]
    web = make_pod("web").label(app="web").req(cpu="500m").spread("zone").spread("hostname", soft=True)
    large = make_pod("large").req(cpu="3").label(app="large").anti_affinity("hostname", {"app": "web"}, weight=10)
    waiting = [
        builder.named(f"{name}-{number}") for number in range(20) for name, builder in (("w", web), ("l", large))
    ]
    cluster = cluster_of(*nodes, *waiting)
    plain = kplace.place(cluster, seed=9, tie_break=tie_break)
    traced = kplace.place(cluster, seed=9, tie_break=tie_break, trace=tmp_path / "trace.json")
    counted = kplace.place(cluster, seed=9, tie_break=tie_break, trace=tmp_path / "c.json", trace_detail="counts")
    assert columns(plain.columns) == columns(traced.columns) == columns(counted.columns)


def columns(placed: PlacementColumns) -> dict[str, list]:
    names = ["pod", "status", "node", "evaluated", "feasible", "total", "runner_up", "ties", "next_start_index"]
    return {name: getattr(placed, name).tolist() for name in names} | {
        "reasons": placed.reasons,
        "messages": placed.messages,
    }
