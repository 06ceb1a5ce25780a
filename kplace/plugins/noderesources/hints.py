"""Which events may help a pod that NodeResourcesFit rejected."""

import numpy as np

from kplace.framework.events import Action, ClusterEvent, Happening, NodeImage, PodImage, Registration, Resource


def after_node_change(waiting: PodImage, happening: Happening) -> bool:
    """The pod fits the empty node, and something it needs grew, or the node is new."""
    old, new = happening.nodes
    return new is not None and _fits_empty(waiting, new) and (old is None or _grew(waiting, old, new))


def after_pod_change(waiting: PodImage, happening: Happening) -> bool:
    """A pod left that had a node or one in view, or asks for less now of what the waiting pod needs."""
    old, new = happening.pods
    if old is None:
        return False
    if new is None:
        return bool(old.node or old.nominated)
    if new.pod == waiting.pod:
        return True
    asked = waiting.template.request > 0
    return bool(new.node) and bool(np.any((old.template.request > new.template.request) & asked))


def _fits_empty(waiting: PodImage, image: NodeImage) -> bool:
    columns = image.columns
    request = waiting.template.request
    return columns.allowed_pods[0] > 0 and not np.any((request > columns.allocatable[:, 0]) & (request > 0))


def _grew(waiting: PodImage, old: NodeImage, new: NodeImage) -> bool:
    if new.columns.allowed_pods[0] > old.columns.allowed_pods[0]:
        return True
    more = new.columns.allocatable[:, 0] > old.columns.allocatable[:, 0]
    return bool(np.any(more & (waiting.template.request > 0)))


REGISTRATIONS = (
    Registration(ClusterEvent(Resource.POD, Action.DELETE | Action.UPDATE_POD_SCALE_DOWN), after_pod_change),
    Registration(ClusterEvent(Resource.NODE, Action.ADD | Action.UPDATE_NODE_ALLOCATABLE), after_node_change),
)
