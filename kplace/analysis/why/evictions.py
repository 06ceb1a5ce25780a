"""Pods of which one might leave, so that another one fits."""

from collections.abc import Iterator, Mapping
from functools import partial

import numpy as np

from kplace.analysis.drain.evictable import stays_with_node
from kplace.analysis.why.changes import Change
from kplace.columns import ClusterColumns
from kplace.columns.removal import without_pods
from kplace.columns.storage import claims_of_spec
from kplace.dtypes import I64, Mask
from kplace.frames.usage import holding_nodes, offered, request_matrix, usage
from kplace.plugins import names
from kplace.plugins.nodeports.ports import conflicts, host_ports

MOST = 40
STATIC = (names.NODE_UNSCHEDULABLE, names.NODE_NAME, names.TAINT_TOLERATION, names.NODE_AFFINITY)
"""Filters that do not look at what is on a node."""


def evictions(columns: ClusterColumns, pod: int, says: Mapping[int, str]) -> Iterator[Change]:
    """One pod that leaves, of those on nodes where that may help.

    First those that are in the way by what they are, then the least important and the smallest.
    """
    pods, request = columns.pods, columns.templates[columns.pods.template[pod]].request
    on_them = pods.holding & np.isin(pods.node, [n for n, plugin in says.items() if plugin not in STATIC])
    movable = np.flatnonzero(on_them & ~stays_with_node(columns))
    free = free_amounts(columns)
    taken = request_matrix(columns).T[pods.template[movable]]
    nodes = pods.node[movable]
    enough = (free[:-1, nodes].T + taken >= request).all(axis=1) & (free[-1, nodes] + 1 >= 1)
    movable, taken = movable[enough], taken[enough]
    aside = ~in_the_way(columns, pod)[pods.template[movable]]
    order = np.lexsort((taken[:, 1], taken[:, 0], pods.priority[movable], aside))[:MOST]
    for rank, victim in enumerate(movable[order].tolist()):
        text = f"evict {pods.key(victim)} from the node {columns.nodes.names[pods.node[victim]]}"
        gone = np.array([victim], np.int32)
        yield Change("eviction", text, rank, partial(without_pods, columns, gone), pod - int(victim < pod))


def in_the_way(columns: ClusterColumns, pod: int) -> Mask:
    """Templates of pods that hold a host port or a claim which the pod wants, or are of its kind; shape (n_templates,).

    Pods of one kind are those with its namespace and labels: the ones that they are spread over domains with, or keep
    away from each other.
    """
    own = columns.templates[columns.pods.template[pod]]
    ports, claims = host_ports(own.spec), {item.claim for item in claims_of_spec(own.spec)} - {""}
    found = np.zeros(len(columns.templates), np.bool_)
    for item in columns.templates:
        if item.namespace == own.namespace:
            of_its_kind = bool(own.labels) and item.labels == own.labels
            found[item.code] = of_its_kind or any(other.claim in claims for other in claims_of_spec(item.spec))
        if ports:
            found[item.code] |= any(conflicts(one, other) for other in host_ports(item.spec) for one in ports)
    return found


def free_amounts(columns: ClusterColumns) -> I64:
    """What is free on each node, the number of pods last; shape (n_resources + 1, n_nodes)."""
    return offered(columns) - usage(columns, holding_nodes(columns)).requested
