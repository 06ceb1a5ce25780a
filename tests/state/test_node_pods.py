"""The pods on each node: NodeInfo order, ranks, and room that grows."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kplace.dtypes import NO_TIME
from kplace.state.node_pods import Importance, NodePods
from tests.plugins.clusters import node, pod, state_of

N_PODS, N_NODES = 40, 3


def lists(
    pods: list[int], nodes: list[int], priority: list[int] | None = None, started: list[int] | None = None
) -> NodePods:
    importance = Importance(
        np.array(priority or [0] * N_PODS, np.int64), np.array(started or list(range(N_PODS)), np.int64)
    )
    return NodePods(importance, np.array(pods, np.int32), np.array(nodes, np.int32), N_NODES)


def least(made: NodePods, n: int, priority: int) -> list[int]:
    nodes = np.array([n], np.int32)
    return made.least_important(nodes, made.below(nodes, priority)).tolist()


def test_pods_stand_in_order_of_arrival_and_the_last_fills_a_gap():
    made = lists([4, 7, 2, 9], [0, 1, 0, 0])
    made.add(5, 0)
    assert made.of(0).tolist() == [4, 2, 9, 5]
    made.remove(2, 0)
    assert made.of(0).tolist() == [4, 5, 9]
    made.remove(9, 0)
    assert made.of(0).tolist() == [4, 5]
    assert made.of(1).tolist() == [7]
    assert made.of(2).tolist() == []


def test_ranks_follow_arrivals_and_departures():
    priority = [0, 3, 1, 3, 5, 2, *[0] * 34]
    made = lists([1, 2, 3, 4], [0, 0, 0, 0], priority)
    assert least(made, 0, 5) == [1, 3, 2]
    made.add(5, 0)
    assert least(made, 0, 5) == [1, 3, 5, 2]
    made.remove(1, 0)
    assert least(made, 0, 5) == [3, 5, 2]
    assert least(made, 0, 2) == [2]
    assert least(made, 0, 1) == []


def test_the_gap_filler_changes_the_order_of_equals():
    made = lists([1, 2, 3], [0, 0, 0], started=[5] * N_PODS)
    assert least(made, 0, 1) == [1, 2, 3]
    made.remove(1, 0)
    assert least(made, 0, 1) == [3, 2]


def test_pods_that_have_not_started_come_out_in_reverse():
    made = lists([1, 2, 3, 4], [0] * 4, started=[NO_TIME, NO_TIME, 7, NO_TIME, NO_TIME, *[0] * 35])
    assert least(made, 0, 1) == [2, 4, 3, 1]


@given(st.lists(st.tuples(st.integers(0, N_PODS - 1), st.integers(0, N_NODES - 1)), max_size=200))
def test_lists_are_those_of_plain_python(moves):
    made = lists([], [])
    expected: list[list[int]] = [[] for _ in range(N_NODES)]
    where: dict[int, int] = {}
    for pod_number, n in moves:
        held = where.pop(pod_number, None)
        if held is None:
            made.add(pod_number, n)
            expected[n].append(pod_number)
            where[pod_number] = n
        else:
            made.remove(pod_number, held)
            own = expected[held]
            own[own.index(pod_number)] = own[-1]
            own.pop()
    assert [made.of(n).tolist() for n in range(N_NODES)] == expected
    for n in range(N_NODES):
        assert least(made, n, 1) == sorted(expected[n])


def test_the_state_makes_them_when_asked_and_in_the_order_of_arrival():
    state = state_of([node("a"), node("b")], [pod(on="b"), pod(), pod(on="a"), pod(), pod(on="a")])
    state.assume(3, 0)
    state.assume(1, 0)
    assert state.node_pods.of(0).tolist() == [2, 4, 3, 1]
    state.forget(2)
    assert state.node_pods.of(0).tolist() == [1, 4, 3]
    state.assume(2, 0)
    assert state.node_pods.of(0).tolist() == [1, 4, 3, 2]
    assert state.node_pods.of(1).tolist() == [0]


def test_lower_pods_are_strictly_lower():
    state = state_of([node("a")], [pod({"priority": 3}, on="a"), pod({"priority": 5}, on="a")])
    assert [int(state.lower_pods(state.all_nodes, priority)[0]) for priority in (3, 4, 5, 6)] == [0, 1, 1, 2]
