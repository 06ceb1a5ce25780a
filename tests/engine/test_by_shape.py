"""Filters asked once for all pods that differ in what they request alone."""

import kplace
from kplace.engine.matrix.by_shape import MOST_KEPT, ByShape, by_shape
from kplace.framework import Cycle
from kplace.plugins.nodeaffinity.plugin import NodeAffinity
from kplace.state import ClusterState
from kplace.testing import cluster_of, make_node, make_pod
from tests.properties.records import PROFILE


class Counting(NodeAffinity):
    """Counts how often it is asked."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = 0

    def filter(self, cycle, nodes):
        self.asked += 1
        return super().filter(cycle, nodes)


def state_with(*pods) -> ClusterState:
    nodes = [make_node(f"n{i}").label(disk="ssd" if i % 2 else "hdd") for i in range(4)]
    return ClusterState(cluster_of(*nodes, *pods).columns)


def test_a_shape_is_judged_once_for_each_named_node():
    pods = [make_pod(f"p{i}").node_selector(disk="ssd").req(cpu=f"{i + 1}m") for i in range(3)]
    state = state_with(*pods, make_pod("other").node_selector(disk="hdd"))
    counting = Counting()
    shared = ByShape(counting)
    codes = [shared.filter(Cycle(state, pod), state.all_nodes).code.tolist() for pod in range(4)]
    assert counting.asked == 2
    assert codes == [[3, 0, 3, 0]] * 3 + [[0, 3, 0, 3]]


def test_some_nodes_are_judged_each_time():
    state = state_with(make_pod("p").node_selector(disk="ssd"))
    shared, nodes = ByShape(NodeAffinity()), state.all_nodes[1:3]
    assert shared.filter(Cycle(state, 0), nodes).code.tolist() == [0, 3]


def test_it_keeps_no_more_than_it_may():
    n_pods = MOST_KEPT + 3
    state = state_with(*(make_pod(f"p{i}").node_selector(disk=f"d{i}") for i in range(n_pods)))
    counting = Counting()
    shared = ByShape(counting)
    for pod in [*range(n_pods), n_pods - 1, 0]:
        assert shared.filter(Cycle(state, pod), state.all_nodes).code.tolist() == [3] * 4
    assert counting.asked == n_pods + 1


def test_it_pays_where_templates_are_of_few_shapes():
    sizes = [make_pod(f"p{i}").req(cpu=f"{i + 1}m") for i in range(4)]
    state = state_with(*sizes)
    shared = by_shape(state, PROFILE, state.columns.templates).filter
    assert {item.name for item in shared if isinstance(item, ByShape)} >= {"NodeAffinity", "PodTopologySpread"}
    assert "NodeResourcesFit" not in {item.name for item in shared if isinstance(item, ByShape)}
    assert [item.name for item in shared] == [item.name for item in PROFILE.filter]
    apart = state_with(*(make_pod(f"p{i}").node_selector(disk=f"d{i}") for i in range(4)))
    assert by_shape(apart, PROFILE, apart.columns.templates) is PROFILE


def test_nominated_pods_keep_it_from_sharing():
    sizes = [make_pod(f"p{i}").req(cpu=f"{i + 1}m") for i in range(4)]
    state = state_with(*sizes)
    state.nominations.nominate(0, 1)
    assert by_shape(state, PROFILE, state.columns.templates) is PROFILE


def test_the_reasons_are_the_plugins_own():
    pods = [make_pod(f"p{i}").node_selector(disk="tape").req(cpu=f"{i + 1}m") for i in range(3)]
    nodes = [make_node(f"n{i}") for i in range(2)]
    block = kplace.score(cluster_of(*nodes, *pods)).arrays()
    said = "0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector."
    assert [message.startswith(said) for message in block.arrays.messages] == [True] * 3
