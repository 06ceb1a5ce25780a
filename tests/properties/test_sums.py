"""What nodes hold is what their pods request, and nothing is placed where there is no room."""

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import kplace
from kplace.dtypes import NO_NODE, PreemptionMode, Status
from kplace.engine.place import place_waiting
from kplace.state import ClusterState
from kplace.testing.strategies import EVERYTHING, MadeUp, Size, clusters
from tests.naive import host_ports
from tests.properties.records import OPTIONS, PROFILE

CLUSTERS = clusters(Size(running=12, waiting=8), features=EVERYTHING)


def requested_by_pods(state: ClusterState) -> np.ndarray:
    """Requests and number of pods of each node, pod by pod."""
    sums = np.zeros((state.resources.requested.shape[0] + 1, state.n_nodes), np.int64)
    for pod, node in enumerate(state.node_of_pod.tolist()):
        if node != NO_NODE:
            sums[:-1, node] += state.template_of(pod).request
            sums[-1, node] += 1
    return sums


@settings(max_examples=80)
@given(CLUSTERS, st.sampled_from(PreemptionMode))
def test_after_a_run(made: MadeUp, mode: PreemptionMode):
    state = made.state()
    placed = place_waiting(state, [PROFILE], replace(OPTIONS, preemption=mode))
    resources = state.resources
    assert np.array_equal(requested_by_pods(state), np.vstack([resources.requested, resources.pods]))
    for pod, node in zip(
        placed.pod[placed.status == Status.SCHEDULED], placed.node[placed.node != NO_NODE], strict=True
    ):
        if state.node_of_pod[pod] == NO_NODE:
            continue  # placed, and pushed out by a later one
        asked = state.template_of(int(pod)).request > 0
        assert (resources.requested[asked, node] <= resources.allocatable[asked, node]).all()
        assert resources.pods[node] <= resources.allowed_pods[node]


@settings(max_examples=40)
@given(CLUSTERS)
def test_no_host_port_is_given_twice(made: MadeUp):
    run = kplace.place(made.cluster(), preemption="off")
    pods = made.pods
    on = {int(pod): int(node) for pod, node in zip(run.columns.pod, run.columns.node, strict=True) if node != NO_NODE}
    for pod, node in on.items():
        others = [pods[other]["spec"] for other, where in on.items() if where == node and other != pod]
        if not any(item["spec"].get("hostNetwork") for item in pods):
            assert not host_ports.blocked(pods[pod]["spec"], others)


@settings(max_examples=40)
@given(CLUSTERS)
def test_the_tables_say_the_same(made: MadeUp):
    run = kplace.place(made.cluster(), seed=3)
    state = ClusterState(run.cluster.columns)
    table = run.nodes.sort_values("position")
    assert table["requested_cpu_milli"].tolist() == state.resources.requested[0].tolist()
    assert table["requested_memory_bytes"].tolist() == state.resources.requested[1].tolist()
    assert table["requested_pods"].tolist() == state.resources.pods.tolist()
