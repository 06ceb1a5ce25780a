"""PodTopologySpread against an oracle that goes pod by pod, on made-up clusters."""

from typing import Any

import msgspec
import numpy as np
from hypothesis import given, note, settings
from hypothesis import strategies as st

from kplace.dtypes import Code
from kplace.framework import Cycle
from kplace.objects.core import TopologySpreadConstraint
from kplace.plugins.podtopologyspread.args import DefaultingType, PodTopologySpreadArgs
from kplace.plugins.podtopologyspread.log import log
from kplace.plugins.podtopologyspread.plugin import PodTopologySpread
from kplace.state import ClusterState
from tests.naive import topology_spread as naive
from tests.plugins.clusters import Spec, node, pod
from tests.plugins.test_podtopologyspread_defaults import state_of

ZONE, RACK = "topology.kubernetes.io/zone", "rack"
CODES = {"": Code.SUCCESS, "skew": Code.UNSCHEDULABLE, "label": Code.UNSCHEDULABLE_AND_UNRESOLVABLE}

# Most nodes have all labels and most pods match most selectors: otherwise hardly anything is ever counted.
NODE_LABELS = st.fixed_dictionaries(
    {
        ZONE: st.sampled_from(["a", "a", "b", "b", "c", "", None]),
        RACK: st.sampled_from(["r1", "r1", "r2", "r2", "r3", None]),
        naive.HOSTNAME: st.sampled_from(["h1", "h2", "h3", "h4", "h5", "h6", None]),
    }
).map(lambda labels: {key: value for key, value in labels.items() if value is not None})
TAINTS = st.lists(
    st.fixed_dictionaries(
        {"key": st.sampled_from(["dead", "gpu"]), "effect": st.sampled_from(["NoSchedule", "PreferNoSchedule"])}
    ),
    max_size=1,
)
LABELS = st.fixed_dictionaries(
    {"app": st.sampled_from(["web", "web", "web", "db"])}, optional={"tier": st.sampled_from(["x", "y"])}
)
EXPRESSIONS = st.sampled_from(
    [
        {"key": "app", "operator": "In", "values": ["web"]},
        {"key": "app", "operator": "NotIn", "values": ["db"]},
        {"key": "tier", "operator": "Exists"},
        {"key": "tier", "operator": "DoesNotExist"},
    ]
)
WEB = st.just({"matchLabels": {"app": "web"}})
SELECTORS = WEB | st.fixed_dictionaries(
    {}, optional={"matchLabels": LABELS, "matchExpressions": st.lists(EXPRESSIONS, max_size=2)}
)
NAMESPACES = st.sampled_from(["default"] * 7 + ["other"])
POLICIES = st.sampled_from(["Honor", "Ignore"])


def constraints(selectors: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.fixed_dictionaries(
        {
            "maxSkew": st.sampled_from([1, 1, 2, 3]),
            "topologyKey": st.sampled_from([ZONE, ZONE, RACK, naive.HOSTNAME]),
            "whenUnsatisfiable": st.sampled_from(["DoNotSchedule", "ScheduleAnyway"]),
            "labelSelector": selectors,
        },
        optional={
            "minDomains": st.integers(1, 4),
            "nodeAffinityPolicy": POLICIES,
            "nodeTaintsPolicy": POLICIES,
        },
    )


@st.composite
def nodes(draw: st.DrawFn) -> list[Spec]:
    labels = draw(st.lists(NODE_LABELS, min_size=2, max_size=8))
    return [{**node(f"n{number}", item), "spec": {"taints": draw(TAINTS)}} for number, item in enumerate(labels)]


@st.composite
def running(draw: st.DrawFn, names: list[str]) -> Spec:
    metadata: dict[str, Any] = {"labels": draw(LABELS), "namespace": draw(NAMESPACES)}
    if draw(st.integers(0, 5)) == 0:
        metadata["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    return pod(on=draw(st.sampled_from(names)), **metadata)


@st.composite
def waiting(draw: st.DrawFn, own: st.SearchStrategy[Any]) -> Spec:
    spec: dict[str, Any] = {"topologySpreadConstraints": draw(own)}
    if draw(st.booleans()):
        spec["nodeSelector"] = {RACK: "r1"}
    if draw(st.booleans()):
        spec["tolerations"] = [{"key": "dead", "operator": "Exists"}]
    metadata: dict[str, Any] = {"labels": draw(LABELS), "namespace": draw(NAMESPACES)}
    if draw(st.booleans()):
        kind = draw(st.sampled_from(["ReplicationController", "ReplicaSet", "StatefulSet"]))
        version = draw(st.sampled_from(["v1", "apps/v1", "apps/v1"]))
        metadata["ownerReferences"] = [{"apiVersion": version, "kind": kind, "name": "one", "controller": True}]
    return pod(spec, **metadata)


@st.composite
def others(draw: st.DrawFn) -> list[Spec]:
    kinds = {
        "Service": st.none() | LABELS,
        "ReplicationController": LABELS,
        "ReplicaSet": SELECTORS,
        "StatefulSet": SELECTORS,
    }
    listed = []
    for number in range(draw(st.integers(0, 4))):
        kind = draw(st.sampled_from(sorted(kinds)))
        # Names are unique within a kind and a namespace; owners look for "one".
        name = "one" if all(item["kind"] != kind for item in listed) else f"other{number}"
        listed.append(
            {
                "kind": kind,
                "metadata": {"name": name, "namespace": draw(NAMESPACES)},
                "spec": {"selector": draw(kinds[kind])},
            }
        )
    return listed


ANY = st.lists(constraints(st.none() | WEB | SELECTORS), max_size=4)
HARD = st.lists(
    constraints(st.fixed_dictionaries({"matchExpressions": st.lists(EXPRESSIONS, min_size=1, max_size=2)})).map(
        lambda item: {**item, "whenUnsatisfiable": "DoNotSchedule"}
    ),
    min_size=1,
    max_size=2,
)


@st.composite
def clusters(draw: st.DrawFn, own: st.SearchStrategy[Any] = ANY) -> dict[str, Any]:
    listed = draw(nodes())
    names = [item["metadata"]["name"] for item in listed]
    return {
        "nodes": listed,
        "running": draw(st.lists(running(names), min_size=2, max_size=14)),
        "others": draw(others()),
        "defaults": draw(st.none() | st.lists(constraints(st.none()), max_size=3)),
        "waiting": draw(waiting(own)),
        "sample": draw(st.lists(st.sampled_from(listed), unique_by=naive.name_of, min_size=1)),
    }


def plugin_of(cluster: dict[str, Any]) -> PodTopologySpread:
    if cluster["defaults"] is None:
        return PodTopologySpread()
    listed = msgspec.convert(cluster["defaults"], tuple[TopologySpreadConstraint, ...])
    return PodTopologySpread(PodTopologySpreadArgs(listed, DefaultingType.LIST))


def state_with(cluster: dict[str, Any]) -> ClusterState:
    return state_of(cluster["nodes"], [*cluster["running"], cluster["waiting"]], cluster["others"])


@settings(max_examples=300)
@given(clusters())
def test_filter(cluster: dict[str, Any]):
    state = state_with(cluster)
    cycle, plugin = Cycle(state, len(cluster["running"])), plugin_of(cluster)
    expected = naive.filtered(cluster["waiting"], cluster)
    note(f"expected {expected}")
    skips = plugin.pre_filter(cycle).code is Code.SKIP
    assert skips is (expected is None)
    if expected is not None:
        codes = plugin.filter(cycle, state.all_nodes).code
        assert dict(zip(state.columns.nodes.names, codes, strict=True)) == {
            name: CODES[failure] for name, failure in expected.items()
        }


@settings(max_examples=300)
@given(clusters())
def test_scores(cluster: dict[str, Any]):
    state = state_with(cluster)
    cycle, plugin = Cycle(state, len(cluster["running"])), plugin_of(cluster)
    sample = [naive.name_of(item) for item in cluster["sample"]]
    listed = np.array([state.columns.nodes.index[name] for name in sample], np.int32)
    expected = naive.scored(cluster["waiting"], cluster, cluster["sample"], log)
    note(f"expected {expected}")
    assert plugin.pre_score(cycle, listed) is (expected is not None)
    if expected is not None:
        raw = plugin.score(cycle, listed)
        final = raw.copy()
        plugin.normalize_score(cycle, listed, final)
        assert dict(zip(sample, map(list, zip(raw, final, strict=True)), strict=True)) == expected


@given(clusters(HARD), st.data())
def test_pods_that_come_and_go(cluster: dict[str, Any], data: st.DataObject):
    """Counting a pod in or out within a cycle gives what a fresh cycle finds once the state has changed.

    Only empty selectors and pods that are being deleted are seen otherwise within a cycle; there are none here.
    """
    state = state_with(cluster)
    number, plugin = len(cluster["running"]), plugin_of(cluster)
    cycle = Cycle(state, number)
    plugin.pre_filter(cycle)
    pods = enumerate(cluster["running"])
    alive = [index for index, item in pods if "deletionTimestamp" not in item["metadata"]]
    for moved in data.draw(st.lists(st.sampled_from(alive), unique=True, max_size=4)) if alive else ():
        plugin.count_pod(cycle, moved, int(state.node_of_pod[moved]), -1)
        state.forget(moved)
        if data.draw(st.booleans()):
            target = data.draw(st.integers(0, state.n_nodes - 1))
            plugin.count_pod(cycle, moved, target, 1)
            state.assume(moved, target)
    fresh = Cycle(state, number)
    plugin.pre_filter(fresh)
    wanted, got = plugin.filter(fresh, state.all_nodes), plugin.filter(cycle, state.all_nodes)
    assert np.array_equal(wanted.code, got.code)
    assert np.array_equal(wanted.detail, got.detail)
