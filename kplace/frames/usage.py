"""What the pods on each node request, for any assignment of pods to nodes."""

from typing import NamedTuple

import numpy as np

from kplace.columns import ClusterColumns
from kplace.dtypes import I32, I64


class Usage(NamedTuple):
    """Requests summed over the pods of each node; int64, node axis last.

    Attributes
    ----------
    requested : shape (n_resources + 1, n_nodes)
        In the units of `ClusterColumns.resources`; the last row is the number of pods.
    non_zero : shape (2, n_nodes)
        Milli-cpu and bytes with the defaults of scoring.
    """

    requested: I64
    non_zero: I64


def usage(columns: ClusterColumns, node_of_pod: I32) -> Usage:
    """Sum up the requests by node.

    Parameters
    ----------
    node_of_pod : int32 ndarray, shape (n_pods,)
        The node each pod takes room on; negative if none.
    """
    placed = np.flatnonzero(node_of_pod >= 0)
    where, template = node_of_pod[placed], columns.pods.template[placed]
    n_nodes = len(columns.nodes)
    requested = np.zeros((len(columns.resources) + 1, n_nodes), np.int64)
    non_zero = np.zeros((2, n_nodes), np.int64)
    plain, scored = request_matrix(columns), non_zero_matrix(columns)
    for resource in range(len(columns.resources)):
        np.add.at(requested[resource], where, plain[resource, template])
    for row in range(2):
        np.add.at(non_zero[row], where, scored[row, template])
    requested[-1] = np.bincount(where, minlength=n_nodes)
    return Usage(requested, non_zero)


def request_matrix(columns: ClusterColumns) -> I64:
    """Requests of every template, shape (n_resources, n_templates)."""
    shape = (len(columns.templates), len(columns.resources))
    return np.array([item.request for item in columns.templates], np.int64).reshape(shape).T.copy()


def non_zero_matrix(columns: ClusterColumns) -> I64:
    """Requests of every template with the defaults of scoring, shape (2, n_templates)."""
    return np.array([item.non_zero_request for item in columns.templates], np.int64).reshape(-1, 2).T.copy()


def offered(columns: ClusterColumns) -> I64:
    """Allocatable with the row of pods, shape (n_resources + 1, n_nodes)."""
    return np.concatenate([columns.nodes.allocatable, columns.nodes.allowed_pods[None, :]])


def holding_nodes(columns: ClusterColumns) -> I32:
    """Node on which each pod takes room as the input has it; negative if on none."""
    return np.where(columns.pods.holding, columns.pods.node, np.int32(-1)).astype(np.int32)
