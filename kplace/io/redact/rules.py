"""What every text of every object is: a rule for each field, or it does not come through.

Objects are read into their structs, which know what placing depends on, and nothing else gets into what is written: no
commands, no environment, no addresses. A test insists that each field that may hold texts has its rule.
"""

from enum import Enum, auto

from msgspec import Struct

from kplace.objects import core, meta, policy, resource, scheduling, storage, workloads

R = type[Struct]


class Rule(Enum):
    """What a field holds."""

    KEEP = auto()
    """Words and numbers of Kubernetes, times, quantities."""
    NAME = auto()
    KEY = auto()
    """Key of a label."""
    IMAGE = auto()
    DRIVER = auto()
    HANDLE = auto()
    UID = auto()
    ADDRESS = auto()
    KIND = auto()
    GROUP = auto()
    """An apiVersion."""
    LABELS = auto()
    """Keys with values."""
    AMOUNTS = auto()
    """Resources with quantities."""
    ANNOTATIONS = auto()
    NAMES_OF = auto()
    """A map from names to something that is kept."""
    VALUE = auto()
    """Values that belong to the label in the field ``key`` of the same struct."""
    CONDITIONS = auto()
    DROP = auto()


_K, _N = Rule.KEEP, Rule.NAME

RULES: dict[R, dict[str, Rule]] = {
    meta.ObjectMeta: {
        "name": _N,
        "namespace": _N,
        "uid": Rule.UID,
        "generate_name": _N,
        "labels": Rule.LABELS,
        "annotations": Rule.ANNOTATIONS,
        "creation_timestamp": _K,
        "deletion_timestamp": _K,
    },
    meta.OwnerReference: {"api_version": Rule.GROUP, "kind": Rule.KIND, "name": _N, "uid": Rule.UID},
    meta.SelectorRequirement: {"key": Rule.KEY, "operator": _K, "values": Rule.VALUE},
    meta.LabelSelector: {"match_labels": Rule.LABELS},
    meta.ResourceRequirements: {"requests": Rule.AMOUNTS, "limits": Rule.AMOUNTS},
    core.ContainerPort: {"host_ip": Rule.ADDRESS, "protocol": _K},
    core.Container: {"name": _N, "image": Rule.IMAGE, "restart_policy": _K},
    core.Toleration: {"key": Rule.KEY, "operator": _K, "value": Rule.VALUE, "effect": _K},
    core.Taint: {"key": Rule.KEY, "value": Rule.VALUE, "effect": _K},
    core.PodAffinityTerm: {
        "namespaces": _N,
        "topology_key": Rule.KEY,
        "match_label_keys": Rule.KEY,
        "mismatch_label_keys": Rule.KEY,
    },
    core.TopologySpreadConstraint: {
        "topology_key": Rule.KEY,
        "when_unsatisfiable": _K,
        "node_affinity_policy": _K,
        "node_taints_policy": _K,
        "match_label_keys": Rule.KEY,
    },
    core.SchedulingGate: {"name": _N},
    core.PodResourceClaim: {"name": _N, "resource_claim_name": _N, "resource_claim_template_name": _N},
    core.ImageVolumeSource: {"reference": Rule.IMAGE},
    core.Volume: {"name": _N},
    core.PodSpec: {
        "node_name": _N,
        "node_selector": Rule.LABELS,
        "priority_class_name": _N,
        "preemption_policy": _K,
        "scheduler_name": _N,
        "overhead": Rule.AMOUNTS,
        "runtime_class_name": _N,
    },
    core.ContainerStatus: {"name": _N, "allocated_resources": Rule.AMOUNTS},
    core.PodCondition: {"type": _K, "status": _K, "reason": _K},
    core.PodStatus: {
        "phase": _K,
        "nominated_node_name": _N,
        "start_time": _K,
        "conditions": Rule.CONDITIONS,
        "resize": _K,
    },
    core.ContainerImage: {"names": Rule.IMAGE},
    core.NodeCondition: {"type": _K, "status": _K},
    core.NodeStatus: {"allocatable": Rule.AMOUNTS, "capacity": Rule.AMOUNTS, "conditions": Rule.CONDITIONS},
    core.ServiceSpec: {"selector": Rule.LABELS},
    core.ReplicationControllerSpec: {"selector": Rule.LABELS},
    core.LimitRangeItem: {"type": _K, "default": Rule.AMOUNTS, "default_request": Rule.AMOUNTS},
    storage.ClaimVolumeSource: {"claim_name": _N},
    storage.GCEPersistentDisk: {"pd_name": Rule.HANDLE},
    storage.AWSElasticBlockStore: {"volume_id": Rule.HANDLE},
    storage.AzureDisk: {"disk_name": Rule.HANDLE, "disk_uri": Rule.HANDLE},
    storage.ISCSI: {"iqn": Rule.HANDLE, "target_portal": Rule.HANDLE},
    storage.RBD: {"monitors": Rule.HANDLE, "image": Rule.HANDLE, "pool": Rule.HANDLE},
    storage.Cinder: {"volume_id": Rule.HANDLE},
    storage.CSIVolume: {"driver": Rule.DRIVER, "volume_handle": Rule.HANDLE},
    storage.LocalVolume: {"path": Rule.HANDLE},
    storage.TypedReference: {"kind": Rule.KIND, "namespace": _N, "name": _N, "uid": Rule.UID},
    storage.PersistentVolumeClaimSpec: {
        "access_modes": _K,
        "storage_class_name": _N,
        "volume_name": _N,
        "volume_mode": _K,
        "volume_attributes_class_name": _N,
    },
    storage.ClaimStatus: {"phase": _K},
    storage.TopologySelectorRequirement: {"key": Rule.KEY, "values": Rule.VALUE},
    storage.StorageClass: {"provisioner": Rule.DRIVER, "volume_binding_mode": _K},
    storage.CSINodeDriver: {"name": Rule.DRIVER, "node_id": Rule.HANDLE, "topology_keys": Rule.KEY},
    storage.PersistentVolumeSpec: {
        "capacity": Rule.AMOUNTS,
        "access_modes": _K,
        "storage_class_name": _N,
        "volume_mode": _K,
        "volume_attributes_class_name": _N,
    },
    storage.CSIStorageCapacity: {"storage_class_name": _N, "capacity": _K, "maximum_volume_size": _K},
    storage.VolumeAttachmentSource: {"persistent_volume_name": _N},
    storage.VolumeAttachmentSpec: {"attacher": Rule.DRIVER, "node_name": _N},
    policy.PriorityClass: {"preemption_policy": _K},
    policy.Overhead: {"pod_fixed": Rule.AMOUNTS},
    policy.RuntimeScheduling: {"node_selector": Rule.LABELS},
    policy.PodDisruptionBudgetSpec: {"min_available": _K, "max_unavailable": _K},
    policy.PodDisruptionBudgetStatus: {"disrupted_pods": Rule.NAMES_OF},
    resource.DeviceClass: {"spec": Rule.DROP},
    resource.ResourceSlice: {"spec": Rule.DROP},
    resource.ResourceClaimTemplate: {"spec": Rule.DROP},
    resource.ResourceClaim: {"spec": Rule.DROP, "status": Rule.DROP},
    scheduling.PodGroupSpec: {"min_resources": Rule.AMOUNTS},
    workloads.JobSpec: {"completion_mode": _K},
    workloads.JobStatus: {"completed_indexes": _K, "failed_indexes": _K, "conditions": Rule.CONDITIONS},
}

CONDITIONS = frozenset(
    {
        *("DisruptionTarget", "PodResizePending", "PodResizeInProgress", "PodScheduled"),
        *("Complete", "Failed", "FailureTarget", "SuccessCriteriaMet"),
        *("Ready", "MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable"),
    }
)
"""Types of conditions that come through."""

KINDS = frozenset(
    {
        *("Node", "Pod", "ReplicationController", "ReplicaSet", "Deployment", "StatefulSet", "DaemonSet"),
        *("Job", "CronJob", "PersistentVolumeClaim", "PersistentVolume"),
    }
)
"""Kinds of owners that come through; any other is hashed, with its group."""
