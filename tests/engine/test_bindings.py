"""Runs with plugins that reserve, permit and bind: who gets its node, who loses it, what is left of it."""

import json

import numpy as np
import pytest

import kplace
from kplace.dtypes import Code
from kplace.framework import PermitResult, PluginStatus, PostFilterResult
from kplace.state import ClusterState
from kplace.testing import cluster_of, make_node, make_pod

SECOND = 1_000_000_000
REJECTED = PluginStatus(Code.UNSCHEDULABLE, ("no licence left",))
BROKEN = PluginStatus(Code.ERROR, ("timed out",))


def pods_of(*names, **requests):
    return [make_pod(name).req(**{"cpu": "1", **requests}) for name in names]


def place(plugins, *items, preemption="dry-run", **options):
    return kplace.place(cluster_of(*items), plugins=plugins, tie_break="first", preemption=preemption, **options)


def outcome(placements):
    columns = (placements.pods[name] for name in ("pod", "status", "message"))
    return {pod: (status, message) for pod, status, message in zip(*columns, strict=True)}


class Licences:
    """Reserves one of a few licences."""

    name = "Licences"

    def __init__(self, number=2):
        self.free = number

    def reserve(self, cycle, node):
        self.free -= 1
        return REJECTED if self.free < 0 else None

    def unreserve(self, cycle, node):
        self.free += 1


def test_a_pod_that_cannot_reserve_gives_its_node_back():
    licences = Licences(2)
    # Room for three pods on the node: the third gets no licence, and the fourth neither.
    placed = place([licences], make_node("n").capacity(cpu="3"), *pods_of("a", "b", "c", "d"))
    lost = ("unschedulable", "0/1 nodes are available: 1 no licence left.")
    assert outcome(placed) == {"a": ("scheduled", ""), "b": ("scheduled", ""), "c": lost, "d": lost}
    assert licences.free == 0
    assert placed.nodes["requested_cpu_milli"].tolist() == [2000]
    assert placed.reasons[["plugin", "reason", "nodes"]].iloc[0].tolist() == ["Licences", "no licence left", 1]
    assert placed.pods["node"].notna().tolist() == [True, True, False, False]


class Binder:
    """Fails the first bindings of each pod."""

    name = "Binder"

    def __init__(self, failures, status=BROKEN):
        self.failures = failures
        self.status = status
        self.calls = []

    def bind(self, cycle, node):
        self.calls.append(cycle.pod_name)
        return self.status if self.calls.count(cycle.pod_name) <= self.failures else None


def test_a_pod_that_cannot_be_bound_is_tried_again_after_the_others():
    binder = Binder(1)
    placed = place([binder], make_node("n").capacity(cpu="2"), *pods_of("a", "b"))
    assert binder.calls == ["a", "b", "a", "b"]
    assert outcome(placed) == {"a": ("scheduled", ""), "b": ("scheduled", "")}
    assert placed.pods["attempt"].tolist() == [1, 1]


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (BROKEN, ("error", 'running Bind plugin "Binder": timed out')),
        (REJECTED, ("unschedulable", "no licence left")),
    ],
)
def test_it_is_not_tried_for_ever(status, expected):
    binder = Binder(99, status)
    placed = place([binder], make_node("n").capacity(cpu="2"), *pods_of("a"))
    assert binder.calls == ["a"] * 3
    assert outcome(placed) == {"a": expected}
    assert placed.nodes["requested_cpu_milli"].tolist() == [0]
    assert placed.summary().pending == 1


def test_a_binder_that_skips_leaves_the_pod_to_the_default_one():
    binder = Binder(99, PluginStatus(Code.SKIP))
    placed = place([binder], make_node("n").capacity(cpu="2"), *pods_of("a"))
    assert (outcome(placed), binder.calls) == ({"a": ("scheduled", "")}, ["a"])


class Gang:
    """Lets pods wait until there are enough of them."""

    name = "Gang"

    def __init__(self, number, patience=30 * SECOND):
        self.number = number
        self.patience = patience
        self.bound = []

    def permit(self, cycle, node):
        if len(cycle.waiting) + 1 < self.number:
            return PermitResult.wait(self.patience)
        for item in cycle.waiting:
            item.allow(self.name)
        return None

    def post_filter(self, cycle, failure):
        for item in cycle.waiting:
            item.reject(self.name, "one of the gang fits nowhere")
        return PostFilterResult(Code.UNSCHEDULABLE, ("the gang is broken up",))

    def post_bind(self, cycle, node):
        self.bound.append(cycle.pod_name)


def test_waiting_pods_are_bound_when_they_are_allowed():
    gang = Gang(3)
    placed = place([gang], make_node("n").capacity(cpu="9"), *pods_of("a", "b", "c", "d"))
    # The third lets the first two go after its own binding; the fourth waits for others in vain.
    assert gang.bound == ["c", "a", "b"]
    late = ("unschedulable", "0/1 nodes are available: 1 rejected due to timeout after waiting 30s at plugin Gang.")
    assert outcome(placed) == {**dict.fromkeys("abc", ("scheduled", "")), "d": late}
    assert placed.nodes["requested_cpu_milli"].tolist() == [3000]


def test_waiting_pods_keep_their_room_until_they_are_rejected():
    # Room for two: the third fits nowhere, and its PostFilter rejects the waiting ones. The fourth then has room.
    gang = Gang(3)
    node = make_node("n").capacity(cpu="2")
    placed = place([gang], node, *pods_of("a", "b", "c"), make_pod("d").req(cpu="2"), preemption="off")
    broken = ("unschedulable", "0/1 nodes are available: 1 one of the gang fits nowhere.")
    found = outcome(placed)
    assert (found["a"], found["b"]) == (broken, broken)
    assert found["c"][1].startswith("0/1 nodes are available: 1 Insufficient cpu.")
    assert "the gang is broken up" in found["c"][1]
    # d waits alone, and the run ends.
    assert found["d"][1] == "0/1 nodes are available: 1 rejected due to timeout after waiting 30s at plugin Gang."


def test_a_denied_permit_unreserves():
    licences = Licences(5)

    class Denies:
        name = "Denies"

        def permit(self, cycle, node):
            return PermitResult.reject("not today")

    placed = place([licences, Denies()], make_node("n").capacity(cpu="9"), *pods_of("a"))
    assert outcome(placed) == {"a": ("unschedulable", "0/1 nodes are available: 1 not today.")}
    assert licences.free == 5


def test_rejected_siblings_may_reject_each_other():
    class Strict(Gang):
        def reserve(self, cycle, node):
            return None

        def unreserve(self, cycle, node):
            for item in cycle.waiting:
                item.reject(self.name, "a sibling is gone")

    gang = Strict(4, SECOND)
    placed = place([gang], make_node("n").capacity(cpu="9"), *pods_of("a", "b", "c"))
    messages = [message for _, message in outcome(placed).values()]
    assert all("rejected due to timeout" in message or "a sibling is gone" in message for message in messages)
    assert placed.nodes["requested_cpu_milli"].tolist() == [0]


def test_a_waiting_pod_that_is_preempted_is_unreserved_and_not_taken_off_twice():
    licences = Licences(5)
    node = make_node("n").capacity(cpu="1")
    low, high = make_pod("low").req(cpu="1").priority(1), make_pod("high").req(cpu="1").priority(9)
    placed = place([licences, Waits, Fifo], node, low, high, preemption="immediate")
    found = outcome(placed)
    assert found["low"][0] == "preempted"
    assert found["high"][0] == "unschedulable"
    assert placed.nodes["requested_cpu_milli"].tolist() == [0]
    assert licences.free == 5


class Fifo:
    """Sorts pods as they come."""

    name = "Fifo"

    def rank(self, template, timestamp):
        return (0,)


def test_the_trace_has_a_record_of_a_pod_that_loses_its_node(tmp_path):
    trace = tmp_path / "trace.json"
    place([Licences(0)], make_node("n").capacity(cpu="9"), *pods_of("a"), trace=trace)
    attempt, lost = json.loads(trace.read_text())["pods"]
    assert (attempt["state"], attempt["chosen"]) == ("scheduled", "n")
    assert lost == {
        "pod": "default/a",
        "attempt": 0,
        "state": "unschedulable",
        "lost": {"node": "n", "point": "reserve", "plugin": "Licences"},
        "fitError": "0/1 nodes are available: 1 no licence left.",
    }


def test_the_state_is_as_if_a_pod_that_lost_its_node_had_never_had_it():
    cluster = cluster_of(make_node("n").capacity(cpu="9"), *pods_of("a"))
    placed = kplace.place(cluster, plugins=[Licences(0)])
    before, after = ClusterState(cluster.columns), ClusterState(placed.cluster.columns)
    assert np.array_equal(before.resources.requested, after.resources.requested)
    assert np.array_equal(before.node_of_pod, after.node_of_pod)


class Waits:
    """Lets every pod wait for ever."""

    name = "Waits"

    def permit(self, cycle, node):
        return PermitResult.wait(SECOND)


@pytest.mark.parametrize("status", [BROKEN, REJECTED])
def test_under_the_queue_a_pod_that_cannot_be_bound_backs_off_and_the_run_ends(status):
    placed = place([Binder(99, status)], make_node("n").capacity(cpu="2"), *pods_of("a"), preemption="queue")
    assert placed.pods["node"].isna().tolist() == [True]
    assert placed.nodes["requested_cpu_milli"].tolist() == [0]


def test_under_the_queue_pods_reserve_and_wait_as_well():
    gang = Gang(3)
    placed = place([gang], make_node("n").capacity(cpu="9"), *pods_of("a", "b", "c", "d"), preemption="queue")
    assert sorted(gang.bound) == ["a", "b", "c"]
    assert placed.pods["node"].notna().tolist().count(True) == 3
