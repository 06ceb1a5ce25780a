"""Which resource names count, and how many of each a pod requests.

Mirrors upstream's ``component-helpers/resource.PodRequests`` and ``framework.calculateResource``.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from kplace.columns.quantity import milli_value, parse, value
from kplace.columns.rules import TODAY, PodRules
from kplace.columns.vocab import Vocabulary
from kplace.dtypes import CPU, DEFAULT_MEMORY_REQUEST, DEFAULT_MILLI_CPU_REQUEST, I64, MEMORY
from kplace.objects.core import Container, ContainerStatus, PodSpec, PodStatus
from kplace.objects.meta import Quantity

Amount = int | Fraction
Amounts = dict[str, Amount]
"""Resource name to an exact number (int or Fraction) in the resource's own unit (cpu in cores)."""

BASE_RESOURCES = ("cpu", "memory", "ephemeral-storage")
_NON_MISSING: dict[str, Quantity] = {"cpu": f"{DEFAULT_MILLI_CPU_REQUEST}m", "memory": str(DEFAULT_MEMORY_REQUEST)}


def is_scalar(name: str) -> bool:
    """Whether a resource beside cpu, memory and ephemeral-storage is counted by the scheduler.

    Extended resources (``domain/name`` outside kubernetes.io), huge pages, prefixed native resources and attachable
    volumes are.

    Examples
    --------
    >>> [name for name in ("nvidia.com/gpu", "hugepages-2Mi", "pods", "gpu", "requests.x/y") if is_scalar(name)]
    ['nvidia.com/gpu', 'hugepages-2Mi']
    """
    if name.startswith(("hugepages-", "attachable-volumes-")) or "kubernetes.io/" in name:
        return True
    return "/" in name and not name.startswith("requests.")


def counts(name: str) -> bool:
    """Whether the scheduler looks at this resource at all (``pods`` is kept apart)."""
    return name in BASE_RESOURCES or is_scalar(name)


@dataclass(frozen=True, slots=True)
class PodRequests:
    """What one pod requests, by resource name; cpu in milli-cpu, all others in their own unit.

    Attributes
    ----------
    plain : dict of str to int
        What NodeResourcesFit's filter and BalancedAllocation count.
    non_zero : tuple of int
        Milli-cpu and bytes of memory with the defaults for containers that request none; what a node's
        ``NonZeroRequested`` grows by.
    scored : dict of str to int
        What NodeResourcesFit's score counts for the pod: with those defaults and, an upstream quirk, without pod-level
        requests.
    """

    plain: dict[str, int]
    non_zero: tuple[int, int]
    scored: dict[str, int]


def pod_requests(spec: PodSpec, status: PodStatus | None = None, rules: PodRules = TODAY) -> PodRequests:
    """Sum up a pod's requests.

    Parameters
    ----------
    spec : PodSpec
        The defaulted spec.
    status : PodStatus, optional
        Given for a running pod: what a resize in progress still holds counts as well.
    rules : PodRules, optional
        Those of another release.
    """
    status = status if rules.resizes else None
    plain = _aggregate(spec, status, {}, pod_level=rules.pod_level)
    if rules.pod_level and spec.resources is not None and (spec.resources.requests or spec.resources.limits):
        defaults = {name: quantity for name, quantity in _NON_MISSING.items() if name not in plain}
    else:
        defaults = _NON_MISSING
    non_zero = _aggregate(spec, status, defaults, pod_level=rules.pod_level) if defaults else plain
    scored = _aggregate(spec, status, _NON_MISSING, pod_level=False)
    return PodRequests(
        plain=_rounded(plain),
        non_zero=(
            (milli_value(non_zero.get("cpu", 0)), value(non_zero.get("memory", 0)))
            if rules.sidecars_score
            else _non_zero_without_sidecars(spec)
        ),
        scored=_rounded(scored),
    )


def request_vector(amounts: Mapping[str, int], resources: Vocabulary) -> I64:
    """Amounts as an int64 vector over the vocabulary of resources, which must hold every name."""
    vector = np.zeros(len(resources), np.int64)
    for name, amount in amounts.items():
        vector[resources.find(name)] = amount
    return vector


def _rounded(amounts: Amounts) -> dict[str, int]:
    return {name: milli_value(n) if name == "cpu" else value(n) for name, n in amounts.items() if counts(name)}


def _aggregate(
    spec: PodSpec, status: PodStatus | None, defaults: Mapping[str, Quantity], *, pod_level: bool
) -> Amounts:
    statuses = _resized(status)
    infeasible = status is not None and _resize_is_infeasible(status)
    total: Amounts = {}
    for container in spec.containers or ():
        _add(total, _container_requests(container, statuses.get(container.name), defaults, infeasible=infeasible))
    peak: Amounts = {}
    sidecars: Amounts = {}
    for container in spec.init_containers or ():
        if container.restart_policy == "Always":
            held = _container_requests(container, statuses.get(container.name), defaults, infeasible=infeasible)
            _add(sidecars, held)
            _add(total, held)
            _raise_to(peak, sidecars)
        else:
            phase = dict(sidecars)
            _add(phase, _container_requests(container, None, defaults, infeasible=False))
            _raise_to(peak, phase)
    _raise_to(total, peak)
    if pod_level:
        total |= _pod_level(spec, total)
    _add(total, {name: parse(quantity) for name, quantity in (spec.overhead or {}).items()})
    return total


def _non_zero_without_sidecars(spec: PodSpec) -> tuple[int, int]:
    """Sums with defaults as releases before v1.32 have them (``calculateResource``).

    The containers add up without the sidecars beside them; what sidecars and an init container need together counts as
    one phase, for which a default stands in only if none of them requests the resource.
    """
    total = sum((_with_defaults(_own_requests(item)) for item in spec.containers or ()), np.zeros(2, np.int64))
    sidecars: Amounts = {}
    for container in spec.init_containers or ():
        phase = dict(sidecars)
        _add(phase, _own_requests(container))
        if container.restart_policy == "Always":
            sidecars = phase
        total = np.maximum(total, _with_defaults(phase))
    overhead = spec.overhead or {}
    return int(total[0]) + milli_value(overhead.get("cpu", 0)), int(total[1]) + value(overhead.get("memory", 0))


def _own_requests(container: Container) -> Amounts:
    return _container_requests(container, None, {}, infeasible=False)


def _with_defaults(amounts: Amounts) -> I64:
    """Milli-cpu and bytes of memory, with the defaults of scoring for what is absent."""
    cpu = milli_value(amounts["cpu"]) if "cpu" in amounts else DEFAULT_MILLI_CPU_REQUEST
    memory = value(amounts["memory"]) if "memory" in amounts else DEFAULT_MEMORY_REQUEST
    return np.array([cpu, memory], np.int64)


def _pod_level(spec: PodSpec, containers: Amounts) -> Amounts:
    """Pod-level requests, which replace the containers' sum.

    A limit stands in where neither the pod nor a container requests.
    """
    if spec.resources is None:
        return {}
    limits = {name: quantity for name, quantity in (spec.resources.limits or {}).items() if name not in containers}
    quantities = limits | (spec.resources.requests or {})
    return {
        name: parse(quantity)
        for name, quantity in quantities.items()
        if name in ("cpu", "memory") or name.startswith("hugepages-")
    }


def _container_requests(
    container: Container, status: ContainerStatus | None, defaults: Mapping[str, Quantity], *, infeasible: bool
) -> Amounts:
    requests = container.resources.requests if container.resources else None
    amounts: Amounts = {name: parse(quantity) for name, quantity in (requests or {}).items()}
    if status is not None and status.resources is not None:
        if infeasible:
            amounts = {}
        for held in (status.resources.requests, status.allocated_resources):
            _raise_to(amounts, {name: parse(quantity) for name, quantity in (held or {}).items()})
    for name, quantity in defaults.items():
        if name not in amounts:
            amounts[name] = parse(quantity)
    return amounts


def _resized(status: PodStatus | None) -> dict[str, ContainerStatus]:
    if status is None:
        return {}
    return {item.name: item for item in (*(status.container_statuses or ()), *(status.init_container_statuses or ()))}


def _resize_is_infeasible(status: PodStatus) -> bool:
    pending = [condition for condition in status.conditions or () if condition.type == "PodResizePending"]
    return bool(pending) and pending[0].reason == "Infeasible"


def _add(total: Amounts, amounts: Amounts) -> None:
    for name, amount in amounts.items():
        total[name] = total.get(name, 0) + amount


def _raise_to(total: Amounts, amounts: Amounts) -> None:
    for name, amount in amounts.items():
        if name not in total or amount > total[name]:
            total[name] = amount


def resource_names(amounts: Iterable[Mapping[str, int]]) -> Vocabulary:
    """Vocabulary of all resources named: cpu, memory and ephemeral-storage first, the others by name."""
    extra = {name for mapping in amounts for name in mapping}
    names = Vocabulary(BASE_RESOURCES)
    for name in sorted(extra.difference(BASE_RESOURCES)):
        names.code(name)
    assert (names.find("cpu"), names.find("memory")) == (CPU, MEMORY)
    return names
