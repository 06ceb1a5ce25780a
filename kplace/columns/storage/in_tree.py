"""In-tree disks and the CSI drivers that took them over (upstream ``csi-translation-lib``)."""

from typing import NamedTuple

from kplace.columns.storage.volumes import BETA_ZONE, ZONE
from kplace.objects.meta import ObjectMeta
from kplace.objects.storage import VolumeSource

MIGRATED_PLUGINS = "storage.alpha.kubernetes.io/migrated-plugins"
"""Annotation of a CSINode: the in-tree plugins whose volumes are a CSI driver's there, separated by commas."""

EBS, GCE_PD = "kubernetes.io/aws-ebs", "kubernetes.io/gce-pd"
AZURE_DISK, CINDER = "kubernetes.io/azure-disk", "kubernetes.io/cinder"
DRIVERS = {
    EBS: "ebs.csi.aws.com",
    GCE_PD: "pd.csi.storage.gke.io",
    AZURE_DISK: "disk.csi.azure.com",
    CINDER: "cinder.csi.openstack.org",
}
"""The driver of each in-tree plugin."""

_UNSPECIFIED = "UNSPECIFIED"


class InTreeVolume(NamedTuple):
    """A volume of an in-tree plugin as its CSI driver names it.

    Attributes
    ----------
    plugin, driver, handle : str
    """

    plugin: str
    driver: str
    handle: str


def in_tree_volume(source: VolumeSource, meta: ObjectMeta | None = None) -> InTreeVolume | None:
    """The in-tree disk that a volume is; None if it is none, or one without a CSI driver.

    Parameters
    ----------
    source : VolumeSource
        Of a pod's volume or of a persistent one.
    meta : ObjectMeta, optional
        Of the persistent volume: its zone is part of a GCE disk's handle.
    """
    if source.aws_elastic_block_store is not None:
        return InTreeVolume(EBS, DRIVERS[EBS], _ebs_handle(source.aws_elastic_block_store.volume_id))
    if source.gce_persistent_disk is not None:
        handle = _gce_handle(source.gce_persistent_disk.pd_name, meta)
        return InTreeVolume(GCE_PD, DRIVERS[GCE_PD], handle)
    if source.azure_disk is not None:
        return InTreeVolume(AZURE_DISK, DRIVERS[AZURE_DISK], source.azure_disk.disk_uri)
    if source.cinder is not None:
        return InTreeVolume(CINDER, DRIVERS[CINDER], source.cinder.volume_id)
    return None


def _ebs_handle(volume: str) -> str:
    """An EBS volume's id without the zone before it.

    Examples
    --------
    >>> _ebs_handle("aws://us-east-1a/vol-1"), _ebs_handle("vol-1")
    ('vol-1', 'vol-1')
    """
    return volume.rpartition("/")[2] if volume.startswith("aws://") else volume


def _gce_handle(disk: str, meta: ObjectMeta | None) -> str:
    """Handle of a GCE disk: zonal, or regional if its label names several zones."""
    labels = (meta.labels if meta is not None else None) or {}
    zones = [zone for zone in labels.get(BETA_ZONE, labels.get(ZONE, "")).split("__") if zone]
    if len(zones) > 1:
        region = zones[0].rpartition("-")[0]
        return f"projects/{_UNSPECIFIED}/regions/{region}/disks/{disk}"
    return f"projects/{_UNSPECIFIED}/zones/{zones[0] if zones else _UNSPECIFIED}/disks/{disk}"


def migrated_plugins(annotations: dict[str, str] | None) -> frozenset[str]:
    """In-tree plugins that a CSINode says have become CSI drivers."""
    given = (annotations or {}).get(MIGRATED_PLUGINS, "")
    return frozenset(given.split(",")) & DRIVERS.keys() if given else frozenset()
