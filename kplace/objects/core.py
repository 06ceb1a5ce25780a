"""The core group: Pod, Node, Namespace, Service, ReplicationController, LimitRange."""

from msgspec import Struct, field

from kplace.objects.meta import (
    LabelSelector,
    NodeSelector,
    NodeSelectorTerm,
    ObjectMeta,
    Quantity,
    ResourceRequirements,
)
from kplace.objects.storage import PersistentVolumeClaimTemplate, VolumeSource


class ContainerPort(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """``containers[].ports[]``."""

    container_port: int = 0
    host_port: int = 0
    host_ip: str = field(default="", name="hostIP")
    protocol: str = ""


class Container(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """A container or an init container."""

    name: str = ""
    image: str = ""
    ports: tuple[ContainerPort, ...] | None = None
    resources: ResourceRequirements | None = None
    restart_policy: str | None = None


class Toleration(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """``spec.tolerations[]``."""

    key: str = ""
    operator: str = ""
    value: str = ""
    effect: str = ""
    toleration_seconds: int | None = None


class Taint(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """A node's ``spec.taints[]``."""

    key: str = ""
    value: str = ""
    effect: str = ""


class PreferredSchedulingTerm(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """A node selector term with a weight."""

    weight: int = 0
    preference: NodeSelectorTerm | None = None


_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


class NodeAffinity(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """``spec.affinity.nodeAffinity``."""

    required: NodeSelector | None = field(default=None, name=_REQUIRED)
    preferred: tuple[PreferredSchedulingTerm, ...] | None = field(default=None, name=_PREFERRED)


class PodAffinityTerm(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """Which pods (selector, namespaces) and over which topology."""

    label_selector: LabelSelector | None = None
    namespaces: tuple[str, ...] | None = None
    namespace_selector: LabelSelector | None = None
    topology_key: str = ""
    match_label_keys: tuple[str, ...] | None = None
    mismatch_label_keys: tuple[str, ...] | None = None


class WeightedPodAffinityTerm(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """A pod affinity term with a weight."""

    weight: int = 0
    pod_affinity_term: PodAffinityTerm | None = None


class PodAffinity(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """``spec.affinity.podAffinity`` or ``podAntiAffinity``."""

    required: tuple[PodAffinityTerm, ...] | None = field(default=None, name=_REQUIRED)
    preferred: tuple[WeightedPodAffinityTerm, ...] | None = field(default=None, name=_PREFERRED)


class Affinity(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """``spec.affinity``."""

    node_affinity: NodeAffinity | None = None
    pod_affinity: PodAffinity | None = None
    pod_anti_affinity: PodAffinity | None = None


class TopologySpreadConstraint(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """``spec.topologySpreadConstraints[]``."""

    max_skew: int = 0
    topology_key: str = ""
    when_unsatisfiable: str = ""
    label_selector: LabelSelector | None = None
    min_domains: int | None = None
    node_affinity_policy: str | None = None
    node_taints_policy: str | None = None
    match_label_keys: tuple[str, ...] | None = None


class SchedulingGate(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """``spec.schedulingGates[]``."""

    name: str = ""


class PodResourceClaim(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """``spec.resourceClaims[]``."""

    name: str = ""
    resource_claim_name: str | None = None
    resource_claim_template_name: str | None = None


class EphemeralVolumeSource(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """A generic ephemeral volume: the claim to be made for the pod."""

    volume_claim_template: PersistentVolumeClaimTemplate | None = None


class ImageVolumeSource(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """An image that is mounted as a volume."""

    reference: str = ""


class Volume(VolumeSource, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """``spec.volumes[]``, as far as placement depends on it."""

    name: str = ""
    ephemeral: EphemeralVolumeSource | None = None
    image: ImageVolumeSource | None = None


class PodSpec(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """``spec`` of a pod."""

    containers: tuple[Container, ...] | None = None
    init_containers: tuple[Container, ...] | None = None
    node_name: str = ""
    node_selector: dict[str, str] | None = None
    affinity: Affinity | None = None
    tolerations: tuple[Toleration, ...] | None = None
    topology_spread_constraints: tuple[TopologySpreadConstraint, ...] | None = None
    priority: int | None = None
    priority_class_name: str = ""
    preemption_policy: str | None = None
    scheduler_name: str = ""
    scheduling_gates: tuple[SchedulingGate, ...] | None = None
    overhead: dict[str, Quantity] | None = None
    resources: ResourceRequirements | None = None
    runtime_class_name: str | None = None
    host_network: bool | None = None
    volumes: tuple[Volume, ...] | None = None
    resource_claims: tuple[PodResourceClaim, ...] | None = None
    termination_grace_period_seconds: int | None = None


class ContainerStatus(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """``status.containerStatuses[]``: what a resize in progress still holds."""

    name: str = ""
    resources: ResourceRequirements | None = None
    allocated_resources: dict[str, Quantity] | None = None


class PodCondition(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """``status.conditions[]``."""

    type: str = ""
    status: str = ""
    reason: str = ""


class PodStatus(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """``status`` of a pod."""

    phase: str = ""
    nominated_node_name: str = ""
    start_time: str | None = None
    conditions: tuple[PodCondition, ...] | None = None
    container_statuses: tuple[ContainerStatus, ...] | None = None
    init_container_statuses: tuple[ContainerStatus, ...] | None = None
    resize: str | None = None


class Pod(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """A pod."""

    metadata: ObjectMeta = ObjectMeta()
    spec: PodSpec = PodSpec()
    status: PodStatus = PodStatus()


class PodTemplateSpec(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """``spec.template`` of a controller."""

    metadata: ObjectMeta = ObjectMeta()
    spec: PodSpec = PodSpec()


class ContainerImage(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """``status.images[]`` of a node."""

    names: tuple[str, ...] | None = None
    size_bytes: int = 0


class NodeSpec(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """``spec`` of a node."""

    unschedulable: bool | None = None
    taints: tuple[Taint, ...] | None = None


class NodeCondition(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """``status.conditions[]`` of a node."""

    type: str = ""
    status: str = ""


class NodeStatus(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """``status`` of a node."""

    allocatable: dict[str, Quantity] | None = None
    capacity: dict[str, Quantity] | None = None
    images: tuple[ContainerImage, ...] | None = None
    conditions: tuple[NodeCondition, ...] | None = None


class Node(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """A node."""

    metadata: ObjectMeta = ObjectMeta()
    spec: NodeSpec = NodeSpec()
    status: NodeStatus = NodeStatus()


class Namespace(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """A namespace."""

    metadata: ObjectMeta = ObjectMeta()


class ServiceSpec(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """``spec`` of a service."""

    selector: dict[str, str] | None = None


class Service(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """A service."""

    metadata: ObjectMeta = ObjectMeta()
    spec: ServiceSpec = ServiceSpec()


class ReplicationControllerSpec(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """``spec`` of a replication controller."""

    replicas: int | None = None
    selector: dict[str, str] | None = None
    template: PodTemplateSpec | None = None


class ReplicationController(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """A replication controller."""

    metadata: ObjectMeta = ObjectMeta()
    spec: ReplicationControllerSpec = ReplicationControllerSpec()


class LimitRangeItem(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """``spec.limits[]`` of a limit range."""

    type: str = ""
    default: dict[str, Quantity] | None = None
    default_request: dict[str, Quantity] | None = None


class LimitRangeSpec(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """``spec`` of a limit range."""

    limits: tuple[LimitRangeItem, ...] | None = None


class LimitRange(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """Defaults for the containers of a namespace."""

    metadata: ObjectMeta = ObjectMeta()
    spec: LimitRangeSpec = LimitRangeSpec()
