"""Filters asked once for all pods that differ in what they request alone."""

import numpy as np

import kplace
from kplace.dtypes import TieBreak
from kplace.engine.cycle import Options, try_pod
from kplace.engine.matrix.by_shape import PreFilterOnce, SharedFilters, is_blind
from kplace.framework import Cycle
from kplace.plugins.nodeaffinity.plugin import NodeAffinity
from kplace.state import ClusterState
from kplace.testing import cluster_of, make_node, make_pod
from tests.properties.records import PROFILE

OPTIONS = Options(TieBreak.FIRST, percentage_of_nodes_to_score=100)


def state_with(*pods) -> ClusterState:
    nodes = [make_node(f"n{i}").label(disk="ssd" if i % 2 else "hdd").capacity(cpu="2") for i in range(4)]
    return ClusterState(cluster_of(*nodes, *pods).columns)


def counted(monkeypatch, method: str) -> list[int]:
    """The pods for which a method of NodeAffinity is called, as they come."""
    pods: list[int] = []
    original = getattr(NodeAffinity, method)

    def counting(self, cycle, *args):
        pods.append(cycle.pod)
        return original(self, cycle, *args)

    monkeypatch.setattr(NodeAffinity, method, counting)
    return pods


def same_as_asked(state: ClusterState, judge, pod: int) -> None:
    shared, asked = (try_pod(state, PROFILE, pod, 0, OPTIONS, **how) for how in ({"judge": judge}, {}))
    assert (shared.node, shared.error, shared.pre_filters.skipped) == (
        asked.node,
        asked.error,
        asked.pre_filters.skipped,
    )
    for field in ("plugin", "code", "detail"):
        np.testing.assert_array_equal(getattr(shared.filters, field), getattr(asked.filters, field))


def test_a_shape_is_judged_once(monkeypatch):
    pods = [make_pod(f"p{i}").node_selector(disk="ssd").req(cpu=f"{900 * i + 1}m") for i in range(4)]
    state = state_with(*pods, make_pod("other").node_selector(disk="hdd"))
    judge = SharedFilters(PROFILE).judge
    for pod in range(5):
        same_as_asked(state, judge, pod)
    asked = counted(monkeypatch, "filter")
    judge = SharedFilters(PROFILE).judge
    for pod in range(5):
        try_pod(state, PROFILE, pod, 0, OPTIONS, judge=judge)
    assert asked == [0, 4]


def test_the_first_filter_of_the_profile_that_fails_a_node_has_the_word():
    """Requests are judged after the shape was, but come before spreading and affinity."""
    pods = [make_pod(f"p{i}").label(app="a").anti_affinity("disk", {"app": "a"}).req(cpu=f"{i + 1}") for i in range(3)]
    state = state_with(make_pod("there").label(app="a").on("n1").req(cpu="500m"), *pods)
    judge = SharedFilters(PROFILE).judge
    for pod in (1, 2, 3):
        same_as_asked(state, judge, pod)
    attempt = try_pod(state, PROFILE, 2, 0, OPTIONS, judge=judge)
    names = [PROFILE.filter[index].name if index >= 0 else "" for index in attempt.filters.plugin.tolist()]
    assert names == ["", "NodeResourcesFit", "", "InterPodAffinity"]


def test_what_a_pre_filter_keeps_is_there_for_its_filter_whoever_was_asked():
    """PreFilters say the same of a pod that found no claim and of its like that has one, which is filtered first."""
    pods = [
        make_pod(f"p{i}").label(app="a").spread("disk", selector={"app": "a"}).req(cpu=f"{i + 1}m") for i in range(2)
    ]
    state = state_with(*pods)
    shared = SharedFilters(PROFILE)
    once = next(item for item in shared._pre_filters.pre_filter if item.name == "PodTopologySpread")
    once.pre_filter(Cycle(state, 0))
    same_as_asked(state, shared.judge, 1)


def test_a_named_node_makes_a_kind_of_its_own():
    state = state_with(make_pod("p0").req(cpu="1m"), make_pod("p1").req(cpu="2m"))
    judge = SharedFilters(PROFILE).judge
    same_as_asked(state, judge, 0)
    state.columns.pods.node[1] = 2
    same_as_asked(state, judge, 1)
    assert try_pod(state, PROFILE, 1, 0, OPTIONS, judge=judge).node == 2


def test_a_pre_filter_is_asked_once_for_pods_that_follow_one_another(monkeypatch):
    pods = [
        make_pod(f"p{i}").node_selector(disk=disk).req(cpu=f"{i + 1}m") for i, disk in enumerate(("a", "a", "b", "a"))
    ]
    state, asked = state_with(*pods), counted(monkeypatch, "pre_filter")
    once = PreFilterOnce(NodeAffinity())
    for pod in range(4):
        once.pre_filter(Cycle(state, pod))
    assert asked == [0, 2, 3]


def test_a_subclass_may_look_at_anything():
    class Greedy(NodeAffinity):
        """Looks at requests too."""

    assert is_blind(NodeAffinity())
    assert not is_blind(Greedy())


def test_nominated_pods_keep_it_from_sharing(monkeypatch):
    sizes = [make_pod(f"p{i}").req(cpu=f"{i + 1}m") for i in range(3)]
    holder = make_pod("holder").priority(10).req(cpu="2").nominated("n1")
    asked = counted(monkeypatch, "filter")
    nodes = [make_node(f"n{i}").capacity(cpu="2") for i in range(2)]
    affine = [pod.node_selector({"kubernetes.io/os": "linux"}) for pod in sizes]
    arrays = kplace.score(cluster_of(*nodes, holder, *affine)).arrays().arrays
    assert len(set(asked)) == 3
    assert len(arrays) == 4


def test_the_messages_are_those_of_the_plugins():
    pods = [make_pod(f"p{i}").node_selector(disk="tape").req(cpu=f"{i + 1}m") for i in range(3)]
    block = kplace.score(cluster_of(*(make_node(f"n{i}") for i in range(2)), *pods)).arrays()
    said = "0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector."
    assert [message.startswith(said) for message in block.arrays.messages] == [True] * 3


def test_only_blind_filters_are_shared():
    kinds = {item.name: is_blind(item) for item in PROFILE.filter}
    assert [name for name, blind in kinds.items() if blind] == [
        "NodeUnschedulable",
        "NodeName",
        "TaintToleration",
        "NodeAffinity",
        "NodePorts",
        "PodTopologySpread",
        "InterPodAffinity",
    ]
    assert not kinds["NodeResourcesFit"]
