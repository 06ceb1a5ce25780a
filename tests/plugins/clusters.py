"""Small clusters from plain dicts, written as in a manifest."""

import itertools
from typing import Any

import msgspec

from kplace.columns import ClusterBuilder
from kplace.framework import Cycle
from kplace.objects.core import Namespace, Node, Pod
from kplace.objects.meta import ObjectMeta
from kplace.state import ClusterState

Spec = dict[str, Any]


def node(name: str, labels: dict[str, str] | None = None, **status: Any) -> Spec:
    """A node that has room for everything."""
    allocatable = {"cpu": "64", "memory": "256Gi", "pods": "110"}
    return {"metadata": {"name": name, "labels": labels or {}}, "status": {"allocatable": allocatable, **status}}


def pod(spec: Spec | None = None, *, on: str = "", **metadata: Any) -> Spec:
    """A pod; the name is filled in by `state_of`."""
    return {"metadata": metadata, "spec": {"containers": [{"name": "c"}], **(spec or {}), "nodeName": on}}


def state_of(nodes: list[Spec], pods: list[Spec], namespaces: dict[str, dict[str, str]] | None = None) -> ClusterState:
    """State of a cluster; pods with a node are there already, namespaces are given with their labels."""
    builder = ClusterBuilder()
    for name, labels in (namespaces or {}).items():
        builder.add("Namespace", Namespace(ObjectMeta(name=name, labels=labels)), b"", "test")
    for item in nodes:
        builder.add("Node", msgspec.convert(item, Node), b"", "test")
    numbers = itertools.count()
    for item in pods:
        metadata = {"name": f"p{next(numbers)}", **item["metadata"]}
        builder.add("Pod", msgspec.convert({**item, "metadata": metadata}, Pod), b"", "test")
    return ClusterState(builder.finish())


def cycle_of(nodes: list[Spec], spec: Spec | None = None, running: list[Spec] | None = None) -> Cycle:
    """A cycle of a pod with the given spec, which waits while ``running`` are in place."""
    listed = [*(running or []), pod(spec)]
    return Cycle(state_of(nodes, listed), len(listed) - 1)


def names_of(state: ClusterState, nodes: Any) -> list[str]:
    """Names of nodes given by their indexes."""
    return [state.columns.nodes.names[n] for n in nodes]
