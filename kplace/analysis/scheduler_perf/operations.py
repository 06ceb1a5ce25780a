"""The operations of a workload, each written down as objects and steps."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import count as counting
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import structs

from kplace.analysis.scheduler_perf.document import Workload
from kplace.analysis.scheduler_perf.nodes import HOSTNAME, NodeMaker, offering
from kplace.analysis.scheduler_perf.steps import Deleting, Placing, Retrying, Stage, Step
from kplace.analysis.scheduler_perf.templates import ObjectTemplate, decode, values_of
from kplace.analysis.scheduler_perf.world import World
from kplace.dtypes import I32
from kplace.errors import Fault, InputError
from kplace.objects.core import Node, Pod

PACE = 500.0
"""Pods per second that churn is reckoned at, for a workload without a threshold."""
_SHARE = {"cpu": "100m", "memory": "500Mi"}
DEFAULT_POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"generateName": "pod-"},
    "spec": {
        "containers": [
            {
                "name": "pause",
                "image": "registry.k8s.io/pause:3.10",
                "ports": [{"containerPort": 80}],
                "resources": {"limits": _SHARE, "requests": _SHARE},
            }
        ]
    },
}
"""A pod for which neither an operation nor the test case names a template."""


@dataclass(frozen=True, slots=True)
class _Collection:
    """Which pods are measured between startCollectingMetrics and stopCollectingMetrics."""

    namespaces: tuple[str, ...]
    labels: Mapping[str, str]

    def covers(self, pod: Pod) -> bool:
        is_in = not self.namespaces or pod.metadata.namespace in self.namespaces
        return is_in and self.labels.items() <= (pod.metadata.labels or {}).items()


@dataclass(slots=True)
class _Churn:
    """A template that objects are made from while pods are placed."""

    path: Path
    namespace: str
    seconds: float
    left: int


@dataclass(slots=True)
class Writer:
    """Writes a workload down, operation by operation.

    Attributes
    ----------
    notes : list of str
    """

    workload: Workload
    notes: list[str] = field(default_factory=list)
    _world: World = field(init=False)
    _stages: list[Stage] = field(default_factory=list)
    _steps: list[Step] = field(default_factory=list)
    _churn: list[_Churn] = field(default_factory=list)
    _collection: _Collection | None = None
    _measured: list[int] = field(default_factory=list)
    _names: "counting[int]" = field(default_factory=counting)
    _nodes: NodeMaker = field(default_factory=NodeMaker)
    _has_news: bool = False

    def __post_init__(self) -> None:
        """Begin with nothing."""
        self._world = World(self.workload.title)

    def finish(self) -> tuple[tuple[Stage, ...], I32]:
        """The stages, and the numbers of the measured pods."""
        self._stages.append(Stage(self._world.columns(), tuple(self._steps)))
        return tuple(self._stages), np.array(self._measured, np.int32)

    def create_nodes(self, _number: int, operation: Mapping[str, Any]) -> None:
        """CreateNodes."""
        if not operation["count"]:
            return
        self._change()
        for node, csi, path in self._nodes.make(operation):
            self._world.add("Node", node, path)
            if csi is not None:
                self._world.add("CSINode", csi, path)
        self._retry()

    def create_namespaces(self, _number: int, operation: Mapping[str, Any]) -> None:
        """CreateNamespaces."""
        template = ObjectTemplate.of(operation, "namespaceTemplatePath")
        for index in range(operation["count"]):
            manifest = template.manifest(values_of(operation, index), "Namespace") if template else None
            path = template.path if template else Path("createNamespaces")
            self._namespace(f"{operation.get('prefix', 'namespace')}-{index}", manifest, path)

    def create_pods(self, number: int, operation: Mapping[str, Any]) -> None:
        """CreatePods; each pod has a volume of its own if there are templates for it."""
        namespace = operation.get("namespace") or f"namespace-{number}"
        self._namespace(namespace)
        template = ObjectTemplate.of(operation, "podTemplatePath")
        path = template.path if template else Path("createPods")
        pods, measured = [], []
        for index in range(operation["count"]):
            values = values_of(operation, index)
            pod = _pod_of(template.manifest(values, "Pod") if template else DEFAULT_POD, path)
            pod = _with_claim(pod, self._claim(operation, namespace, index), path)
            pods.append(self._add_pod(pod, path, namespace))
            covered = self._collection is not None and self._collection.covers(
                structs.replace(pod, metadata=structs.replace(pod.metadata, namespace=namespace))
            )
            if operation.get("collectMetrics") or covered:
                measured.append(pods[-1])
        self._measured += measured
        if operation.get("signatureBatchSize"):
            self.notes.append("pods get no label signature, which no decision depends on")
        self._place(pods, with_churn=bool(measured))

    def create_pod_sets(self, number: int, operation: Mapping[str, Any]) -> None:
        """CreatePodSets: createPods in one namespace after the other."""
        for index in range(operation["count"]):
            namespace = f"{operation.get('namespacePrefix', 'namespace')}-{index}"
            self.create_pods(number, {**operation["createPodsOp"], "namespace": namespace})

    def create_any(self, _number: int, operation: Mapping[str, Any]) -> None:
        """CreateAny."""
        for kind, made, path in self._objects(operation):
            if isinstance(made, Pod | Node):
                message = f"{self.workload.title}: pods and nodes are made by operations of their own"
                raise InputError([Fault(str(path), kind, "createAny", message)])
            self._world.add(kind, made, path)

    def update_any(self, _number: int, operation: Mapping[str, Any]) -> None:
        """UpdateAny; all at once."""
        self._change()
        if operation.get("updatePerSecond"):
            self.notes.append("objects are updated at once, not bit by bit")
        for kind, made, path in self._objects(operation):
            if isinstance(made, Node):
                labels = {HOSTNAME: made.metadata.name, **(made.metadata.labels or {})}
                metadata = structs.replace(made.metadata, labels=labels)
                self._world.update(kind, offering(structs.replace(made, metadata=metadata), {}), path)
            else:
                self._world.update(kind, made, path, operation.get("subresources") or ())
        self._retry()

    def churn(self, number: int, operation: Mapping[str, Any]) -> None:
        """Keep the pods that churn brings; they come while measured pods are placed."""
        namespace = operation.get("namespace") or f"namespace-{number}"
        self._namespace(namespace)
        seconds = operation.get("intervalMilliseconds", 500) / 1000
        is_recreating = operation.get("mode") == "recreate"
        most = 0 if is_recreating else operation.get("number", 0)
        for path in operation.get("templatePaths", ()):
            kind = ObjectTemplate.read(path).manifest({"Index": 0, "Count": 1}, "").get("kind")
            if kind == "Pod":
                self._churn.append(_Churn(path, namespace, seconds, most or np.iinfo(np.int64).max))
                if is_recreating:
                    self.notes.append("what churn brings stays, where upstream takes it away and brings it again")
            else:
                self.notes.append(f"churn brings pods only, no {kind or 'others'}")

    def delete_pods(self, number: int, operation: Mapping[str, Any]) -> None:
        """DeletePods; all at once."""
        if operation.get("deletePodsPerSecond"):
            self.notes.append("pods are deleted at once, not bit by bit")
        namespace = operation.get("namespace") or f"namespace-{number}"
        pods = self._world.pods_in([namespace], operation.get("labelSelector") or {})
        self._steps.append(Deleting(np.array(pods, np.int32)))
        self._has_news = True
        self._retry()

    def barrier(self, _number: int, operation: Mapping[str, Any]) -> None:
        """Wait until all pods have nodes: those without one are tried again, if something has happened since."""
        if operation.get("stageRequirement", "Scheduled") == "Scheduled":
            self._retry()

    def start_collecting(self, _number: int, operation: Mapping[str, Any]) -> None:
        """StartCollectingMetrics."""
        self._collection = _Collection(tuple(operation.get("namespaces") or ()), operation.get("labelSelector") or {})

    def stop_collecting(self, _number: int, _operation: Mapping[str, Any]) -> None:
        """StopCollectingMetrics."""
        self._collection = None

    def pass_over(self, _number: int, _operation: Mapping[str, Any]) -> None:
        """Do nothing: all pods of an operation are tried before the next one begins anyway."""

    def _change(self) -> None:
        """Begin another stage, if pods have been tried in this one."""
        if self._steps:
            self._stages.append(Stage(self._world.columns(), tuple(self._steps)))
            self._steps = []
            self._has_news = True

    def _retry(self) -> None:
        if self._has_news:
            self._steps.append(Retrying())
        self._has_news = False

    def _place(self, pods: list[int], *, with_churn: bool) -> None:
        """Place pods; measured ones in pieces, between which churn brings what it would at upstream's pace."""
        self._has_news = True
        if not with_churn or not self._churn:
            self._steps.append(Placing(np.array(pods, np.int32)))
            return
        pace = self.workload.threshold or PACE
        self.notes.append(f"churn comes as often as if {pace:,.0f} pods were placed a second")
        size = max(1, round(pace * min(item.seconds for item in self._churn)))
        for at in range(0, len(pods), size):
            coming = [self._churned(item, at) for item in self._churn if item.left > 0]
            self._steps.append(Placing(np.array(coming + pods[at : at + size], np.int32)))

    def _churned(self, item: _Churn, index: int) -> int:
        item.left -= 1
        manifest = ObjectTemplate.read(item.path).manifest({"Index": index, "Count": 1}, "Pod")
        return self._add_pod(_pod_of(manifest, item.path), item.path, item.namespace)

    def _add_pod(self, pod: Pod, path: Path, namespace: str) -> int:
        name = pod.metadata.name or f"{pod.metadata.generate_name or 'pod-'}{next(self._names)}"
        metadata = structs.replace(pod.metadata, name=name, namespace=namespace)
        return self._world.add_pod(structs.replace(pod, metadata=metadata), path)

    def _namespace(self, name: str, manifest: Mapping[str, Any] | None = None, path: Path = Path()) -> None:
        if not self._world.has("Namespace", name):
            given = {"apiVersion": "v1", "kind": "Namespace", **(manifest or {})}
            given["metadata"] = {**_metadata(given), "name": name}
            self._world.add(*decode(given, path), path)

    def _claim(self, operation: Mapping[str, Any], namespace: str, index: int) -> str:
        """Make a volume and a claim that are bound to each other, named as upstream names them; the claim's name."""
        volume, claim = (
            ObjectTemplate.of(operation, f"{kind}TemplatePath")
            for kind in ("persistentVolume", "persistentVolumeClaim")
        )
        if volume is None or claim is None:
            return ""
        name, values = f"pvc-{index}", values_of(operation, index)
        bound = {"apiVersion": "v1", **volume.manifest(values, "PersistentVolume")}
        own: Any = bound.get("spec") or {}
        bound["metadata"] = {**_metadata(bound), "name": f"{namespace}-pv-{index}"}
        bound["spec"] = {**own, "claimRef": {"namespace": namespace, "name": name}}
        self._world.add(*decode(bound, volume.path), volume.path)
        asked = {"apiVersion": "v1", **claim.manifest(values, "PersistentVolumeClaim")}
        own = asked.get("spec") or {}
        notes = {"pv.kubernetes.io/bind-completed": "true"}
        asked["metadata"] = {**_metadata(asked), "name": name, "namespace": namespace, "annotations": notes}
        asked |= {"spec": {**own, "volumeName": f"{namespace}-pv-{index}"}, "status": {"phase": "Bound"}}
        self._world.add(*decode(asked, claim.path), claim.path)
        return name

    def _objects(self, operation: Mapping[str, Any]) -> "list[tuple[str, Any, Path]]":
        template = ObjectTemplate.of(operation, "templatePath")
        if template is None:
            raise InputError([Fault(self.workload.title, operation["opcode"], "templatePath", "expected a path")])
        made = []
        for index in range(operation["count"]):
            manifest = dict(template.manifest(values_of(operation, index), ""))
            if operation.get("namespace"):
                manifest["metadata"] = {**_metadata(manifest), "namespace": operation["namespace"]}
            given: Any = manifest.get("metadata") or {}
            if "name" not in given and "generateName" in given:
                manifest["metadata"] = {**given, "name": f"{given['generateName']}{next(self._names)}"}
            made.append((*decode(manifest, template.path), template.path))
        return made


def _with_claim(pod: Pod, claim: str, path: Path) -> Pod:
    """The pod with that claim as its only volume, as upstream makes it; left as it is without one."""
    if not claim:
        return pod
    volumes = [{"name": "vol", "persistentVolumeClaim": {"claimName": claim}}]
    made = _pod_of({"apiVersion": "v1", "kind": "Pod", "spec": {"volumes": volumes}}, path)
    return structs.replace(pod, spec=structs.replace(pod.spec, volumes=made.spec.volumes))


def _pod_of(manifest: Mapping[str, Any], path: Path) -> Pod:
    _, made = decode({"apiVersion": "v1", **manifest}, path)
    if not isinstance(made, Pod):
        raise InputError([Fault(str(path), type(made).__name__, "", "expected a pod")])
    return made


def _metadata(manifest: Mapping[str, Any]) -> dict[str, Any]:
    return dict(manifest.get("metadata") or {})


OPERATIONS: dict[str, Callable[[Writer, int, Mapping[str, Any]], None]] = {
    "barrier": Writer.barrier,
    "churn": Writer.churn,
    "createAny": Writer.create_any,
    "createNamespaces": Writer.create_namespaces,
    "createNodes": Writer.create_nodes,
    "createPodSets": Writer.create_pod_sets,
    "createPods": Writer.create_pods,
    "deletePods": Writer.delete_pods,
    "sleep": Writer.pass_over,
    "startCollectingMetrics": Writer.start_collecting,
    "stopCollectingMetrics": Writer.stop_collecting,
    "updateAny": Writer.update_any,
}
