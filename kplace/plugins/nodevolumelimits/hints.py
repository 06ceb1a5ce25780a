"""Which events may help a pod that NodeVolumeLimits rejected."""

from kplace.columns.storage.in_tree import in_tree_volume
from kplace.framework.events import Action, ClusterEvent, Happening, PodImage, Registration, Resource
from kplace.objects.storage import CSINode, VolumeAttachment
from kplace.plugins.volumes import concerns_claim, is_attachable


def after_csi_node_update(_waiting: PodImage, happening: Happening) -> bool:
    """Some driver attaches more volumes than before; one without a number counts as 0."""
    old, new = happening.old, happening.new
    if not isinstance(old, CSINode) or not isinstance(new, CSINode):
        return True
    before = _counts(old)
    return any(count > before.get(driver, 0) for driver, count in _counts(new).items())


def after_pod_deleted(_waiting: PodImage, happening: Happening) -> bool:
    """The pod that left had a node, or one in view, and a volume that may have been attached."""
    gone, _ = happening.pods
    if gone is None or not (gone.node or gone.nominated):
        return False
    return any(map(is_attachable, gone.template.spec.volumes or ()))


def after_claim_added(waiting: PodImage, happening: Happening) -> bool:
    """The pod has the claim."""
    return concerns_claim(waiting, happening, ephemeral=True)


def after_attachment_deleted(waiting: PodImage, happening: Happening) -> bool:
    """The pod has a claim, or a disk of the driver that the attachment was of."""
    gone = happening.old
    if not isinstance(gone, VolumeAttachment):
        return False
    for volume in waiting.template.spec.volumes or ():
        if volume.persistent_volume_claim is not None or volume.ephemeral is not None:
            return True
        in_tree = in_tree_volume(volume)
        if in_tree is not None and in_tree.driver == gone.spec.attacher:
            return True
    return False


def _counts(item: CSINode) -> dict[str, int]:
    return {
        driver.name: driver.allocatable.count
        for driver in item.spec.drivers or ()
        if driver.allocatable is not None and driver.allocatable.count is not None
    }


REGISTRATIONS = (
    Registration(ClusterEvent(Resource.CSI_NODE, Action.ADD)),
    Registration(ClusterEvent(Resource.CSI_NODE, Action.UPDATE), after_csi_node_update),
    Registration(ClusterEvent(Resource.POD, Action.DELETE), after_pod_deleted),
    Registration(ClusterEvent(Resource.PERSISTENT_VOLUME_CLAIM, Action.ADD), after_claim_added),
    Registration(ClusterEvent(Resource.VOLUME_ATTACHMENT, Action.DELETE), after_attachment_deleted),
)
