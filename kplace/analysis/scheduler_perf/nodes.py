"""Nodes as createNodes makes them, with the strategies that prepare them."""

from collections.abc import Iterator, Mapping
from itertools import count as counting
from pathlib import Path
from typing import Any

from msgspec import structs

from kplace.analysis.scheduler_perf.templates import ObjectTemplate, decode, values_of
from kplace.errors import Fault, InputError
from kplace.objects.core import Node
from kplace.objects.storage import CSINode

DEFAULT_NODE = {"capacity": {"cpu": "4", "memory": "32Gi", "pods": "110"}}
"""Status of a node for which no template is named."""
HOSTNAME = "kubernetes.io/hostname"
_MIGRATED = "storage.alpha.kubernetes.io/migrated-plugins"


class NodeMaker:
    """Makes the nodes of a workload, each under a name of its own."""

    def __init__(self) -> None:
        self._names = counting()

    def make(self, operation: Mapping[str, Any]) -> Iterator[tuple[Node, CSINode | None, Path]]:
        """Make the nodes of an operation, each with what its CSI drivers say of themselves.

        Raises
        ------
        InputError
            The template cannot be used.
        """
        template = ObjectTemplate.of(operation, "nodeTemplatePath")
        path = template.path if template else Path("createNodes")
        allocatable = operation.get("nodeAllocatableStrategy") or {}
        for index in range(operation["count"]):
            given = template.manifest(values_of(operation, index), "Node") if template else {"status": DEFAULT_NODE}
            _, made = decode({"apiVersion": "v1", "kind": "Node", **given}, path)
            if not isinstance(made, Node):
                raise InputError([Fault(str(path), type(made).__name__, "", "expected a node")])
            node = _prepared(self._named(made), operation, index)
            yield node, _csi_node(node.metadata.name, allocatable, path), path

    def _named(self, made: Node) -> Node:
        name = made.metadata.name or f"{made.metadata.generate_name or 'node-'}{next(self._names)}"
        return structs.replace(made, metadata=structs.replace(made.metadata, name=name))


def offering(node: Node, more: Mapping[str, Any]) -> Node:
    """Let a node offer what it says, all of its capacity if it says nothing, and something more."""
    status = node.status
    offered = {**(status.allocatable or status.capacity or {}), **more}
    return structs.replace(node, status=structs.replace(status, allocatable=offered))


def _prepared(node: Node, operation: Mapping[str, Any], index: int) -> Node:
    labels, unique = operation.get("labelNodePrepareStrategy"), operation.get("uniqueNodeLabelStrategy")
    allocatable = (operation.get("nodeAllocatableStrategy") or {}).get("nodeAllocatable") or {}
    own = {HOSTNAME: node.metadata.name, **(node.metadata.labels or {})}
    if labels:
        values = labels["labelValues"]
        own[labels["labelKey"]] = values[index % len(values)]
    if unique:
        own[unique["labelKey"]] = f"{unique['labelKey'].replace('/', '-')}-{index}"
    return offering(structs.replace(node, metadata=structs.replace(node.metadata, labels=own)), allocatable)


def _csi_node(name: str, strategy: Mapping[str, Any], path: Path) -> CSINode | None:
    """A strategy's limits of volumes, by driver; None for none."""
    limits, migrated = strategy.get("csiNodeAllocatable") or {}, strategy.get("migratedPlugins") or ()
    if not limits and not migrated:
        return None
    metadata = {"name": name, **({"annotations": {_MIGRATED: ",".join(migrated)}} if migrated else {})}
    drivers = [{"name": driver, "nodeID": name, "allocatable": limit} for driver, limit in limits.items()]
    manifest = {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "CSINode",
        "metadata": metadata,
        "spec": {"drivers": drivers},
    }
    _, made = decode(manifest, path)
    assert isinstance(made, CSINode)
    return made
