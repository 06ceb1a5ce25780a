"""Pods that Permit plugins let wait."""

import pytest

from kplace.framework import Cycle, WaitingPods
from kplace.testing import make_node, make_pod, state_of

SECOND = 1_000_000_000


@pytest.fixture
def cycles():
    state = state_of(make_node("n"), *(make_pod(f"p{i}") for i in range(3)))
    return [Cycle(state, pod) for pod in range(3)]


def decided(waiting):
    return [(item.waiting.pod, item.plugin, item.status.message) for item in waiting.take_decided()]


def test_a_pod_is_allowed_once_every_plugin_has_allowed_it(cycles):
    waiting = WaitingPods()
    item = waiting.add(cycles[0], 0, {"A": SECOND, "B": SECOND})
    item.allow("A")
    assert 0 in waiting
    item.allow("nobody")
    assert not waiting.take_decided()
    item.allow("B")
    assert 0 not in waiting
    assert decided(waiting) == [(0, "B", "")]
    assert not waiting.take_decided()


def test_the_first_decision_counts(cycles):
    waiting = WaitingPods()
    item = waiting.add(cycles[0], 0, {"A": SECOND})
    item.reject("B", "no")
    item.allow("A")
    item.reject("A", "no again")
    assert decided(waiting) == [(0, "B", "no")]


def test_time_runs_out_in_the_order_of_the_deadlines(cycles):
    waiting = WaitingPods(now_ns=SECOND)
    for cycle, seconds in zip(cycles, (30, 10, 20), strict=True):
        waiting.add(cycle, 0, {"Slow": 60 * SECOND, "Gang": seconds * SECOND})
    assert waiting.next_deadline_ns == 11 * SECOND
    waiting.expire(11 * SECOND - 1)
    assert len(waiting) == 3
    waiting.expire(21 * SECOND)
    text = "rejected due to timeout after waiting {} at plugin Gang"
    assert decided(waiting) == [(1, "Gang", text.format("10s")), (2, "Gang", text.format("20s"))]
    assert waiting.now_ns == 21 * SECOND
    assert [item.pod for item in waiting] == [0]


def test_pods_may_be_decided_while_one_goes_through_them(cycles):
    waiting = WaitingPods()
    for cycle in cycles:
        waiting.add(cycle, 0, {"Gang": SECOND})
    for item in waiting:
        item.allow("Gang")
    assert [pod for pod, _, _ in decided(waiting)] == [0, 1, 2]
    assert not len(waiting)
    assert waiting.next_deadline_ns is None


def test_a_pod_that_comes_to_wait_again_is_another_one(cycles):
    waiting = WaitingPods()
    first = waiting.add(cycles[0], 0, {"A": SECOND})
    first.reject("A", "no")
    second = waiting.add(cycles[0], 0, {"A": SECOND})
    first.allow("A")
    assert waiting.get(0) is second
    assert len(waiting.take_decided()) == 1
