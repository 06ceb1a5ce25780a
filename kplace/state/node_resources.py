"""Resource columns of the nodes and the kernel that a pod's arrival or departure runs."""

from typing import NamedTuple

import numpy as np

from kplace._jit import kernel
from kplace.columns.nodes import NodeColumns
from kplace.dtypes import I32, I64


class NodeResources(NamedTuple):
    """What the nodes offer and what their pods request; int64, cpu in milli-cpu, everything else in its own unit.

    Attributes
    ----------
    allocatable, requested : shape (n_resources, n_nodes)
    non_zero_requested : shape (2, n_nodes)
        Milli-cpu and bytes of memory with the scoring defaults for containers that request none.
    pods, allowed_pods : shape (n_nodes,)
        Number of pods on the node and its allocatable ``pods``.
    """

    allocatable: I64
    requested: I64
    non_zero_requested: I64
    pods: I64
    allowed_pods: I64


class Request(NamedTuple):
    """What one pod takes: the vectors of its template.

    Attributes
    ----------
    plain : int64 ndarray, shape (n_resources,)
    non_zero : int64 ndarray, shape (2,)
    """

    plain: I64
    non_zero: I64


def empty_node_resources(nodes: NodeColumns) -> NodeResources:
    """Columns of nodes without any pod."""
    n_nodes = len(nodes)
    return NodeResources(
        allocatable=nodes.allocatable,
        requested=np.zeros_like(nodes.allocatable),
        non_zero_requested=np.zeros((2, n_nodes), np.int64),
        pods=np.zeros(n_nodes, np.int64),
        allowed_pods=nodes.allowed_pods,
    )


def first_rows(nodes: NodeResources, number: int) -> NodeResources:
    """The same columns without the rows after the first so many; views."""
    return nodes._replace(allocatable=nodes.allocatable[:number], requested=nodes.requested[:number])


@kernel
def add_pod(nodes: NodeResources, request: Request, node: int, sign: int) -> None:
    """Add (``sign`` 1) a pod's request to a node's columns or take it away (-1). Modified in place."""
    for r in range(request.plain.shape[0]):
        nodes.requested[r, node] += sign * request.plain[r]
    for r in range(2):
        nodes.non_zero_requested[r, node] += sign * request.non_zero[r]
    nodes.pods[node] += sign


@kernel
def add_pods(nodes: NodeResources, table: Request, templates: I32, where: I32, sign: int) -> None:
    """Add (``sign`` 1) many pods at once or take them away (-1). Modified in place.

    Parameters
    ----------
    table : Request
        The requests of all templates: int64 ndarrays of shape (n_templates, n_resources) and (n_templates, 2).
    templates, where : int32 ndarrays, shape (k,)
        Each pod's template and node.
    """
    for i in range(templates.shape[0]):
        t = templates[i]
        n = where[i]
        for r in range(table.plain.shape[1]):
            nodes.requested[r, n] += sign * table.plain[t, r]
        for r in range(2):
            nodes.non_zero_requested[r, n] += sign * table.non_zero[t, r]
        nodes.pods[n] += sign
