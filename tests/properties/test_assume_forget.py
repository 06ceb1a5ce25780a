"""Pods that come and go leave the state as if they had never been there."""

from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from kplace.dtypes import NO_NODE
from kplace.state import ClusterState
from kplace.testing.strategies import MadeUp, Size, clusters
from tests.properties.records import OPTIONS, PROFILE, queue_of, try_pod

CLUSTERS = clusters(Size(running=10, waiting=6))


def seen_by_all(state: ClusterState) -> ClusterState:
    """The state with all groups of pods that the waiting ones want counted."""
    for pod in queue_of(state):
        try_pod(state, PROFILE, pod, 0, OPTIONS)
    return state


def counts(state: ClusterState) -> dict[Any, Any]:
    """Everything that is counted, by what it means."""
    groups = state.groups
    found = {key: value.tobytes() for key, value in state.resources._asdict().items()}
    for key, row in groups._ids.items():
        found[key] = (groups.counts[row].tobytes(), int(groups.totals[row]))
    return found


def members(state: ClusterState) -> list[list[int]]:
    """The pods of each node, in no particular order."""
    return [sorted(state.node_pods.of(node).tolist()) for node in range(state.n_nodes)]


def everything(state: ClusterState) -> dict[Any, Any]:
    """The counts, the place of every pod, and the order in which each node has its pods."""
    listed = [state.node_pods.of(node).tolist() for node in range(state.n_nodes)]
    arrays = (state.groups.counts, state.groups.totals, state.node_of_pod)
    return counts(state) | {"arrays": [array.tobytes() for array in arrays], "listed": listed}


@settings(max_examples=60)
@given(CLUSTERS, st.data())
def test_forget_undoes_assume_bit_for_bit(made: MadeUp, data: st.DataObject):
    state = seen_by_all(made.state())
    nodes = st.integers(0, state.n_nodes - 1)
    waiting = np.flatnonzero(state.node_of_pod == NO_NODE).tolist()
    before = []
    for pod in waiting:
        before.append((pod, everything(state)))
        state.assume(pod, data.draw(nodes))
    for pod, as_it_was in reversed(before):
        state.forget(pod)
        assert everything(state) == as_it_was


@settings(max_examples=60)
@given(CLUSTERS, st.data())
def test_moves_add_up_to_what_a_fresh_count_finds(made: MadeUp, data: st.DataObject):
    state = made.state()
    tried = queue_of(state)
    pods = st.integers(0, len(state.node_of_pod) - 1)
    for _ in range(data.draw(st.integers(1, 12))):
        pod = data.draw(pods)
        if state.node_of_pod[pod] != NO_NODE:
            state.forget(pod)
        elif not state.columns.pods.finished[pod]:
            state.assume(pod, data.draw(st.integers(0, state.n_nodes - 1)))
        if tried:  # groups are made as they are needed, in the midst of everything
            try_pod(state, PROFILE, tried[pod % len(tried)], 0, OPTIONS)
    columns = state.columns
    bound = np.where(columns.pods.finished, columns.pods.node, state.node_of_pod)
    fresh = ClusterState(replace(columns, pods=replace(columns.pods, node=bound.astype(np.int32))))
    for each in (state, fresh):
        for pod in tried:
            try_pod(each, PROFILE, pod, 0, OPTIONS)
    assert counts(state) == counts(fresh)
    assert members(state) == members(fresh)


@settings(max_examples=60)
@given(CLUSTERS, st.data())
def test_what_is_tried_out_is_counted_and_undone(made: MadeUp, data: st.DataObject):
    state, other = seen_by_all(made.state()), seen_by_all(made.state())
    before = everything(state)
    waiting = np.flatnonzero(state.node_of_pod == NO_NODE).astype(np.int32)
    nodes = np.array([data.draw(st.integers(0, state.n_nodes - 1)) for _ in waiting], np.int32)
    state.shift(waiting, nodes, 1)
    for pod, node in zip(waiting.tolist(), nodes.tolist(), strict=True):
        other.assume(pod, node)
    assert counts(state) == counts(other)
    state.shift(waiting, nodes, -1)
    assert everything(state) == before
