"""Which events may help a pod that VolumeBinding rejected."""

from kplace.columns.storage.classes import volume_limit
from kplace.columns.storage.in_tree import MIGRATED_PLUGINS
from kplace.framework.events import Action, ClusterEvent, Happening, PodImage, Registration, Resource
from kplace.objects.storage import CSIDriver, CSINode, CSIStorageCapacity, StorageClass
from kplace.plugins.volumes import concerns_claim


def after_class_change(_waiting: PodImage, happening: Happening) -> bool:
    """The class is new, or other nodes are allowed."""
    old, new = happening.old, happening.new
    if not isinstance(old, StorageClass) or not isinstance(new, StorageClass):
        return True
    return (old.allowed_topologies or ()) != (new.allowed_topologies or ())


def after_claim_change(waiting: PodImage, happening: Happening) -> bool:
    """The pod has the claim."""
    return concerns_claim(waiting, happening, ephemeral=True)


def after_csi_node_change(_waiting: PodImage, happening: Happening) -> bool:
    """The CSINode is new, or other in-tree plugins have become drivers there."""
    old, new = happening.old, happening.new
    if not isinstance(old, CSINode) or not isinstance(new, CSINode):
        return True
    before, after = ((item.metadata.annotations or {}).get(MIGRATED_PLUGINS, "") for item in (old, new))
    return before != after


def after_driver_update(waiting: PodImage, happening: Happening) -> bool:
    """The driver of one of the pod's inline volumes no longer reports its capacity."""
    old, new = happening.old, happening.new
    if not isinstance(old, CSIDriver) or not isinstance(new, CSIDriver):
        return True
    if not old.spec.storage_capacity or new.spec.storage_capacity:
        return False
    volumes = waiting.template.spec.volumes or ()
    return any(volume.csi is not None and volume.csi.driver == new.metadata.name for volume in volumes)


def after_capacity_change(_waiting: PodImage, happening: Happening) -> bool:
    """The capacity is new, or there is room for a larger volume than before."""
    old, new = happening.old, happening.new
    if not isinstance(old, CSIStorageCapacity) or not isinstance(new, CSIStorageCapacity):
        return True
    before, after = volume_limit(old), volume_limit(new)
    return after is not None and (before is None or after > before)


_ADD_OR_UPDATE = Action.ADD | Action.UPDATE

REGISTRATIONS = (
    Registration(ClusterEvent(Resource.STORAGE_CLASS, _ADD_OR_UPDATE), after_class_change),
    Registration(ClusterEvent(Resource.PERSISTENT_VOLUME_CLAIM, _ADD_OR_UPDATE), after_claim_change),
    Registration(ClusterEvent(Resource.PERSISTENT_VOLUME, _ADD_OR_UPDATE)),
    Registration(ClusterEvent(Resource.NODE, Action.ADD | Action.UPDATE_NODE_LABEL)),
    Registration(ClusterEvent(Resource.CSI_NODE, _ADD_OR_UPDATE), after_csi_node_change),
    Registration(ClusterEvent(Resource.CSI_DRIVER, Action.UPDATE), after_driver_update),
    Registration(ClusterEvent(Resource.CSI_STORAGE_CAPACITY, _ADD_OR_UPDATE), after_capacity_change),
)
