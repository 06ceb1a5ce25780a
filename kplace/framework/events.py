"""Cluster events: what happens to which kind of object, and what plugins say of it (upstream ``framework/events.go``).

A pod that was rejected waits until something happens that could help it. Which events those are, the plugins say that
rejected it: each registers events, and for each event may give a hint that looks at the object before and after.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntFlag, StrEnum
from functools import cached_property
from typing import NamedTuple, Protocol, runtime_checkable

from msgspec import Struct

from kplace.columns.cluster import ClusterColumns
from kplace.columns.nodes import NodeColumns, build_nodes
from kplace.columns.templates import Template
from kplace.columns.vocab import Vocabulary
from kplace.framework.interface import Plugin
from kplace.objects.core import Node


class Resource(StrEnum):
    """Kind of object that an event concerns; the value is how upstream's labels begin."""

    WILD_CARD = "*"
    POD = "Pod"
    ASSIGNED_POD = "AssignedPod"
    UNSCHEDULED_POD = "UnschedulablePod"
    NODE = "Node"
    PERSISTENT_VOLUME = "PersistentVolume"
    PERSISTENT_VOLUME_CLAIM = "PersistentVolumeClaim"
    CSI_NODE = "storage.k8s.io/CSINode"
    CSI_DRIVER = "storage.k8s.io/CSIDriver"
    CSI_STORAGE_CAPACITY = "storage.k8s.io/CSIStorageCapacity"
    STORAGE_CLASS = "storage.k8s.io/StorageClass"
    VOLUME_ATTACHMENT = "storage.k8s.io/VolumeAttachment"
    RESOURCE_CLAIM = "resource.k8s.io/ResourceClaim"
    RESOURCE_SLICE = "resource.k8s.io/ResourceSlice"
    DEVICE_CLASS = "resource.k8s.io/DeviceClass"
    POD_GROUP = "podgroups.v1alpha1.scheduling.x-k8s.io"


_PODS = frozenset({Resource.ASSIGNED_POD, Resource.UNSCHEDULED_POD})


class Action(IntFlag):
    """What happened to the object."""

    ADD = 1
    DELETE = 2
    UPDATE_NODE_ALLOCATABLE = 4
    UPDATE_NODE_LABEL = 8
    UPDATE_NODE_TAINT = 16
    UPDATE_NODE_CONDITION = 32
    UPDATE_NODE_ANNOTATION = 64
    UPDATE_POD_LABEL = 128
    UPDATE_POD_SCALE_DOWN = 256
    UPDATE_POD_TOLERATION = 512
    UPDATE_POD_SCHEDULING_GATES_ELIMINATED = 1024
    UPDATE_POD_GENERATED_RESOURCE_CLAIM = 2048
    OTHER_UPDATE = 4096
    UPDATE = 8188
    """Any update; as an incoming event one that no other word fits, which only those hear who asked for all of them."""
    ALL = 8191


_ACTION_NAMES = {
    Action.ADD: "Add",
    Action.DELETE: "Delete",
    Action.UPDATE_NODE_ALLOCATABLE: "UpdateNodeAllocatable",
    Action.UPDATE_NODE_LABEL: "UpdateNodeLabel",
    Action.UPDATE_NODE_TAINT: "UpdateNodeTaint",
    Action.UPDATE_NODE_CONDITION: "UpdateNodeCondition",
    Action.UPDATE_NODE_ANNOTATION: "UpdateNodeAnnotation",
    Action.UPDATE_POD_LABEL: "UpdatePodLabel",
    Action.UPDATE_POD_SCALE_DOWN: "UpdatePodScaleDown",
    Action.UPDATE_POD_TOLERATION: "UpdatePodToleration",
    Action.UPDATE_POD_SCHEDULING_GATES_ELIMINATED: "UpdatePodSchedulingGatesEliminated",
    Action.UPDATE_POD_GENERATED_RESOURCE_CLAIM: "UpdatePodGeneratedResourceClaim",
    Action.UPDATE: "Update",
    Action.ALL: "All",
}


class ClusterEvent(NamedTuple):
    """An event, or the events that somebody wants to hear of."""

    resource: Resource
    action: Action

    @property
    def label(self) -> str:
        """Upstream's name for it.

        Examples
        --------
        >>> NODE_TAINT.label, ASSIGNED_POD_DELETE.label
        ('NodeUpdateNodeTaint', 'AssignedPodDelete')
        """
        return f"{self.resource.value}{_ACTION_NAMES[self.action]}"

    def covers(self, event: "ClusterEvent") -> bool:
        """Whether who registered this one hears of ``event`` (upstream ``MatchClusterEvents``).

        Examples
        --------
        >>> pods = ClusterEvent(Resource.POD, Action.ADD | Action.DELETE)
        >>> pods.covers(ASSIGNED_POD_DELETE), pods.covers(ClusterEvent(Resource.ASSIGNED_POD, Action.UPDATE))
        (True, False)
        """
        if self.resource not in (event.resource, Resource.WILD_CARD) and not (
            self.resource is Resource.POD and event.resource in _PODS
        ):
            return False
        return event.action & self.action == event.action


NODE_ADD = ClusterEvent(Resource.NODE, Action.ADD)
NODE_DELETE = ClusterEvent(Resource.NODE, Action.DELETE)
NODE_TAINT = ClusterEvent(Resource.NODE, Action.UPDATE_NODE_TAINT)
ASSIGNED_POD_ADD = ClusterEvent(Resource.ASSIGNED_POD, Action.ADD)
ASSIGNED_POD_DELETE = ClusterEvent(Resource.ASSIGNED_POD, Action.DELETE)
UNSCHEDULED_POD_ADD = ClusterEvent(Resource.UNSCHEDULED_POD, Action.ADD)
UNSCHEDULED_POD_UPDATE = ClusterEvent(Resource.UNSCHEDULED_POD, Action.UPDATE)
UNSCHEDULED_POD_DELETE = ClusterEvent(Resource.UNSCHEDULED_POD, Action.DELETE)
WILD_CARD = ClusterEvent(Resource.WILD_CARD, Action.ALL)


@dataclass(frozen=True, slots=True)
class PodImage:
    """A pod as an event shows it.

    Attributes
    ----------
    pod : int
        Its row; the same before and after an update.
    template : Template
    node : str
        The node it is bound to; empty if none.
    nominated : str
        ``status.nominatedNodeName``.
    """

    pod: int
    template: Template
    node: str = ""
    nominated: str = ""


class NodeImage:
    """A node as an event shows it.

    Parameters
    ----------
    node : Node
    resources : Vocabulary
        Must hold every resource that counts.
    """

    def __init__(self, node: Node, resources: Vocabulary) -> None:
        self.node = node
        self._resources = resources

    @cached_property
    def columns(self) -> NodeColumns:
        """The columns of this node alone."""
        return build_nodes([self.node], self._resources)


Image = PodImage | NodeImage | Struct


class Happening(NamedTuple):
    """An event with what it happened to.

    Attributes
    ----------
    event : ClusterEvent
    old, new : PodImage, NodeImage, another object, or None
        Before and after; None before it was added and after it was deleted.
    columns : ClusterColumns
        The cluster.
    """

    event: ClusterEvent
    old: Image | None
    new: Image | None
    columns: ClusterColumns

    @property
    def pods(self) -> tuple[PodImage | None, PodImage | None]:
        """The pod before and after."""
        old, new = self.old, self.new
        return old if isinstance(old, PodImage) else None, new if isinstance(new, PodImage) else None

    @property
    def nodes(self) -> tuple[NodeImage | None, NodeImage | None]:
        """The node before and after."""
        old, new = self.old, self.new
        return old if isinstance(old, NodeImage) else None, new if isinstance(new, NodeImage) else None

    @property
    def pod(self) -> int:
        """Row of the pod that it happened to; -1 if it happened to something else."""
        image = self.new or self.old
        return image.pod if isinstance(image, PodImage) else -1

    def is_of(self, pod: int) -> bool:
        """Whether it happened to this very pod."""
        return self.pod == pod


Hint = Callable[[PodImage, Happening], bool]
"""Whether a pod that the plugin rejected is worth another try (upstream's ``QueueingHintFn``, True for ``Queue``).

The answer may depend on the pod's row only if the event happened to the pod itself.
"""


@dataclass(frozen=True, slots=True)
class Registration:
    """Events that may help pods which a plugin rejected.

    Attributes
    ----------
    event : ClusterEvent
    hint : callable, optional
        None: every such event is worth another try.
    """

    event: ClusterEvent
    hint: Hint | None = None


@runtime_checkable
class RequeueingPlugin(Plugin, Protocol):
    """Says which events may help the pods that it rejected (upstream's ``EnqueueExtensions``).

    A plugin without it is taken to hear of everything.
    """

    def events_to_register(self) -> Sequence[Registration]:
        """Give the events; none if no event helps."""
        ...
