"""The nodes of a synthetic cluster, column by column."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from kplace.columns.node_order import snapshot_order, zone_key
from kplace.columns.nodes import Image, LabelColumn, NodeColumns
from kplace.columns.quantity import value
from kplace.columns.vocab import Vocabulary
from kplace.dtypes import I32, I64, NO_VALUE, Mask
from kplace.frames.taints import parse_taints
from kplace.objects.core import Taint
from kplace.synthesis.description import Description, Pool, Shape
from kplace.synthesis.draws import apportioned, stream
from kplace.synthesis.shapes import allocatable_of

HOSTNAME = "kubernetes.io/hostname"
ZONE = "topology.kubernetes.io/zone"
REGION = "topology.kubernetes.io/region"
RACK = "topology.kplace.io/rack"
INSTANCE_TYPE = "node.kubernetes.io/instance-type"
POOL = "kplace.io/pool"
ARCH = "kubernetes.io/arch"
OS = "kubernetes.io/os"
CORDONED = Taint("node.kubernetes.io/unschedulable", "", "NoSchedule")
"""Taint that a cordoned node has."""

_DIGITS = 5
T = TypeVar("T")


@dataclass(slots=True)
class NodePlan:
    """Nodes in order of addition, before it is known which resources the cluster has.

    Attributes
    ----------
    names : list of str
    shape : int32 ndarray, shape (n_nodes,)
        Index into ``offered``.
    offered : list of dict of str to int
        What nodes of each shape offer.
    labels : dict of str to (int32 ndarray, Vocabulary)
        Codes of each label.
    taint_set : int32 ndarray, shape (n_nodes,)
    taint_sets : dict of tuple of Taint to int
    unschedulable : bool ndarray, shape (n_nodes,)
    annotations : list of dict
    images : dict of str to (int, list of ndarray)
        Size and holders.
    """

    names: list[str]
    shape: I32
    taint_set: I32
    unschedulable: Mask
    offered: list[dict[str, int]] = field(default_factory=list)
    labels: dict[str, tuple[I32, Vocabulary]] = field(default_factory=dict)
    taint_sets: dict[tuple[Taint, ...], int] = field(default_factory=dict)
    annotations: list[Mapping[str, str]] = field(default_factory=list)
    images: dict[str, tuple[int, list[I64]]] = field(default_factory=dict)

    def put(self, key: str, rows: slice, values: Sequence[str], codes: I64 | int = 0) -> None:
        """Give nodes a label; the value "" means without."""
        column = self.labels.get(key)
        if column is None:
            column = self.labels[key] = np.full(len(self.names), NO_VALUE, np.int32), Vocabulary()
        own = np.array([column[1].code(text) if text else NO_VALUE for text in values], np.int32)
        column[0][rows] = own[codes]

    def total(self, resource: str) -> int:
        """How much of a resource all nodes offer together."""
        amounts = np.array([item.get(resource, 0) for item in self.offered], np.int64)
        return int(amounts[self.shape].sum())


def plan_nodes(description: Description, shapes: Mapping[str, Shape], seed: int) -> NodePlan:
    """Make up the nodes.

    Parameters
    ----------
    description : Description
        A valid one.
    shapes : mapping of str to Shape
        Every shape that it names.
    seed : int
    """
    counts = np.array([pool.count for pool in description.pools], np.int64)
    if description.nodes is not None:
        counts = apportioned(counts.astype(np.float64), description.nodes)
    total = int(counts.sum())
    names = [
        f"{pool.name}-{i:0{_DIGITS}}"
        for pool, count in zip(description.pools, counts.tolist(), strict=True)
        for i in range(count)
    ]
    plan = NodePlan(names, np.zeros(total, np.int32), np.zeros(total, np.int32), np.zeros(total, np.bool_))
    start = 0
    codes: dict[str, int] = {}
    for pool, count in zip(description.pools, counts.tolist(), strict=True):
        _add_pool(plan, _Part(description, pool, slice(start, start + count), seed), shapes, codes)
        start += count
    return plan


@dataclass(frozen=True, slots=True)
class _Part:
    """The nodes of one pool."""

    description: Description
    pool: Pool
    rows: slice
    seed: int

    @property
    def count(self) -> int:
        return int(self.rows.stop - self.rows.start)

    def shares(self, weights: Mapping[str, float], *purpose: str) -> I64:
        """Position in ``weights`` for each node: as many of each as is its due, strewn at random."""
        numbers = apportioned(np.array(list(weights.values()), np.float64), self.count)
        codes = np.repeat(np.arange(len(weights)), numbers)
        return stream(self.seed, "pool", self.pool.name, *purpose).permutation(codes)

    def some(self, share: float, *purpose: str) -> I64:
        """A share of the nodes, at random; as positions among all nodes, ascending."""
        order = stream(self.seed, "pool", self.pool.name, *purpose).permutation(self.count)
        return np.sort(order[: round(share * self.count)]) + self.rows.start


def _add_pool(plan: NodePlan, part: _Part, shapes: Mapping[str, Shape], codes: dict[str, int]) -> None:
    pool, rows = part.pool, part.rows
    weights = pool.shapes or {pool.shape: 1.0}
    for name in weights:
        if name not in codes:
            codes[name] = len(plan.offered)
            plan.offered.append(allocatable_of(shapes[name]))
    chosen = part.shares(weights, "shapes")
    plan.shape[rows] = np.array([codes[name] for name in weights], np.int32)[chosen]
    if pool.hostname:
        plan.put(HOSTNAME, rows, plan.names[rows], np.arange(part.count))
    if pool.system_labels:
        plan.put(OS, rows, ["linux"])
        plan.put(ARCH, rows, [shapes[name].arch for name in weights], chosen)
        plan.put(INSTANCE_TYPE, rows, list(weights), chosen)
        plan.put(POOL, rows, [pool.name])
    _add_topology(plan, part)
    _add_gpu_models(plan, rows, [shapes[name] for name in weights], chosen)
    for key, text in pool.labels.items():
        plan.put(key, rows, [text])
    for key, mix in pool.label_mix.items():
        plan.put(key, rows, list(mix), part.shares(mix, "label", key))
    _add_taints(plan, part)
    plan.annotations += [pool.annotations] * part.count
    for image in pool.images:
        entry = plan.images.setdefault(image.name, (value(image.size), []))
        entry[1].append(part.some(image.share, "image", image.name))


def _add_topology(plan: NodePlan, part: _Part) -> None:
    description, rows = part.description, part.rows
    if description.region:
        plan.put(REGION, rows, [description.region])
    if part.pool.zones is not None:
        zones, zone = list(part.pool.zones), part.shares(part.pool.zones, "zones")
    else:
        zones = zone_names(description)
        zone = np.arange(part.count) % max(len(zones), 1)
    if zones:
        plan.put(ZONE, rows, zones, zone)
    if description.racks:
        place = np.zeros(part.count, np.int64)
        for code in range(max(len(zones), 1)):
            inside = np.flatnonzero(zone == code)
            place[inside] = np.arange(len(inside))
        racks = [
            f"{name}-rack-{i}" if name else f"rack-{i}" for name in zones or [""] for i in range(description.racks)
        ]
        plan.put(RACK, rows, racks, zone * description.racks + place % description.racks)


def zone_names(description: Description) -> list[str]:
    """Names of the zones that pools without their own have."""
    if not isinstance(description.zones, int):
        return list(description.zones)
    region = description.region or "zone"
    return [f"{region}-{_letters(i)}" for i in range(description.zones)]


def _letters(number: int) -> str:
    """A, b, c, ..., z, aa, ab, ... for 0, 1, 2, ..."""
    text = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, 26)
        text = chr(ord("a") + rest) + text
    return text


def _add_gpu_models(plan: NodePlan, rows: slice, shapes: Sequence[Shape], chosen: I64) -> None:
    keys = {f"{shape.gpu_resource.rpartition('/')[0]}/gpu.product" for shape in shapes if shape.gpu_model}
    for key in sorted(keys):
        models = [shape.gpu_model if key.startswith(shape.gpu_resource.rpartition("/")[0]) else "" for shape in shapes]
        plan.put(key, rows, models, chosen)


def _add_taints(plan: NodePlan, part: _Part) -> None:
    taints = tuple(taint for text in part.pool.taints for taint in parse_taints(text))
    plan.taint_set[part.rows] = plan.taint_sets.setdefault(taints, len(plan.taint_sets))
    cordoned = part.some(part.pool.unschedulable, "unschedulable")
    if len(cordoned):
        plan.unschedulable[cordoned] = True
        own = (*taints, CORDONED)
        plan.taint_set[cordoned] = plan.taint_sets.setdefault(own, len(plan.taint_sets))


def node_columns(plan: NodePlan, resources: Vocabulary) -> NodeColumns:
    """Columns of planned nodes, in snapshot order."""
    order = np.array(snapshot_order(_zone_keys(plan)), np.int32)
    place = np.empty(len(order), np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    names = [plan.names[position] for position in order.tolist()]
    allocatable = np.array([[item.get(name, 0) for item in plan.offered] for name in resources], np.int64).reshape(
        len(resources), len(plan.offered)
    )
    allowed = np.array([item.get("pods", 0) for item in plan.offered], np.int64)
    taint_set, taint_sets = first_seen(plan.taint_set[order], list(plan.taint_sets))
    shape = plan.shape[order]
    return NodeColumns(
        names=names,
        index={name: n for n, name in enumerate(names)},
        arrival=order,
        labels={key: _label_column(codes[order], values) for key, (codes, values) in plan.labels.items()},
        annotations=tuple(plan.annotations[position] for position in order.tolist()),
        taint_sets=tuple(taint_sets),
        taint_set=taint_set,
        unschedulable=plan.unschedulable[order],
        allocatable=np.ascontiguousarray(allocatable[:, shape]),
        allowed_pods=allowed[shape],
        images={
            name: Image(size, np.sort(place[np.concatenate(holders)]))
            for name, (size, holders) in plan.images.items()
            if sum(map(len, holders))
        },
    )


def _zone_keys(plan: NodePlan) -> list[str]:
    none = np.full(len(plan.names), NO_VALUE, np.int32), Vocabulary()
    regions, zones = plan.labels.get(REGION, none), plan.labels.get(ZONE, none)
    known: dict[tuple[int, int], str] = {}
    for pair in set(zip(regions[0].tolist(), zones[0].tolist(), strict=True)):
        labels = {}
        if pair[0] >= 0:
            labels[REGION] = regions[1][pair[0]]
        if pair[1] >= 0:
            labels[ZONE] = zones[1][pair[1]]
        known[pair] = zone_key(labels)
    return [known[pair] for pair in zip(regions[0].tolist(), zones[0].tolist(), strict=True)]


def _label_column(codes: I32, values: Vocabulary) -> LabelColumn:
    renumbered, seen = first_seen(codes, list(values))
    return LabelColumn(renumbered, tuple(seen))


def first_seen(codes: I32, values: Sequence[T]) -> tuple[I32, list[T]]:
    """Renumber codes in the order of their first appearance; values that do not appear are left out.

    Examples
    --------
    >>> first_seen(np.array([2, -1, 0, 2]), ["a", "b", "c"])
    (array([ 0, -1,  1,  0], dtype=int32), ['c', 'a'])
    """
    present, firsts = np.unique(codes, return_index=True)
    firsts, present = firsts[present >= 0], present[present >= 0]
    used = present[np.argsort(firsts)]
    renumber = np.full(len(values) + 1, NO_VALUE, np.int32)
    renumber[used] = np.arange(len(used), dtype=np.int32)
    return renumber[codes], [values[code] for code in used.tolist()]
