"""Which events may help a pod that NodeUnschedulable rejected."""

from kplace.framework.events import Action, ClusterEvent, Happening, PodImage, Registration, Resource
from kplace.plugins.tolerations import CORDON, tolerated


def after_node_change(_waiting: PodImage, happening: Happening) -> bool:
    """The node takes pods now and did not before, or is new."""
    old, new = happening.nodes
    if new is None or new.node.spec.unschedulable:
        return False
    return old is None or bool(old.node.spec.unschedulable)


def after_toleration_change(waiting: PodImage, happening: Happening) -> bool:
    """The pod itself tolerates cordoned nodes now."""
    _, new = happening.pods
    return new is not None and new.pod == waiting.pod and tolerated(CORDON, new.template.spec.tolerations or ())


REGISTRATIONS = (
    Registration(ClusterEvent(Resource.NODE, Action.ADD | Action.UPDATE_NODE_TAINT), after_node_change),
    Registration(ClusterEvent(Resource.POD, Action.UPDATE_POD_TOLERATION), after_toleration_change),
)
