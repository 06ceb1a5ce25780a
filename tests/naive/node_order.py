"""The order in which the snapshot lists nodes: zones take turns."""


def zone_of(labels: dict[str, str]) -> tuple[str, str]:
    parts = []
    for kind in ("region", "zone"):
        old, new = f"failure-domain.beta.kubernetes.io/{kind}", f"topology.kubernetes.io/{kind}"
        parts.append(labels[old] if old in labels else labels.get(new, ""))
    return parts[0], parts[1]


def listed(nodes: list[tuple[str, dict[str, str]]]) -> list[str]:
    """Names of nodes, given with their labels in order of addition."""
    zones: dict[tuple[str, str], list[str]] = {}
    for name, labels in nodes:
        zones.setdefault(zone_of(labels), []).append(name)
    order = []
    while any(zones.values()):
        for waiting in zones.values():
            if waiting:
                order.append(waiting.pop(0))
    return order
