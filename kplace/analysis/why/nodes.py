"""Changes of nodes that might let a pod in: uncordoned, labelled, or one more of them."""

from collections.abc import Iterator, Mapping
from functools import partial

import numpy as np

from kplace.analysis.why.changes import Change, uncordoned, with_label
from kplace.columns import ClusterColumns
from kplace.columns.addition import with_nodes
from kplace.dtypes import NO_VALUE
from kplace.plugins import names

MOST_SHAPES = 16
MOST_LABELS = 8


def node_changes(columns: ClusterColumns, pod: int, says: Mapping[int, str]) -> Iterator[Change]:
    """Nodes that take pods again, that get a label, or that are added."""
    yield from _cordoned(columns, pod, says)
    yield from _labels(columns, pod, says)
    yield from _more(columns, pod)


def _cordoned(columns: ClusterColumns, pod: int, says: Mapping[int, str]) -> Iterator[Change]:
    for n, plugin in says.items():
        by_taint = plugin == names.TAINT_TOLERATION and columns.nodes.unschedulable[n]
        if plugin == names.NODE_UNSCHEDULABLE or by_taint:
            text = f"uncordon the node {columns.nodes.names[n]}"
            yield Change("uncordon", text, 1, partial(uncordoned, columns, n), pod)


def _labels(columns: ClusterColumns, pod: int, says: Mapping[int, str]) -> Iterator[Change]:
    """Nodes that lack one label of the node selector."""
    wanted = columns.templates[columns.pods.template[pod]].spec.node_selector or {}
    tried = 0
    for n, plugin in says.items():
        if plugin != names.NODE_AFFINITY or tried == MOST_LABELS:
            continue
        lacking = [(key, value) for key, value in wanted.items() if _label(columns, n, key) != value]
        if len(lacking) == 1:
            tried += 1
            (key, value) = lacking[0]
            text = f"label the node {columns.nodes.names[n]} with {key}={value}"
            yield Change("label", text, 1, partial(with_label, columns, n, key, value), pod)


def _label(columns: ClusterColumns, node: int, key: str) -> str | None:
    code = int(columns.nodes.label_codes(key)[node])
    return None if code == NO_VALUE else columns.nodes.label_values(key)[code]


def _more(columns: ClusterColumns, pod: int) -> Iterator[Change]:
    """One more node of a shape that is there and offers what the pod requests; those that offer less first."""
    shapes: dict[tuple[object, ...], int] = {}
    nodes, request = columns.nodes, columns.templates[columns.pods.template[pod]].request
    able = ~nodes.unschedulable & (nodes.allocatable >= request[:, None]).all(axis=0)
    shared = [column for column in nodes.labels.values() if len(column.values) < max(len(nodes) // 2, 2)]
    for n in np.flatnonzero(able).tolist():
        labels = tuple(int(column.codes[n]) for column in shared)
        shape = (labels, int(nodes.taint_set[n]), nodes.allocatable[:, n].tobytes())
        shapes.setdefault(shape, n)
    chosen = sorted((int(nodes.allocatable[0, n]), n) for n in shapes.values())
    for size, n in chosen[:MOST_SHAPES]:
        text = f"add a node like {nodes.names[n]}"
        added = partial(with_nodes, columns, columns, [n], [f"{nodes.names[n]}-more"])
        yield Change("node", text, size, added, pod)
