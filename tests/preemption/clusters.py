"""Clusters for preemption: drawn, and built from the plain dicts that the naive oracle works on."""

from datetime import UTC, datetime, timedelta

import msgspec
import numpy as np
from hypothesis import strategies as st

from kplace.columns import ClusterBuilder
from kplace.dtypes import NO_NODE, TieBreak
from kplace.engine.cycle import Options, find_way_out, try_pod
from kplace.engine.place import register_nominations
from kplace.framework import Profile
from kplace.objects.core import Node, Pod
from kplace.objects.defaulting import DEFAULT_SCHEDULER
from kplace.objects.policy import PodDisruptionBudget
from kplace.plugins import names
from kplace.plugins.defaultpreemption.args import DefaultPreemptionArgs
from kplace.plugins.defaultpreemption.plugin import DefaultPreemption
from kplace.plugins.in_tree import DEFAULT_ORDER
from kplace.plugins.registry import in_tree_registry
from kplace.state import ClusterState

ZONE = "topology.kubernetes.io/zone"
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
APPS = ["x", "y"]


def profile(percentage: int = 10, absolute: int = 100) -> Profile:
    """The default profile without what speaks before DefaultPreemption does."""
    registry = in_tree_registry()
    preemption = DefaultPreemption(DefaultPreemptionArgs(percentage, absolute))
    listed = [name for name, _ in DEFAULT_ORDER if name in registry and name != names.DYNAMIC_RESOURCES]
    plugins = [(preemption if name == names.DEFAULT_PREEMPTION else registry[name](), 1) for name in listed]
    return Profile.of_multi_point(DEFAULT_SCHEDULER, plugins)


def pod_manifest(pod: dict) -> dict:
    metadata = {"name": pod["name"], "namespace": "default", "labels": {"app": pod["app"]} if pod["app"] else {}}
    if pod["terminating"]:
        metadata["deletionTimestamp"] = "2026-02-01T00:00:00Z"
    ports = [{"containerPort": 80, "hostPort": 80}] if pod["port"] else []
    container = {"name": "c", "ports": ports, "resources": {"requests": {"cpu": str(pod["cpu"])}}}
    spec = {"containers": [container], "priority": pod["priority"]}
    if pod["hates"]:
        term = {"topologyKey": ZONE, "labelSelector": {"matchLabels": {"app": pod["hates"]}}}
        spec["affinity"] = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    if "skew" in pod:
        constraint = {"topologyKey": ZONE, "maxSkew": pod["skew"], "whenUnsatisfiable": "DoNotSchedule"}
        spec["topologySpreadConstraints"] = [constraint | {"labelSelector": {"matchLabels": {"app": pod["app"]}}}]
    status = {"phase": "Running"}
    if pod["started"] is not None:
        status["startTime"] = (BEGIN + timedelta(seconds=pod["started"])).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {"metadata": metadata, "spec": spec, "status": status}


def build(pod: dict, cluster: dict) -> ClusterState:
    """State of a cluster in which ``pod`` waits, as pod 0, with the nominated ones after it."""
    builder = ClusterBuilder()
    for node in cluster["nodes"]:
        labels = {ZONE: node["zone"]} if node["zone"] else {}
        allocatable = {"cpu": str(node["cpu"]), "memory": "8Gi", "pods": str(node["slots"])}
        manifest = {"metadata": {"name": node["name"], "labels": labels}, "status": {"allocatable": allocatable}}
        builder.add("Node", msgspec.convert(manifest, Node), b"", "test")
    waiting = [(pod, ""), *((other, other["node"]) for other in cluster["nominated"])]
    for item, nominated in waiting:
        manifest = pod_manifest(item)
        manifest["status"] = {"phase": "Pending", "nominatedNodeName": nominated}
        builder.add("Pod", msgspec.convert(manifest, Pod), b"", "test")
    for node in cluster["nodes"]:
        for item in node["pods"]:
            manifest = pod_manifest(item)
            manifest["spec"]["nodeName"] = node["name"]
            builder.add("Pod", msgspec.convert(manifest, Pod), b"", "test")
    for number, budget in enumerate(cluster["budgets"]):
        status = {"disruptionsAllowed": budget["allowed"], "disruptedPods": dict.fromkeys(budget["disrupted"], "t")}
        selector = {"matchLabels": {"app": budget["app"]}}
        manifest = {
            "metadata": {"name": f"b{number}", "namespace": "default"},
            "spec": {"selector": selector},
            "status": status,
        }
        builder.add("PodDisruptionBudget", msgspec.convert(manifest, PodDisruptionBudget), b"", "test")
    state = ClusterState(builder.finish())
    register_nominations(state, np.arange(len(waiting), dtype=np.int32))
    return state


def a_pod(name: str, priority: int = 0, cpu: int = 1, **given) -> dict:
    """A pod that asks for cpu only and started at second 0."""
    plain = {"started": 0, "app": "x", "port": False, "terminating": False, "hates": None}
    return {"name": name, "priority": priority, "cpu": cpu, **plain, **given}


def a_node(name: str, *held: dict, cpu: int = 4, zone: str = "") -> dict:
    return {"name": name, "cpu": cpu, "slots": 110, "zone": zone, "pods": list(held)}


def a_cluster(*nodes: dict, budgets: list[dict] = (), nominated: list[dict] = ()) -> dict:
    return {"nodes": list(nodes), "budgets": list(budgets), "nominated": list(nominated)}


def budget(app: str, allowed: int, *disrupted: str) -> dict:
    return {"app": app, "allowed": allowed, "disrupted": list(disrupted)}


def attempt(state: ClusterState, using: Profile):
    """Try pod 0 and ask PostFilters if it finds no node."""
    options = Options(TieBreak.FIRST)
    tried = try_pod(state, using, 0, 0, options)
    if tried.node == NO_NODE:
        tried.post_filters = find_way_out(tried, options)
    return tried


def outcome(tried) -> dict:
    """What preemption said, in the oracle's form."""
    state = tried.cycle.state
    pods, nodes = state.columns.pods.names, state.columns.nodes.names
    preemption = tried.preemption
    if preemption is None:
        return {"message": tried.post_filters.result.message}
    candidates = preemption.candidates
    listed = [
        (nodes[node], [pods[pod] for pod in candidates.victims_of(i).tolist()], number)
        for i, (node, number) in enumerate(zip(candidates.nodes.tolist(), candidates.violations.tolist(), strict=True))
    ]
    return {
        "candidates": listed,
        "tied": [listed[i][0] for i in preemption.tied.tolist()],
        "chosen": nodes[preemption.node],
    }


@st.composite
def pods(draw, name: str, **given) -> dict:
    drawn = {
        "name": name,
        "priority": draw(st.sampled_from([-3, 0, 0, 5, 10])),
        "started": draw(st.one_of(st.none(), st.integers(0, 3))),
        "cpu": draw(st.integers(0, 3)),
        "app": draw(st.sampled_from(APPS)),
        "port": draw(st.integers(0, 5)) == 0,
        "terminating": draw(st.integers(0, 4)) == 0,
        "hates": draw(st.sampled_from([None, None, None, None, *APPS])),
    }
    return drawn | given


@st.composite
def clusters(draw, *, coupled: bool) -> tuple[dict, dict]:
    """A pod of priority 5 and a cluster; ``coupled``: with spreading and anti-affinity."""
    bare = {} if coupled else {"hates": None}
    nodes = []
    for n in range(draw(st.integers(1, 6))):
        held = [draw(pods(f"n{n}-{i}", **bare)) for i in range(draw(st.integers(1, 6)))]
        zone = draw(st.sampled_from(["a", "b", "b", ""]))
        cpu, slots = draw(st.integers(2, 6)), draw(st.integers(2, 5))
        nodes.append({"name": f"n{n}", "cpu": cpu, "slots": slots, "zone": zone, "pods": held})
    # Nodes are listed as the snapshot has them: zone by zone in turn. One zone label or none keeps the order as drawn.
    order = snapshot(nodes)
    everyone = [pod["name"] for node in nodes for pod in node["pods"]]
    budgets = draw(
        st.lists(
            st.fixed_dictionaries(
                {
                    "app": st.sampled_from(APPS),
                    "allowed": st.integers(0, 2),
                    "disrupted": st.lists(st.sampled_from(everyone), max_size=2) if everyone else st.just([]),
                }
            ),
            max_size=2,
        )
    )
    nominated = [
        draw(pods(f"w{i}", node=f"n{draw(st.integers(0, len(nodes) - 1))}", terminating=False, **bare))
        for i in range(draw(st.sampled_from([0, 0, 1, 2])))
    ]
    skew = {"skew": draw(st.integers(1, 2))} if coupled and draw(st.booleans()) else {}
    given = {"priority": 5, "cpu": draw(st.integers(2, 5)), "terminating": False, **skew, **bare}
    pod = draw(pods("p", **given))
    return pod, {"nodes": order, "budgets": budgets, "nominated": nominated}


def snapshot(nodes: list[dict]) -> list[dict]:
    """Nodes zone by zone in turn, as upstream's snapshot lists them."""
    zones: dict[str, list[dict]] = {}
    for node in nodes:
        zones.setdefault(node["zone"], []).append(node)
    longest = max(map(len, zones.values()))
    return [own[i] for i in range(longest) for own in zones.values() if i < len(own)]
