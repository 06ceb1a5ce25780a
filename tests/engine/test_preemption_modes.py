"""A run with preemption: what is only said, what is done, and what is left of it."""

import msgspec
import numpy as np
import pytest

from kplace.columns import ClusterBuilder
from kplace.dtypes import NO_NODE, PreemptionMode, Status, TieBreak
from kplace.engine.cycle import Options
from kplace.engine.place import place_waiting
from kplace.framework import Profile
from kplace.objects.core import Node, Pod
from kplace.objects.defaulting import DEFAULT_SCHEDULER
from kplace.plugins.defaults import default_profile
from kplace.plugins.in_tree import DEFAULT_ORDER
from kplace.plugins.registry import in_tree_registry
from kplace.state import ClusterState

OFF, DRY, NOW = PreemptionMode.OFF, PreemptionMode.DRY_RUN, PreemptionMode.IMMEDIATE


def state_of(cpus: dict[str, int], *pods: tuple) -> ClusterState:
    """Nodes by their cpu; pods as (name, cpu, priority, node or "", nominated node)."""
    builder = ClusterBuilder()
    for name, cpu in cpus.items():
        manifest = {"metadata": {"name": name}, "status": {"allocatable": {"cpu": str(cpu), "pods": "9"}}}
        builder.add("Node", msgspec.convert(manifest, Node), b"", "test")
    for name, cpu, priority, on, *nominated in pods:
        container = {"name": "c", "resources": {"requests": {"cpu": str(cpu)}}}
        manifest = {
            "metadata": {"name": name, "namespace": "default"},
            "spec": {"containers": [container], "priority": priority, "nodeName": on},
            "status": {"nominatedNodeName": nominated[0] if nominated else "", "phase": "Running" if on else "Pending"},
        }
        builder.add("Pod", msgspec.convert(manifest, Pod), b"", "test")
    return ClusterState(builder.finish())


def run(state: ClusterState, mode: PreemptionMode, profile: Profile | None = None, seed: int | None = None):
    attempts = []
    options = Options(TieBreak.FIRST if seed is None else TieBreak.RANDOM, seed or 0, preemption=mode)
    columns = place_waiting(
        state,
        [profile or default_profile()],
        options,
        watchers=[lambda attempt, message: attempts.append((attempt, message))],
    )
    return columns, attempts


def rows(columns, state) -> dict:
    names = state.columns.pods.names
    return {
        names[pod]: (Status(status).name, node, attempt)
        for pod, status, node, attempt in zip(columns.pod, columns.status, columns.node, columns.attempt, strict=True)
    }


def victims(columns, state) -> list[tuple]:
    names, found = state.columns.pods.names, columns.preemptions
    return [
        (
            names[found.pod[i]],
            int(found.attempt[i]),
            int(found.node[i]),
            names[found.victim[i]],
            bool(found.carried_out[i]),
        )
        for i in range(len(found))
    ]


CLUSTER = {"a": 4, "b": 2}, ("low", 2, 1, "a"), ("mid", 2, 3, "a"), ("other", 2, 7, "b"), ("high", 2, 5, "")


def test_off_does_not_ask():
    state = state_of(*CLUSTER)
    columns, [(attempt, message)] = run(state, OFF)
    assert message == "0/2 nodes are available: 2 Insufficient cpu. no new claims to deallocate"
    assert attempt.preemption is None
    assert victims(columns, state) == []


def test_a_dry_run_says_it_and_does_nothing():
    state = state_of(*CLUSTER)
    columns, [(attempt, message)] = run(state, DRY)
    assert message == "0/2 nodes are available: 2 Insufficient cpu."
    assert victims(columns, state) == [("high", 0, 0, "low", False)]
    assert rows(columns, state)["high"] == ("UNSCHEDULABLE", NO_NODE, 0)
    assert not attempt.is_preempting
    assert state.node_of_pod.tolist() == [0, 0, 1, NO_NODE]
    assert len(state.nominations) == 0


def test_immediate_takes_the_victims_away_and_tries_again():
    state = state_of(*CLUSTER)
    columns, attempts = run(state, NOW)
    assert [(attempt.retry, attempt.is_preempting, attempt.node) for attempt, _ in attempts] == [
        (0, True, NO_NODE),
        (1, False, 0),
    ]
    assert rows(columns, state) == {"high": ("SCHEDULED", 0, 1)}
    assert victims(columns, state) == [("high", 0, 0, "low", True)]
    assert columns.preemptions.gone.tolist() == [0]
    assert state.node_of_pod.tolist() == [NO_NODE, 0, 1, 0]
    assert state.resources.requested[0].tolist() == [4000, 2000]
    assert len(state.nominations) == 0
    # Only the nominated node is looked at the second time.
    assert attempts[1][0].sample.evaluated == 1


def test_the_search_index_is_left_where_the_first_attempt_put_it():
    state = state_of(*CLUSTER)
    state.next_start_index = 1
    _, attempts = run(state, NOW)
    assert [attempt.next_start_index for attempt, _ in attempts] == [1, 1]


def test_each_preemptor_meets_what_the_one_before_left():
    state = state_of(
        {"a": 4}, ("v1", 2, 1, "a"), ("v2", 2, 1, "a"), ("p1", 2, 5, ""), ("p2", 2, 5, ""), ("p3", 2, 5, "")
    )
    columns, _ = run(state, NOW)
    assert [(name, victim) for name, _, _, victim, _ in victims(columns, state)] == [("p1", "v1"), ("p2", "v2")]
    assert rows(columns, state)["p3"] == ("UNSCHEDULABLE", NO_NODE, 0)


@pytest.mark.parametrize(
    ("mode", "placed"),
    [(NOW, ["SCHEDULED", "UNSCHEDULABLE"]), (DRY, ["UNSCHEDULABLE", "UNSCHEDULABLE"])],
)
def test_nominations_of_lower_pods_on_the_node_are_cleared(mode, placed):
    # "later" (priority 2) has node a in view; "high" preempts there, and "later" has no place to try first any more.
    state = state_of({"a": 4}, ("low", 4, 1, "a"), ("high", 3, 5, ""), ("later", 3, 2, "", "a"))
    columns, attempts = run(state, mode)
    assert [rows(columns, state)[name][0] for name in ("high", "later")] == placed
    assert state.nominations.node_of_pod.tolist() == [NO_NODE] * 3
    assert {attempt.pod for attempt, _ in attempts} == {1, 2}


def test_a_nomination_that_preemption_does_not_renew_is_given_up_so_that_others_may_have_the_room():
    # "first" cannot fit and loses node a; "second", of the same priority, then does not leave room for it.
    pods = [("first", 9, 5, "", "a"), ("second", 3, 5, "")]
    state = state_of({"a": 4}, *pods)
    columns, _ = run(state, DRY)
    assert rows(columns, state)["second"] == ("SCHEDULED", 0, 0)


def test_draws_of_others_do_not_depend_on_retries():
    nodes = {f"n{i}": 4 for i in range(8)}
    running = [(f"v{i}", 4, 1, f"n{i}") for i in range(4)]
    waiting = [("big", 4, 9, ""), *((f"p{i}", 1, 5, "") for i in range(6))]
    numbers = []
    for cluster in (running + [(f"w{i}", 4, 1, f"n{i}") for i in range(4, 8)], running):
        state = state_of(nodes, *cluster, *waiting)
        _, tried = run(state, NOW, seed=3)
        numbers.append({a.pod - len(cluster): a.number for a, _ in tried if a.retry == 0})
    assert numbers[0] == numbers[1]


class LowestFirst:
    """A queue that lets the least important pods in first, so that later ones push them out."""

    name = "LowestFirst"

    def sort(self, pods, waiting):
        return waiting[np.argsort(pods.priority[waiting], kind="stable")]

    def rank(self, template, timestamp):
        return (template.priority, timestamp)


def test_a_pod_that_the_run_placed_may_be_pushed_out_again():
    registry = in_tree_registry()
    listed = [(registry[name](), w) for name, w in DEFAULT_ORDER if name in registry and name != "PrioritySort"]
    profile = Profile.of_multi_point(DEFAULT_SCHEDULER, [(LowestFirst(), 0), *listed])
    state = state_of({"a": 4}, ("early", 3, 1, ""), ("late", 3, 5, ""))
    columns, _ = run(state, NOW, profile)
    assert rows(columns, state) == {"early": ("PREEMPTED", NO_NODE, 0), "late": ("SCHEDULED", 0, 1)}


def test_there_is_nobody_to_ask_without_nodes():
    state = state_of({}, ("p", 1, 5, ""))
    _, [(attempt, message)] = run(state, DRY)
    assert message == "no nodes available to schedule pods"
    assert attempt.post_filters is None


def test_the_place_to_begin_and_the_choice_among_equals_are_drawn():
    nodes = {f"n{i}": 4 for i in range(4)}
    pods = [*((f"v{i}", 4, 1, f"n{i}") for i in range(4)), ("p", 4, 5, "")]
    once, again = ([run(state_of(nodes, *pods), DRY, seed=seed)[0] for seed in range(1, 30)] for _ in range(2))
    chosen = [columns.preemptions.node.tolist() for columns in once]
    assert chosen == [columns.preemptions.node.tolist() for columns in again]
    assert {node for listed in chosen for node in listed} == {0, 1, 2, 3}
