"""Which events an update of an object gives (upstream ``PodSchedulingPropertiesChange`` and its like for nodes)."""

from collections.abc import Iterator, Mapping

import numpy as np

from kplace.columns.cluster import ClusterColumns
from kplace.columns.quantity import parse
from kplace.framework.events import Action, ClusterEvent, Happening, NodeImage, PodImage, Resource
from kplace.objects.core import Node
from kplace.objects.meta import Quantity

KIND_RESOURCES = {
    "PersistentVolume": Resource.PERSISTENT_VOLUME,
    "PersistentVolumeClaim": Resource.PERSISTENT_VOLUME_CLAIM,
    "CSINode": Resource.CSI_NODE,
    "CSIDriver": Resource.CSI_DRIVER,
    "CSIStorageCapacity": Resource.CSI_STORAGE_CAPACITY,
    "StorageClass": Resource.STORAGE_CLASS,
    "VolumeAttachment": Resource.VOLUME_ATTACHMENT,
    "ResourceClaim": Resource.RESOURCE_CLAIM,
    "ResourceSlice": Resource.RESOURCE_SLICE,
    "DeviceClass": Resource.DEVICE_CLASS,
    "PodGroup": Resource.POD_GROUP,
}
"""Kinds beside pods and nodes whose changes the scheduler hears of."""


def pod_changes(old: PodImage, new: PodImage, columns: ClusterColumns) -> list[Happening]:
    """What an update changed of a pod, in upstream's order; a general update if it is nothing special."""
    resource = Resource.ASSIGNED_POD if new.node else Resource.UNSCHEDULED_POD
    actions = list(_pod_actions(old, new)) or [Action.UPDATE]
    return [Happening(ClusterEvent(resource, action), old, new, columns) for action in actions]


def _pod_actions(old: PodImage, new: PodImage) -> Iterator[Action]:
    if old.template is new.template:
        return
    before, after = old.template, new.template
    if before.labels != after.labels:
        yield Action.UPDATE_POD_LABEL
    if np.any(before.request > after.request):
        yield Action.UPDATE_POD_SCALE_DOWN
    if before.spec.scheduling_gates and not after.spec.scheduling_gates:
        yield Action.UPDATE_POD_SCHEDULING_GATES_ELIMINATED
    if len(before.spec.tolerations or ()) != len(after.spec.tolerations or ()):
        yield Action.UPDATE_POD_TOLERATION


def node_changes(old: NodeImage, new: NodeImage, columns: ClusterColumns) -> list[Happening]:
    """What an update changed of a node, in upstream's order; nothing if no plugin could care."""
    return [
        Happening(ClusterEvent(Resource.NODE, action), old, new, columns)
        for action in _node_actions(old.node, new.node)
    ]


def _node_actions(old: Node, new: Node) -> Iterator[Action]:
    if old.spec.unschedulable and not new.spec.unschedulable:
        yield Action.UPDATE_NODE_TAINT
    if _amounts(old.status.allocatable) != _amounts(new.status.allocatable):
        yield Action.UPDATE_NODE_ALLOCATABLE
    if (old.metadata.labels or {}) != (new.metadata.labels or {}):
        yield Action.UPDATE_NODE_LABEL
    if (old.spec.taints or ()) != (new.spec.taints or ()):
        yield Action.UPDATE_NODE_TAINT
    if _conditions(old) != _conditions(new):
        yield Action.UPDATE_NODE_CONDITION
    if (old.metadata.annotations or {}) != (new.metadata.annotations or {}):
        yield Action.UPDATE_NODE_ANNOTATION


def _amounts(quantities: Mapping[str, Quantity] | None) -> dict[str, object]:
    return {name: parse(quantity) for name, quantity in (quantities or {}).items()}


def _conditions(node: Node) -> dict[str, str]:
    return {item.type: item.status for item in node.status.conditions or ()}
