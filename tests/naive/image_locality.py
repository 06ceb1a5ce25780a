"""Image locality node by node, on plain dicts as they stand in a manifest."""

MIB = 1024 * 1024


def score(spec: dict, node: dict, nodes: list[dict]) -> int:
    """Score of one of the nodes, which are given in order of addition."""
    containers = spec.get("initContainers", []) + spec["containers"]
    held = 0
    for container in containers:
        name = full_name(container["image"])
        if name in names(node):
            spread = float(sum(name in names(other) for other in nodes)) / float(len(nodes))
            held += int(float(first_size(name, nodes)) * spread)
    most = 1000 * MIB * len(containers)
    if held < 23 * MIB:
        held = 23 * MIB
    elif held > most:
        held = most
    return 100 * (held - 23 * MIB) // (most - 23 * MIB)


def full_name(image: str) -> str:
    last = image.rsplit("/", maxsplit=1)[-1]
    return image if ":" in last else image + ":latest"


def names(node: dict) -> list[str]:
    return [name for image in node["status"]["images"] for name in image["names"]]


def first_size(name: str, nodes: list[dict]) -> int:
    for node in nodes:
        for image in node["status"]["images"]:
            if name in image["names"]:
                return image["sizeBytes"]
    raise KeyError(name)
