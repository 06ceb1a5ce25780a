"""The arithmetic of node resources: shares, shapes and balance, for one value at a time."""

from typing import NamedTuple

import numpy as np

from kplace._jit import kernel
from kplace.dtypes import I32, I64, MAX_NODE_SCORE
from kplace.plugins.helper import EXACT_NUMERATOR, on_line, quotient
from kplace.state.node_resources import NodeResources

UNWANTED = -1
"""Amount of a resource that is left out."""


class Demand(NamedTuple):
    """Resources of a pod that a kernel looks at.

    Attributes
    ----------
    rows : int32 ndarray, shape (k,)
        Rows of the resource arrays.
    amounts : int64 ndarray, shape (k,)
        What the pod asks for.
    weights : int64 ndarray, shape (k,)
    """

    rows: I32
    amounts: I64
    weights: I64


class Shape(NamedTuple):
    """A broken line from utilisation (0 to 100) to score (0 to 100)."""

    utilization: I64
    score: I64


@kernel
def is_hopeless(nodes: NodeResources, demand: Demand, n: int) -> bool:
    """Whether the pod would not fit the node even if it were empty."""
    for j in range(demand.rows.shape[0]):
        if demand.amounts[j] > nodes.allocatable[demand.rows[j], n]:
            return True
    return False


@kernel
def percentage(amount: int, whole: int) -> int:
    """``100 * amount // whole`` for amounts from 0 to ``whole``."""
    if whole < EXACT_NUMERATOR // MAX_NODE_SCORE:
        return quotient(amount * MAX_NODE_SCORE, whole)
    return amount * MAX_NODE_SCORE // whole


@kernel
def least_requested(requested: int, allocatable: int) -> int:
    """Free share of a resource, 0 to 100 (``least_allocated.go``)."""
    if requested > allocatable:
        return 0
    return percentage(allocatable - requested, allocatable)


@kernel
def most_requested(requested: int, allocatable: int) -> int:
    """Used share of a resource, 0 to 100; a request above what there is counts as all of it (``most_allocated.go``)."""
    return percentage(min(requested, allocatable), allocatable)


@kernel
def used_percentage(used: int, allocatable: int) -> int:
    """Used share of a resource, 0 to 100; 100 if more is asked for than there is."""
    return percentage(used, allocatable) if used <= allocatable else MAX_NODE_SCORE


@kernel
def on_shape(shape: Shape, utilization: int) -> int:
    """Value of a shape at a utilisation."""
    return on_line(shape.utilization, shape.score, utilization)


@kernel
def capped_fraction(used: int, allocatable: int) -> float:
    """Share of a resource that would be used, at most 1."""
    return min(float(used) / float(allocatable), 1.0)


@kernel
def deviation_of_two(first: float, second: float) -> float:
    """Standard deviation of two shares, the way upstream shortens it."""
    return abs((first - second) / 2)


@kernel
def score_of_deviation(deviation: float) -> int:
    """Balance score of a standard deviation, truncated."""
    return int((1.0 - deviation) * float(MAX_NODE_SCORE))


@kernel
def balanced_at(nodes: NodeResources, rows: I32, amounts: I64, n: int) -> int:
    """100 minus the spread of a node's used shares, the pod included.

    Mirrors ``balanced_allocation.go``: half the difference for two resources, the population standard deviation for
    more, in float64 and in upstream's order of operations.

    Parameters
    ----------
    rows : int32 ndarray, shape (k,)
        The balanced resources.
    amounts : int64 ndarray, shape (k,)
        What the pod requests of them; `UNWANTED` leaves one out.
    """
    count = 0
    total = 0.0
    first = 0.0
    last = 0.0
    for j in range(rows.shape[0]):
        r = rows[j]
        if amounts[j] != UNWANTED and nodes.allocatable[r, n] > 0:
            last = capped_fraction(nodes.requested[r, n] + amounts[j], nodes.allocatable[r, n])
            if count == 0:
                first = last
            total += last
            count += 1
    deviation = 0.0
    if count == 2:
        deviation = deviation_of_two(first, last)
    elif count > 2:
        mean = total / float(count)
        squares = 0.0
        for j in range(rows.shape[0]):
            r = rows[j]
            if amounts[j] != UNWANTED and nodes.allocatable[r, n] > 0:
                distance = capped_fraction(nodes.requested[r, n] + amounts[j], nodes.allocatable[r, n]) - mean
                squares = squares + distance * distance
        deviation = np.sqrt(squares / float(count))
    return score_of_deviation(deviation)


@kernel
def change_of_balance(score: int, without: int) -> int:
    """What a pod changes about a node's balance, as releases from v1.36 on score it: 75 for no change."""
    half = MAX_NODE_SCORE // 2
    return half + (half + score - without) // 2
