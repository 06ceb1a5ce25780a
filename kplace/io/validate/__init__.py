"""What is wrong with an object although each of its fields is of the right type, as the API server would say.

Only what placing pods reads is looked at, and nothing that kube-scheduler itself puts up with is refused.
"""

from collections.abc import Callable, Mapping
from functools import partial

from msgspec import Struct

from kplace.io.shape import Problem
from kplace.io.validate.cluster import (
    validate_csi_node,
    validate_csi_storage_capacity,
    validate_disruption_budget,
    validate_limit_range,
    validate_named,
    validate_node,
    validate_persistent_volume,
    validate_persistent_volume_claim,
    validate_pod_group,
    validate_priority_class,
    validate_runtime_class,
    validate_storage_class,
)
from kplace.io.validate.fields import Problems, time_problem
from kplace.io.validate.pods import pod_spec, validate_pod
from kplace.io.validate.workloads import (
    validate_controller,
    validate_cron_job,
    validate_job,
    validate_replication_controller,
    validate_stateful_set,
)
from kplace.objects.core import PodSpec

__all__ = ["CHECKS", "Problem", "checks_of_shared_specs", "time_problem", "validate_node", "validate_pod"]


_CHECKS: dict[str, Callable[..., Problems]] = {
    "Pod": validate_pod,
    "Node": validate_node,
    "Namespace": validate_named,
    "Service": validate_named,
    "ReplicationController": validate_replication_controller,
    "ReplicaSet": validate_controller,
    "Deployment": validate_controller,
    "DaemonSet": validate_controller,
    "StatefulSet": validate_stateful_set,
    "Job": validate_job,
    "CronJob": validate_cron_job,
    "LimitRange": validate_limit_range,
    "PriorityClass": validate_priority_class,
    "RuntimeClass": validate_runtime_class,
    "PodDisruptionBudget": validate_disruption_budget,
    "PodGroup": validate_pod_group,
    "PersistentVolume": validate_persistent_volume,
    "PersistentVolumeClaim": validate_persistent_volume_claim,
    "StorageClass": validate_storage_class,
    "CSINode": validate_csi_node,
    "CSIDriver": validate_named,
    "CSIStorageCapacity": validate_csi_storage_capacity,
    "VolumeAttachment": validate_named,
    "ResourceClaim": validate_named,
    "ResourceClaimTemplate": validate_named,
    "ResourceSlice": validate_named,
    "DeviceClass": validate_named,
}


def _as_list(check: Callable[..., Problems]) -> Callable[[Struct], list[Problem]]:
    def listed(obj: Struct) -> list[Problem]:
        return list(check(obj))

    return listed


CHECKS: Mapping[str, Callable[[Struct], list[Problem]]] = {kind: _as_list(check) for kind, check in _CHECKS.items()}
"""By kind: what is wrong with an object, as pairs of field path and message."""


def checks_of_shared_specs() -> Mapping[str, Callable[[Struct], list[Problem]]]:
    """The same checks for pods of which very many have one and the same spec: each spec is looked at once."""
    known: dict[int, tuple[PodSpec, list[Problem]]] = {}

    def of_spec(spec: PodSpec) -> list[Problem]:
        # With the spec itself, so that no other one is given its id.
        if id(spec) not in known:
            known[id(spec)] = (spec, list(pod_spec(spec)))
        return known[id(spec)][1]

    return {**CHECKS, "Pod": _as_list(partial(validate_pod, of_spec=of_spec))}
