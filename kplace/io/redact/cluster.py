"""A whole cluster, redacted."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from msgspec import Struct, structs

from kplace.columns import ClusterBuilder, ClusterColumns
from kplace.io.manifests import encoded
from kplace.io.redact.config import redacted_config
from kplace.io.redact.hashing import Hasher
from kplace.io.redact.walk import COMPARING, Walk
from kplace.io.scenario import nodes_of, pods_of
from kplace.objects.core import Pod, PodSpec
from kplace.objects.meta import ObjectMeta, SelectorRequirement
from kplace.objects.workloads import StatefulSet

SOURCE = "<redacted>"
_CONTROLLERS = (
    "ReplicationController",
    "ReplicaSet",
    "Deployment",
    "StatefulSet",
    "DaemonSet",
    "Job",
    "CronJob",
)


class Redactor:
    """Redacts a cluster and what belongs to it.

    Parameters
    ----------
    columns : ClusterColumns
    key : bytes
        The same key gives the same names.
    config : mapping, optional
        A KubeSchedulerConfiguration that the cluster is placed with.
    """

    def __init__(self, columns: ClusterColumns, key: bytes, config: Mapping[str, Any] | None = None) -> None:
        self._columns = columns
        self._config = config
        compared = {item.key for item in _requirements(columns, config) if item.operator in COMPARING}
        self.hasher = Hasher(key, set(_stems(columns)), compared)
        self._walk = Walk(self.hasher)
        self._specs: dict[bytes, PodSpec] = {}
        self._metas: dict[bytes, ObjectMeta] = {}

    def columns(self) -> ClusterColumns:
        """The cluster, redacted: nodes, pods and objects in the same order."""
        builder = ClusterBuilder()
        for kind, items in self._columns.objects.items():
            for item in items:
                self._add(builder, kind, self._walk.struct(item))
        for node in nodes_of(self._columns):
            self._add(builder, "Node", self._walk.struct(node))
        made = self._columns.pods.made
        for index, pod in enumerate(pods_of(self._columns)):
            redacted = self._pod(pod)
            raw = None if made[index] else encoded("Pod", redacted)
            builder.add_pod(redacted, SOURCE, raw)
        return builder.finish()

    def config(self) -> dict[str, Any] | None:
        """The configuration, redacted."""
        return None if self._config is None else redacted_config(self._config, self._walk)

    @staticmethod
    def _add(builder: ClusterBuilder, kind: str, item: Struct) -> None:
        builder.add(kind, item, encoded(kind, item), SOURCE)

    def _pod(self, pod: Pod) -> Pod:
        """A pod; what it shares with others is walked once."""
        spec = structs.replace(pod.spec, node_name="")
        code = _ENCODER.encode(spec)
        known = self._specs.get(code)
        if known is None:
            known = self._specs[code] = self._walk.struct(spec)
        return Pod(
            metadata=self._walk.struct(pod.metadata),
            spec=structs.replace(known, node_name=self.hasher.name(pod.spec.node_name)),
            status=self._walk.struct(pod.status),
        )


_ENCODER = msgspec.msgpack.Encoder()


def _stems(columns: ClusterColumns) -> Iterator[str]:
    """Names that others begin with."""
    for kind in _CONTROLLERS:
        for item in columns.objects.get(kind, ()):
            yield item.metadata.name  # type: ignore[attr-defined]
    for item in columns.of_kind(StatefulSet):
        yield from (claim.metadata.name for claim in item.spec.volume_claim_templates or ())
    own_claims = set()
    for template in columns.templates:
        if template.owner is not None:
            yield template.owner.name
        if any(volume.ephemeral for volume in template.spec.volumes or ()):
            own_claims.add(template.code)
    if own_claims:
        codes = columns.pods.template.tolist()
        yield from (name for name, code in zip(columns.pods.names, codes, strict=True) if code in own_claims)


def _requirements(columns: ClusterColumns, config: Mapping[str, Any] | None) -> Iterator[SelectorRequirement]:
    """Every requirement on a label, wherever it stands."""
    for template in columns.templates:
        yield from _within(template.spec)
    for items in columns.objects.values():
        for item in items:
            yield from _within(item)
    yield from _within_plain(config)


def _within(value: object) -> Iterator[SelectorRequirement]:
    if isinstance(value, SelectorRequirement):
        yield value
    elif isinstance(value, Struct):
        for name in value.__struct_fields__:
            yield from _within(getattr(value, name))
    elif isinstance(value, tuple):
        for item in value:
            yield from _within(item)


def _within_plain(value: object) -> Iterator[SelectorRequirement]:
    if isinstance(value, Mapping):
        if isinstance(value.get("key"), str) and isinstance(value.get("operator"), str):
            yield SelectorRequirement(value["key"], value["operator"])
        for item in value.values():
            yield from _within_plain(item)
    elif isinstance(value, list):
        for item in value:
            yield from _within_plain(item)
