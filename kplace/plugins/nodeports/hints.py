"""Which events may help a pod that NodePorts rejected."""

from functools import partial

from kplace.framework.events import NODE_ADD, Action, ClusterEvent, Happening, PodImage, Registration, Resource
from kplace.plugins.nodeports.ports import conflicts, host_ports


def after_pod_deleted(waiting: PodImage, happening: Happening, *, sidecars: bool = True) -> bool:
    """The pod that left had a node, or had one in view, and one of its host ports is in the way."""
    gone, _ = happening.pods
    if gone is None or not (gone.node or gone.nominated):
        return False
    wanted, freed = (host_ports(image.template.spec, sidecars=sidecars) for image in (waiting, gone))
    return any(conflicts(one, other) for other in freed for one in wanted)


def registrations(*, sidecars: bool) -> tuple[Registration, ...]:
    """Events that may help, host ports of sidecars counting or not."""
    after_deletion = partial(after_pod_deleted, sidecars=sidecars)
    return (Registration(ClusterEvent(Resource.POD, Action.DELETE), after_deletion), Registration(NODE_ADD))
