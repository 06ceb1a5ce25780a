"""Preemption against the naive oracle, over drawn clusters; and its two ways against each other."""

import copy
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from kplace.dtypes import NO_NODE
from kplace.framework.runtime import Filtering
from tests.naive import preemption as naive
from tests.preemption.clusters import attempt, build, clusters, outcome, profile


def limit(percentage: int, absolute: int):
    return lambda n: min(max(n * percentage // 100, absolute), n)


@pytest.mark.parametrize("coupled", [False, True])
@settings(max_examples=6000)
@given(data=st.data())
def test_it_finds_what_the_oracle_finds(coupled, data):
    pod, cluster = data.draw(clusters(coupled=coupled))
    percentage, absolute = data.draw(st.sampled_from([(10, 100), (0, 1), (50, 2), (34, 0)]))
    tried = attempt(build(pod, cluster), profile(percentage, absolute))
    if tried.node != NO_NODE:
        event("fits")
        return
    expected = naive.preempt(pod, cluster, limit(percentage, absolute))
    event("message" if "message" in expected else f"{len(expected['candidates'])} candidates")
    assert outcome(tried) == expected


@settings(max_examples=1500)
@given(clusters(coupled=False))
def test_many_nodes_at_once_and_node_by_node_agree(drawn):
    pod, cluster = drawn
    together = attempt(build(pod, cluster), profile())
    with patch.object(Filtering, "couples", lambda _self, pods: np.ones(len(pods), np.bool_)):
        apart = attempt(build(pod, cluster), profile())
    assert together.node == apart.node
    if together.node == NO_NODE:
        assert outcome(together) == outcome(apart)


@settings(max_examples=1500)
@given(clusters(coupled=True))
def test_nothing_is_left_of_a_dry_run(drawn):
    pod, cluster = drawn
    state = build(pod, cluster)
    before = snapshot(state)
    attempt(state, profile())
    first = snapshot(state)
    attempt(state, profile())
    assert snapshot(state) == first
    # What plugins began to count in the meantime is new; all else is as it was.
    assert {key: first[key] for key in before if key != "groups"} == {k: v for k, v in before.items() if k != "groups"}


def snapshot(state) -> dict:
    return copy.deepcopy(
        {
            "requested": state.resources.requested.tolist(),
            "pods": state.resources.pods.tolist(),
            "nodes": state.node_of_pod.tolist(),
            "lists": [state.node_pods.of(n).tolist() for n in range(state.n_nodes)],
            "groups": state.groups.counts[: len(state.groups)].tolist(),
            "nominated": state.nominations.node_of_pod.tolist(),
        }
    )
