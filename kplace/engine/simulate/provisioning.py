"""The controllers of volumes: they bind the claims of a pod that has found its node, and make the volumes that lack.

What they leave is what a cluster shows: the claim names its volume, and the volume names its claim.
"""

from collections.abc import Iterator, Mapping

from msgspec import structs

from kplace.columns.storage.claims import BIND_COMPLETED, ClaimKey
from kplace.columns.storage.volumes import ZONE
from kplace.objects.core import Node
from kplace.objects.meta import NodeSelector, NodeSelectorTerm, ObjectMeta, SelectorRequirement
from kplace.objects.storage import (
    ClaimStatus,
    CSIVolume,
    PersistentVolume,
    PersistentVolumeClaim,
    PersistentVolumeSpec,
    StorageClass,
    TypedReference,
    VolumeNodeAffinity,
)
from kplace.state.volume_bindings import SettledClaim

_HOST = "kubernetes.io/hostname"


def bound(claim: PersistentVolumeClaim, volume: str) -> PersistentVolumeClaim:
    """Return a claim that is bound to a volume."""
    meta, spec = claim.metadata, claim.spec
    annotations = {**(meta.annotations or {}), BIND_COMPLETED: "yes"}
    return structs.replace(
        claim,
        metadata=structs.replace(meta, annotations=annotations),
        spec=structs.replace(spec, volume_name=volume),
        status=ClaimStatus(phase="Bound"),
    )


def taken(volume: PersistentVolume, key: ClaimKey, claim: PersistentVolumeClaim) -> PersistentVolume:
    """Return a volume that belongs to a claim."""
    reference = TypedReference("PersistentVolumeClaim", *key, claim.metadata.uid)
    spec = structs.replace(volume.spec, claim_ref=reference)
    return structs.replace(volume, spec=spec, status=ClaimStatus(phase="Bound"))


def made(key: ClaimKey, claim: PersistentVolumeClaim, storage_class: StorageClass, node: Node) -> PersistentVolume:
    """Make the volume of a claim where a node can reach it: in its zone, or on it alone if it has none."""
    labels = node.metadata.labels or {}
    label = ZONE if ZONE in labels else _HOST
    place = SelectorRequirement(label, "In", (labels.get(label, node.metadata.name),))
    reach = NodeSelector((NodeSelectorTerm(match_expressions=(place,)),))
    name = f"pvc-{claim.metadata.uid or '-'.join(key)}"
    requests = claim.spec.resources.requests if claim.spec.resources is not None else None
    volume = PersistentVolume(
        metadata=ObjectMeta(name=name),
        spec=PersistentVolumeSpec(
            csi=CSIVolume(driver=storage_class.provisioner, volume_handle=name),
            capacity={"storage": (requests or {}).get("storage", 0)},
            access_modes=claim.spec.access_modes,
            storage_class_name=storage_class.metadata.name,
            volume_mode=claim.spec.volume_mode,
            node_affinity=VolumeNodeAffinity(reach) if label in labels else None,
        ),
    )
    return taken(volume, key, claim)


def carried_out(
    settled: Mapping[ClaimKey, SettledClaim], pod: int, objects: Mapping[tuple[str, str, str], object], node: Node
) -> Iterator[PersistentVolume | PersistentVolumeClaim]:
    """Claims and volumes as they are once what was settled for a pod is done, the volume before its claim.

    Parameters
    ----------
    objects : mapping of (str, str, str) to object
        By kind, namespace and name.
    node : Node
        The pod's.
    """
    for key, what in settled.items():
        claim = objects.get(("PersistentVolumeClaim", *key))
        if what.pod != pod or not isinstance(claim, PersistentVolumeClaim):
            continue
        volume = objects.get(("PersistentVolume", "default", what.volume)) if what.volume else None
        if isinstance(volume, PersistentVolume):
            volume = taken(volume, key, claim)
        else:
            storage_class = objects.get(("StorageClass", "default", claim.spec.storage_class_name or ""))
            if what.volume or not isinstance(storage_class, StorageClass):
                continue
            volume = made(key, claim, storage_class, node)
        yield volume
        yield bound(claim, volume.metadata.name)
