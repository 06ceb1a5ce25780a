"""How many feasible nodes are looked for, and which nodes a search visits (upstream ``schedule_one.go``)."""

from typing import NamedTuple

import numpy as np

from kplace._jit import kernel
from kplace.dtypes import I32, Mask

MIN_FEASIBLE_NODES_TO_FIND = 100
MIN_FEASIBLE_NODES_PERCENTAGE = 5


def num_feasible_nodes_to_find(n_nodes: int, percentage: int) -> int:
    """Number of feasible nodes that a search looks for.

    Parameters
    ----------
    n_nodes : int
        Nodes that the search can visit.
    percentage : int
        percentageOfNodesToScore; 0 adapts it to the number of nodes.

    Examples
    --------
    >>> [num_feasible_nodes_to_find(n, 0) for n in (99, 300, 1000, 5000, 10000)]
    [99, 144, 420, 500, 500]
    """
    if n_nodes < MIN_FEASIBLE_NODES_TO_FIND or percentage >= 100:
        return n_nodes
    if percentage == 0:
        percentage = max(50 - n_nodes // 125, MIN_FEASIBLE_NODES_PERCENTAGE)
    return max(n_nodes * percentage // 100, MIN_FEASIBLE_NODES_TO_FIND)


class Sample(NamedTuple):
    """What a search found.

    Attributes
    ----------
    nodes : int32 ndarray
        The feasible nodes, in the order they were found.
    evaluated : int
        Number of nodes that were visited and counted.
    """

    nodes: I32
    evaluated: int


def search(passes: Mask, nodes: I32, start: int, want: int) -> Sample:
    """Visit nodes from ``start``, wrapping around, until one feasible node more than ``want`` is met.

    Parameters
    ----------
    passes : bool ndarray, shape (n_nodes,)
        Feasible nodes of the snapshot.
    nodes : int32 ndarray, shape (k,)
        The nodes to visit.
    start : int
        Position in ``nodes`` of the first visit; below k, or 0 where there are none.
    want : int
        That last node is dropped and not counted; the failing ones before it are counted.
    """
    found = np.empty(min(want, len(nodes)), np.int32)
    n_found, evaluated = visit(passes, nodes, start, found)
    return Sample(found[:n_found], evaluated)


@kernel
def visit(passes: Mask, nodes: I32, start: int, found: I32) -> tuple[int, int]:
    """Fill ``found`` with the first feasible nodes from ``start`` on; returns how many and how many were evaluated."""
    n_nodes = nodes.shape[0]
    n_found = 0
    failed = 0
    at = start - 1
    for _ in range(n_nodes):
        # A division by node would take longer than all the rest.
        at = 0 if at + 1 == n_nodes else at + 1
        n = nodes[at]
        if passes[n]:
            if n_found == found.shape[0]:
                break
            found[n_found] = n
            n_found += 1
        else:
            failed += 1
    return n_found, n_found + failed
