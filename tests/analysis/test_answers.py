"""Answers as a notebook shows them: one line, however large the cluster."""

import pandas as pd
import pytest

import kplace
from kplace.analysis.drain import drain_each


@pytest.fixture(scope="module")
def cluster():
    """Two nodes of 4 cpu, a pod on one of them, and two that wait: one fits, one is too large."""
    nodes = pd.DataFrame({"node": ["a", "b"], "cpu": [4, 4], "memory": "8Gi"})
    pods = pd.DataFrame({"pod": ["web", "fits", "huge"], "node": ["a", None, None], "cpu": ["1", "1", "9"]})
    return kplace.Cluster.from_frames(nodes, pods)


@pytest.mark.parametrize(
    ("ask", "shown"),
    [
        (lambda it: kplace.capacity(it, like="web"), "<Capacity: 7 more of default/web>"),
        (lambda it: kplace.capacity(it, like="web", mix=True), "<Capacity: 7 rounds of default/web>"),
        (
            lambda it: kplace.provision(it, pools=True),
            "<Provision: 0 of 1 pods that find no node get one, <Plan: no nodes, cost 0, 1 pending>>",
        ),
        (lambda it: kplace.drain(it, "a"), "<Drain: 1 nodes, 1 pods move, 0 stay pending>"),
        (drain_each, "<EachDrain: 2 of 2 nodes can go alone, 1 together>"),
        (
            lambda it: kplace.compare(it, second={"config": None}),
            "<Comparison: the same nodes for all pods>",
        ),
        (lambda it: kplace.why(it, "fits"), "<Why: default/fits, fits on b>"),
        (lambda it: kplace.why(it, "huge"), "<Why: default/huge, 2 single changes let it in>"),
        (
            lambda it: kplace.rescore(it, moves=0),
            "<Rescore: 0 of 1 pods would move, 0 drifted, regret 0; 0 moves, regret 0>",
        ),
        (lambda it: kplace.stability(it, runs=2), "<Stability: 2 runs of 2 pods, 1 outcomes>"),
        (lambda it: kplace.sampling(it, percentages=[5]), "<Sampling: percentages 100; recommended: None>"),
    ],
)
def test_an_answer_shows_itself_in_a_line(cluster, ask, shown):
    assert repr(ask(cluster)) == shown
