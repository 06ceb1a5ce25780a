"""A workload as a cluster and the steps that are done in it."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count as counting
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from kplace.analysis.scheduler_perf.document import Workload
from kplace.analysis.scheduler_perf.templates import ObjectTemplate, Values, decode
from kplace.columns import ClusterBuilder, ClusterColumns
from kplace.dtypes import I32
from kplace.errors import Fault, InputError
from kplace.io.validate import CHECKS
from kplace.objects.core import Node, Pod

DEFAULT_NODE = {"capacity": {"cpu": "4", "memory": "32Gi", "pods": "110"}}
"""Status of a node for which no template is named."""
PACE = 500.0
"""Pods per second that churn is reckoned at, for a workload without a threshold."""


@dataclass(frozen=True, slots=True)
class Step:
    """Something that is done: pods are placed, or deleted.

    Attributes
    ----------
    pods : int32 ndarray
    is_measured : bool
    deletes : bool
    """

    pods: I32
    is_measured: bool = False
    deletes: bool = False


@dataclass(frozen=True, slots=True)
class Script:
    """What a workload comes to.

    Attributes
    ----------
    columns : ClusterColumns
        All objects that are ever there.
    steps : tuple of Step
    notes : tuple of str
        In what it is not quite what upstream does.
    """

    columns: ClusterColumns
    steps: tuple[Step, ...]
    notes: tuple[str, ...]


def script_of(workload: Workload) -> Script:
    """Make all objects of a workload, and the steps.

    Raises
    ------
    InputError
        A template cannot be used.
    """
    writer = _Writer(workload)
    for number, operation in enumerate(workload.operations):
        _OPERATIONS.get(operation["opcode"], _pass_over)(writer, number, operation)
    return Script(writer.builder.finish(), tuple(writer.steps), tuple(dict.fromkeys(writer.notes)))


@dataclass(slots=True)
class _Writer:
    workload: Workload
    builder: ClusterBuilder = field(default_factory=lambda: ClusterBuilder(CHECKS))
    steps: list[Step] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    churn: list[tuple[Path, float]] = field(default_factory=list)
    is_collecting: bool = False
    n_pods: int = 0
    namespaces: set[str] = field(default_factory=set)
    by_namespace: dict[str, list[int]] = field(default_factory=dict)
    names: Iterator[int] = field(default_factory=counting)
    nodes: Iterator[int] = field(default_factory=counting)

    def add(self, manifest: Mapping[str, Any], path: Path) -> None:
        kind, made = decode(manifest, path)
        self.builder.add(kind, made, b"{}", str(path))

    def namespace(self, name: str, manifest: Mapping[str, Any] | None = None, path: Path = Path()) -> None:
        if name not in self.namespaces:
            self.namespaces.add(name)
            given = dict(manifest or {"apiVersion": "v1", "kind": "Namespace"})
            given["metadata"] = {**given.get("metadata", {}), "name": name}
            self.add(given, path)

    def pod(self, manifest: Mapping[str, Any], path: Path, namespace: str, volumes: list[dict[str, Any]]) -> int:
        """Add a pod under a name of its own; returns its index."""
        made = _pod_of(manifest, path)
        name = f"{made.metadata.generate_name or 'pod-'}{next(self.names)}"
        metadata = msgspec.structs.replace(made.metadata, name=name, namespace=namespace)
        spec = made.spec
        if volumes:
            claims = _pod_of({"kind": "Pod", "spec": {"volumes": volumes}}, path).spec.volumes or ()
            spec = msgspec.structs.replace(spec, volumes=(*(spec.volumes or ()), *claims))
        self.builder.add_pod(msgspec.structs.replace(made, metadata=metadata, spec=spec), str(path))
        self.by_namespace.setdefault(namespace, []).append(self.n_pods)
        self.n_pods += 1
        return self.n_pods - 1


def _pod_of(manifest: Mapping[str, Any], path: Path) -> Pod:
    _, made = decode(manifest, path)
    if not isinstance(made, Pod):
        raise InputError([Fault(str(path), type(made).__name__, "", "expected a pod")])
    return made


def _values(operation: Mapping[str, Any], index: int) -> Values:
    return {"Index": index, "Count": operation["count"], **operation.get("templateParams", {})}


def _create_nodes(writer: _Writer, _number: int, operation: Mapping[str, Any]) -> None:
    if writer.n_pods:
        writer.notes.append("nodes that come later are there from the beginning")
    template = _template(operation, "nodeTemplatePath")
    labels, unique = operation.get("labelNodePrepareStrategy"), operation.get("uniqueNodeLabelStrategy")
    allocatable = (operation.get("nodeAllocatableStrategy") or {}).get("nodeAllocatable")
    for index in range(operation["count"]):
        given = template.manifest(_values(operation, index), "Node") if template else {"status": DEFAULT_NODE}
        path = template.path if template else Path("createNodes")
        _, made = decode({"apiVersion": "v1", "kind": "Node", **given}, path)
        assert isinstance(made, Node)
        own = dict(made.metadata.labels or {})
        name = made.metadata.name or f"node-{next(writer.nodes)}"
        own.setdefault("kubernetes.io/hostname", name)
        if labels:
            values = labels["labelValues"]
            own[labels["labelKey"]] = values[index % len(values)]
        if unique:
            own[unique["labelKey"]] = f"{unique['labelKey'].replace('/', '-')}-{index}"
        status = made.status
        offered = allocatable or status.allocatable or status.capacity
        status = msgspec.structs.replace(status, allocatable={**(status.capacity or {}), **(offered or {})})
        metadata = msgspec.structs.replace(made.metadata, name=name, labels=own)
        writer.builder.add("Node", msgspec.structs.replace(made, metadata=metadata, status=status), b"{}", str(path))


def _create_namespaces(writer: _Writer, _number: int, operation: Mapping[str, Any]) -> None:
    template = _template(operation, "namespaceTemplatePath")
    for index in range(operation["count"]):
        manifest = template.manifest(_values(operation, index), "Namespace") if template else None
        path = template.path if template else Path("createNamespaces")
        writer.namespace(f"{operation.get('prefix', 'namespace')}-{index}", manifest, path)


def _create_pods(writer: _Writer, number: int, operation: Mapping[str, Any]) -> None:
    namespace = operation.get("namespace") or f"namespace-{number}"
    writer.namespace(namespace)
    template = _template(operation, "podTemplatePath")
    assert template is not None
    pods = []
    for index in range(operation["count"]):
        manifest = template.manifest(_values(operation, index), "Pod")
        pods.append(writer.pod(manifest, template.path, namespace, _volumes(writer, operation, namespace, index)))
    _place(writer, pods, is_measured=bool(operation.get("collectMetrics")) or writer.is_collecting)


def _volumes(writer: _Writer, operation: Mapping[str, Any], namespace: str, index: int) -> list[dict[str, Any]]:
    """Make a volume and a claim that are bound to each other, for one pod."""
    volume, claim = (
        _template(operation, f"{kind}TemplatePath") for kind in ("persistentVolume", "persistentVolumeClaim")
    )
    if volume is None or claim is None:
        return []
    name = f"{namespace}-{index}"
    values = _values(operation, index)
    bound = dict(volume.manifest(values, "PersistentVolume"))
    own: Any = bound.get("spec") or {}
    bound |= {"apiVersion": "v1", "metadata": {**_metadata(bound), "name": f"pv-{name}"}}
    bound["spec"] = {**own, "claimRef": {"namespace": namespace, "name": f"pvc-{name}"}}
    writer.add(bound, volume.path)
    asked = dict(claim.manifest(values, "PersistentVolumeClaim"))
    own = asked.get("spec") or {}
    notes = {"pv.kubernetes.io/bind-completed": "true"}
    asked["metadata"] = {**_metadata(asked), "name": f"pvc-{name}", "namespace": namespace, "annotations": notes}
    asked |= {"apiVersion": "v1", "spec": {**own, "volumeName": f"pv-{name}"}, "status": {"phase": "Bound"}}
    writer.add(asked, claim.path)
    return [{"name": "vol", "persistentVolumeClaim": {"claimName": f"pvc-{name}"}}]


def _metadata(manifest: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in (manifest.get("metadata") or {}).items() if key != "generateName"}


def _create_pod_sets(writer: _Writer, number: int, operation: Mapping[str, Any]) -> None:
    for index in range(operation["count"]):
        namespace = f"{operation.get('namespacePrefix', 'namespace')}-{index}"
        _create_pods(writer, number, {**operation["createPodsOp"], "namespace": namespace})


def _create_any(writer: _Writer, _number: int, operation: Mapping[str, Any]) -> None:
    template = _template(operation, "templatePath")
    if template is None:
        raise InputError([Fault(writer.workload.title, "createAny", "templatePath", "expected a path")])
    for index in range(operation["count"]):
        manifest = dict(template.manifest(_values(operation, index), ""))
        if operation.get("namespace"):
            manifest["metadata"] = {**_metadata(manifest), "namespace": operation["namespace"]}
        writer.add(manifest, template.path)


def _churn(writer: _Writer, _number: int, operation: Mapping[str, Any]) -> None:
    """Keep the pods that churn brings; they come while measured pods are placed."""
    seconds = operation.get("intervalMilliseconds", 500) / 1000
    for path in operation.get("templatePaths", ()):
        kind = ObjectTemplate.read(path).manifest({"Index": 0, "Count": 1}, "").get("kind")
        if kind == "Pod":
            writer.churn.append((path, seconds))
        else:
            writer.notes.append(f"churn brings pods only, no {kind or 'others'}")


def _delete_pods(writer: _Writer, number: int, operation: Mapping[str, Any]) -> None:
    if operation.get("deletePodsPerSecond"):
        writer.notes.append("pods are deleted at once, not bit by bit")
    namespace = operation.get("namespace") or f"namespace-{number}"
    writer.steps.append(Step(np.array(writer.by_namespace.pop(namespace, []), np.int32), deletes=True))


def _start(writer: _Writer, _number: int, _operation: Mapping[str, Any]) -> None:
    writer.is_collecting = True


def _stop(writer: _Writer, _number: int, _operation: Mapping[str, Any]) -> None:
    writer.is_collecting = False


def _pass_over(_writer: _Writer, _number: int, _operation: Mapping[str, Any]) -> None:
    """Do nothing: all pods of an operation are tried before the next one begins anyway."""


_OPERATIONS: dict[str, Callable[[_Writer, int, Mapping[str, Any]], None]] = {
    "createNodes": _create_nodes,
    "createNamespaces": _create_namespaces,
    "createPods": _create_pods,
    "createPodSets": _create_pod_sets,
    "createAny": _create_any,
    "churn": _churn,
    "deletePods": _delete_pods,
    "startCollectingMetrics": _start,
    "stopCollectingMetrics": _stop,
}


def _place(writer: _Writer, pods: list[int], *, is_measured: bool) -> None:
    """Place pods; measured ones in pieces, between which churn brings what it would at upstream's pace."""
    if not is_measured or not writer.churn:
        writer.steps.append(Step(np.array(pods, np.int32), is_measured))
        return
    pace = writer.workload.threshold or PACE
    writer.notes.append(f"churn comes as often as if {pace:,.0f} pods were placed a second")
    seconds = min(seconds for _, seconds in writer.churn)
    size = max(1, round(pace * seconds))
    writer.namespace("churn")
    for at in range(0, len(pods), size):
        coming = [
            writer.pod(ObjectTemplate.read(path).manifest({"Index": at, "Count": 1}, "Pod"), path, "churn", [])
            for path, _ in writer.churn
        ]
        writer.steps.append(Step(np.array(coming + pods[at : at + size], np.int32), is_measured))


def _template(operation: Mapping[str, Any], key: str) -> ObjectTemplate | None:
    return ObjectTemplate.read(operation[key]) if key in operation else None
