"""Scores of plugins that are no more, pod by pod and node by node, from the rules."""

HOSTNAME = "kubernetes.io/hostname"
REGIONS = ("failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region")
ZONES = ("failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone")


def zone_of(node: dict) -> tuple[str, str] | None:
    labels = node["labels"]
    region = next((labels[key] for key in REGIONS if key in labels), "")
    zone = next((labels[key] for key in ZONES if key in labels), "")
    return (region, zone) if region or zone else None


def counting(nodes: list[dict], selector: dict[str, str]) -> list[int]:
    """Pods on each node, all of one namespace, that a selector which is not empty selects and that are not going."""
    return [
        sum(not pod["going"] and bool(selector) and selector.items() <= pod["labels"].items() for pod in node["pods"])
        for node in nodes
    ]


def spread(nodes: list[dict], selector: dict[str, str]) -> list[int]:
    """SelectorSpread's normalised scores."""
    counts = counting(nodes, selector)
    zones: dict[tuple[str, str], int] = {}
    for node, count in zip(nodes, counts, strict=True):
        zone = zone_of(node)
        if zone is not None:
            zones[zone] = zones.get(zone, 0) + count
    most, most_of_zone = max(counts), max(zones.values(), default=0)
    scores = []
    for node, count in zip(nodes, counts, strict=True):
        score = 100.0 * (float(most - count) / float(most)) if most > 0 else 100.0
        zone = zone_of(node)
        if zone is not None:
            by_zone = 100.0
            if most_of_zone > 0:
                by_zone = 100.0 * (float(most_of_zone - zones[zone]) / float(most_of_zone))
            score = score * (1.0 - 2.0 / 3.0) + 2.0 / 3.0 * by_zone
        scores.append(int(score))
    return scores


def apart(nodes: list[dict], selector: dict[str, str], keys: list[str]) -> list[int]:
    """ServiceAffinity's normalised scores."""
    counts = counting(nodes, selector)
    total = sum(counts)
    sums = [0.0] * len(nodes)
    for key in keys:
        by_value: dict[str, int] = {}
        for node, count in zip(nodes, counts, strict=True):
            if key in node["labels"]:
                value = node["labels"][key]
                by_value[value] = by_value.get(value, 0) + count
        for number, node in enumerate(nodes):
            if key in node["labels"]:
                score = 100.0
                if total > 0:
                    score = 100.0 * (float(total - by_value[node["labels"][key]]) / float(total))
                sums[number] += score / float(len(keys))
    return [int(score) for score in sums]


def affine(nodes: list[dict], pod: dict[str, dict[str, str]], keys: list[str], *, is_served: bool) -> list[bool]:
    """ServiceAffinity's word on each node."""
    wanted = {key: pod["node_selector"][key] for key in keys if key in pod["node_selector"]}
    if len(wanted) < len(set(keys)) and is_served:
        for node in nodes:
            if any(pod["labels"].items() <= other["labels"].items() for other in node["pods"]):
                wanted = {key: node["labels"][key] for key in keys if key in node["labels"]} | wanted
                break
    return [wanted.items() <= node["labels"].items() for node in nodes]
