"""What is wrong with pods."""

from collections.abc import Callable, Iterable, Sequence

from kplace.io.shape import Problem
from kplace.io.validate.fields import (
    INT32_MAX,
    Problems,
    container_resources,
    in_range,
    label_selector,
    metadata,
    node_selector,
    node_selector_term,
    one_of,
    optional_word,
    quantities,
    requirements,
    time_problem,
    under,
)
from kplace.objects.core import (
    Affinity,
    Container,
    ContainerPort,
    NodeAffinity,
    Pod,
    PodAffinity,
    PodAffinityTerm,
    PodSpec,
    Toleration,
    TopologySpreadConstraint,
)

TAINT_EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
PREEMPTION_POLICIES = ("PreemptLowerPriority", "Never")
_TOLERATION_OPERATORS = ("Equal", "Exists")
_PROTOCOLS = ("TCP", "UDP", "SCTP")
_RESTART_POLICIES = ("Always", "OnFailure", "Never")
_UNSATISFIABLE_ACTIONS = ("DoNotSchedule", "ScheduleAnyway")
_INCLUSION_POLICIES = ("Honor", "Ignore")
_MOST_PORT = 65535
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def validate_pod(pod: Pod, of_spec: Callable[[PodSpec], Iterable[Problem]] | None = None) -> Problems:
    """Find what is wrong with a pod.

    Parameters
    ----------
    pod : Pod
        As it stands in the input, before defaulting.
    of_spec : callable, optional
        What `pod_spec` finds; by default it is asked.

    Yields
    ------
    (path, message)
        Mirrors ``ValidatePod`` of upstream's ``apis/core/validation`` for the fields that kplace reads.
    """
    yield from metadata(pod.metadata)
    if not pod.spec.containers:
        yield "spec.containers", "is missing: a pod has at least one container"
    yield from under("spec", (of_spec or pod_spec)(pod.spec))
    if message := time_problem(pod.status.start_time):
        yield "status.startTime", message
    for field, statuses in (
        ("containerStatuses", pod.status.container_statuses),
        ("initContainerStatuses", pod.status.init_container_statuses),
    ):
        for i, status in enumerate(statuses or ()):
            if status.resources is not None or status.allocated_resources:
                prefix = f"status.{field}[{i}]"
                yield from under(f"{prefix}.resources", requirements(status.resources))
                yield from under(f"{prefix}.allocatedResources", quantities(status.allocated_resources))


def pod_spec(spec: PodSpec) -> Problems:
    """Find what is wrong with the spec of a pod or of a pod template; the paths begin below ``spec``.

    A template without containers is let through: the scheduler never reads it, and whoever makes pods of it will see.
    """
    yield from _containers("containers", spec.containers)
    yield from _containers("initContainers", spec.init_containers)
    if spec.resources is not None:
        yield from under("resources", requirements(spec.resources))
    if spec.overhead:
        yield from under("overhead", container_resources(spec.overhead))
    for i, toleration in enumerate(spec.tolerations or ()):
        yield from under(f"tolerations[{i}]", _toleration(toleration))
    if spec.affinity is not None:
        yield from under("affinity", _affinity(spec.affinity))
    if spec.topology_spread_constraints:
        yield from _spread_constraints(spec.topology_spread_constraints)
    for i, gate in enumerate(spec.scheduling_gates or ()):
        if not gate.name:
            yield f"schedulingGates[{i}].name", "is missing"
    yield from in_range("priority", spec.priority, -INT32_MAX - 1)
    yield from optional_word("preemptionPolicy", spec.preemption_policy, PREEMPTION_POLICIES)


def _containers(field: str, containers: Sequence[Container] | None) -> Problems:
    for i, container in enumerate(containers or ()):
        prefix = f"{field}[{i}]"
        yield from under(f"{prefix}.resources", requirements(container.resources))
        for j, port in enumerate(container.ports or ()):
            yield from under(f"{prefix}.ports[{j}]", _port(port))
        yield from optional_word(f"{prefix}.restartPolicy", container.restart_policy, _RESTART_POLICIES)


def _port(port: ContainerPort) -> Problems:
    yield from in_range("containerPort", port.container_port, 1, _MOST_PORT)
    if port.host_port:
        yield from in_range("hostPort", port.host_port, 1, _MOST_PORT)
    yield from optional_word("protocol", port.protocol, _PROTOCOLS)


def _toleration(toleration: Toleration) -> Problems:
    yield from optional_word("operator", toleration.operator, _TOLERATION_OPERATORS)
    yield from optional_word("effect", toleration.effect, TAINT_EFFECTS)
    if toleration.operator == "Exists":
        if toleration.value:
            yield "value", f'must be empty with operator Exists, not "{toleration.value}"'
    elif not toleration.key:
        yield "operator", "must be Exists if there is no key"
    if toleration.toleration_seconds is not None and toleration.effect != "NoExecute":
        yield "effect", "must be NoExecute with tolerationSeconds"


def _affinity(affinity: Affinity) -> Problems:
    if affinity.node_affinity is not None:
        yield from under("nodeAffinity", _node_affinity(affinity.node_affinity))
    if affinity.pod_affinity is not None:
        yield from under("podAffinity", _pod_affinity(affinity.pod_affinity))
    if affinity.pod_anti_affinity is not None:
        yield from under("podAntiAffinity", _pod_affinity(affinity.pod_anti_affinity))


def _node_affinity(affinity: NodeAffinity) -> Problems:
    yield from under(_REQUIRED, node_selector(affinity.required))
    for i, term in enumerate(affinity.preferred or ()):
        prefix = f"{_PREFERRED}[{i}]"
        yield from in_range(f"{prefix}.weight", term.weight, 1, 100)
        yield from under(f"{prefix}.preference", node_selector_term(term.preference))


def _pod_affinity(affinity: PodAffinity) -> Problems:
    for i, term in enumerate(affinity.required or ()):
        yield from under(f"{_REQUIRED}[{i}]", _affinity_term(term))
    for i, weighted in enumerate(affinity.preferred or ()):
        prefix = f"{_PREFERRED}[{i}]"
        yield from in_range(f"{prefix}.weight", weighted.weight, 1, 100)
        yield from under(f"{prefix}.podAffinityTerm", _affinity_term(weighted.pod_affinity_term or PodAffinityTerm()))


def _affinity_term(term: PodAffinityTerm) -> Problems:
    if not term.topology_key:
        yield "topologyKey", "is missing: a node label is wanted, such as kubernetes.io/hostname"
    yield from under("labelSelector", label_selector(term.label_selector))
    yield from under("namespaceSelector", label_selector(term.namespace_selector))


def _spread_constraints(constraints: Sequence[TopologySpreadConstraint]) -> Problems:
    seen: set[tuple[str, str]] = set()
    for i, constraint in enumerate(constraints):
        prefix = f"topologySpreadConstraints[{i}]"
        yield from under(prefix, _spread_constraint(constraint))
        key = constraint.topology_key, constraint.when_unsatisfiable
        if key in seen:
            yield prefix, f"is the second constraint over {key[0]} with {key[1]}"
        seen.add(key)


def _spread_constraint(constraint: TopologySpreadConstraint) -> Problems:
    yield from in_range("maxSkew", constraint.max_skew, 1)
    if not constraint.topology_key:
        yield "topologyKey", "is missing: a node label is wanted, such as topology.kubernetes.io/zone"
    if not constraint.when_unsatisfiable:
        yield "whenUnsatisfiable", f"is missing: expected {' or '.join(_UNSATISFIABLE_ACTIONS)}"
    elif message := one_of(constraint.when_unsatisfiable, _UNSATISFIABLE_ACTIONS):
        yield "whenUnsatisfiable", message
    yield from in_range("minDomains", constraint.min_domains, 1)
    if constraint.min_domains is not None and constraint.when_unsatisfiable == "ScheduleAnyway":
        yield "minDomains", "goes with whenUnsatisfiable DoNotSchedule only"
    yield from optional_word("nodeAffinityPolicy", constraint.node_affinity_policy, _INCLUSION_POLICIES)
    yield from optional_word("nodeTaintsPolicy", constraint.node_taints_policy, _INCLUSION_POLICIES)
    yield from under("labelSelector", label_selector(constraint.label_selector))
