"""Node columns, in snapshot order, and their builder."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from kplace.columns.node_order import snapshot_order, zone_key
from kplace.columns.quantity import milli_value, value
from kplace.columns.resources import counts
from kplace.columns.vocab import Vocabulary
from kplace.dtypes import I32, I64, NO_VALUE, Mask
from kplace.objects.core import Node, Taint

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class LabelColumn:
    """One label of all nodes.

    Attributes
    ----------
    codes : int32 ndarray, shape (n_nodes,)
        Index into ``values``; `NO_VALUE` where the node lacks the label.
    values : tuple of str
        The distinct values, in order of first appearance.
    """

    codes: I32
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Image:
    """A container image that nodes hold.

    Attributes
    ----------
    size : int
        Bytes, as reported by the first node (in order of addition) that had the name.
    nodes : int32 ndarray
        The nodes that hold it, ascending.
    """

    size: int
    nodes: I32


@dataclass(frozen=True, slots=True)
class NodeColumns:
    """The nodes of a cluster in snapshot order.

    Attributes
    ----------
    names : list of str
    arrival : int32 ndarray, shape (n_nodes,)
        Position in the input: the order of addition to the cluster.
    labels : dict of str to LabelColumn
    annotations : tuple of dict of str to str, length n_nodes
    taint_sets : tuple of tuple of Taint
        The distinct lists of taints, in list order within each.
    taint_set : int32 ndarray, shape (n_nodes,)
        Index into ``taint_sets``.
    unschedulable : bool ndarray, shape (n_nodes,)
        ``spec.unschedulable``.
    allocatable : int64 ndarray, shape (n_resources, n_nodes)
        cpu in milli-cpu, everything else in its own unit; 0 where the node does not report the resource.
    allowed_pods : int64 ndarray, shape (n_nodes,)
        Allocatable ``pods``; 0 where it is not reported.
    images : dict of str to Image
        By normalised name.
    """

    names: list[str]
    index: dict[str, int]
    arrival: I32
    labels: dict[str, LabelColumn]
    annotations: tuple[Mapping[str, str], ...]
    taint_sets: tuple[tuple[Taint, ...], ...]
    taint_set: I32
    unschedulable: Mask
    allocatable: I64
    allowed_pods: I64
    images: dict[str, Image]
    _derived: dict[Hashable, object] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.names)

    def derived(self, key: Hashable, make: Callable[[], T]) -> T:
        """What follows from the nodes alone, made once and kept with them; not to be modified."""
        if key not in self._derived:
            self._derived[key] = make()
        return self._derived[key]  # type: ignore[return-value]

    def label_codes(self, key: str) -> I32:
        """Codes of a label, all `NO_VALUE` if no node has it."""
        column = self.labels.get(key)
        return column.codes if column is not None else np.full(len(self), NO_VALUE, np.int32)

    def label_values(self, key: str) -> tuple[str, ...]:
        """Distinct values of a label."""
        column = self.labels.get(key)
        return column.values if column is not None else ()


def allocatable_amounts(node: Node) -> dict[str, int]:
    """Allocatable resources that the scheduler counts, cpu in milli-cpu; capacity stands in where it is missing."""
    quantities = node.status.allocatable or node.status.capacity or {}
    return {
        name: milli_value(quantity) if name == "cpu" else value(quantity)
        for name, quantity in quantities.items()
        if name == "pods" or counts(name)
    }


def normalized_image(name: str) -> str:
    """Append ``:latest`` where the name has no tag: no colon after the last slash.

    Examples
    --------
    >>> normalized_image("registry:5000/app"), normalized_image("app:1")
    ('registry:5000/app:latest', 'app:1')
    """
    return name if name.rfind(":") > name.rfind("/") else f"{name}:latest"


def build_nodes(nodes: Sequence[Node], resources: Vocabulary, order: Sequence[int] | None = None) -> NodeColumns:
    """Make the columns of nodes given in order of addition.

    Parameters
    ----------
    nodes : sequence of Node
    resources : Vocabulary
        Must hold every resource that counts.
    order : sequence of int, optional
        Positions in ``nodes`` in snapshot order. By default it is that of nodes that have just been added.
    """
    if order is None:
        order = snapshot_order([zone_key(node.metadata.labels or {}) for node in nodes])
    listed = [nodes[position] for position in order]
    taint_sets: dict[tuple[Taint, ...], int] = {}
    taint_set = np.array([taint_sets.setdefault(node.spec.taints or (), len(taint_sets)) for node in listed], np.int32)
    allocatable = np.zeros((len(resources), len(nodes)), np.int64)
    allowed_pods = np.zeros(len(nodes), np.int64)
    for n, node in enumerate(listed):
        for name, amount in allocatable_amounts(node).items():
            if name == "pods":
                allowed_pods[n] = amount
            else:
                allocatable[resources.find(name), n] = amount
    names = [node.metadata.name for node in listed]
    return NodeColumns(
        names=names,
        index={name: n for n, name in enumerate(names)},
        arrival=np.array(order, np.int32),
        labels=_label_columns(listed),
        annotations=tuple(node.metadata.annotations or {} for node in listed),
        taint_sets=tuple(taint_sets),
        taint_set=taint_set,
        unschedulable=np.array([bool(node.spec.unschedulable) for node in listed], np.bool_),
        allocatable=allocatable,
        allowed_pods=allowed_pods,
        images=_images(nodes, order),
    )


def _label_columns(nodes: Sequence[Node]) -> dict[str, LabelColumn]:
    codes: dict[str, I32] = {}
    values: dict[str, Vocabulary] = {}
    for n, node in enumerate(nodes):
        for key, text in (node.metadata.labels or {}).items():
            column = codes.get(key)
            if column is None:
                column = codes[key] = np.full(len(nodes), NO_VALUE, np.int32)
                values[key] = Vocabulary()
            column[n] = values[key].code(text)
    return {key: LabelColumn(column, tuple(values[key])) for key, column in codes.items()}


def _images(nodes: Sequence[Node], order: Sequence[int]) -> dict[str, Image]:
    place = {position: n for n, position in enumerate(order)}
    sizes: dict[str, int] = {}
    holders: dict[str, list[int]] = {}
    for position, node in enumerate(nodes):
        for image in node.status.images or ():
            for name in image.names or ():
                sizes.setdefault(name, image.size_bytes)
                held = holders.setdefault(name, [])
                if not held or held[-1] != place[position]:
                    held.append(place[position])
    return {name: Image(sizes[name], np.array(sorted(held), np.int32)) for name, held in holders.items()}
