"""DaemonSets."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kplace.objects.core import Toleration
from kplace.objects.meta import NodeSelector, NodeSelectorTerm, SelectorRequirement
from tests.io.expanding import controller, expanded, node, pod
from tests.naive.node_selectors import required_affinity

REVISION = "controller-revision-hash"


def daemon_set(**spec) -> dict:
    item = controller("DaemonSet", "agent")
    item["spec"]["template"]["spec"] |= spec
    return item


def required(*terms: dict) -> dict:
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": list(terms)}}}


def taint(key: str, effect: str = "NoSchedule") -> dict:
    return {"key": key, "value": "", "effect": effect}


def test_one_pod_for_each_node_in_the_order_of_the_input():
    # The snapshot's order would take the zones in turn: n3, n2, n1.
    nodes = [node("n3", **{"topology.kubernetes.io/zone": "a"}), node("n1", **{"topology.kubernetes.io/zone": "a"})]
    nodes += [node("n2", **{"topology.kubernetes.io/zone": "b"})]
    assert expanded(daemon_set(), *nodes).names == ["agent-n3", "agent-n1", "agent-n2"]


def test_no_nodes_no_pods():
    assert not expanded(daemon_set(nodeName="n1")).made


@pytest.mark.parametrize(
    ("spec", "where"),
    [
        ({}, ["plain", "ssd", "soft", "cordoned"]),
        ({"nodeSelector": {"disk": "ssd"}}, ["ssd"]),
        (
            {"affinity": required({"matchExpressions": [{"key": "disk", "operator": "DoesNotExist"}]})},
            ["plain", "soft", "cordoned"],
        ),
        (
            {
                "affinity": required(
                    {"matchFields": [{"key": "metadata.name", "operator": "NotIn", "values": ["plain"]}]}
                )
            },
            ["ssd", "soft", "cordoned"],
        ),
        ({"affinity": required()}, []),
        ({"tolerations": [{"key": "gpu", "operator": "Exists"}]}, ["plain", "ssd", "soft", "cordoned", "gpu"]),
        ({"tolerations": [{"operator": "Exists"}]}, ["plain", "ssd", "soft", "cordoned", "gpu", "net", "leaving"]),
        ({"hostNetwork": True}, ["plain", "ssd", "soft", "cordoned", "net"]),
        ({"nodeName": "ssd"}, ["ssd"]),
        ({"nodeName": "gpu"}, []),
    ],
)
def test_where_it_may_run(spec, where):
    nodes = [
        node("plain"),
        node("ssd", disk="ssd"),
        node("soft", taints=[taint("busy", "PreferNoSchedule")]),
        node(
            "cordoned",
            taints=[taint("node.kubernetes.io/unschedulable"), taint("node.kubernetes.io/unreachable", "NoExecute")],
        ),
        node("gpu", taints=[taint("gpu")]),
        node("net", taints=[taint("node.kubernetes.io/network-unavailable")]),
        node("leaving", taints=[taint("leaving", "NoExecute")]),
    ]
    assert expanded(daemon_set(**spec), *nodes).names == [f"agent-{name}" for name in where]


def test_default_tolerations():
    own = [
        {"key": "gpu", "operator": "Exists"},
        {"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300},
    ]
    (made,) = expanded(daemon_set(tolerations=own), node("n1")).made
    # In upstream's order; the template's toleration of the same taint is replaced where it stands, without its seconds.
    assert made.spec.tolerations == (
        Toleration("gpu", "Exists"),
        Toleration("node.kubernetes.io/not-ready", "Exists", effect="NoExecute"),
        Toleration("node.kubernetes.io/unreachable", "Exists", effect="NoExecute"),
        Toleration("node.kubernetes.io/disk-pressure", "Exists", effect="NoSchedule"),
        Toleration("node.kubernetes.io/memory-pressure", "Exists", effect="NoSchedule"),
        Toleration("node.kubernetes.io/pid-pressure", "Exists", effect="NoSchedule"),
        Toleration("node.kubernetes.io/unschedulable", "Exists", effect="NoSchedule"),
    )
    (made,) = expanded(daemon_set(hostNetwork=True), node("n1")).made
    assert made.spec.tolerations[-1] == Toleration(
        "node.kubernetes.io/network-unavailable", "Exists", effect="NoSchedule"
    )


def test_the_node_takes_the_place_of_all_required_terms():
    preferred = {
        "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 5, "preference": {"matchExpressions": []}}]
    }
    affinity = required({"matchExpressions": [{"key": "disk", "operator": "Exists"}]})
    affinity["nodeAffinity"] |= preferred
    affinity["podAntiAffinity"] = {}
    (made,) = expanded(daemon_set(affinity=affinity), node("n1", disk="ssd")).made
    kept = made.spec.affinity
    by_name = SelectorRequirement("metadata.name", "In", ("n1",))
    assert kept.node_affinity.required == NodeSelector((NodeSelectorTerm(match_fields=(by_name,)),))
    assert kept.node_affinity.preferred[0].weight == 5
    assert kept.pod_anti_affinity is not None


def test_a_pod_for_a_node_is_bound_only_if_the_template_says_so():
    assert [made.row.node for made in expanded(daemon_set(), node("n1")).made] == [""]
    assert [made.row.node for made in expanded(daemon_set(nodeName="n1"), node("n1")).made] == ["n1"]


@pytest.mark.parametrize(
    ("there", "made"),
    [
        ({}, []),
        ({"deletionTimestamp": "2026-01-01T00:00:00Z"}, []),  # its node is not free yet
        ({"phase": "Failed"}, ["agent-n"]),
        ({"phase": "Succeeded"}, ["agent-n"]),
    ],
)
def test_nodes_with_a_pod_are_left_alone(there, made):
    owner = daemon_set()
    assert expanded(owner, node("n"), pod("agent-x", owner, **there)).names == made


def test_a_waiting_pod_has_the_node_that_it_is_pinned_to():
    owner = daemon_set()
    waiting = pod("agent-x", owner, phase="Pending")
    by_name = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]}
    waiting["spec"] = {"containers": [], "affinity": required(by_name)}
    assert expanded(owner, node("n1"), node("n2"), waiting).names == ["agent-n2"]


def test_a_name_in_use_gets_a_number():
    assert expanded(daemon_set(), node("n1"), pod("agent-n1")).names == ["agent-n1-00000"]


def test_revision_labels():
    owner = daemon_set()
    owner["metadata"]["annotations"] = {"deprecated.daemonset.template.generation": "7"}
    (made,) = expanded(owner, node("n1")).made
    assert set(made.labels) == {"app", REVISION, "pod-template-generation"}
    (made,) = expanded(owner, node("n1"), pod("agent-x", owner, labels={REVISION: "abc"})).made
    assert made.labels == {"app": "agent", REVISION: "abc", "pod-template-generation": "7"}


EXPRESSIONS = st.builds(
    lambda key, operator, values: {
        "key": key,
        "operator": operator,
        "values": values if operator in ("In", "NotIn") else [],
    },
    st.sampled_from(["disk", "zone"]),
    st.sampled_from(["In", "NotIn", "Exists", "DoesNotExist"]),
    st.lists(st.sampled_from("ab"), min_size=1, max_size=2),
)
TERMS = st.lists(EXPRESSIONS, max_size=2).map(lambda items: {"matchExpressions": items})
TAINTS = st.lists(
    st.builds(taint, st.sampled_from("xy"), st.sampled_from(["NoSchedule", "NoExecute", "PreferNoSchedule"])),
    max_size=2,
)
LABELS = st.dictionaries(st.sampled_from(["disk", "zone"]), st.sampled_from("ab"))


@given(
    nodes=st.lists(st.tuples(LABELS, TAINTS), max_size=6),
    terms=st.none() | st.lists(TERMS, max_size=2),
    selector=LABELS,
    tolerated=st.sets(st.sampled_from("xy")),
)
def test_against_the_rule_node_by_node(nodes, terms, selector, tolerated):
    tolerations = [{"key": key, "operator": "Exists"} for key in sorted(tolerated)]
    affinity = {} if terms is None else {"affinity": required(*terms)}
    spec = {"nodeSelector": selector, "tolerations": tolerations, **affinity}
    listed = [node(f"n{number}", taints=taints, **labels) for number, (labels, taints) in enumerate(nodes)]
    expected = [
        f"agent-n{number}"
        for number, (labels, taints) in enumerate(nodes)
        if required_affinity(spec, f"n{number}", labels)
        and all(item["key"] in tolerated or item["effect"] == "PreferNoSchedule" for item in taints)
    ]
    assert expanded(daemon_set(**spec), *listed).names == expected
