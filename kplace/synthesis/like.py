"""A description fitted to a cluster: the same shapes and mixes, so that it can be scaled."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from kplace.columns import ClusterColumns
from kplace.columns.nodes import NodeColumns
from kplace.dtypes import CPU, NO_VALUE
from kplace.frames.taints import taint_text
from kplace.objects.core import Taint
from kplace.synthesis.description import Description, NodeImage, Pool, Quantity, Shape, Workload
from kplace.synthesis.like_workloads import fitted_workloads
from kplace.synthesis.nodes import CORDONED, HOSTNAME, REGION, ZONE
from kplace.synthesis.templates import quantity_text

_MOST_IMAGES = 50
_BETA = ("failure-domain.beta.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/region")


def fitted(columns: ClusterColumns) -> Description:
    """Describe a cluster so that what is made from the description is like it.

    Parameters
    ----------
    columns : ClusterColumns

    Returns
    -------
    Description

    Notes
    -----
    Nodes that offer the same, have the same taints and labels of the same keys are a pool; zones and labels with
    several values keep their shares in it, images theirs. Labels of which every node has its own are left out. Of the
    pods see `kplace.synthesis.like_workloads.fitted_workloads`.
    """
    pools, shapes = _pools(columns)
    workloads, n_pods = fitted_workloads(columns)
    namespaces = {
        name: {key: text for key, text in labels.items() if key != "kubernetes.io/metadata.name"}
        for name, labels in columns.namespace_labels.items()
    }
    used = {workload.namespace for workload in workloads}
    return Description(
        about="Fitted to a cluster",
        region="",
        zones=0,
        pods=n_pods if _has_shares(workloads) else None,
        shapes=shapes,
        pools=tuple(pools),
        namespaces={name: labels for name, labels in namespaces.items() if name in used and labels},
        workloads=tuple(workloads),
    )


def _has_shares(workloads: Sequence[Workload]) -> bool:
    return any(workload.apps is None for workload in workloads)


@dataclass(frozen=True, slots=True)
class _Kind:
    """What the nodes of a pool have in common."""

    amounts: tuple[tuple[str, int], ...]
    taints: tuple[Taint, ...]
    keys: frozenset[str]
    region: str


def _pools(columns: ClusterColumns) -> tuple[list[Pool], dict[str, Shape]]:
    nodes = columns.nodes
    members: dict[_Kind, list[int]] = {}
    for node in range(len(nodes)):
        members.setdefault(_kind(columns, node), []).append(node)
    shapes: dict[tuple[tuple[str, int], ...], str] = {}
    pools = []
    for number, (kind, own) in enumerate(members.items()):
        shape = shapes.setdefault(kind.amounts, f"shape-{len(shapes)}")
        pools.append(_pool(columns, f"pool-{number}", shape, kind, own))
    return pools, {name: Shape(allocatable=_quantities(amounts)) for amounts, name in shapes.items()}


def _quantities(amounts: tuple[tuple[str, int], ...]) -> dict[str, Quantity]:
    is_amount = ("cpu", "memory", "ephemeral-storage")
    return {name: quantity_text(name, amount) if name in is_amount else amount for name, amount in amounts}


def _kind(columns: ClusterColumns, node: int) -> _Kind:
    nodes = columns.nodes
    amounts = [(name, int(nodes.allocatable[row, node])) for row, name in enumerate(columns.resources)]
    offered = [(name, amount) for row, (name, amount) in enumerate(amounts) if amount or row == CPU]
    keys = frozenset(key for key, column in nodes.labels.items() if column.codes[node] != NO_VALUE)
    return _Kind(
        amounts=(*offered, ("pods", int(nodes.allowed_pods[node]))),
        taints=tuple(taint for taint in nodes.taint_sets[nodes.taint_set[node]] if taint != CORDONED),
        keys=keys,
        region=_value(nodes, REGION, node),
    )


def _value(nodes: NodeColumns, key: str, node: int) -> str:
    column = nodes.labels.get(key)
    return "" if column is None or column.codes[node] < 0 else column.values[column.codes[node]]


def _pool(columns: ClusterColumns, name: str, shape: str, kind: _Kind, own: Sequence[int]) -> Pool:
    nodes = columns.nodes
    labels: dict[str, str] = {}
    mixes: dict[str, dict[str, float]] = {}
    for key in nodes.labels:
        if key not in kind.keys or key in (HOSTNAME, ZONE, *_BETA):
            continue
        counts = Counter(_value(nodes, key, node) for node in own)
        if len(counts) == 1:
            labels[key] = next(iter(counts))
        elif len(counts) < len(own):
            mixes[key] = {text: float(number) for text, number in counts.items()}
    zones = Counter(_value(nodes, ZONE, node) for node in own) if ZONE in kind.keys else Counter()
    return Pool(
        name=name,
        count=len(own),
        shape=shape,
        zones={zone: float(number) for zone, number in zones.items()} or None,
        labels=labels,
        label_mix=mixes,
        taints=tuple(taint_text([taint]) for taint in kind.taints),
        images=_images(columns, set(own)),
        unschedulable=float(nodes.unschedulable[list(own)].mean()),
        hostname=HOSTNAME in kind.keys,
        system_labels=False,
    )


def _images(columns: ClusterColumns, own: set[int]) -> tuple[NodeImage, ...]:
    """Images that pods use and nodes of the pool hold, the largest first."""
    used = {item.image for template in columns.templates for item in template.spec.containers or ()}
    held = []
    for name, image in columns.nodes.images.items():
        number = len(own.intersection(image.nodes.tolist()))
        if name in used and number:
            held.append(NodeImage(name, image.size, number / len(own)))
    return tuple(sorted(held, key=lambda item: (-int(item.size), item.name))[:_MOST_IMAGES])
