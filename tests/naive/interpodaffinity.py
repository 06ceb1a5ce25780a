"""Pod affinity pod by pod and term by term, on plain dicts as they stand in a manifest.

Pods are manifests, running ones come as pairs of pod and labels of their node; ``namespaces`` holds the labels of each
namespace.
"""

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
NEAR, FAR = "podAffinity", "podAntiAffinity"


def terms_of(pod: dict, side: str, kind: str) -> list[dict]:
    affinity = pod["spec"].get("affinity") or {}
    return (affinity.get(side) or {}).get(kind) or []


def labels_of(pod: dict) -> dict:
    return pod["metadata"].get("labels") or {}


def namespace_of(pod: dict) -> str:
    return pod["metadata"].get("namespace") or "default"


def selects(selector: dict | None, labels: dict) -> bool:
    if selector is None:
        return False
    for key, value in (selector.get("matchLabels") or {}).items():
        if labels.get(key) != value:
            return False
    for item in selector.get("matchExpressions") or []:
        key, operator, values = item["key"], item["operator"], item.get("values") or []
        met = {
            "In": key in labels and labels[key] in values,
            "NotIn": key not in labels or labels[key] not in values,
            "Exists": key in labels,
            "DoesNotExist": key not in labels,
        }
        if not met[operator]:
            return False
    return True


def listed_namespaces(term: dict, owner: dict) -> list[str]:
    if not term.get("namespaces") and term.get("namespaceSelector") is None:
        return [namespace_of(owner)]
    return term.get("namespaces") or []


def own_term_means(term: dict, pod: dict, other: dict, namespaces: dict) -> bool:
    """A term of the incoming pod against another pod: the selector is also asked about a namespace without labels."""
    selector = term.get("namespaceSelector")
    names = listed_namespaces(term, pod) + [name for name in namespaces if selects(selector, namespaces[name])]
    if namespace_of(other) not in names and not selects(selector, {}):
        return False
    return selects(term.get("labelSelector"), labels_of(other))


def carried_term_means(term: dict, carrier: dict, pod: dict, namespaces: dict) -> bool:
    """A term of a running pod against the incoming one."""
    inside = namespace_of(pod) in listed_namespaces(term, carrier)
    if not inside and not selects(term.get("namespaceSelector"), namespaces[namespace_of(pod)]):
        return False
    return selects(term.get("labelSelector"), labels_of(pod))


def count(pairs: dict, node: dict, key: str, number: int) -> None:
    if key in node:
        pairs[key, node[key]] = pairs.get((key, node[key]), 0) + number


def filtered(pod: dict, running: list, nodes: list[dict], namespaces: dict) -> list[str] | None:
    """Which rule each node breaks ("" for none); None where the filter is skipped."""
    near, far = terms_of(pod, NEAR, REQUIRED), terms_of(pod, FAR, REQUIRED)
    wanted, unwanted, existing = {}, {}, {}
    for other, node in running:
        if near and all(own_term_means(term, pod, other, namespaces) for term in near):
            for term in near:
                count(wanted, node, term["topologyKey"], 1)
        for term in far:
            if own_term_means(term, pod, other, namespaces):
                count(unwanted, node, term["topologyKey"], 1)
        for term in terms_of(other, FAR, REQUIRED):
            if carried_term_means(term, other, pod, namespaces):
                count(existing, node, term["topologyKey"], 1)
    if not near and not far and not existing:
        return None
    first = not wanted and all(own_term_means(term, pod, pod, namespaces) for term in near)
    return [broken_rule(near, far, node, (wanted, unwanted, existing), first) for node in nodes]


def broken_rule(near: list[dict], far: list[dict], node: dict, counts: tuple, first: bool) -> str:
    wanted, unwanted, existing = counts
    for term in near:
        if term["topologyKey"] not in node:
            return "affinity"
    if any((term["topologyKey"], node[term["topologyKey"]]) not in wanted for term in near) and not first:
        return "affinity"
    for term in far:
        key = term["topologyKey"]
        if key in node and (key, node[key]) in unwanted:
            return "anti-affinity"
    if any(pair in existing for pair in node.items()):
        return "existing anti-affinity"
    return ""


def scored(pod: dict, running: list, nodes: list[dict], namespaces: dict, hard: int, ignore: bool) -> list[int] | None:
    """Raw score of each node; None where the score is skipped."""
    near, far = terms_of(pod, NEAR, PREFERRED), terms_of(pod, FAR, PREFERRED)
    if ignore and not near and not far:
        return None
    pairs: dict = {}
    for other, node in running:
        for terms, sign in ((near, 1), (far, -1)):
            for item in terms:
                if own_term_means(item["podAffinityTerm"], pod, other, namespaces):
                    count(pairs, node, item["podAffinityTerm"]["topologyKey"], sign * item["weight"])
        for term in terms_of(other, NEAR, REQUIRED) if hard else []:
            if carried_term_means(term, other, pod, namespaces):
                count(pairs, node, term["topologyKey"], hard)
        for side, sign in ((NEAR, 1), (FAR, -1)):
            for item in terms_of(other, side, PREFERRED):
                if carried_term_means(item["podAffinityTerm"], other, pod, namespaces):
                    count(pairs, node, item["podAffinityTerm"]["topologyKey"], sign * item["weight"])
    if not pairs:
        return None
    return [sum(pairs.get(pair, 0) for pair in node.items()) for node in nodes]


def normalized(scores: list[int]) -> list[int]:
    low, high = min(scores), max(scores)
    return [int(100.0 * ((score - low) / (high - low))) if high > low else 0 for score in scores]
