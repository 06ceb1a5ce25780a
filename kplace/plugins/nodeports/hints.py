"""Which events may help a pod that NodePorts rejected."""

from kplace.framework.events import NODE_ADD, Action, ClusterEvent, Happening, PodImage, Registration, Resource
from kplace.plugins.nodeports.ports import conflicts, host_ports


def after_pod_deleted(waiting: PodImage, happening: Happening) -> bool:
    """The pod that left had a node, or had one in view, and one of its host ports is in the way."""
    gone, _ = happening.pods
    if gone is None or not (gone.node or gone.nominated):
        return False
    wanted = host_ports(waiting.template.spec)
    return any(conflicts(one, other) for other in host_ports(gone.template.spec) for one in wanted)


REGISTRATIONS = (
    Registration(ClusterEvent(Resource.POD, Action.DELETE), after_pod_deleted),
    Registration(NODE_ADD),
)
