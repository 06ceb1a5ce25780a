"""What a pod's volumes are, as far as it decides which storage plugins look at the pod."""

from kplace.objects.core import PodSpec


def has_claim(spec: PodSpec) -> bool:
    """Whether the pod names a claim or has a generic ephemeral volume."""
    return any(volume.persistent_volume_claim or volume.ephemeral for volume in spec.volumes or ())


def has_disk_or_claim(spec: PodSpec) -> bool:
    """Whether the pod has a claim or a disk that other pods may hold."""
    return has_claim(spec) or any(
        volume.gce_persistent_disk or volume.aws_elastic_block_store or volume.iscsi or volume.rbd
        for volume in spec.volumes or ()
    )


def has_attachable(spec: PodSpec) -> bool:
    """Whether the pod has a claim or an inline volume that is attached through a CSI driver."""
    return has_claim(spec) or any(
        volume.gce_persistent_disk or volume.aws_elastic_block_store or volume.azure_disk or volume.cinder
        for volume in spec.volumes or ()
    )
