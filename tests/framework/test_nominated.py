"""Filters with nominated pods: a node must pass with them and without them."""

import numpy as np
import pytest

from kplace.dtypes import NO_NODE, TieBreak
from kplace.engine.cycle import Options, try_pod
from kplace.engine.place import register_nominations
from kplace.plugins.defaults import default_profile
from tests.plugins.clusters import node, pod, state_of

ZONE = "topology.kubernetes.io/zone"


def asking(cpu: str, priority: int = 5, *, nominated: str = "", **more) -> dict:
    labels = {"app": more.pop("app", "x")}
    container = {"name": "c", "resources": {"requests": {"cpu": cpu}}, **more.pop("container", {})}
    made = pod({"containers": [container], "priority": priority, **more}, labels=labels)
    return made | {"status": {"nominatedNodeName": nominated}}


def near(app: str, *, key: str = ZONE, kind: str = "podAffinity") -> dict:
    term = {"topologyKey": key, "labelSelector": {"matchLabels": {"app": app}}}
    return {"affinity": {kind: {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}}


def tried(own: dict, *others: dict, nodes: list[dict] | None = None, start: int = 0):
    """The attempt at ``own`` while ``others`` wait."""
    nodes = nodes or [node("a", {ZONE: "z"}, allocatable={"cpu": "4", "pods": "2"}), node("b", {ZONE: "y"})]
    state = state_of(nodes, [own, *others])
    register_nominations(state, np.arange(1 + len(others), dtype=np.int32))
    state.next_start_index = start
    return try_pod(state, default_profile(), 0, 0, Options(TieBreak.FIRST))


def reasons(attempt, n: int) -> tuple[str, ...]:
    plugin = int(attempt.filters.plugin[n])
    return () if plugin < 0 else attempt.profile.filter[plugin].reasons(attempt.cycle, int(attempt.filters.detail[n]))


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        (asking("3", 5, nominated="a"), ("Insufficient cpu",)),  # the same priority is left room for
        (asking("3", 6, nominated="a"), ("Insufficient cpu",)),
        (asking("3", 4, nominated="a"), ()),
        (asking("3", 5, nominated="b"), ()),  # another node
        (asking("2", 5, nominated="a"), ()),  # there is room for both
    ],
)
def test_room_is_left_for_them(other, expected):
    assert reasons(tried(asking("2"), other), 0) == expected


def test_several_on_a_node_are_counted_together():
    others = [asking("1", nominated="a"), asking("1", nominated="a")]
    assert reasons(tried(asking("1"), *others), 0) == ("Too many pods",)


def test_host_ports_are_left():
    port = {"container": {"ports": [{"containerPort": 80, "hostPort": 80}]}}
    attempt = tried(asking("1", **port), asking("1", nominated="a", **port))
    assert reasons(attempt, 0) == ("node(s) didn't have free ports for the requested pod ports",)
    assert reasons(attempt, 1) == ()


def test_they_are_no_company_to_rely_on():
    # With the nominated pod on the node the affinity is met; it may end up elsewhere, so the node does not pass.
    attempt = tried(asking("1", **near("y")), asking("1", app="y", nominated="a"))
    assert reasons(attempt, 0) == ("node(s) didn't match pod affinity rules",)


def test_anti_affinity_of_theirs_counts_only_if_prefilter_had_something_to_look_at():
    # No pod that is placed has an anti-affinity to this one, so the plugin is skipped and stays so.
    hates = near("x", kind="podAntiAffinity")
    skipped = tried(asking("1"), asking("1", app="y", nominated="a", **hates))
    assert "InterPodAffinity" in skipped.pre_filters.skipped
    assert reasons(skipped, 0) == ()
    # With terms of its own the pod is looked at, and theirs count too.
    looked_at = tried(asking("1", **near("q", kind="podAntiAffinity")), asking("1", app="y", nominated="a", **hates))
    assert reasons(looked_at, 0) == ("node(s) didn't satisfy existing pods anti-affinity rules",)


def test_each_node_sees_its_own_nominated_pods_only():
    # The pod must not be near "y", which has b in view. a and b are in one zone, yet a is judged with "q" alone.
    nodes = [node("a", {ZONE: "z"}), node("b", {ZONE: "z"}), node("c", {ZONE: "z"})]
    others = [asking("1", app="q", nominated="a"), asking("1", app="y", nominated="b")]
    attempt = tried(asking("1", **near("y", kind="podAntiAffinity")), *others, nodes=nodes)
    assert [reasons(attempt, n) for n in range(3)] == [(), ("node(s) didn't match pod anti-affinity rules",), ()]


def test_spread_counts_them_while_their_node_is_judged():
    constraint = {
        "topologyKey": ZONE,
        "maxSkew": 1,
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"app": "x"}},
    }
    own = asking("1", topologySpreadConstraints=[constraint])
    attempt = tried(own, asking("1", nominated="a"))
    assert reasons(attempt, 0) == ("node(s) didn't match pod topology spread constraints",)
    assert reasons(attempt, 1) == ()
    again = tried(own, asking("1", nominated="a", app="q"))
    assert reasons(again, 0) == ()


def rooms(*cpus: str) -> list[dict]:
    return [node(f"n{i}", allocatable={"cpu": cpu, "pods": "10"}) for i, cpu in enumerate(cpus)]


def test_the_nominated_node_is_tried_first_and_alone():
    attempt = tried(asking("2", nominated="n2"), nodes=rooms("4", "4", "4"), start=1)
    assert (attempt.feasible.tolist(), attempt.sample.evaluated, attempt.next_start_index) == ([2], 1, 1)


def test_one_that_fails_counts_once_if_the_search_comes_by_it():
    attempt = tried(asking("2", nominated="n1"), nodes=rooms("4", "1", "4"), start=2)
    assert (attempt.feasible.tolist(), attempt.sample.evaluated) == ([2, 0], 3)


def test_one_that_fails_counts_on_top_if_the_search_ends_before_it():
    # 101 nodes, so that 100 are wanted: from node 1 on the search ends with node 100, for the next one is node 0.
    nodes = rooms("1", *["4"] * 100)
    attempt = tried(asking("2", nominated="n0"), nodes=nodes, start=1)
    assert (len(attempt.feasible), attempt.sample.evaluated, attempt.next_start_index) == (100, 101, 1)
    nodes = rooms(*["4"] * 101, "1")
    attempt = tried(asking("2", nominated="n101"), nodes=nodes)
    # The search is ended by the 101st feasible node, which it does not count; node 101 was evaluated before.
    assert (len(attempt.feasible), attempt.sample.evaluated, attempt.next_start_index) == (100, 101, 101)


def named(*names: str) -> dict:
    field = {"key": "metadata.name", "operator": "In", "values": list(names)}
    terms = [{"matchFields": [field | {"values": [name]}]} for name in names]
    return {
        "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}
    }


def test_a_nominated_node_outside_the_named_ones_is_judged_all_the_same():
    attempt = tried(asking("2", nominated="n2", **named("n0")), nodes=rooms("1", "4", "4"))
    assert attempt.node == NO_NODE
    assert attempt.filters.plugin.tolist() == [5, -2, 3]  # no room, not named, node affinity
    assert attempt.sample.evaluated == 2
