"""Hypothesis strategies for whole clusters, as manifests: every feature that placing a pod depends on.

Needs the extra ``testing``. Names and labels come from small sets, so that selectors meet pods, terms meet labels, and
nodes are neither all full nor all empty.
"""

from collections.abc import Iterable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Any

from hypothesis import strategies as st

from kplace.api import Cluster
from kplace.state import ClusterState
from kplace.testing import parts
from kplace.testing.clusters import cluster_of
from kplace.testing.manifests import SHORT_KEYS, Manifest

TIMES = ("2026-01-01T00:00:00Z", "2026-01-01T00:00:01Z", "2026-01-02T00:00:00Z")


class Feature(StrEnum):
    """What a made-up cluster may show beside nodes, labels and plain requests."""

    TAINTS = "taints and tolerations"
    CORDONS = "unschedulable nodes"
    NODE_AFFINITY = "node selectors and node affinity"
    PORTS = "host ports"
    RESOURCES = "other resources, sidecars, overhead, limits, pod-level requests"
    SPREAD = "topology spread constraints"
    POD_AFFINITY = "pod affinity and anti-affinity"
    OWNERS = "services and controllers, which default spreading looks at"
    IMAGES = "images"
    PRIORITIES = "priorities and creation times"
    GATES = "scheduling gates"
    TERMINATING = "pods that are being deleted"
    ODD_PODS = "finished pods, pods of other schedulers, pods on nodes that are gone"
    NOMINATED = "nominated nodes"


EVERYTHING = frozenset(Feature)
WITHOUT_NOMINATIONS = EVERYTHING - {Feature.NOMINATED}


@dataclass(frozen=True, slots=True)
class Size:
    """How large a made-up cluster may be at the most."""

    nodes: int = 8
    running: int = 8
    waiting: int = 4
    workloads: int = 4


@dataclass(frozen=True, slots=True)
class MadeUp:
    """A made-up cluster, as manifests in input order.

    Attributes
    ----------
    others, nodes, pods : list of dict
        ``others`` are namespaces, services and controllers.
    """

    others: list[Manifest]
    nodes: list[Manifest]
    pods: list[Manifest]

    @property
    def manifests(self) -> list[Manifest]:
        """All objects."""
        return [*self.others, *self.nodes, *self.pods]

    def grown(self, *, nodes: int = 1, waiting: int = 1) -> "MadeUp":
        """The same with every node so many times, each with a name of its own, and every waiting pod.

        This makes clusters that are too large to be drawn piece by piece.
        """
        is_waiting = ["nodeName" not in pod["spec"] for pod in self.pods]
        return MadeUp(
            self.others,
            [_copy_of(node, number) for number in range(nodes) for node in self.nodes],
            [
                _copy_of(pod, number)
                for number in range(waiting)
                for pod, waits in zip(self.pods, is_waiting, strict=True)
                if waits or not number
            ],
        )

    def cluster(self) -> Cluster:
        """The cluster, as if it had been read."""
        return cluster_of(*self.manifests)

    def state(self) -> ClusterState:
        """Its state before anything is placed."""
        return ClusterState(self.cluster().columns)


def _copy_of(item: Manifest, number: int) -> Manifest:
    """The object itself for number 0, others under names of their own."""
    if not number:
        return item
    copied, name = deepcopy(item), f"{item['metadata']['name']}-{number}"
    copied["metadata"]["name"] = name
    if item["kind"] == "Node" and SHORT_KEYS["hostname"] in item["metadata"]["labels"]:
        copied["metadata"]["labels"][SHORT_KEYS["hostname"]] = name
    return copied


@st.composite
def clusters(draw: st.DrawFn, size: Size = Size(), *, features: Iterable[Feature] = WITHOUT_NOMINATIONS) -> MadeUp:
    """Draw clusters with at least one node and one waiting pod.

    Parameters
    ----------
    size : Size
    features : iterable of Feature
        What they may show.

    Returns
    -------
    SearchStrategy of MadeUp
    """
    wanted = frozenset(features)
    pools = st.sampled_from(draw(st.lists(node_pools(wanted), min_size=1, max_size=3)))
    drawn = draw(st.lists(st.tuples(pools, parts.node_labels()), min_size=1, max_size=size.nodes))
    nodes = [_node(f"n{number}", pool, labels) for number, (pool, labels) in enumerate(drawn)]
    names = [node["metadata"]["name"] for node in nodes]
    workloads = draw(st.lists(workloads_like(wanted), min_size=1, max_size=size.workloads))
    there = [*names, "gone"] if Feature.ODD_PODS in wanted else names
    running = draw(st.lists(_running(workloads, there, wanted), max_size=size.running))
    waiting = draw(st.lists(_waiting(workloads, names, wanted), min_size=1, max_size=size.waiting))
    pods = draw(st.permutations([*running, *waiting])) if Feature.PRIORITIES in wanted else [*running, *waiting]
    return MadeUp(draw(_others(wanted)), nodes, _named_pods(pods))


@cache
def node_pools(features: frozenset[Feature]) -> st.SearchStrategy[Manifest]:
    """Draw what the nodes of one pool have in common."""
    fields: dict[str, st.SearchStrategy[Any]] = {
        "allocatable": parts.allocatable(scalars=Feature.RESOURCES in features),
        "has_hostname": st.sampled_from([True, True, True, False]),
    }
    if Feature.TAINTS in features:
        fields["taints"] = parts.taints()
    if Feature.CORDONS in features:
        fields["unschedulable"] = st.sampled_from([False] * 5 + [True])
    if Feature.IMAGES in features:
        fields["images"] = parts.node_images()
    return st.fixed_dictionaries(fields)


def _node(name: str, pool: Manifest, labels: dict[str, str]) -> Manifest:
    own = labels | ({SHORT_KEYS["hostname"]: name} if pool["has_hostname"] else {})
    node: Manifest = {
        "kind": "Node",
        "metadata": {"name": name, "labels": own},
        "spec": {"unschedulable": pool.get("unschedulable", False), "taints": pool.get("taints", [])},
        "status": {"allocatable": pool["allocatable"], "images": pool.get("images", [])},
    }
    return deepcopy(node)


@st.composite
def workloads_like(draw: st.DrawFn, features: frozenset[Feature]) -> Manifest:
    """Draw what the pods of one workload have in common: a pod without name and node."""
    spec = draw(parts.pod_resources(rich=Feature.RESOURCES in features))
    if Feature.PORTS in features:
        spec["containers"][0] |= draw(parts.host_ports())
        spec["hostNetwork"] = draw(st.sampled_from([False, False, False, True]))
    if Feature.IMAGES in features:
        for container in spec["containers"]:
            container["image"] = draw(parts.images())
    if Feature.TAINTS in features:
        spec["tolerations"] = draw(parts.tolerations())
    affinity: Manifest = {}
    if Feature.NODE_AFFINITY in features:
        spec["nodeSelector"] = draw(parts.node_selectors())
        affinity |= draw(parts.node_affinity())
    if Feature.POD_AFFINITY in features:
        affinity |= draw(parts.pod_affinity())
    if affinity:
        spec["affinity"] = affinity
    if Feature.SPREAD in features:
        spec["topologySpreadConstraints"] = draw(parts.spread_constraints())
    if Feature.PRIORITIES in features:
        spec["priority"] = draw(st.sampled_from([0, 0, 10, -5]))
    metadata: Manifest = {"namespace": draw(parts.namespaces()), "labels": draw(parts.pod_labels())}
    if Feature.OWNERS in features:
        metadata["ownerReferences"] = draw(parts.owners())
    return {"kind": "Pod", "metadata": metadata, "spec": spec, "status": {}}


@st.composite
def _running(
    draw: st.DrawFn, workloads: Sequence[Manifest], nodes: Sequence[str], features: frozenset[Feature]
) -> Manifest:
    pod = deepcopy(draw(st.sampled_from(workloads)))
    pod["spec"]["nodeName"] = draw(st.sampled_from(nodes))
    if Feature.TERMINATING in features and draw(_RARELY):
        pod["metadata"]["deletionTimestamp"] = TIMES[0]
    if Feature.ODD_PODS in features:
        pod["status"]["phase"] = draw(st.sampled_from(["Running"] * 6 + ["Succeeded", "Failed", "Pending"]))
    return pod


@st.composite
def _waiting(
    draw: st.DrawFn, workloads: Sequence[Manifest], nodes: Sequence[str], features: frozenset[Feature]
) -> Manifest:
    pod = deepcopy(draw(st.sampled_from(workloads)))
    if Feature.GATES in features and draw(_RARELY):
        pod["spec"]["schedulingGates"] = [{"name": "example.com/hold"}]
    if Feature.PRIORITIES in features and draw(st.booleans()):
        pod["metadata"]["creationTimestamp"] = draw(st.sampled_from(TIMES))
    if Feature.TERMINATING in features and draw(_RARELY):
        pod["metadata"]["deletionTimestamp"] = TIMES[0]
    if Feature.ODD_PODS in features and draw(_RARELY):
        pod["spec"]["schedulerName"] = "another-scheduler"
    if Feature.NOMINATED in features and draw(_RARELY):
        pod["status"]["nominatedNodeName"] = draw(st.sampled_from(nodes))
    return pod


_RARELY = st.sampled_from([False] * 7 + [True])


def _named_pods(pods: Sequence[Manifest]) -> list[Manifest]:
    return [pod | {"metadata": {"name": f"p{number}"} | pod["metadata"]} for number, pod in enumerate(pods)]


@st.composite
def _others(draw: st.DrawFn, features: frozenset[Feature]) -> list[Manifest]:
    found = [
        {"kind": "Namespace", "metadata": {"name": name, "labels": labels}}
        for name, labels in draw(parts.namespace_labels()).items()
    ]
    if Feature.OWNERS in features:
        found += draw(parts.services()) + draw(parts.controllers())
    return found
