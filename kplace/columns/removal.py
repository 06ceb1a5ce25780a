"""A cluster without some of its pods or nodes."""

from dataclasses import fields, replace

import numpy as np

from kplace.columns.cluster import ClusterColumns, SourceObject
from kplace.columns.node_order import REGION_LABELS, ZONE_LABELS, snapshot_order, zone_key
from kplace.columns.nodes import Image, LabelColumn, NodeColumns
from kplace.columns.pods import PodColumns
from kplace.dtypes import I32, I64, NO_NODE, NO_VALUE, Mask


def without_pods(columns: ClusterColumns, gone: I32) -> ClusterColumns:
    """Build the same cluster without some pods; the others keep their order and get new indexes.

    Parameters
    ----------
    gone : int32 ndarray
        Indexes of the pods to leave out.
    """
    if not len(gone):
        return columns
    stays = np.ones(len(columns.pods), np.bool_)
    stays[gone] = False
    index = np.cumsum(stays) - 1
    sources = [
        item if item.pod < 0 else SourceObject(item.kind, item.source, item.raw, int(index[item.pod]))
        for item in columns.sources
        if item.pod < 0 or stays[item.pod]
    ]
    kept = np.flatnonzero(stays)
    changes: dict[str, object] = {}
    for field in fields(PodColumns):
        column = getattr(columns.pods, field.name)
        if isinstance(column, np.ndarray):
            changes[field.name] = column[kept]
        elif isinstance(column, list):
            changes[field.name] = [column[pod] for pod in kept.tolist()]
    return replace(columns, pods=replace(columns.pods, **changes), sources=sources)  # type: ignore[arg-type]


def without_nodes(columns: ClusterColumns, gone: I32) -> ClusterColumns:
    """Build the same cluster without some nodes, and without the pods that are on them.

    The others come in the snapshot order of a cluster that never had those nodes. Labels, taints and images that no
    node has any more are gone as well: a domain without nodes must not count as an empty one.

    Parameters
    ----------
    gone : int32 ndarray
        Indexes of the nodes to leave out.
    """
    if not len(gone):
        return columns
    stays = np.ones(len(columns.nodes), np.bool_)
    stays[gone] = False
    held = columns.pods.node
    on_them = (held >= 0) & ~stays[np.maximum(held, 0)]
    columns = without_pods(columns, np.flatnonzero(on_them).astype(np.int32))
    listed = in_snapshot_order(columns.nodes, np.flatnonzero(stays))
    return rearranged(columns, taken(columns.nodes, listed), listed, _without_node_sources(columns, stays))


def in_snapshot_order(nodes: NodeColumns, chosen: I64) -> I32:
    """Some nodes in the order in which the snapshot of a cluster of them alone lists them.

    Parameters
    ----------
    chosen : int64 ndarray
        Indexes of nodes.
    """
    by_arrival = chosen[np.argsort(nodes.arrival[chosen], kind="stable")]
    keys = zone_keys(nodes)
    order = snapshot_order([keys[n] for n in by_arrival.tolist()])
    return by_arrival[order].astype(np.int32)


def zone_keys(nodes: NodeColumns) -> list[str]:
    """Key of the zone of every node, in snapshot order."""
    names = (*REGION_LABELS, *ZONE_LABELS)
    kinds, kind_of = np.unique(np.stack([nodes.label_codes(name) for name in names]), axis=1, return_inverse=True)
    values = [nodes.label_values(name) for name in names]
    keys = [
        zone_key({names[i]: values[i][code] for i, code in enumerate(kind) if code != NO_VALUE})
        for kind in kinds.T.tolist()
    ]
    return [keys[kind] for kind in kind_of.ravel().tolist()]


def taken(nodes: NodeColumns, listed: I32) -> NodeColumns:
    """Columns of some nodes in a given order.

    Parameters
    ----------
    listed : int32 ndarray
        Indexes of the nodes, each at most once.
    """
    where = np.full(len(nodes), NO_NODE, np.int32)
    where[listed] = np.arange(len(listed), dtype=np.int32)
    taint_set, used = _compacted(nodes.taint_set[listed])
    names = [nodes.names[n] for n in listed.tolist()]
    labels = {key: _label_of(column, listed) for key, column in nodes.labels.items()}
    images = {name: Image(item.size, np.sort(where[item.nodes])) for name, item in nodes.images.items()}
    images = {name: Image(item.size, item.nodes[item.nodes >= 0]) for name, item in images.items()}
    return NodeColumns(
        names=names,
        index={name: n for n, name in enumerate(names)},
        arrival=np.argsort(np.argsort(nodes.arrival[listed], kind="stable"), kind="stable").astype(np.int32),
        labels={key: column for key, column in labels.items() if column.values},
        annotations=tuple(nodes.annotations[n] for n in listed.tolist()),
        taint_sets=tuple(nodes.taint_sets[code] for code in used.tolist()),
        taint_set=taint_set,
        unschedulable=nodes.unschedulable[listed],
        allocatable=np.ascontiguousarray(nodes.allocatable[:, listed]),
        allowed_pods=nodes.allowed_pods[listed],
        images={name: item for name, item in images.items() if len(item.nodes)},
    )


def rearranged(columns: ClusterColumns, nodes: NodeColumns, listed: I32, sources: list[SourceObject]) -> ClusterColumns:
    """Build the same cluster with its nodes replaced; what pods say of nodes follows.

    Parameters
    ----------
    nodes : NodeColumns
    listed : int32 ndarray
        The present index of each of them; negative for a node that is new.
    sources : list of SourceObject
    """
    where = np.full(len(columns.nodes), NO_NODE, np.int32)
    old = listed >= 0
    where[listed[old]] = np.flatnonzero(old)
    pods = columns.pods
    moved = replace(
        pods,
        node=np.where(pods.node >= 0, where[np.maximum(pods.node, 0)], pods.node).astype(np.int32),
        nominated=np.where(pods.nominated >= 0, where[np.maximum(pods.nominated, 0)], NO_NODE).astype(np.int32),
    )
    return replace(columns, nodes=nodes, pods=moved, sources=sources)


def _without_node_sources(columns: ClusterColumns, stays: Mask) -> list[SourceObject]:
    """Objects of the input but for those of nodes that are gone; nodes stand there in order of addition."""
    staying = iter(stays[np.argsort(columns.nodes.arrival, kind="stable")].tolist())
    return [item for item in columns.sources if item.kind != "Node" or next(staying, True)]


def _compacted(codes: I32) -> tuple[I32, I64]:
    """Codes renumbered in the order of their first appearance, and what each of the new ones was.

    Negative codes stay.
    """
    used, first = np.unique(codes, return_index=True)
    first, used = first[used >= 0], used[used >= 0]
    used = used[np.argsort(first, kind="stable")]
    table = np.full(int(codes.max(initial=-1)) + 1, -1, np.int32)
    table[used] = np.arange(len(used), dtype=np.int32)
    new = np.where(codes >= 0, table[np.maximum(codes, 0)] if len(table) else codes, codes)
    return new.astype(np.int32), used.astype(np.int64)


def _label_of(column: LabelColumn, listed: I32) -> LabelColumn:
    codes, used = _compacted(column.codes[listed])
    return LabelColumn(codes, tuple(column.values[code] for code in used.tolist()))
