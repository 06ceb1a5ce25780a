"""Topology spread pod by pod and node by node, on plain dicts as they stand in a manifest.

A cluster is a dict of its ``nodes``, the ``running`` pods, ``others`` (services and controllers) and ``defaults``, the
constraints of pods without their own: None for those of the system.
"""

from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal

from tests.naive.node_selectors import label_matches, required_affinity
from tests.naive.taints import forbidding

HOSTNAME = "kubernetes.io/hostname"
SYSTEM = [
    {"maxSkew": 3, "topologyKey": HOSTNAME, "whenUnsatisfiable": "ScheduleAnyway"},
    {"maxSkew": 5, "topologyKey": "topology.kubernetes.io/zone", "whenUnsatisfiable": "ScheduleAnyway"},
]


def filtered(pod: dict, cluster: dict) -> dict[str, str] | None:
    """What each node fails by: "", "skew" or "label"; None if there is nothing to look at."""
    listed = constraints_of(pod, cluster, "DoNotSchedule")
    if not listed:
        return None
    counts = []
    for constraint in listed:
        domains: dict[str, int] = {}
        for node in cluster["nodes"]:
            labels = labels_of(node)
            if has_all_keys(node, listed) and is_included(constraint, pod, node):
                value = labels[constraint["topologyKey"]]
                domains[value] = domains.get(value, 0) + matching_pods(constraint, pod, node, cluster)
        counts.append(domains)
    return {name_of(node): first_failure(pod, node, listed, counts) for node in cluster["nodes"]}


def first_failure(pod: dict, node: dict, listed: list[dict], counts: list[dict[str, int]]) -> str:
    for constraint, domains in zip(listed, counts, strict=True):
        value = labels_of(node).get(constraint["topologyKey"])
        if value is None:
            return "label"
        lowest = min(domains.values()) if domains and len(domains) >= constraint.get("minDomains", 1) else 0
        own = 1 if selects(constraint["labelSelector"], labels_of(pod)) else 0
        if domains.get(value, 0) + own - lowest > constraint["maxSkew"]:
            return "skew"
    return ""


def scored(pod: dict, cluster: dict, sample: list[dict], ln: Callable[[float], float]) -> dict[str, list[int]] | None:
    """Raw and normalised score of each node of the sample; None if there is nothing to look at."""
    listed = constraints_of(pod, cluster, "ScheduleAnyway")
    if not listed:
        return None
    strict = bool(pod["spec"].get("topologySpreadConstraints")) or cluster["defaults"] is not None
    candidates = [node for node in sample if not strict or has_all_keys(node, listed)]
    weights = []
    for constraint in listed:
        values = {labels_of(node).get(constraint["topologyKey"], "") for node in candidates}
        size = len(candidates) if constraint["topologyKey"] == HOSTNAME else len(values)
        weights.append(ln(float(size + 2)))
    raw = {}
    for node in candidates:
        score = 0.0
        for constraint, weight in zip(listed, weights, strict=True):
            if constraint["topologyKey"] in labels_of(node):
                count = soft_count(constraint, listed, pod, node, cluster, strict)
                score += count * weight + (constraint["maxSkew"] - 1)
        raw[name_of(node)] = int(Decimal(score).to_integral_value(ROUND_HALF_UP))
    best, worst = min(raw.values(), default=0), max(raw.values(), default=0)
    final = {name: 100 * (worst + best - score) // worst if worst else 100 for name, score in raw.items()}
    return {name_of(node): [raw.get(name_of(node), 0), final.get(name_of(node), 0)] for node in sample}


def soft_count(constraint: dict, listed: list[dict], pod: dict, node: dict, cluster: dict, strict: bool) -> int:
    """Matching pods in the domain of a candidate."""
    key = constraint["topologyKey"]
    if key == HOSTNAME:
        return matching_pods(constraint, pod, node, cluster)
    return sum(
        matching_pods(constraint, pod, other, cluster)
        for other in cluster["nodes"]
        if labels_of(other).get(key, "") == labels_of(node)[key]
        and (not strict or has_all_keys(other, listed))
        and is_included(constraint, pod, other)
    )


def constraints_of(pod: dict, cluster: dict, action: str) -> list[dict]:
    own = pod["spec"].get("topologySpreadConstraints")
    if own:
        return [{"labelSelector": None, **item} for item in own if item["whenUnsatisfiable"] == action]
    selector = default_selector(pod, cluster["others"])
    if is_empty(selector):
        return []
    listed = SYSTEM if cluster["defaults"] is None else cluster["defaults"]
    return [{**item, "labelSelector": selector} for item in listed if item["whenUnsatisfiable"] == action]


def default_selector(pod: dict, others: list[dict]) -> dict:
    near = [item for item in others if item["metadata"]["namespace"] == pod["metadata"]["namespace"]]
    labels, expressions = {}, []
    for item in near:
        wanted = item["spec"].get("selector")
        if item["kind"] == "Service" and wanted is not None and wanted.items() <= labels_of(pod).items():
            labels.update(wanted)
    for owner in pod["metadata"].get("ownerReferences", []):
        for item in near:
            same = (owner["kind"], owner["name"]) == (item["kind"], item["metadata"]["name"])
            if not owner.get("controller") or not same:
                continue
            if item["kind"] == "ReplicationController" and owner["apiVersion"] == "v1":
                labels.update(item["spec"].get("selector") or {})
            if item["kind"] in ("ReplicaSet", "StatefulSet") and owner["apiVersion"] == "apps/v1":
                expressions += requirements(item["spec"]["selector"])
    return {"matchLabels": labels, "matchExpressions": expressions}


def matching_pods(constraint: dict, pod: dict, node: dict, cluster: dict) -> int:
    selector = constraint["labelSelector"]
    if is_empty(selector):
        return 0
    return sum(
        other["spec"]["nodeName"] == name_of(node)
        and other["metadata"]["namespace"] == pod["metadata"]["namespace"]
        and "deletionTimestamp" not in other["metadata"]
        and selects(selector, labels_of(other))
        for other in cluster["running"]
    )


def is_included(constraint: dict, pod: dict, node: dict) -> bool:
    if constraint.get("nodeAffinityPolicy", "Honor") == "Honor" and not required_affinity(
        pod["spec"], name_of(node), labels_of(node)
    ):
        return False
    if constraint.get("nodeTaintsPolicy", "Ignore") == "Ignore":
        return True
    taints = node.get("spec", {}).get("taints") or []
    return forbidding(taints, pod["spec"].get("tolerations") or []) is None


def has_all_keys(node: dict, listed: list[dict]) -> bool:
    return all(item["topologyKey"] in labels_of(node) for item in listed)


def requirements(selector: dict | None) -> list[dict]:
    listed = [
        {"key": key, "operator": "In", "values": [value]}
        for key, value in ((selector or {}).get("matchLabels") or {}).items()
    ]
    return listed + ((selector or {}).get("matchExpressions") or [])


def selects(selector: dict | None, labels: dict[str, str]) -> bool:
    return selector is not None and all(label_matches(item, labels) for item in requirements(selector))


def is_empty(selector: dict | None) -> bool:
    return selector is not None and not requirements(selector)


def labels_of(item: dict) -> dict[str, str]:
    return item["metadata"].get("labels", {})


def name_of(item: dict) -> str:
    return item["metadata"]["name"]
