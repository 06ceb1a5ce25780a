"""What the API server fills in, on plain dicts as they stand in a manifest."""

from copy import deepcopy

SYSTEM = {"system-cluster-critical": 2_000_000_000, "system-node-critical": 2_000_001_000}


def admitted(pod: dict, classes: dict[str, dict]) -> dict:
    """A pod with its defaults; ``classes`` are the priority classes by name."""
    pod = deepcopy(pod)
    spec, labels = pod["spec"], pod["metadata"].setdefault("labels", {})
    pod["metadata"].setdefault("namespace", "default")
    pod.setdefault("status", {})
    for container in spec["containers"] + (spec.get("initContainers") or []):
        for port in container.get("ports") or []:
            if spec.get("hostNetwork") and not port.get("hostPort"):
                port["hostPort"] = port["containerPort"]
    for constraint in spec.get("topologySpreadConstraints") or []:
        merge(constraint, "matchLabelKeys", "In", labels)
    for term in affinity_terms(spec.get("affinity") or {}):
        merge(term, "matchLabelKeys", "In", labels)
        merge(term, "mismatchLabelKeys", "NotIn", labels)
    if spec.get("priority") is None:
        spec["priority"] = priority_of(spec, classes)
    return pod


def affinity_terms(affinity: dict) -> list[dict]:
    found = []
    for side in ("podAffinity", "podAntiAffinity"):
        given = affinity.get(side) or {}
        found += given.get("requiredDuringSchedulingIgnoredDuringExecution") or []
        preferred = given.get("preferredDuringSchedulingIgnoredDuringExecution") or []
        found += [item["podAffinityTerm"] for item in preferred]
    return found


def merge(holder: dict, field: str, operator: str, labels: dict[str, str]) -> None:
    """Add the pod's own values of some keys to a selector, unless it has none or is told so already."""
    selector = holder.get("labelSelector")
    if selector is None:
        return
    expressions = list(selector.get("matchExpressions") or [])
    for key in holder.get(field) or []:
        own = {"key": key, "operator": operator, "values": [labels.get(key)]}
        if key in labels and own not in expressions:
            expressions.append(own)
    holder["labelSelector"] = selector | ({"matchExpressions": expressions} if expressions else {})


def priority_of(spec: dict, classes: dict[str, dict]) -> int:
    name = spec.get("priorityClassName")
    if name:
        return classes[name]["value"] if name in classes else SYSTEM.get(name, 0)
    return min((item["value"] for item in classes.values() if item.get("globalDefault")), default=0)
