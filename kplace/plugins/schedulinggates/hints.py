"""Which events may help a pod that SchedulingGates keeps out of the queue."""

from kplace.framework.events import Action, ClusterEvent, Happening, PodImage, Registration, Resource


def after_gates_gone(waiting: PodImage, happening: Happening) -> bool:
    """The pod itself lost its last gate."""
    return happening.is_of(waiting.pod)


REGISTRATIONS = (
    Registration(ClusterEvent(Resource.POD, Action.UPDATE_POD_SCHEDULING_GATES_ELIMINATED), after_gates_gone),
)
