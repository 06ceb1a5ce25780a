"""Which events may help a pod that NodeAffinity rejected."""

from collections.abc import Sequence

from kplace.columns.node_selectors import node_selector_mask, required_node_affinity_mask
from kplace.framework.events import Action, ClusterEvent, Happening, NodeImage, PodImage, Registration, Resource
from kplace.objects.meta import NodeSelector


def registrations(enforced: NodeSelector | None) -> Sequence[Registration]:
    """Events to register.

    Parameters
    ----------
    enforced : NodeSelector or None
        What the plugin's args add to every pod's required affinity.
    """

    def after_node_change(waiting: PodImage, happening: Happening) -> bool:
        """The pod's selectors match the node now and did not before, or the node is new."""
        old, new = happening.nodes
        if new is None or (enforced is not None and not node_selector_mask(new.columns, enforced)[0]):
            return False
        return _matches(waiting, new) and (old is None or not _matches(waiting, old))

    event = ClusterEvent(Resource.NODE, Action.ADD | Action.UPDATE_NODE_LABEL)
    return (Registration(event, after_node_change),)


def _matches(waiting: PodImage, image: NodeImage) -> bool:
    return bool(required_node_affinity_mask(image.columns, waiting.template.spec)[0])
