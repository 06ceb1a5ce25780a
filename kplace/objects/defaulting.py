"""What the API server fills in before a scheduler sees a pod."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from msgspec import structs

from kplace.objects.core import Affinity, Container, PodAffinity, PodAffinityTerm, PodSpec, TopologySpreadConstraint
from kplace.objects.meta import LabelSelector, Quantity, ResourceRequirements, SelectorRequirement
from kplace.objects.policy import PriorityClass, RuntimeClass

DEFAULT_SCHEDULER = "default-scheduler"
BUILT_IN_PRIORITIES = {"system-cluster-critical": 2_000_000_000, "system-node-critical": 2_000_001_000}


@dataclass(frozen=True, slots=True)
class AdmissionLookups:
    """The objects that admission looks up.

    Attributes
    ----------
    priority_classes : dict of str to PriorityClass
    runtime_classes : dict of str to RuntimeClass
    container_defaults : dict of str to (requests, limits)
        A namespace's LimitRange defaults for containers.
    """

    priority_classes: Mapping[str, PriorityClass] = field(default_factory=dict)
    runtime_classes: Mapping[str, RuntimeClass] = field(default_factory=dict)
    container_defaults: Mapping[str, tuple[Mapping[str, Quantity], Mapping[str, Quantity]]] = field(
        default_factory=dict
    )


def defaulted_spec(
    spec: PodSpec, namespace: str, labels: Mapping[str, str], lookups: AdmissionLookups, *, admitted: bool
) -> PodSpec:
    """Apply the API server's defaulting to a pod's spec.

    Parameters
    ----------
    admitted : bool
        The pod comes from an API server: what admission depends on other objects for (LimitRange, RuntimeClass) was
        already applied then and is left as it is.

    Notes
    -----
    A container's requests default to its limits, ``hostNetwork`` fills ``hostPort``, matchLabelKeys and
    mismatchLabelKeys are merged into the selectors, the priority class gives the priority. How pod-level requests
    default to pod-level limits is left to `kplace.columns.resources.pod_requests`, because it depends on the sum of the
    containers.
    """
    changes: dict[str, object] = {}
    defaults = None if admitted else lookups.container_defaults.get(namespace)
    for name in ("containers", "init_containers"):
        containers = getattr(spec, name)
        if containers:
            host_network = bool(spec.host_network)
            changes[name] = tuple(_container(item, defaults, host_network=host_network) for item in containers)
    runtime = None if admitted else lookups.runtime_classes.get(spec.runtime_class_name or "")
    if runtime is not None:
        changes |= _runtime_class(spec, runtime)
    if spec.topology_spread_constraints:
        changes["topology_spread_constraints"] = tuple(
            _constraint(item, labels) for item in spec.topology_spread_constraints
        )
    if spec.affinity is not None:
        changes["affinity"] = merged_affinity(spec.affinity, labels)
    if spec.priority is None or spec.preemption_policy is None:
        priority, policy = resolved_priority(spec, lookups.priority_classes)
        changes |= {"priority": priority, "preemption_policy": policy}
    if not spec.scheduler_name:
        changes["scheduler_name"] = DEFAULT_SCHEDULER
    return structs.replace(spec, **changes)


def resolved_priority(spec: PodSpec, classes: Mapping[str, PriorityClass]) -> tuple[int, str | None]:
    """Priority and preemption policy of a pod: its own, its class's, the global default's, else 0."""
    if spec.priority_class_name:
        chosen = classes.get(spec.priority_class_name)
    else:
        defaults = [item for item in classes.values() if item.global_default]
        chosen = min(defaults, key=lambda item: item.value, default=None) if spec.priority is None else None
    if spec.priority is not None:
        priority = spec.priority
    elif chosen is not None:
        priority = chosen.value
    else:
        priority = BUILT_IN_PRIORITIES.get(spec.priority_class_name, 0)
    return priority, spec.preemption_policy or (chosen.preemption_policy if chosen else None)


def _runtime_class(spec: PodSpec, runtime: RuntimeClass) -> dict[str, object]:
    """Overhead, node selector and tolerations that a runtime class gives its pods."""
    changes: dict[str, object] = {}
    if spec.overhead is None and runtime.overhead is not None and runtime.overhead.pod_fixed:
        changes["overhead"] = dict(runtime.overhead.pod_fixed)
    if runtime.scheduling is not None:
        changes["node_selector"] = (spec.node_selector or {}) | (runtime.scheduling.node_selector or {})
        added = (item for item in runtime.scheduling.tolerations or () if item not in (spec.tolerations or ()))
        changes["tolerations"] = (*(spec.tolerations or ()), *added)
    return changes


def _container(
    container: Container,
    defaults: tuple[Mapping[str, Quantity], Mapping[str, Quantity]] | None,
    *,
    host_network: bool,
) -> Container:
    changes: dict[str, object] = {}
    resources = container.resources or ResourceRequirements()
    if defaults is not None:
        resources = _limit_range_defaults(_requests_from_limits(resources), *defaults)
    changes["resources"] = _requests_from_limits(resources)
    if host_network and container.ports:
        changes["ports"] = tuple(
            structs.replace(port, host_port=port.container_port) if not port.host_port else port
            for port in container.ports
        )
    return structs.replace(container, **changes)


def _requests_from_limits(resources: ResourceRequirements) -> ResourceRequirements:
    if not resources.limits:
        return resources
    return ResourceRequirements(requests=dict(resources.limits) | (resources.requests or {}), limits=resources.limits)


def _limit_range_defaults(
    resources: ResourceRequirements, requests: Mapping[str, Quantity], limits: Mapping[str, Quantity]
) -> ResourceRequirements:
    return ResourceRequirements(
        requests=dict(requests) | (resources.requests or {}), limits=dict(limits) | (resources.limits or {})
    )


def _constraint(constraint: TopologySpreadConstraint, labels: Mapping[str, str]) -> TopologySpreadConstraint:
    selector = _merged(constraint.label_selector, constraint.match_label_keys, "In", labels)
    return structs.replace(constraint, label_selector=selector)


def merged_affinity(affinity: Affinity, labels: Mapping[str, str]) -> Affinity:
    """Affinity with the values of matchLabelKeys and mismatchLabelKeys, the pod's own, merged into its selectors."""
    return structs.replace(
        affinity,
        pod_affinity=_pod_affinity(affinity.pod_affinity, labels),
        pod_anti_affinity=_pod_affinity(affinity.pod_anti_affinity, labels),
    )


def has_label_keys(affinity: Affinity | None) -> bool:
    """Whether any pod affinity term has matchLabelKeys or mismatchLabelKeys."""
    sides = (affinity.pod_affinity, affinity.pod_anti_affinity) if affinity is not None else ()
    return any(
        term is not None and (term.match_label_keys or term.mismatch_label_keys)
        for side in sides
        if side is not None
        for term in (*(side.required or ()), *(item.pod_affinity_term for item in side.preferred or ()))
    )


def _pod_affinity(affinity: PodAffinity | None, labels: Mapping[str, str]) -> PodAffinity | None:
    if affinity is None:
        return None
    preferred = tuple(
        structs.replace(item, pod_affinity_term=_term(item.pod_affinity_term or PodAffinityTerm(), labels))
        for item in affinity.preferred or ()
    )
    return PodAffinity(required=tuple(_term(item, labels) for item in affinity.required or ()), preferred=preferred)


def _term(term: PodAffinityTerm, labels: Mapping[str, str]) -> PodAffinityTerm:
    selector = _merged(term.label_selector, term.match_label_keys, "In", labels)
    selector = _merged(selector, term.mismatch_label_keys, "NotIn", labels)
    return structs.replace(term, label_selector=selector)


def _merged(
    selector: LabelSelector | None, keys: tuple[str, ...] | None, operator: str, labels: Mapping[str, str]
) -> LabelSelector | None:
    """Merge the pod's own values of some label keys into a selector; keys that the pod lacks are ignored."""
    if selector is None or not keys:
        return selector
    given = selector.match_expressions or ()
    own = (SelectorRequirement(key, operator, (labels[key],)) for key in keys if key in labels)
    # A pod that an API server has seen carries them already.
    extra = tuple(item for item in own if item not in given)
    return structs.replace(selector, match_expressions=(*given, *extra))
