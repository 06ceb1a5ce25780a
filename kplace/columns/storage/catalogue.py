"""All storage objects of a cluster by name, made once for a set of columns."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from kplace.columns.cluster import ClusterColumns
from kplace.columns.storage.claims import Claim, ClaimKey
from kplace.columns.storage.classes import waits_for_pod
from kplace.columns.storage.in_tree import DRIVERS, in_tree_volume, migrated_plugins
from kplace.columns.storage.volumes import PersistentVolumeEntry
from kplace.columns.vocab import Vocabulary
from kplace.dtypes import I64, Mask
from kplace.objects.core import Volume
from kplace.objects.storage import (
    CSIDriver,
    CSINode,
    CSIStorageCapacity,
    PersistentVolume,
    PersistentVolumeClaim,
    StorageClass,
    VolumeAttachment,
)

NO_LIMIT = np.iinfo(np.int64).max
"""In the limits: a node attaches as many volumes of the driver as there are."""

PLUGINS = tuple(DRIVERS)
"""In-tree plugins with a CSI driver; the rows of `Storage.migrated`."""
ANYWHERE = -1
"""In place of an in-tree plugin: the volume is a CSI driver's on every node."""


class Attachment(NamedTuple):
    """A volume that is attached to the node of a pod.

    Attributes
    ----------
    volume : str
        Driver and handle.
    driver : str
    plugin : int
        The in-tree plugin that must have become the driver on a node for the volume to count there; `ANYWHERE` for a
        volume that was a CSI driver's from the start.
    """

    volume: str
    driver: str
    plugin: int = ANYWHERE


class Storage:
    """The storage objects of a cluster.

    Parameters
    ----------
    columns : ClusterColumns

    Attributes
    ----------
    nodes : NodeColumns
    claims : dict of (str, str) to Claim
        By namespace and name.
    volumes : dict of str to PersistentVolumeEntry
    classes : dict of str to StorageClass
    csi_nodes : dict of str to CSINode
    csi_drivers : dict of str to CSIDriver
    capacities : list of CSIStorageCapacity
    attachments : list of VolumeAttachment
    """

    def __init__(self, columns: ClusterColumns) -> None:
        self.nodes = columns.nodes
        claims = columns.of_kind(PersistentVolumeClaim)
        self.claims: dict[ClaimKey, Claim] = {}
        for item in claims:
            key = (item.metadata.namespace or "default", item.metadata.name)
            self.claims[key] = Claim(key, item)
        self.volumes = {
            item.metadata.name: PersistentVolumeEntry(position, item)
            for position, item in enumerate(columns.of_kind(PersistentVolume))
        }
        self.classes: Mapping[str, StorageClass] = {item.metadata.name: item for item in columns.of_kind(StorageClass)}
        self.csi_nodes: Mapping[str, CSINode] = {item.metadata.name: item for item in columns.of_kind(CSINode)}
        self.csi_drivers: Mapping[str, CSIDriver] = {item.metadata.name: item for item in columns.of_kind(CSIDriver)}
        self.capacities = columns.of_kind(CSIStorageCapacity)
        self.attachments = columns.of_kind(VolumeAttachment)
        self._by_class: dict[str, list[PersistentVolumeEntry]] | None = None

    def waits(self, claim: Claim) -> bool:
        """Whether a claim's class binds it once a pod is placed (upstream ``IsDelayBindingMode``)."""
        return waits_for_pod(self.classes.get(claim.class_name))

    def of_class(self, name: str) -> list[PersistentVolumeEntry]:
        """Volumes of a storage class, in input order."""
        if self._by_class is None:
            self._by_class = {}
            for volume in self.volumes.values():
                self._by_class.setdefault(volume.class_name, []).append(volume)
        return self._by_class.get(name, [])

    def attachment_of_claim(self, claim: Claim) -> Attachment | None:
        """The volume that is attached for a claim; None if none is, or if it does not count.

        An unbound claim counts as a volume of its own of its class's provisioner. Mirrors ``getCSIDriverInfo``.
        """
        volume = self.volumes.get(claim.volume_name) if claim.volume_name else None
        if volume is None:
            return self._attachment_by_class(claim)
        csi = volume.item.spec.csi
        if csi is not None:
            found = Attachment(f"{csi.driver}/{csi.volume_handle}", csi.driver)
            return found if csi.driver and csi.volume_handle else None
        in_tree = in_tree_volume(volume.item.spec, volume.item.metadata)
        if in_tree is None or not in_tree.handle:
            return None
        return Attachment(f"{in_tree.driver}/{in_tree.handle}", in_tree.driver, PLUGINS.index(in_tree.plugin))

    def _attachment_by_class(self, claim: Claim) -> Attachment | None:
        storage_class = self.classes.get(claim.class_name)
        if storage_class is None or not storage_class.provisioner:
            return None
        provisioner = storage_class.provisioner
        # No real handle begins like this: upstream uses a random prefix.
        handle = f"(unbound)-{claim.full_name}"
        if provisioner in DRIVERS:
            driver = DRIVERS[provisioner]
            return Attachment(f"{driver}/{handle}", driver, PLUGINS.index(provisioner))
        return Attachment(f"{provisioner}/{handle}", provisioner)

    @staticmethod
    def attachment_of_inline(volume: Volume) -> Attachment | None:
        """The volume that is attached for one described in the pod itself; None if none is.

        Notes
        -----
        Other than for claims an empty handle counts.
        """
        in_tree = in_tree_volume(volume)
        if in_tree is None:
            return None
        return Attachment(f"{in_tree.driver}/{in_tree.handle}", in_tree.driver, PLUGINS.index(in_tree.plugin))

    def attached(self) -> Iterator[tuple[int, Attachment]]:
        """Volumes that VolumeAttachments hold on nodes of the snapshot (upstream ``getNodeVolumeAttachmentInfo``)."""
        for item in self.attachments:
            node = self.nodes.index.get(item.spec.node_name)
            name = item.spec.source.persistent_volume_name
            volume = self.volumes.get(name) if name is not None else None
            if node is None or volume is None or volume.item.spec.csi is None or not item.spec.attacher:
                continue
            handle = volume.item.spec.csi.volume_handle
            yield node, Attachment(f"{item.spec.attacher}/{handle}", item.spec.attacher)

    def limits(self, drivers: Vocabulary) -> I64:
        """How many volumes of each driver each node attaches, shape (n_drivers, n_nodes); `NO_LIMIT` where none is set.

        Mirrors ``getVolumeLimits``.
        """
        limits = np.full((len(drivers), len(self.nodes)), NO_LIMIT, np.int64)
        for name, item in self.csi_nodes.items():
            node = self.nodes.index.get(name)
            for driver in item.spec.drivers or () if node is not None else ():
                row = drivers.find(driver.name)
                if row >= 0 and driver.allocatable is not None and driver.allocatable.count is not None:
                    limits[row, node] = driver.allocatable.count
        return limits

    def migrated(self) -> Mask:
        """By in-tree plugin, nodes where its volumes are a CSI driver's, shape (len(PLUGINS), n_nodes)."""
        mask = np.zeros((len(PLUGINS), len(self.nodes)), np.bool_)
        for name, item in self.csi_nodes.items():
            node = self.nodes.index.get(name)
            if node is not None:
                for plugin in migrated_plugins(item.metadata.annotations):
                    mask[PLUGINS.index(plugin), node] = True
        return mask
