"""Controllers and their pods as plain manifests, and what expanding them makes."""

import json
from dataclasses import dataclass, field

import msgspec

from kplace.columns.builder import ClusterBuilder, PodRow
from kplace.columns.compiling import TemplateKey
from kplace.io.expand import expand
from kplace.objects import core, workloads
from kplace.objects.meta import OwnerReference

CONTAINERS = [{"name": "main", "image": "main:1", "resources": {"requests": {"cpu": "1"}}}]
API_VERSIONS = {"ReplicationController": "v1", "Job": "batch/v1", "CronJob": "batch/v1"}


@dataclass
class Made:
    """A pod that was made."""

    row: PodRow
    key: TemplateKey

    @property
    def name(self) -> str:
        return self.row.name

    @property
    def labels(self) -> dict[str, str]:
        return self.key.labels or {}

    @property
    def spec(self) -> core.PodSpec:
        return self.key.spec

    @property
    def owner(self) -> OwnerReference:
        assert self.key.owner is not None
        return self.key.owner


@dataclass
class Expanded:
    """The outcome of expanding a list of objects."""

    builder: ClusterBuilder
    made: list[Made] = field(default_factory=list)

    @property
    def names(self) -> list[str]:
        return [pod.name for pod in self.made]

    @property
    def notes(self) -> dict[str, str]:
        return {note.topic: note.message for note in self.builder.notes}


def expanded(*objects: dict) -> Expanded:
    builder = ClusterBuilder()
    for number, item in enumerate(objects):
        struct = getattr(core, item["kind"], None) or getattr(workloads, item["kind"])
        builder.add(item["kind"], msgspec.convert(item, struct), json.dumps(item).encode(), f"{number}.yaml")
    before = len(list(builder.pods))
    expand(builder)
    return Expanded(builder, [Made(row, key) for row, key in list(builder.pods)[before:]])


def controller(kind: str, name: str = "web", namespace: str = "shop", *, owner: dict | None = None, **spec) -> dict:
    """A controller with a template of one container; ``template=None`` leaves it out."""
    template = {"metadata": {"labels": {"app": name}}, "spec": {"containers": CONTAINERS}}
    item = {
        "apiVersion": API_VERSIONS.get(kind, "apps/v1"),
        "kind": kind,
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"template": template, **spec},
    }
    if owner is not None:
        item["metadata"]["ownerReferences"] = [reference(owner)]
    return item


def reference(owner: dict, **changes: object) -> dict:
    meta = owner["metadata"]
    named = {"apiVersion": owner["apiVersion"], "kind": owner["kind"], "name": meta["name"], "controller": True}
    return named | ({"uid": meta["uid"]} if "uid" in meta else {}) | changes


def pod(name: str, owner: dict | None = None, *, phase: str = "Running", labels: dict | None = None, **meta) -> dict:
    """A pod of the input; by default it runs on the node ``n``."""
    owners = {"ownerReferences": [reference(owner)]} if owner else {}
    namespace = owner["metadata"]["namespace"] if owner else "shop"
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": namespace, "labels": labels or {}} | owners | meta,
        "spec": {"containers": CONTAINERS, "nodeName": "n"},
        "status": {"phase": phase},
    }


def with_meta(item: dict, **meta: object) -> dict:
    return item | {"metadata": item["metadata"] | meta}


def node(name: str, *, taints: list | None = None, **labels: str) -> dict:
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name} | labels},
        "spec": {"taints": taints or []},
    }
