"""Which events may help a pod that TaintToleration rejected."""

from kplace.framework.events import Action, ClusterEvent, Happening, NodeImage, PodImage, Registration, Resource
from kplace.plugins.tolerations import first_untolerated


def after_node_change(waiting: PodImage, happening: Happening) -> bool:
    """The node's taints are tolerated now and were not before, or the node is new."""
    old, new = happening.nodes
    return new is not None and _tolerates(waiting, new) and (old is None or not _tolerates(waiting, old))


def after_toleration_change(waiting: PodImage, happening: Happening) -> bool:
    """The pod itself was given another toleration."""
    return happening.is_of(waiting.pod)


def _tolerates(waiting: PodImage, image: NodeImage) -> bool:
    return first_untolerated(image.node.spec.taints or (), waiting.template.spec.tolerations or ()) < 0


REGISTRATIONS = (
    Registration(ClusterEvent(Resource.NODE, Action.ADD | Action.UPDATE_NODE_TAINT), after_node_change),
    Registration(ClusterEvent(Resource.POD, Action.UPDATE_POD_TOLERATION), after_toleration_change),
)
