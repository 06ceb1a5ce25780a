"""Nodes and pods made into Kubernetes objects again, for clusters whose input does not hold them as such."""

import numpy as np
from msgspec import structs

from kplace.columns.annotations import LASTS
from kplace.columns.cluster import ClusterColumns
from kplace.columns.nodes import NodeColumns
from kplace.dtypes import CPU, FIRST_SCALAR, I64, NO_NODE, NO_TIME, Phase
from kplace.objects.core import (
    ContainerImage,
    Node,
    NodeSpec,
    NodeStatus,
    Pod,
    PodCondition,
    PodSpec,
    PodStatus,
)
from kplace.objects.meta import ObjectMeta, Quantity

_SECOND = 10**9


class NodeObjects:
    """The nodes of a cluster as objects, made of their columns.

    Parameters
    ----------
    columns : ClusterColumns
    """

    def __init__(self, columns: ClusterColumns) -> None:
        self._nodes = columns.nodes
        self._resources = list(columns.resources)
        self._images = _images_by_node(columns.nodes)

    def __getitem__(self, node: int) -> Node:
        nodes = self._nodes
        labels = {
            key: column.values[column.codes[node]] for key, column in nodes.labels.items() if column.codes[node] >= 0
        }
        amounts: dict[str, Quantity] = {"pods": str(nodes.allowed_pods[node])}
        for row, name in enumerate(self._resources):
            amount = int(nodes.allocatable[row, node])
            if amount or row < FIRST_SCALAR:
                amounts[name] = f"{amount}m" if row == CPU else str(amount)
        return Node(
            metadata=ObjectMeta(
                name=nodes.names[node], labels=labels or None, annotations=dict(nodes.annotations[node]) or None
            ),
            spec=NodeSpec(
                unschedulable=bool(nodes.unschedulable[node]) or None,
                taints=nodes.taint_sets[nodes.taint_set[node]] or None,
            ),
            status=NodeStatus(allocatable=amounts, images=self._images.get(node)),
        )


def _images_by_node(nodes: NodeColumns) -> dict[int, tuple[ContainerImage, ...]]:
    held: dict[int, list[ContainerImage]] = {}
    for name, image in nodes.images.items():
        item = ContainerImage((name,), image.size)
        for node in image.nodes.tolist():
            held.setdefault(node, []).append(item)
    return {node: tuple(items) for node, items in held.items()}


def pod_object(columns: ClusterColumns, index: int, node_name: str) -> Pod:
    """Object of a pod that the input does not hold itself, made of what is known of it.

    Parameters
    ----------
    index : int
    node_name : str
        Where it is; empty if nowhere.
    """
    pods = columns.pods
    template = columns.templates[pods.template[index]]
    nominated = int(pods.nominated[index])
    lasts = int(pods.lasts_ns[index])
    annotations = template.annotations if lasts == NO_TIME else template.annotations | {LASTS: seconds_text(lasts)}
    created = _time(pods.created_ns, index)
    spec = _with_volume_names(template.spec)
    if template.keyed_affinity is not None:
        spec = structs.replace(spec, affinity=template.keyed_affinity)
    return Pod(
        metadata=ObjectMeta(
            name=pods.names[index],
            namespace=template.namespace,
            uid=pods.uids[index],
            labels=template.labels or None,
            annotations=annotations or None,
            creation_timestamp=created,
            deletion_timestamp=(created or _LEFT) if pods.terminating[index] else None,
            owner_references=(template.owner,) if template.owner else None,
        ),
        spec=structs.replace(spec, node_name=node_name),
        status=structs.replace(
            template.resize or PodStatus(),
            phase=_PHASES[pods.phase[index]],
            nominated_node_name="" if nominated == NO_NODE else columns.nodes.names[nominated],
            start_time=_time(pods.started_ns, index),
            conditions=_conditions(template.resize, is_preempted=bool(pods.preempted[index])),
        ),
    )


_LEFT = "1970-01-01T00:00:00Z"
_PHASES = ["" if phase is Phase.PENDING else phase.name.capitalize() for phase in Phase]
_PREEMPTED = PodCondition("DisruptionTarget", "True", "PreemptionByScheduler")


def _conditions(resize: PodStatus | None, *, is_preempted: bool) -> tuple[PodCondition, ...] | None:
    given = (resize.conditions if resize else None) or ()
    has_mark = any(item.type == "DisruptionTarget" for item in given)
    return (*given, _PREEMPTED) if is_preempted and not has_mark else given or None


def _time(column: I64, index: int) -> str | None:
    """A time as RFC 3339 writes it, with as many decimals as it needs."""
    nanoseconds = int(column[index])
    if nanoseconds == NO_TIME:
        return None
    whole, dot, decimals = str(np.datetime64(nanoseconds, "ns")).partition(".")
    decimals = decimals.rstrip("0")
    return f"{whole}{dot if decimals else ''}{decimals}Z"


def seconds_text(nanoseconds: int) -> str:
    """Nanoseconds as seconds, without needless digits.

    Examples
    --------
    >>> seconds_text(90_000_000_000), seconds_text(1_500_000_000)
    ('90', '1.5')
    """
    whole, rest = divmod(nanoseconds, _SECOND)
    return f"{whole}.{rest:09}".rstrip("0") if rest else str(whole)


def _with_volume_names(spec: PodSpec) -> PodSpec:
    """Name the volumes, which templates keep without names."""
    if not spec.volumes:
        return spec
    named = (
        item if item.name else structs.replace(item, name=f"volume-{number}")
        for number, item in enumerate(spec.volumes)
    )
    return structs.replace(spec, volumes=tuple(named))
