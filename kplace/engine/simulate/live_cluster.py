"""The cluster while nodes and pods come, change and go: the scheduler's cache and its snapshots.

Which pods are on which node is kept by name, so that it outlives the rows of a snapshot. A change of nodes makes the
next snapshot a new set of columns; pods that come and go change the state of the one that there is.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from msgspec import Struct

from kplace.columns.cluster import ClusterColumns
from kplace.columns.compiling import NAMESPACE_NAME_LABEL
from kplace.columns.node_order import zone_key
from kplace.columns.node_tree import NodeTree
from kplace.columns.nodes import allocatable_amounts, build_nodes
from kplace.columns.pods import UNKNOWN_NODE
from kplace.dtypes import I32, I64, NO_NODE
from kplace.engine.simulate.swift import SwiftAttempts
from kplace.framework.interface import ClusterReader
from kplace.objects.core import Namespace, Node
from kplace.preemption.budgets import Budgets
from kplace.queue import Nominator
from kplace.state import ClusterState
from kplace.state.volume_bindings import VolumeBindings

_PASSIVE = frozenset({"PriorityClass", "LimitRange", "RuntimeClass", "Deployment", "DaemonSet", "Job", "CronJob"})
"""Kinds that matter when a pod is made, and to no decision afterwards."""


class PodChange(NamedTuple):
    """What the columns say of a pod from now on.

    Attributes
    ----------
    pod : int
    template : int
    started_ns : int
    is_terminating, is_preempted : bool
    """

    pod: int
    template: int
    started_ns: int
    is_terminating: bool
    is_preempted: bool


class _Step(NamedTuple):
    """Something that the state has to follow, now or when it is released."""

    method: str
    arguments: tuple[Any, ...] = ()


class LiveCluster:
    """The scheduler's view of the cluster.

    Parameters
    ----------
    columns : ClusterColumns
        Its pods are all that there ever will be, by row, its templates and resources likewise; its nodes and other
        objects do not count. The pods' columns are changed in place.
    nominator : Nominator
    swift : SwiftAttempts
        Told of all that comes to nodes and leaves them.
    readers : sequence of ClusterReader
        Shown the objects that are neither nodes nor pods, by `inform`.

    Attributes
    ----------
    columns : ClusterColumns
        As of the last snapshot.
    state : ClusterState
        As of the last snapshot, but for pods that came and went since.
    volume_bindings : VolumeBindings
        As of now.
    """

    def __init__(
        self,
        columns: ClusterColumns,
        nominator: Nominator,
        swift: SwiftAttempts,
        readers: Sequence[ClusterReader] = (),
    ) -> None:
        self._nominator = nominator
        self._swift = swift
        self._readers = readers
        self._base = columns
        self._tree = NodeTree()
        self._nodes: dict[str, Node] = {}
        self._objects: dict[str, dict[tuple[str, str], Struct]] = {}
        self._pods_on: dict[str, list[int]] = {}
        self._node_of: dict[int, str] = {}
        self._listed: list[str] = []
        self._offered: I64 = np.zeros(len(columns.resources), np.int64)
        self._is_stale = False
        self._held: list[_Step] | None = None
        self.volume_bindings = VolumeBindings()
        columns.pods.node[:] = NO_NODE
        columns.pods.nominated[:] = NO_NODE
        self._snapshot(0)

    @property
    def nodes(self) -> Mapping[str, Node]:
        """The nodes that there are, by name, in order of addition."""
        return self._nodes

    def node_of(self, pod: int) -> str:
        """Node that a pod takes room on; empty if none."""
        return self._node_of.get(pod, "")

    def pods_on(self, node: str) -> list[int]:
        """Pods that take room on a node, in the order of its list."""
        return list(self._pods_on.get(node, ()))

    def use(self) -> tuple[I64, I64]:
        """What the pods on known nodes request and what these offer, by resource, as of now.

        It does not wait for a snapshot, nor make one.
        """
        templates = self._base.templates
        rows = [pod for pod, node in self._node_of.items() if node in self._nodes]
        numbers = np.bincount(self._base.pods.template[rows], minlength=len(templates)) if rows else np.zeros(0)
        requested = np.zeros(len(self._base.resources), np.int64)
        for template in np.flatnonzero(numbers).tolist():
            requested += int(numbers[template]) * templates[template].request
        return requested, self._offered.copy()

    def _count_offer(self, node: Node, sign: int) -> None:
        for name, amount in allocatable_amounts(node).items():
            if name != "pods":
                self._offered[self._base.resources.find(name)] += sign * amount

    # Nodes and other objects.

    def add_node(self, node: Node) -> None:
        """Add a node, or one that was removed while pods were on it."""
        name = node.metadata.name
        self._nodes[name] = node
        self._count_offer(node, 1)
        self._tree.add(name, _zone(node))
        self._is_stale = True

    def update_node(self, node: Node) -> None:
        """Replace a node by another version of it."""
        name = node.metadata.name
        self._tree.move(name, _zone(self._nodes[name]), _zone(node))
        self._count_offer(self._nodes[name], -1)
        self._count_offer(node, 1)
        self._nodes[name] = node
        self._is_stale = True

    def remove_node(self, name: str) -> None:
        """Remove a node; its pods stay on it, out of sight."""
        node = self._nodes.pop(name)
        self._tree.remove(name, _zone(node))
        self._count_offer(node, -1)
        self._is_stale = True

    def set_object(self, kind: str, place: tuple[str, str], obj: Struct | None) -> None:
        """Add, replace or remove (None) an object that is neither a node nor a pod.

        Parameters
        ----------
        place : (str, str)
            Namespace and name.
        """
        objects = self._objects.setdefault(kind, {})
        if place in objects:
            self._unsettle(kind, place)
        if obj is None:
            objects.pop(place, None)
        else:
            objects[place] = obj
        if kind == "PodDisruptionBudget":
            self._do(_Step("_renew_budgets"))
        elif kind not in _PASSIVE:
            self._is_stale = True

    def _unsettle(self, kind: str, place: tuple[str, str]) -> None:
        """Drop what was settled about a claim or a volume of which there is a newer version, or none any more."""
        if kind == "PersistentVolume":
            self.volume_bindings.drop_volume(place[1])
        elif kind == "PersistentVolumeClaim":
            self.volume_bindings.drop_claim(place)

    def inform(self) -> None:
        """Show the other objects to those that sort the queue by them."""
        if self._readers:
            columns = replace(self._base, objects=self._listed_objects())
            for reader in self._readers:
                reader.read_cluster(columns)

    # Pods.

    def put(self, pod: int, node: str) -> None:
        """Put a pod on a node, at the end of the node's list, whether or not there is such a node."""
        self._pods_on.setdefault(node, []).append(pod)
        self._node_of[pod] = node
        self._do(_Step("_show_put", (pod, node)))

    def put_counted(self, pod: int, node: str) -> None:
        """Put a pod on a node where the swift attempt that found it has counted it already."""
        self._pods_on.setdefault(node, []).append(pod)
        self._node_of[pod] = node
        self._do(_Step("_show_counted", (pod, node)))

    def take(self, pod: int) -> None:
        """Take a pod off its node; the last pod of the node's list takes its place."""
        node = self._node_of.pop(pod)
        pods = self._pods_on[node]
        last = pods.pop()
        if last != pod:
            pods[pods.index(pod)] = last
        if not pods:
            del self._pods_on[node]
        self._do(_Step("_show_take", (pod,)))

    def change(self, change: PodChange) -> None:
        """Change the columns of a pod; one on a node moves to the end of the node's list, as upstream has it."""
        pod = change.pod
        node = self._node_of.get(pod)
        if node is not None:
            self.take(pod)
        self._do(_Step("_show_change", (change,)))
        if node is not None:
            self.put(pod, node)

    # Snapshots.

    def sync(self) -> None:
        """Take a snapshot: what a scheduling attempt sees from now on."""
        if self._is_stale:
            self._snapshot(self.state.next_start_index)

    def hold(self) -> None:
        """Let the snapshot stay as it is, whatever happens, until `release`."""
        self._held = []

    def release(self) -> None:
        """Let the state follow what has happened since `hold`."""
        held, self._held = self._held or [], None
        for step in held:
            self._do(step)

    def _do(self, step: "_Step") -> None:
        if self._held is None:
            getattr(self, step.method)(*step.arguments)
        else:
            self._held.append(step)

    def _show_put(self, pod: int, node: str) -> None:
        row = self.columns.nodes.index.get(node)
        if row is not None:
            self.state.assume(pod, row)
            self._swift.hear(pod, row, 1)

    def _show_counted(self, pod: int, node: str) -> None:
        row = self.columns.nodes.index[node]
        self.state.settle(np.array([pod], np.int32), np.array([row], np.int32), lists_are_current=False)
        self.state.nominations.clear(pod)

    def _show_take(self, pod: int) -> None:
        row = int(self.state.node_of_pod[pod])
        if row != NO_NODE:
            self.state.forget(pod)
            self._swift.hear(pod, row, -1)

    def _show_change(self, change: PodChange) -> None:
        pod, pods = change.pod, self.columns.pods
        if pods.template[pod] != change.template:
            self.state.change_template(pod, change.template)
            self.state.drop_shared(Budgets)
        pods.started_ns[pod] = change.started_ns
        pods.terminating[pod] = change.is_terminating
        pods.preempted[pod] = change.is_preempted

    def _renew_budgets(self) -> None:
        objects = self._objects["PodDisruptionBudget"]
        self.columns.objects["PodDisruptionBudget"] = list(objects.values())
        self.state.drop_shared(Budgets)

    def _snapshot(self, start_index: int) -> None:
        self._list_nodes()
        names = list(self._nodes)
        position = {name: i for i, name in enumerate(names)}
        objects = self._listed_objects()
        nodes = build_nodes(list(self._nodes.values()), self._base.resources, [position[name] for name in self._listed])
        self.columns = replace(
            self._base, nodes=nodes, objects=objects, namespace_labels=self._namespace_labels(objects)
        )
        self.state = ClusterState(self.columns, self._settled())
        self.state.volume_bindings = self.volume_bindings
        self.state.next_start_index = start_index
        self._nominator.attach(self.state)
        self._swift.renew()
        self._is_stale = False

    def _listed_objects(self) -> dict[str, list[Struct]]:
        return {kind: list(items.values()) for kind, items in self._objects.items()}

    def _list_nodes(self) -> None:
        """Bring the order of the snapshot up to date: it is made anew only if nodes were added or removed."""
        if len(self._listed) != len(self._nodes) or any(name not in self._nodes for name in self._listed):
            self._listed = list(self._tree)

    def _settled(self) -> I32:
        """Enter where pods are into their columns; those on nodes of the snapshot, in the order they came there."""
        column = self._base.pods.node
        column[:] = NO_NODE
        index = {name: n for n, name in enumerate(self._listed)}
        settled: list[int] = []
        for node, pods in self._pods_on.items():
            row = index.get(node, UNKNOWN_NODE)
            column[pods] = row
            if row >= 0:
                settled += pods
        return np.array(settled, np.int32)

    def _namespace_labels(self, objects: Mapping[str, list[Struct]]) -> dict[str, Mapping[str, str]]:
        labels: dict[str, Mapping[str, str]] = {}
        for item in objects.get("Namespace", ()):
            if isinstance(item, Namespace):
                name = item.metadata.name
                labels[name] = {NAMESPACE_NAME_LABEL: name} | (item.metadata.labels or {})
        for namespace in self._base.namespace_labels:
            labels.setdefault(namespace, {NAMESPACE_NAME_LABEL: namespace})
        return labels


def _zone(node: Node) -> str:
    return zone_key(node.metadata.labels or {})
