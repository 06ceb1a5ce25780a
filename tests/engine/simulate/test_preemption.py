"""Preemption over time: nominations, grace, evictions, wakings."""

import pytest

from kplace.testing.builders import make_node, make_pod
from tests.engine.simulate.story import Story

NODE = make_node("n1").capacity(cpu="2", memory="8Gi")
OTHER = make_node("n2").capacity(cpu="2", memory="8Gi")


def low(name: str, cpu: str = "2", node: str = "n1"):
    return make_pod(name).req(cpu=cpu).priority(1).on(node).started("2024-12-31T01:00:00Z")


def high(name: str = "hi", cpu: str = "2", priority: int = 100):
    return make_pod(name).req(cpu=cpu).priority(priority)


def test_a_preemptor_woken_while_its_victims_terminate_waits():
    story = Story().there(NODE, low("v"), high()).at(2).add(make_node("n3").capacity(cpu="1"))
    tale = story.at(3).update(NODE.taint("a:PreferNoSchedule")).run(20, grace=10)
    text = "preemption: not eligible due to a terminating pod on the nominated node."
    assert tale.attempt("hi", 2)["message"].endswith(text)
    assert "nominated" not in tale.attempt("hi", 2)
    assert tale.attempts("hi")[-1] == (10, "scheduled")


def test_deleting_a_nominated_pod_wakes_the_others_of_its_priority_and_below():
    story = Story().there(NODE, low("v"), high(), high("same"), high("above", cpu="4", priority=200))
    tale = story.at(3).delete(high()).run(9, grace=10)
    assert (3, "unschedulable", "active", "AssignedPodDelete") in tale.moves("same")
    assert len(tale.moves("above")) == 2


def test_a_nomination_of_the_status_is_held_from_the_start():
    # n1 is promised to hi, which is gone from the queue's point of view only once it is bound.
    story = Story().there(NODE, low("v").terminating(), high().nominated("n1"), high("lo", priority=5))
    tale = story.run(5)
    assert tale.record["queues"][0]["nominated"] == {"default/hi": "n1"}
    assert tale.attempts("lo") == [(0, "unschedulable")]


def test_a_gated_pods_nomination_is_not_held():
    gated = high("g").gate("x").nominated("n1")
    tale = Story().there(NODE, gated, high("lo", priority=5)).run(5)
    assert tale.attempts("lo") == [(0, "scheduled")]


def test_a_cleared_nomination_wakes_its_own_pod_once_more():
    # mid is promised n1; top takes the promise back, for it needs the node and evicts a victim of its own.
    story = Story().there(NODE, low("v1", "1"), low("v2", "1"), high("mid", "1", 50)).at(3).add(high("top", "2", 200))
    tale = story.run(9, grace=10)
    assert tale.attempt("mid", 1)["nominated"] == "n1"
    moves = [move for move in tale.moves("mid") if move[0] == 3]
    assert moves[0] == (3, "unschedulable", "active", "AssignedPodDelete")
    assert tale.times("mid") == [0, 3]


def test_all_victims_terminating_already_clears_nothing():
    story = Story().there(NODE, low("v"), high("mid", priority=50)).at(3).add(high("top", priority=200))
    tale = story.run(4, grace=10)
    assert tale.attempt("top", 1)["victims"] == ["default/v"]
    assert tale.record["queues"][-1]["nominated"] == {"default/mid": "n1", "default/top": "n1"}
    assert tale.times("mid") == [0]


def test_between_two_evictions_the_preemptor_is_gated():
    story = Story().there(NODE, low("v1", "1"), low("v2", "1"), high())
    tale = story.run(5)
    assert tale.moves("hi")[2:4] == [
        (0, "unschedulable", "gated", "AssignedPodDelete"),
        (0, "gated", "backoff", "AssignedPodDelete"),
    ]
    assert tale.attempts("hi") == [(0, "unschedulable"), (0, "scheduled")]


def test_without_the_gate_victims_leave_while_the_preemptor_is_in_flight():
    story = Story().there(NODE, low("v1", "1"), low("v2", "1"), high())
    tale = story.run(5, preempts_async=False)
    assert tale.moves("hi")[1] == (0, "inflight", "backoff", "ScheduleAttemptFailure")
    assert tale.attempts("hi") == [(0, "unschedulable"), (0, "scheduled")]


def test_a_victim_that_is_deleted_and_created_again_is_not_deleted_twice():
    story = Story().there(NODE, low("v"), high())
    tale = story.at(2).delete(low("v")).at(3).add(make_pod("v").req(cpu="10m")).run(20, grace=10)
    assert tale.attempts("hi")[-1] == (2, "scheduled")
    assert tale.end("v") is not None


@pytest.mark.parametrize("policy", ["Never", "PreemptLowerPriority"])
def test_the_preemption_policy_is_honoured(policy):
    tale = Story().there(NODE, low("v"), high().spec(preemptionPolicy=policy)).run(5)
    assert (tale.end("v") is None) == (policy != "Never")


def test_a_preemptor_whose_node_vanishes_loses_its_promise():
    story = Story().there(NODE, OTHER.named("n9").capacity(cpu="100m"), low("v"), high()).at(2).delete(NODE)
    tale = story.at(6).add(OTHER).run(20, grace=4)
    assert tale.attempt("hi", 2)["nominated"] == ""
    assert tale.attempts("hi")[-1] == (6, "scheduled")


def test_victims_of_controllers_come_back_if_asked_for():
    story = Story().there(NODE, low("v").owner("ReplicaSet", "web"), high()).at(30).add(OTHER)
    tale = story.run(40, recreates=True)
    # The new pod is tried at once, again when the pod that was promised the node is bound, and when n2 comes.
    assert tale.end("v") == {"node": "n2", "attempts": 3}
