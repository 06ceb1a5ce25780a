"""Host ports pod by pod, on plain dicts as they stand in a manifest."""


def blocked(wanted: dict, running: list[dict]) -> bool:
    """Whether a pod wants a host port that one of the running pods holds; all are pod specs."""
    return any(clash(one, two) for other in running for one in host_ports(wanted) for two in host_ports(other))


def host_ports(spec: dict) -> list[dict]:
    lasting = [item for item in spec.get("initContainers", []) if item.get("restartPolicy") == "Always"]
    listed = [port for item in lasting + spec["containers"] for port in item.get("ports", [])]
    return [port for port in listed if port.get("hostPort", 0) > 0]


def clash(one: dict, two: dict) -> bool:
    if one["hostPort"] != two["hostPort"] or (one.get("protocol") or "TCP") != (two.get("protocol") or "TCP"):
        return False
    first, second = one.get("hostIP") or "0.0.0.0", two.get("hostIP") or "0.0.0.0"
    return first == second or first == "0.0.0.0" or second == "0.0.0.0"
