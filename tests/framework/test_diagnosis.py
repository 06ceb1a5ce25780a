"""The message of a pod that fits nowhere."""

from collections import Counter

import pytest

from kplace.engine.cycle import Options, try_pod
from kplace.engine.diagnose import diagnose
from kplace.framework.diagnosis import fit_error
from kplace.plugins.defaults import default_profile
from kplace.testing import make_node, make_pod, state_of
from kplace.testing.builders import PodBuilder


@pytest.mark.parametrize(
    ("n_nodes", "counts", "rejection", "expected"),
    [
        (0, {}, (), "no nodes available to schedule pods"),
        (3, {"Insufficient cpu": 3}, (), "0/3 nodes are available: 3 Insufficient cpu."),
        # Sorted as text: 10 before 2, and by the numbers before the reasons.
        (12, {"b": 10, "a": 2}, (), "0/12 nodes are available: 10 b, 2 a."),
        (9, {"b": 1, "a": 9, "c": 1}, (), "0/9 nodes are available: 1 b, 1 c, 9 a."),
        (4, {}, ("one", "two"), "0/4 nodes are available: one, two."),
        (4, {"b": 1}, ("one",), "0/4 nodes are available: one."),
    ],
)
def test_message(n_nodes: int, counts: dict[str, int], rejection: tuple[str, ...], expected: str):
    assert fit_error(n_nodes, Counter(counts), rejection) == expected


NODES = [
    make_node("tainted").taint("gpu=yes:NoSchedule"),
    make_node("tainted-too").taint("spot:NoExecute"),
    make_node("small").capacity(cpu="1", memory="1Gi"),
    make_node("full").capacity(cpu="1", memory="64Gi", pods="0"),
    make_node("shut").cordon().taint("gpu=yes:NoSchedule"),
]


def diagnosed(waiting: PodBuilder) -> tuple:
    return diagnose(try_pod(state_of(*NODES, waiting), default_profile(), 0, 0, Options()))


def test_each_reason_of_a_node_counts_and_its_first_filter_speaks():
    reasons, message = diagnosed(make_pod("web").req(cpu="2", memory="2Gi"))
    assert set(reasons) == {
        ("NodeResourcesFit", "Insufficient cpu", 2),
        ("NodeResourcesFit", "Insufficient memory", 1),
        ("NodeResourcesFit", "Too many pods", 1),
        ("TaintToleration", "node(s) had untolerated taint {gpu: yes}", 1),
        ("TaintToleration", "node(s) had untolerated taint {spot: }", 1),
        ("NodeUnschedulable", "node(s) were unschedulable", 1),
    }
    assert message.startswith(
        "0/5 nodes are available: 1 Insufficient memory, 1 Too many pods, 1 node(s) had untolerated taint {gpu: yes}, "
        "1 node(s) had untolerated taint {spot: }, 1 node(s) were unschedulable, 2 Insufficient cpu."
    )


def test_nodes_that_nobody_looked_at():
    reasons, message = diagnosed(make_pod("web").require_node(name="shut").require_node(name="gone"))
    absent = "node(s) didn't satisfy plugin(s) [NodeAffinity]"
    assert set(reasons) == {("", absent, 4), ("NodeUnschedulable", "node(s) were unschedulable", 1)}
    assert message.startswith(f"0/5 nodes are available: 1 node(s) were unschedulable, 4 {absent}.")
