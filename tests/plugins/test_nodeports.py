"""NodePorts: which ports conflict, whose ports count, and counts that follow the pods."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kplace.dtypes import NO_NODE, Code
from kplace.framework import Cycle
from kplace.plugins.nodeports.plugin import REASON, NodePorts
from tests.naive import host_ports as naive
from tests.plugins.clusters import cycle_of, node, pod, state_of


def ports(*listed: dict) -> dict:
    return {"containers": [{"name": "c", "ports": list(listed)}]}


def port(number: int, protocol: str = "", address: str = "") -> dict:
    return {"containerPort": 80, "hostPort": number, "protocol": protocol, "hostIP": address}


WEB = port(80)


@pytest.mark.parametrize(
    ("wanted", "held", "code"),
    [
        (port(80), port(80), Code.UNSCHEDULABLE),
        (port(80), port(81), Code.SUCCESS),
        (port(80, "UDP"), port(80), Code.SUCCESS),
        (port(80, "TCP"), port(80), Code.UNSCHEDULABLE),  # no protocol is TCP
        (port(80, address="10.0.0.1"), port(80, address="10.0.0.2"), Code.SUCCESS),
        (port(80, address="10.0.0.1"), port(80, address="10.0.0.1"), Code.UNSCHEDULABLE),
        (port(80, address="10.0.0.1"), port(80), Code.UNSCHEDULABLE),  # held on all addresses
        (port(80), port(80, address="10.0.0.1"), Code.UNSCHEDULABLE),
        (port(80, address="0.0.0.0"), port(80, address="10.0.0.1"), Code.UNSCHEDULABLE),
        (port(80, address="::"), port(80, address="fd00::1"), Code.SUCCESS),  # not taken for all addresses
    ],
)
def test_conflicts(wanted: dict, held: dict, code: Code):
    cycle = cycle_of([node("a"), node("b")], ports(wanted), [pod(ports(held), on="a")])
    verdict = NodePorts().filter(cycle, cycle.state.all_nodes)
    assert verdict.code.tolist() == [code, Code.SUCCESS]
    assert NodePorts().reasons(cycle, 0) == (REASON,)


@pytest.mark.parametrize(
    ("spec", "code"),
    [
        ({}, Code.SKIP),
        (ports(port(0)), Code.SKIP),
        ({"initContainers": [{"name": "i", "ports": [WEB]}]}, Code.SKIP),
        ({"initContainers": [{"name": "i", "restartPolicy": "Always", "ports": [WEB]}]}, Code.SUCCESS),
        (ports(WEB), Code.SUCCESS),
        ({"hostNetwork": True, **ports({"containerPort": 80})}, Code.SUCCESS),
    ],
)
def test_filter_is_skipped_without_lasting_host_ports(spec: dict, code: Code):
    assert NodePorts().pre_filter(cycle_of([node("a")], spec)).code is code


def test_any_port_of_several_is_enough():
    cycle = cycle_of([node("a")], ports(port(1), port(2)), [pod(ports(port(3), port(2)), on="a")])
    assert NodePorts().filter(cycle, cycle.state.all_nodes).code.tolist() == [Code.UNSCHEDULABLE]


def test_two_pods_forced_onto_one_node_hold_the_port_until_both_have_left():
    state = state_of([node("a")], [pod(ports(WEB), on="a"), pod(ports(WEB), on="a"), pod(ports(WEB))])
    codes = []
    for leaving in (0, 1):
        state.forget(leaving)
        codes.append(int(NodePorts().filter(Cycle(state, 2), state.all_nodes).code[0]))
    assert codes == [Code.UNSCHEDULABLE, Code.SUCCESS]


PORTS = st.builds(
    port, st.sampled_from([0, 1, 2]), st.sampled_from(["", "TCP", "UDP"]), st.sampled_from(["", "h", "g"])
)
CONTAINERS = st.fixed_dictionaries({"name": st.just("c"), "ports": st.lists(PORTS, max_size=2)})
SPECS = st.fixed_dictionaries(
    {"containers": st.lists(CONTAINERS, min_size=1, max_size=2)},
    optional={
        "initContainers": st.lists(
            st.tuples(CONTAINERS, st.sampled_from(["Always", None])).map(
                lambda pair: {**pair[0], "restartPolicy": pair[1]}
            ),
            max_size=2,
        )
    },
)


@given(st.lists(SPECS, min_size=1, max_size=5), st.lists(st.tuples(st.integers(0, 4), st.integers(-1, 2)), max_size=12))
def test_against_the_oracle_while_pods_come_and_go(specs: list, moves: list):
    state = state_of([node("a"), node("b"), node("c")], [pod(spec) for spec in specs])
    for pod_number, target in [(0, -1), *moves]:
        moved = pod_number % len(specs)
        if state.node_of_pod[moved] != NO_NODE:
            state.forget(moved)
        if target >= 0:
            state.assume(moved, target)
        for waiting in np.flatnonzero(state.node_of_pod == NO_NODE):
            running = [[specs[p] for p in np.flatnonzero(state.node_of_pod == n)] for n in range(3)]
            verdict = NodePorts().filter(Cycle(state, int(waiting)), state.all_nodes)
            expected = [naive.blocked(specs[waiting], there) for there in running]
            assert (verdict.code == Code.UNSCHEDULABLE).tolist() == expected
