"""Who may preempt at all."""

import pytest

from kplace.dtypes import NO_NODE, Code
from kplace.engine.cycle import Options, try_pod
from kplace.framework.failure import Failure
from kplace.preemption.eligibility import NEVER, WAITING, ineligibility
from tests.plugins.clusters import node, pod, state_of
from tests.preemption.clusters import profile


def failure(spec: dict, *running: dict, nominated: str = "", small: bool = False) -> Failure:
    cpu = "1" if small else "4"
    nodes = [node("a", allocatable={"cpu": cpu, "pods": "10"}), node("b", allocatable={"cpu": "1", "pods": "10"})]
    container = {"name": "c", "resources": {"requests": {"cpu": "3"}}}
    waiting = pod({"containers": [container], "priority": 5, **spec}) | {"status": {"nominatedNodeName": nominated}}
    state = state_of(nodes, [waiting, *running])
    tried = try_pod(state, profile(), 0, 0, Options())
    assert tried.node == NO_NODE
    return Failure(tried.profile, tried.cycle, tried.pre_filters, tried.filters, lambda _n: 0)


def victim(
    priority: int = 0, *, reason: str = "PreemptionByScheduler", status: str = "True", leaving: bool = True
) -> dict:
    times = {"deletionTimestamp": "2026-01-01T00:00:00Z"} if leaving else {}
    made = pod(
        {"priority": priority, "containers": [{"name": "c", "resources": {"requests": {"cpu": "3"}}}]}, on="a", **times
    )
    conditions = [
        {"type": "Ready", "status": "True"},
        {"type": "DisruptionTarget", "status": status, "reason": reason},
        {"type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler"},
    ]
    return made | {"status": {"phase": "Running", "conditions": conditions}}


def test_policy_never():
    assert ineligibility(failure({"preemptionPolicy": "Never"}, victim())) == NEVER
    assert ineligibility(failure({"preemptionPolicy": "PreemptLowerPriority"}, victim())) == ""


@pytest.mark.parametrize(
    ("running", "nominated", "reason"),
    [
        (victim(), "a", WAITING),
        (victim(), "b", ""),  # it leaves another node
        (victim(), "", ""),
        (victim(), "gone", ""),  # there is no such node
        (victim(5), "a", ""),  # not of a lower priority
        (victim(leaving=False), "a", ""),
        (victim(reason="EvictionByEvictionAPI"), "a", ""),  # the first condition of the type counts
        (victim(status="False"), "a", ""),
    ],
)
def test_waiting_for_victims(running, nominated, reason):
    assert ineligibility(failure({}, running, nominated=nominated)) == reason


def test_a_nominated_node_that_is_lost_for_good_is_not_waited_for():
    found = failure({}, victim(), nominated="a", small=True)
    assert found.codes[0] == Code.UNSCHEDULABLE_AND_UNRESOLVABLE
    assert ineligibility(found) == ""
