"""kube-scheduler's default profile in plain Python: a list of objects in, the record of every decision out.

The record is that of the golden cases without preemption: ``postFilter`` is left out, and what it adds to ``fitError``.
Objects are plain dicts as they stand in a manifest, and everything is worked out anew for every pod and node.
"""

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from tests.naive import (
    admission,
    host_ports,
    image_locality,
    interpodaffinity,
    node_order,
    node_selectors,
    noderesources,
    requests,
    sampling,
    taints,
    topology_spread,
)

UNRESOLVABLE, UNSCHEDULABLE = "UnschedulableAndUnresolvable", "Unschedulable"
WEIGHTS = {
    "TaintToleration": 3,
    "NodeAffinity": 2,
    "NodeResourcesFit": 1,
    "PodTopologySpread": 2,
    "InterPodAffinity": 2,
    "NodeResourcesBalancedAllocation": 1,
    "ImageLocality": 1,
}
WITHOUT_VOLUMES = ["DynamicResources", "NodeVolumeLimits", "VolumeBinding", "VolumeRestrictions", "VolumeZone"]
SPREAD = "node(s) didn't match pod topology spread constraints"
SPREAD_WORDS = {"skew": (UNSCHEDULABLE, SPREAD), "label": (UNRESOLVABLE, f"{SPREAD} (missing required label)")}
AFFINITY_WORDS = {
    "affinity": (UNRESOLVABLE, "node(s) didn't match pod affinity rules"),
    "anti-affinity": (UNSCHEDULABLE, "node(s) didn't match pod anti-affinity rules"),
    "existing anti-affinity": (UNSCHEDULABLE, "node(s) didn't satisfy existing pods anti-affinity rules"),
}
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"

Ln = Callable[[float], float]


@dataclass
class World:
    """A cluster as the scheduler meets it; ``running`` grows as pods are placed."""

    nodes: list[dict]
    names: list[str]
    running: list[dict]
    others: list[dict]
    namespaces: dict[str, dict[str, str]]
    percentage: int
    ln: Ln
    start: int = 0

    def node(self, name: str) -> dict:
        return next(node for node in self.nodes if node["metadata"]["name"] == name)

    def on(self, name: str) -> list[dict]:
        return [pod for pod in self.running if pod["spec"]["nodeName"] == name]


def schedule(objects: list[dict], percentage: int = 0, ln: Ln = math.log) -> dict:
    """Try every waiting pod once, in queue order; of equally good nodes the first is taken.

    ``ln`` is the logarithm: Go's differs from the C library's in the last bit.
    """
    classes = {item["metadata"]["name"]: item for item in objects if item["kind"] == "PriorityClass"}
    pods = [admission.admitted(item, classes) for item in objects if item["kind"] == "Pod"]
    world = world_of(objects, pods, percentage, ln)
    waiting = [pod for pod in pods if not pod["spec"].get("nodeName") and not is_over(pod)]
    waiting = [pod for pod in waiting if not pod["metadata"].get("deletionTimestamp")]
    untried, queue = [], []
    for pod in waiting:
        if (pod["spec"].get("schedulerName") or "default-scheduler") != "default-scheduler":
            untried.append({"pod": key_of(pod), "attempt": 0, "state": "skipped"})
        elif pod["spec"].get("schedulingGates"):
            untried.append({"pod": key_of(pod), "attempt": 0, "state": "gated"})
        else:
            queue.append(pod)
    queue.sort(key=lambda pod: (-pod["spec"]["priority"], pod["metadata"].get("creationTimestamp") or "~"))
    return {
        "nodeOrder": world.names,
        "queueOrder": [key_of(pod) for pod in queue],
        "pods": untried + [attempt(pod, world) for pod in queue],
    }


def world_of(objects: list[dict], pods: list[dict], percentage: int, ln: Ln) -> World:
    nodes = [item for item in objects if item["kind"] == "Node"]
    for node in nodes:
        node.setdefault("spec", {})
        node["metadata"].setdefault("labels", {})
        node["status"].setdefault("images", [])
    names = node_order.listed([(node["metadata"]["name"], node["metadata"]["labels"]) for node in nodes])
    namespaces = {pod["metadata"]["namespace"]: {} for pod in pods}
    for item in objects:
        if item["kind"] == "Namespace":
            namespaces[item["metadata"]["name"]] = item["metadata"].get("labels") or {}
    namespaces = {name: {"kubernetes.io/metadata.name": name} | labels for name, labels in namespaces.items()}
    others = [item for item in objects if item["kind"] not in ("Node", "Pod", "Namespace")]
    for item in others:
        item["metadata"].setdefault("namespace", "default")
    running = [pod for pod in pods if pod["spec"].get("nodeName") in names and not is_over(pod)]
    return World(nodes, names, running, others, namespaces, percentage, ln)


def attempt(pod: dict, world: World) -> dict:
    """Record of one attempt; a pod that finds a node is among the running ones afterwards."""
    named, record = narrowed(pod), {"pod": key_of(pod), "attempt": 0, "state": "unschedulable"}
    n_nodes = len(world.names)
    sample = {"numNodesToFind": sampling.wanted(n_nodes, world.percentage), "startNodeIndex": world.start}
    if named is not None:
        conflict = {"code": UNRESOLVABLE, "reasons": ["pod affinity terms conflict"]}
        record["prefilter"] = {"NodeAffinity": {"nodes": sorted(named)} if named else conflict}
    if named == set():
        word = ["NodeAffinity", UNRESOLVABLE, ["pod affinity terms conflict"]]
        record["rejected"] = dict.fromkeys(world.names, word)
        record["sample"] = sample | {"feasible": [], "evaluated": 0, "nextStartNodeIndex": world.start}
        record["fitError"] = message(n_nodes, Counter(), "pod affinity terms conflict")
        return record
    listed = world.names if named is None else [name for name in world.names if name in named]
    filters = filters_of(pod, world)
    record["skippedFilter"] = sorted([*WITHOUT_VOLUMES, *(name for name, judge in filters.items() if judge is None)])
    rejected = {}
    for name in world.names:
        if name not in listed:
            rejected[name] = ["", UNRESOLVABLE, ["node(s) didn't satisfy plugin(s) [NodeAffinity]"]]
        elif word := first_objection(filters, name):
            rejected[name] = word
    record["rejected"] = rejected
    passing = set(listed) - set(rejected)
    start = world.start % len(listed) if listed else 0
    found, evaluated = sampling.search(listed, passing, start, sampling.wanted(len(listed), world.percentage))
    world.start = (world.start + evaluated) % n_nodes if n_nodes else 0
    record["sample"] = sample | {"feasible": found, "evaluated": evaluated, "nextStartNodeIndex": world.start}
    if not found:
        counts = Counter(reason for _, _, reasons in rejected.values() for reason in reasons)
        record["fitError"] = message(n_nodes, counts, "")
        return record
    record |= scored(pod, world, found)
    world.running.append(pod)
    pod["spec"]["nodeName"] = record["chosen"]
    return record | {"state": "scheduled"}


def first_objection(filters: dict, name: str) -> list | None:
    for plugin, judge in filters.items():
        reasons, code = judge(name) if judge is not None else ([], "")
        if reasons:
            return [plugin, code, reasons]
    return None


def filters_of(pod: dict, world: World) -> dict[str, Callable[[str], tuple[list[str], str]] | None]:
    """By plugin, in their order: reasons against a node and the code; None for a plugin that is skipped."""
    spec, tolerations = pod["spec"], pod["spec"].get("tolerations") or []
    request = requests.plain(pod)
    affinity = (spec.get("affinity") or {}).get("nodeAffinity") or {}

    def cordon(name: str) -> tuple[list[str], str]:
        closed = world.node(name)["spec"].get("unschedulable") and not taints.opens_cordon(tolerations)
        return (["node(s) were unschedulable"] if closed else []), UNRESOLVABLE

    def taint(name: str) -> tuple[list[str], str]:
        found = taints.forbidding(world.node(name)["spec"].get("taints") or [], tolerations)
        text = f"node(s) had untolerated taint {{{found['key']}: {found.get('value') or ''}}}" if found else ""
        return ([text] if found else []), UNRESOLVABLE

    def selector(name: str) -> tuple[list[str], str]:
        fits = node_selectors.required_affinity(spec, name, world.node(name)["metadata"]["labels"])
        return ([] if fits else ["node(s) didn't match Pod's node affinity/selector"]), UNRESOLVABLE

    def ports(name: str) -> tuple[list[str], str]:
        taken = host_ports.blocked(spec, [other["spec"] for other in world.on(name)])
        return (["node(s) didn't have free ports for the requested pod ports"] if taken else []), UNSCHEDULABLE

    def fit(name: str) -> tuple[list[str], str]:
        there = world.on(name)
        used = summed([requests.plain(other) for other in there])
        return noderesources.lacking(request, allocatable(world.node(name)), used, len(there))

    asks_for_nodes = bool(spec.get("nodeSelector")) or affinity.get(REQUIRED) is not None
    spread = topology_spread.filtered(pod, cluster_for_spread(world))
    near = pods_and_labels(world)
    labels = [world.node(name)["metadata"]["labels"] for name in world.names]
    rules = interpodaffinity.filtered(pod, near, labels, world.namespaces)
    broken = dict(zip(world.names, rules, strict=True)) if rules is not None else {}

    def said(words: dict, failures: dict) -> Callable[[str], tuple[list[str], str]]:
        def judge(name: str) -> tuple[list[str], str]:
            code, reason = words.get(failures[name], ("", ""))
            return ([reason] if reason else []), code

        return judge

    return {
        "NodeUnschedulable": cordon,
        "TaintToleration": taint,
        "NodeAffinity": selector if asks_for_nodes else None,
        "NodePorts": ports if host_ports.host_ports(spec) else None,
        "NodeResourcesFit": fit,
        "PodTopologySpread": None if spread is None else said(SPREAD_WORDS, spread),
        "InterPodAffinity": None if rules is None else said(AFFINITY_WORDS, broken),
    }


def scored(pod: dict, world: World, found: list[str]) -> dict:
    """The part of the record about scores and the choice."""
    raw_and_final = {plugin: pair for plugin, pair in scores_of(pod, world, found).items() if pair is not None}
    scores = {
        plugin: {name: [before, after * WEIGHTS[plugin]] for name, before, after in zip(found, raw, final, strict=True)}
        for plugin, (raw, final) in raw_and_final.items()
    }
    total = {name: sum(pair[name][1] for pair in scores.values()) for name in found}
    best = [name for name in found if total[name] == max(total.values())]
    record = {"scores": scores, "total": total, "best": best, "chosen": best[0]}
    record["skippedScore"] = sorted(["VolumeBinding", *(WEIGHTS.keys() - scores.keys())])
    return record | ({"skippedByOne": True} if len(found) == 1 else {})


def scores_of(pod: dict, world: World, found: list[str]) -> dict[str, tuple[list[int], list[int]] | None]:
    """Raw and normalised scores by plugin; None where it is skipped."""
    spec, tolerations = pod["spec"], pod["spec"].get("tolerations") or []
    nodes = [world.node(name) for name in found]
    labels = [node["metadata"]["labels"] for node in nodes]
    disliked = [taints.disliked(node["spec"].get("taints") or [], tolerations) for node in nodes]
    liked = ((spec.get("affinity") or {}).get("nodeAffinity") or {}).get(PREFERRED)
    weights = [node_selectors.preferred_weight(liked or [], name, own) for name, own in zip(found, labels, strict=True)]
    spread = topology_spread.scored(pod, cluster_for_spread(world), nodes, world.ln)
    near = interpodaffinity.scored(pod, pods_and_labels(world), labels, world.namespaces, 1, False)
    room = [free_shares(pod, world, node) for node in nodes]
    images = [image_locality.score(spec, node, world.nodes) for node in nodes]
    asked = requests.plain(pod)
    balanced = [noderesources.balanced(plain_uses(pod, world, node)) for node in nodes]
    return {
        "TaintToleration": (disliked, taints.normalized(disliked)),
        "NodeAffinity": (weights, shares(weights)) if liked else None,
        "NodeResourcesFit": (room, room),
        "PodTopologySpread": None if spread is None else halves([spread[name] for name in found]),
        "InterPodAffinity": None if near is None else (near, interpodaffinity.normalized(near)),
        "NodeResourcesBalancedAllocation": (balanced, balanced) if asked.get("cpu") or asked.get("memory") else None,
        "ImageLocality": (images, images),
    }


def halves(pairs: list[list[int]]) -> tuple[list[int], list[int]]:
    return [raw for raw, _ in pairs], [final for _, final in pairs]


def shares(weights: list[int]) -> list[int]:
    return [100 * weight // max(weights) if max(weights) else 0 for weight in weights]


def free_shares(pod: dict, world: World, node: dict) -> int:
    there = summed([requests.non_zero(other) for other in world.on(node["metadata"]["name"])])
    own, offered = requests.scored(pod), allocatable(node)
    uses = [(there.get(name, 0) + own.get(name, 0), offered.get(name, 0), 1) for name in ("cpu", "memory")]
    return noderesources.least_allocated(uses)


def plain_uses(pod: dict, world: World, node: dict) -> list[noderesources.Use]:
    there = summed([requests.plain(other) for other in world.on(node["metadata"]["name"])])
    own, offered = requests.plain(pod), allocatable(node)
    return [(there.get(name, 0) + own.get(name, 0), offered.get(name, 0), 1) for name in ("cpu", "memory")]


def narrowed(pod: dict) -> set[str] | None:
    """The only nodes that the required node affinity names, if every term names some."""
    affinity = (pod["spec"].get("affinity") or {}).get("nodeAffinity") or {}
    terms = (affinity.get(REQUIRED) or {}).get("nodeSelectorTerms") or []
    found: set[str] = set()
    for term in terms:
        fields = term.get("matchFields") or []
        lists = [set(item["values"]) for item in fields if item["key"] == "metadata.name" and item["operator"] == "In"]
        if not lists:
            return None
        found |= set.intersection(*lists)
    return found if terms else None


def message(n_nodes: int, counts: Counter[str], rejection: str) -> str:
    if n_nodes == 0:
        return "no nodes available to schedule pods"
    parts = [rejection] if rejection else sorted(f"{number} {reason}" for reason, number in counts.items())
    return f"0/{n_nodes} nodes are available: {', '.join(parts)}."


def cluster_for_spread(world: World) -> dict:
    return {"nodes": world.nodes, "running": world.running, "others": world.others, "defaults": None}


def pods_and_labels(world: World) -> list[tuple[dict, dict[str, str]]]:
    return [(pod, world.node(pod["spec"]["nodeName"])["metadata"]["labels"]) for pod in world.running]


def allocatable(node: dict) -> dict[str, int]:
    given = node["status"].get("allocatable") or node["status"].get("capacity") or {}
    return {name: requests.units(name, requests.quantity(amount)) for name, amount in given.items()}


def summed(parts: list[dict[str, int]]) -> dict[str, int]:
    return {name: sum(part.get(name, 0) for part in parts) for name in {name for part in parts for name in part}}


def is_over(pod: dict) -> bool:
    return pod["status"].get("phase") in ("Succeeded", "Failed")


def key_of(pod: dict) -> str:
    return f"{pod['metadata']['namespace']}/{pod['metadata']['name']}"
