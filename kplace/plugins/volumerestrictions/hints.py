"""Which events may help a pod that VolumeRestrictions rejected."""

from kplace.columns.storage import claims_of_spec
from kplace.framework.events import NODE_ADD, Action, ClusterEvent, Happening, PodImage, Registration, Resource
from kplace.plugins.volumerestrictions.disks import conflict, exclusive_disks
from kplace.plugins.volumes import concerns_claim


def after_pod_deleted(waiting: PodImage, happening: Happening) -> bool:
    """The pod that left, of the same namespace, has a disk that is in the way, or a claim in common."""
    gone, _ = happening.pods
    if gone is None or gone.template.namespace != waiting.template.namespace:
        return False
    own, others = waiting.template.spec, gone.template.spec
    if any(conflict(one, other) for one in exclusive_disks(own) for other in others.volumes or ()):
        return True
    claims, freed = (
        {volume.claim for volume in claims_of_spec(spec) if not volume.ephemeral} for spec in (own, others)
    )
    return not claims.isdisjoint(freed)


def after_claim_added(waiting: PodImage, happening: Happening) -> bool:
    """The pod names the claim."""
    return concerns_claim(waiting, happening, ephemeral=False)


REGISTRATIONS = (
    Registration(ClusterEvent(Resource.POD, Action.DELETE), after_pod_deleted),
    Registration(NODE_ADD),
    Registration(ClusterEvent(Resource.PERSISTENT_VOLUME_CLAIM, Action.ADD), after_claim_added),
)
