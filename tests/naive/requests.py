"""What a pod requests, container by container, on plain dicts as they stand in a manifest (defaults applied)."""

from fractions import Fraction
from math import ceil

SUFFIXES = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
MISSING = {"cpu": "100m", "memory": str(200 * 1024 * 1024)}


def quantity(text: str | int | float) -> Fraction:
    text = str(text)
    for power, letter in enumerate("KMGTPE", start=1):
        if text.endswith(f"{letter}i"):
            return Fraction(text[:-2]) * 1024**power
    if text[-1] in SUFFIXES:
        return Fraction(text[:-1]) * Fraction(10) ** SUFFIXES[text[-1]]
    return Fraction(text)  # which reads exponents as well


def units(name: str, amount: Fraction) -> int:
    """Whole milli-cpu, or whole units of anything else; rounded up."""
    return ceil(amount * 1000) if name == "cpu" else ceil(amount)


def is_counted(name: str) -> bool:
    if name in ("cpu", "memory", "ephemeral-storage") or name.startswith(("hugepages-", "attachable-volumes-")):
        return True
    return "/" in name and ("kubernetes.io/" in name or not name.startswith("requests."))


def plain(pod: dict) -> dict[str, int]:
    """What the filter, the node's sums and BalancedAllocation count."""
    return whole_units(added_up(pod, {}, pod_level=True))


def non_zero(pod: dict) -> dict[str, int]:
    """Cpu and memory as a node's sums for scoring count them."""
    given = added_up(pod, {}, pod_level=True)
    defaults = MISSING
    if any((pod["spec"].get("resources") or {}).get(key) for key in ("requests", "limits")):
        defaults = {name: amount for name, amount in MISSING.items() if name not in given}
    total = whole_units(added_up(pod, defaults, pod_level=True))
    return {name: total.get(name, 0) for name in MISSING}


def scored(pod: dict) -> dict[str, int]:
    """What NodeResourcesFit's score counts for the incoming pod: nothing that is said of the pod as a whole."""
    return whole_units(added_up(pod, MISSING, pod_level=False))


def whole_units(amounts: dict[str, Fraction]) -> dict[str, int]:
    return {name: units(name, amount) for name, amount in amounts.items() if is_counted(name)}


def added_up(pod: dict, defaults: dict[str, str], *, pod_level: bool) -> dict[str, Fraction]:
    spec = pod["spec"]
    running = [of_container(item, pod, defaults) for item in spec["containers"]]
    sidecars: list[dict] = []
    phases = []
    for item in spec.get("initContainers") or []:
        own = of_container(item, pod, defaults)
        phases.append(total([*sidecars, own]))
        if item.get("restartPolicy") == "Always":
            sidecars.append(own)
    result = most([total([*running, *sidecars]), *phases])
    if pod_level:
        whole = spec.get("resources") or {}
        asked = {name: amount for name, amount in (whole.get("limits") or {}).items() if name not in result}
        asked |= whole.get("requests") or {}
        for name, amount in asked.items():
            if name in ("cpu", "memory") or name.startswith("hugepages-"):
                result[name] = quantity(amount)
    overhead = {name: quantity(amount) for name, amount in (spec.get("overhead") or {}).items()}
    return total([result, overhead])


def of_container(container: dict, pod: dict, defaults: dict[str, str]) -> dict[str, Fraction]:
    asked = {name: quantity(amount) for name, amount in requests_of(container).items()}
    is_plain_init = (
        container in (pod["spec"].get("initContainers") or []) and container.get("restartPolicy") != "Always"
    )
    status = None if is_plain_init else status_of(container, pod)
    if status is not None and status.get("resources") is not None:
        held = [(status["resources"].get("requests") or {}), status.get("allocatedResources") or {}]
        held = [{name: quantity(amount) for name, amount in item.items()} for item in held]
        asked = most(held if is_infeasible(pod) else [asked, *held])
    for name, amount in defaults.items():
        asked.setdefault(name, quantity(amount))
    return asked


def requests_of(container: dict) -> dict[str, str]:
    resources = container.get("resources") or {}
    return (resources.get("limits") or {}) | (resources.get("requests") or {})


def status_of(container: dict, pod: dict) -> dict | None:
    status = pod.get("status") or {}
    listed = (status.get("containerStatuses") or []) + (status.get("initContainerStatuses") or [])
    return next((item for item in listed if item["name"] == container["name"]), None)


def is_infeasible(pod: dict) -> bool:
    conditions = (pod.get("status") or {}).get("conditions") or []
    pending = [item for item in conditions if item["type"] == "PodResizePending"]
    return bool(pending) and pending[0].get("reason") == "Infeasible"


def total(parts: list[dict[str, Fraction]]) -> dict[str, Fraction]:
    return {name: sum((part.get(name, Fraction(0)) for part in parts), Fraction(0)) for name in names(parts)}


def most(parts: list[dict[str, Fraction]]) -> dict[str, Fraction]:
    return {name: max(part[name] for part in parts if name in part) for name in names(parts)}


def names(parts: list[dict[str, Fraction]]) -> list[str]:
    return list(dict.fromkeys(name for part in parts for name in part))
