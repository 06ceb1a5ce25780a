"""Nodes and pods as an extender is sent them: the objects of the input."""

import uuid
from typing import Any

import msgspec
from msgspec import Struct

from kplace.columns import ClusterColumns
from kplace.columns.rebuilt import NodeObjects, pod_object
from kplace.io.manifests import encoded

Raw = bytes | memoryview


class _Meta(Struct):
    name: str = ""


class _Head(Struct):
    metadata: _Meta | None = None


_HEAD = msgspec.json.Decoder(_Head)


class ObjectTexts:
    """JSON of the nodes and pods of a cluster, as they stand in the input.

    Those that the input does not hold themselves (pods made from a controller's template) are written of what is known.

    Parameters
    ----------
    columns : ClusterColumns
    """

    def __init__(self, columns: ClusterColumns) -> None:
        self._columns = columns
        self._made_nodes = NodeObjects(columns)
        self._pods = {source.pod: source.raw for source in columns.sources if source.pod >= 0}
        by_name = {_name(source.raw): source.raw for source in columns.sources if source.kind == "Node"}
        self._nodes: list[Raw | None] = [by_name.get(name) for name in columns.nodes.names]
        self._latest: tuple[tuple[int, str], bytes] = ((-1, ""), b"")

    def node(self, node: int) -> Raw:
        """A node."""
        raw = self._nodes[node]
        if raw is None:
            raw = self._nodes[node] = encoded("Node", self._made_nodes[node])
        return raw

    def pod(self, pod: int, node_name: str = "") -> bytes:
        """A pod, with its uid and namespace, on a node or on none."""
        # The calls of one attempt are about the same pod.
        if self._latest[0] != (pod, node_name):
            self._latest = (pod, node_name), msgspec.json.encode(self._pod(pod, node_name))
        return self._latest[1]

    def uid(self, pod: int) -> str:
        """Uid of a pod: its own, or one that is made of its name."""
        pods = self._columns.pods
        return pods.uids[pod] or str(uuid.uuid5(_PODS, pods.key(pod)))

    def _pod(self, pod: int, node_name: str) -> dict[str, Any]:
        raw = self._pods.get(pod)
        if raw is None or not _name(raw):
            raw = encoded("Pod", pod_object(self._columns, pod, ""))
        item: dict[str, Any] = msgspec.json.decode(raw)
        namespace = self._columns.pods.namespaces[self._columns.pods.namespace[pod]]
        item["metadata"] = (item.get("metadata") or {}) | {"namespace": namespace, "uid": self.uid(pod)}
        spec = {name: value for name, value in (item.get("spec") or {}).items() if name != "nodeName"}
        item["spec"] = spec | ({"nodeName": node_name} if node_name else {})
        return item


_PODS = uuid.uuid5(uuid.NAMESPACE_DNS, "pods.kplace")
"""Where the uids come from that pods without one get: the same in every run."""


def _name(raw: Raw) -> str:
    """The name in an object; empty if it has none."""
    head = _HEAD.decode(raw) if raw else _Head()
    return head.metadata.name if head.metadata is not None else ""
