"""Which events may let a pod into the queue that DefaultPreemption keeps out while it evicts others for it."""

from kplace.framework.events import Action, ClusterEvent, Happening, PodImage, Registration, Resource


def never(_waiting: PodImage, _happening: Happening) -> bool:
    """Say that the departure of a pod does not help by itself: what helps, the plugins know that rejected the pod."""
    return False


REGISTRATIONS = (Registration(ClusterEvent(Resource.POD, Action.DELETE), never),)
