"""Which events may help a pod that VolumeZone rejected."""

from kplace.columns.storage import PersistentVolumeEntry
from kplace.columns.storage.classes import waits_for_pod
from kplace.framework.events import Action, ClusterEvent, Happening, PodImage, Registration, Resource
from kplace.objects.storage import PersistentVolume, StorageClass
from kplace.plugins.volumes import concerns_claim


def after_class_added(_waiting: PodImage, happening: Happening) -> bool:
    """The new class waits for pods."""
    return isinstance(happening.new, StorageClass) and waits_for_pod(happening.new)


def after_claim_change(waiting: PodImage, happening: Happening) -> bool:
    """The pod names the claim."""
    return concerns_claim(waiting, happening, ephemeral=False)


def after_volume_change(_waiting: PodImage, happening: Happening) -> bool:
    """The volume is new, or its labels put it elsewhere."""
    old, new = happening.old, happening.new
    if not isinstance(old, PersistentVolume) or not isinstance(new, PersistentVolume):
        return True
    return PersistentVolumeEntry(0, old).topology != PersistentVolumeEntry(0, new).topology


REGISTRATIONS = (
    Registration(ClusterEvent(Resource.STORAGE_CLASS, Action.ADD), after_class_added),
    Registration(ClusterEvent(Resource.NODE, Action.ADD | Action.UPDATE_NODE_LABEL)),
    Registration(ClusterEvent(Resource.PERSISTENT_VOLUME_CLAIM, Action.ADD | Action.UPDATE), after_claim_change),
    Registration(ClusterEvent(Resource.PERSISTENT_VOLUME, Action.ADD | Action.UPDATE), after_volume_change),
)
