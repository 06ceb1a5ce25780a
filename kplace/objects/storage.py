"""The storage kinds: claims, volumes, classes, CSI objects."""

from msgspec import Struct, field

from kplace.objects.meta import LabelSelector, NodeSelector, ObjectMeta, Quantity, ResourceRequirements


class ClaimVolumeSource(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """A volume that names a claim."""

    claim_name: str = ""
    read_only: bool | None = None


class GCEPersistentDisk(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """``gcePersistentDisk``."""

    pd_name: str = ""
    read_only: bool | None = None


class AWSElasticBlockStore(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """``awsElasticBlockStore``."""

    volume_id: str = field(default="", name="volumeID")
    read_only: bool | None = None


class AzureDisk(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """``azureDisk``."""

    disk_name: str = ""
    disk_uri: str = field(default="", name="diskURI")


class ISCSI(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """``iscsi``."""

    iqn: str = ""
    lun: int = 0
    target_portal: str = ""
    read_only: bool | None = None


class RBD(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """``rbd``; monitors are listed under ``monitors``."""

    monitors: tuple[str, ...] | None = None
    image: str = ""
    pool: str = ""
    read_only: bool | None = None


class Cinder(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """``cinder``."""

    volume_id: str = field(default="", name="volumeID")


class CSIVolume(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """``csi``: inline in a pod (driver alone) or in a PersistentVolume (with a handle)."""

    driver: str = ""
    volume_handle: str = ""


class LocalVolume(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """``local``."""

    path: str = ""


class VolumeSource(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """The sources that a placement can depend on; others are skipped."""

    persistent_volume_claim: ClaimVolumeSource | None = None
    gce_persistent_disk: GCEPersistentDisk | None = None
    aws_elastic_block_store: AWSElasticBlockStore | None = None
    azure_disk: AzureDisk | None = None
    iscsi: ISCSI | None = None
    rbd: RBD | None = None
    cinder: Cinder | None = None
    csi: CSIVolume | None = None


class TypedReference(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """A reference to another object (``claimRef``)."""

    kind: str = ""
    namespace: str = ""
    name: str = ""
    uid: str = ""


class PersistentVolumeClaimSpec(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """``spec`` of a claim."""

    access_modes: tuple[str, ...] | None = None
    storage_class_name: str | None = None
    volume_name: str = ""
    volume_mode: str | None = None
    volume_attributes_class_name: str | None = None
    resources: ResourceRequirements | None = None
    selector: LabelSelector | None = None


class ClaimStatus(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """``status`` of a claim or a volume."""

    phase: str = ""


class PersistentVolumeClaimTemplate(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """A claim to be made: of a StatefulSet or of a generic ephemeral volume."""

    metadata: ObjectMeta = ObjectMeta()
    spec: PersistentVolumeClaimSpec = PersistentVolumeClaimSpec()


class PersistentVolumeClaim(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """A claim."""

    metadata: ObjectMeta = ObjectMeta()
    spec: PersistentVolumeClaimSpec = PersistentVolumeClaimSpec()
    status: ClaimStatus = ClaimStatus()


class TopologySelectorRequirement(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """One expression of ``allowedTopologies[]``: a node label and the values that are let in."""

    key: str = ""
    values: tuple[str, ...] | None = None


class TopologySelectorTerm(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """``allowedTopologies[]`` of a storage class: expressions, ANDed."""

    match_label_expressions: tuple[TopologySelectorRequirement, ...] | None = None


class StorageClass(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """A storage class."""

    metadata: ObjectMeta = ObjectMeta()
    provisioner: str = ""
    volume_binding_mode: str = ""
    allowed_topologies: tuple[TopologySelectorTerm, ...] | None = None


class CSINodeDriverResources(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """``spec.drivers[].allocatable``."""

    count: int | None = None


class CSINodeDriver(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """``spec.drivers[]`` of a CSINode."""

    name: str = ""
    node_id: str = field(default="", name="nodeID")
    topology_keys: tuple[str, ...] | None = None
    allocatable: CSINodeDriverResources | None = None


class CSINodeSpec(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """``spec`` of a CSINode."""

    drivers: tuple[CSINodeDriver, ...] | None = None


class CSINode(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """What a node's CSI drivers say of themselves."""

    metadata: ObjectMeta = ObjectMeta()
    spec: CSINodeSpec = CSINodeSpec()


class VolumeNodeAffinity(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """``spec.nodeAffinity`` of a persistent volume: the nodes that can reach it."""

    required: NodeSelector | None = None


class PersistentVolumeSpec(VolumeSource, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """``spec`` of a persistent volume."""

    capacity: dict[str, Quantity] | None = None
    access_modes: tuple[str, ...] | None = None
    storage_class_name: str = ""
    volume_mode: str | None = None
    volume_attributes_class_name: str | None = None
    claim_ref: TypedReference | None = None
    local: LocalVolume | None = None
    node_affinity: VolumeNodeAffinity | None = None


class PersistentVolume(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """A persistent volume."""

    metadata: ObjectMeta = ObjectMeta()
    spec: PersistentVolumeSpec = PersistentVolumeSpec()
    status: ClaimStatus = ClaimStatus()


class CSIDriverSpec(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """``spec`` of a CSIDriver; whoever is silent needs attaching and does not report capacity."""

    attach_required: bool | None = None
    storage_capacity: bool | None = None


class CSIDriver(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """What a CSI driver can do and asks for."""

    metadata: ObjectMeta = ObjectMeta()
    spec: CSIDriverSpec = CSIDriverSpec()


class CSIStorageCapacity(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """How much room a storage class still has in one part of the cluster."""

    metadata: ObjectMeta = ObjectMeta()
    node_topology: LabelSelector | None = None
    storage_class_name: str = ""
    capacity: Quantity | None = None
    maximum_volume_size: Quantity | None = None


class VolumeAttachmentSource(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """``spec.source`` of an attachment: the volume by name, or described inline."""

    persistent_volume_name: str | None = None
    inline_volume_spec: PersistentVolumeSpec | None = None


class VolumeAttachmentSpec(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """``spec`` of an attachment."""

    attacher: str = ""
    node_name: str = ""
    source: VolumeAttachmentSource = VolumeAttachmentSource()


class VolumeAttachmentStatus(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """``status`` of an attachment."""

    attached: bool = False


class VolumeAttachment(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """A volume that is to be, or is, attached to a node."""

    metadata: ObjectMeta = ObjectMeta()
    spec: VolumeAttachmentSpec = VolumeAttachmentSpec()
    status: VolumeAttachmentStatus = VolumeAttachmentStatus()
