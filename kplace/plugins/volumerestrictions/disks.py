"""Disks that pods on one node cannot share, and which of them exclude each other."""

from kplace.objects.core import PodSpec, Volume


def exclusive_disks(spec: PodSpec) -> tuple[Volume, ...]:
    """The volumes of a pod that other pods on its node may be in the way of."""
    return tuple(
        volume
        for volume in spec.volumes or ()
        if volume.gce_persistent_disk or volume.aws_elastic_block_store or volume.rbd or volume.iscsi
    )


def conflict(one: Volume, other: Volume) -> bool:
    """Whether two pods with these volumes cannot be on one node.

    Notes
    -----
    Mirrors upstream's ``isVolumeConflict``. Disks of GCE, iSCSI and Ceph can be shared if all mount them read-only; EBS
    volumes never.
    """
    return _same_gce(one, other) or _same_ebs(one, other) or _same_iscsi(one, other) or _same_rbd(one, other)


def _same_gce(one: Volume, other: Volume) -> bool:
    a, b = one.gce_persistent_disk, other.gce_persistent_disk
    return a is not None and b is not None and a.pd_name == b.pd_name and not (a.read_only and b.read_only)


def _same_ebs(one: Volume, other: Volume) -> bool:
    a, b = one.aws_elastic_block_store, other.aws_elastic_block_store
    return a is not None and b is not None and a.volume_id == b.volume_id


def _same_iscsi(one: Volume, other: Volume) -> bool:
    a, b = one.iscsi, other.iscsi
    return a is not None and b is not None and a.iqn == b.iqn and not (a.read_only and b.read_only)


def _same_rbd(one: Volume, other: Volume) -> bool:
    a, b = one.rbd, other.rbd
    return (
        a is not None
        and b is not None
        and not set(a.monitors or ()).isdisjoint(b.monitors or ())
        and (a.pool, a.image) == (b.pool, b.image)
        and not (a.read_only and b.read_only)
    )
