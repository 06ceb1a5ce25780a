"""What is wrong with nodes, policies and storage."""

import re
from typing import Protocol

from kplace.io.validate.fields import (
    INT32_MAX,
    Problems,
    in_range,
    label_selector,
    metadata,
    node_selector,
    one_of,
    optional_word,
    quantities,
    quantity_problem,
    requirements,
    under,
)
from kplace.io.validate.pods import PREEMPTION_POLICIES, TAINT_EFFECTS
from kplace.objects.core import LimitRange, Node
from kplace.objects.meta import ObjectMeta
from kplace.objects.policy import PodDisruptionBudget, PriorityClass, RuntimeClass
from kplace.objects.scheduling import PodGroup
from kplace.objects.storage import CSINode, CSIStorageCapacity, PersistentVolume, PersistentVolumeClaim, StorageClass

_BINDING_MODES = ("Immediate", "WaitForFirstConsumer")
_VOLUME_MODES = ("Filesystem", "Block")
_ACCESS_MODES = ("ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod")
_LIMIT_TYPES = ("Pod", "Container", "PersistentVolumeClaim")
_HIGHEST_USER_PRIORITY = 1_000_000_000
_PERCENTAGE = re.compile(r"[0-9]+%")


class _Named(Protocol):
    @property
    def metadata(self) -> ObjectMeta: ...


def validate_named(obj: _Named) -> Problems:
    """Find what is wrong with the metadata of any object."""
    yield from metadata(obj.metadata)


def validate_node(node: Node) -> Problems:
    """Find what is wrong with a node.

    Parameters
    ----------
    node : Node

    Yields
    ------
    (path, message)
        Mirrors ``ValidateNode`` of upstream's ``apis/core/validation`` for the fields that kplace reads.
    """
    yield from metadata(node.metadata)
    for i, taint in enumerate(node.spec.taints or ()):
        prefix = f"spec.taints[{i}]"
        if not taint.key:
            yield f"{prefix}.key", "is missing"
        if not taint.effect:
            yield f"{prefix}.effect", f"is missing: expected one of {', '.join(TAINT_EFFECTS)}"
        elif message := one_of(taint.effect, TAINT_EFFECTS):
            yield f"{prefix}.effect", message
    yield from under("status.allocatable", quantities(node.status.allocatable))
    yield from under("status.capacity", quantities(node.status.capacity))


def validate_limit_range(limit_range: LimitRange) -> Problems:
    """Find what is wrong with a LimitRange."""
    yield from metadata(limit_range.metadata)
    for i, limit in enumerate(limit_range.spec.limits or ()):
        prefix = f"spec.limits[{i}]"
        yield from optional_word(f"{prefix}.type", limit.type, _LIMIT_TYPES)
        yield from under(f"{prefix}.default", quantities(limit.default))
        yield from under(f"{prefix}.defaultRequest", quantities(limit.default_request))


def validate_pod_group(group: PodGroup) -> Problems:
    """Find what is wrong with a pod group of scheduler-plugins; one without ``minMember`` asks for nothing."""
    yield from metadata(group.metadata)
    yield from in_range("spec.minMember", group.spec.min_member or None, 1)
    yield from in_range("spec.scheduleTimeoutSeconds", group.spec.schedule_timeout_seconds, 0)
    yield from under("spec.minResources", quantities(group.spec.min_resources))


def validate_priority_class(priority_class: PriorityClass) -> Problems:
    """Find what is wrong with a PriorityClass; only the system's own may be above a thousand million."""
    yield from metadata(priority_class.metadata)
    is_system = priority_class.metadata.name.startswith("system-")
    most = INT32_MAX if is_system else _HIGHEST_USER_PRIORITY
    yield from in_range("value", priority_class.value, -INT32_MAX - 1, most)
    yield from optional_word("preemptionPolicy", priority_class.preemption_policy, PREEMPTION_POLICIES)


def validate_runtime_class(runtime_class: RuntimeClass) -> Problems:
    """Find what is wrong with a RuntimeClass."""
    yield from metadata(runtime_class.metadata)
    if runtime_class.overhead is not None:
        yield from under("overhead.podFixed", quantities(runtime_class.overhead.pod_fixed))


def validate_disruption_budget(budget: PodDisruptionBudget) -> Problems:
    """Find what is wrong with a PodDisruptionBudget."""
    spec = budget.spec
    yield from metadata(budget.metadata)
    yield from under("spec.selector", label_selector(spec.selector))
    for field, number in (("minAvailable", spec.min_available), ("maxUnavailable", spec.max_unavailable)):
        if isinstance(number, int):
            yield from in_range(f"spec.{field}", number, 0)
        elif number is not None and not _PERCENTAGE.fullmatch(number):
            yield f"spec.{field}", f'"{number}" is neither a whole number nor a percentage such as 50%'


def validate_persistent_volume_claim(claim: PersistentVolumeClaim) -> Problems:
    """Find what is wrong with a PersistentVolumeClaim."""
    spec = claim.spec
    yield from metadata(claim.metadata)
    yield from under("spec.resources", requirements(spec.resources, quantities))
    yield from under("spec.selector", label_selector(spec.selector))
    yield from optional_word("spec.volumeMode", spec.volume_mode, _VOLUME_MODES)
    for i, mode in enumerate(spec.access_modes or ()):
        yield from optional_word(f"spec.accessModes[{i}]", mode, _ACCESS_MODES)


def validate_persistent_volume(volume: PersistentVolume) -> Problems:
    """Find what is wrong with a PersistentVolume."""
    spec = volume.spec
    yield from metadata(volume.metadata)
    yield from under("spec.capacity", quantities(spec.capacity))
    yield from optional_word("spec.volumeMode", spec.volume_mode, _VOLUME_MODES)
    for i, mode in enumerate(spec.access_modes or ()):
        yield from optional_word(f"spec.accessModes[{i}]", mode, _ACCESS_MODES)
    if spec.node_affinity is not None:
        yield from under("spec.nodeAffinity.required", node_selector(spec.node_affinity.required))


def validate_storage_class(storage_class: StorageClass) -> Problems:
    """Find what is wrong with a StorageClass."""
    yield from metadata(storage_class.metadata)
    yield from optional_word("volumeBindingMode", storage_class.volume_binding_mode, _BINDING_MODES)
    for i, term in enumerate(storage_class.allowed_topologies or ()):
        for j, expression in enumerate(term.match_label_expressions or ()):
            prefix = f"allowedTopologies[{i}].matchLabelExpressions[{j}]"
            if not expression.key:
                yield f"{prefix}.key", "is missing"
            if not expression.values:
                yield f"{prefix}.values", "must hold at least one value"


def validate_csi_node(node: CSINode) -> Problems:
    """Find what is wrong with a CSINode."""
    yield from metadata(node.metadata)
    for i, driver in enumerate(node.spec.drivers or ()):
        if driver.allocatable is not None:
            yield from in_range(f"spec.drivers[{i}].allocatable.count", driver.allocatable.count, 0)


def validate_csi_storage_capacity(capacity: CSIStorageCapacity) -> Problems:
    """Find what is wrong with a CSIStorageCapacity."""
    yield from metadata(capacity.metadata)
    yield from under("nodeTopology", label_selector(capacity.node_topology))
    for field, quantity in (("capacity", capacity.capacity), ("maximumVolumeSize", capacity.maximum_volume_size)):
        if quantity is not None and (message := quantity_problem(quantity)):
            yield field, message
