"""Who has to leave a node, case by case."""

import pytest

from tests.naive import preemption as naive
from tests.preemption.clusters import a_cluster, a_node, a_pod, attempt, budget, build, outcome, profile


def found(pod: dict, cluster: dict, percentage: int = 10, absolute: int = 100) -> dict:
    """What kplace finds; the oracle must agree."""
    result = outcome(attempt(build(pod, cluster), profile(percentage, absolute)))
    assert result == naive.preempt(pod, cluster, lambda n: min(max(n * percentage // 100, absolute), n))
    return result


def candidates(pod: dict, *nodes: dict, limits: tuple[int, int] = (10, 100), **cluster) -> list:
    return found(pod, a_cluster(*nodes, **cluster), *limits)["candidates"]


def test_the_more_important_stay_if_they_leave_room():
    # 4 cpu, 2 of them wanted: "b" (priority 3) may stay on 2, after which nothing is left for "c" and "a".
    held = [a_pod("a", 1), a_pod("b", 3, 2), a_pod("c", 2, 1)]
    assert candidates(a_pod("p", 9, 2), a_node("n", *held)) == [("n", ["c", "a"], 0)]


def test_of_equal_priority_the_older_stays():
    held = [a_pod("young", started=5), a_pod("old", started=1), a_pod("new", started=None), a_pod("top", 9)]
    assert candidates(a_pod("p", 5, 2), a_node("n", *held)) == [("n", ["young", "new"], 0)]


def test_equal_pods_stand_as_they_came_and_those_that_have_not_started_the_other_way_round():
    # 2 of 4 must leave; the order of the victims is that of importance.
    started = [a_pod(f"s{i}", started=1) for i in range(4)]
    assert candidates(a_pod("p", 5, 2), a_node("n", *started)) == [("n", ["s2", "s3"], 0)]
    waiting = [a_pod(f"w{i}", started=None) for i in range(4)]
    assert candidates(a_pod("p", 5, 2), a_node("n", *waiting)) == [("n", ["w1", "w0"], 0)]


def test_who_breaks_a_budget_is_spared_first_and_the_victims_are_sorted_again():
    # The budget has one left: "a" uses it, "b" and "d" break it and are heard first; both may stay, "a" and "c" leave.
    held = [a_pod("a", 4), a_pod("b", 3), a_pod("c", 2, app="y"), a_pod("d", 1)]
    assert candidates(a_pod("p", 9, 2), a_node("n", *held), budgets=[budget("x", 1)]) == [("n", ["a", "c"], 0)]
    # If three must leave, "b" is spared; of the victims a, c and d only "d" breaks it.
    assert candidates(a_pod("p", 9, 3), a_node("n", *held), budgets=[budget("x", 1)]) == [("n", ["a", "c", "d"], 1)]


def test_pods_of_the_same_priority_are_no_victims():
    message = found(a_pod("p", 5, 4), a_cluster(a_node("n", a_pod("a", 5)), a_node("m", a_pod("b", 5))))["message"]
    assert message == "preemption: 0/2 nodes are available: 2 No preemption victims found for incoming pod."


def test_what_still_fails_without_them_is_named_and_counted():
    held = [a_pod("equal", 5, 2), a_pod("low", 0)]
    message = found(a_pod("p", 5, 3), a_cluster(a_node("n", *held), a_node("small", cpu=2)))["message"]
    assert message == (
        "preemption: 0/2 nodes are available: 1 Insufficient cpu, 1 Preemption is not helpful for scheduling."
    )


def test_nominated_pods_keep_their_room_in_the_dry_run():
    # "w" has 2 of n's 4 cpu in view: for 2 more both must leave, although without it the pod would fit as it is.
    held = [a_pod("low"), a_pod("low2")]
    w = a_pod("w", 5, 2, node="n")
    assert candidates(a_pod("p", 5, 2), a_node("n", *held), nominated=[w]) == [("n", ["low", "low2"], 0)]


@pytest.mark.parametrize("zone", ["a", "b"])
def test_spread_counts_follow_the_victims(zone):
    # Two pods in a zone, none in the other, maxSkew 2: 2 + 1 - 0 is too much, with one of them gone 1 + 1 - 0 is not.
    nodes = [a_node("n0", cpu=1, zone="a"), a_node("n1", cpu=1, zone="b")]
    nodes[zone == "b"] = a_node("n", a_pod("v", 0), a_pod("v2", 0), zone=zone)
    assert candidates(a_pod("p", 5, 2, skew=2), *nodes) == [("n", ["v2"], 0)]


def test_spread_counts_of_one_node_say_nothing_of_another():
    # Each node of zone a holds a pod that counts: on either one the other's still stands, 1 + 1 - 0 > 1.
    nodes = [
        a_node("n0", a_pod("v", 0), zone="a"),
        a_node("n1", a_pod("v2", 0), zone="a"),
        a_node("n2", cpu=1, zone="b"),
    ]
    message = found(a_pod("p", 5, 2, skew=1), a_cluster(nodes[0], nodes[2], nodes[1]))["message"]
    assert message == (
        "preemption: 0/3 nodes are available: 1 Preemption is not helpful for scheduling, "
        "2 node(s) didn't match pod topology spread constraints."
    )


def test_terminating_pods_are_subtracted_from_spread_counts_that_never_held_them():
    # Zone a holds one pod that counts and one that does not. Without both its count is -1, and with the first back 0.
    leaving = a_pod("leaving", 0, terminating=True)
    nodes = [a_node("n0", a_pod("stays", 0), leaving, zone="a"), a_node("n1", cpu=1, zone="b")]
    assert candidates(a_pod("p", 5, 2, skew=1), *nodes) == [("n0", ["leaving"], 0)]


def test_anti_affinity_of_a_victim_goes_with_it():
    nodes = [a_node("n0", a_pod("v", 0, app="y", hates="x"), zone="a")]
    assert candidates(a_pod("p", 5), *nodes) == [("n0", ["v"], 0)]


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        # The first three all break the budget: three candidates are enough only once one does not break it.
        ((0, 3), [("n3", ["v3"], 0), ("n0", ["v0"], 1), ("n1", ["v1"], 1), ("n2", ["v2"], 1)]),
        ((0, 2), [("n3", ["v3"], 0), ("n0", ["v0"], 1), ("n1", ["v1"], 1)]),
        ((0, 1), [("n3", ["v3"], 0), ("n0", ["v0"], 1)]),
        ((100, 0), [("n3", ["v3"], 0), ("n4", ["v4"], 0), *((f"n{i}", [f"v{i}"], 1) for i in range(3))]),
    ],
)
def test_the_search_ends_with_enough_candidates_one_of_them_sound(limits, expected):
    nodes = [a_node(f"n{i}", a_pod(f"v{i}", 0, 4, app="x" if i < 3 else "y")) for i in range(5)]
    assert candidates(a_pod("p", 5, 4), *nodes, limits=limits, budgets=[budget("x", 0)]) == expected


def test_no_candidate_is_wanted_of_few_nodes():
    # 10 % of 2 nodes are none: what would do is not kept, and the message has no reason for it.
    nodes = [a_node(f"n{i}", a_pod(f"v{i}", 0, 4)) for i in range(2)]
    message = found(a_pod("p", 5, 4), a_cluster(*nodes), 10, 0)["message"]
    assert message == "preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling."
