"""Scores of many nodes at once: tight loops over slices of columns, for ranges of nodes and for listed ones alike.

The arithmetic of a single value is that of `kplace.plugins.noderesources.kernels`. Each loop adds what one resource
has to say; ``into`` holds the weight of that resource, the sums so far and the weights that went into them.
"""

from kplace._jit import inner_kernel
from kplace.dtypes import F64, I64, MAX_NODE_SCORE
from kplace.plugins.helper import EXACT_NUMERATOR, quotient, round_half_away
from kplace.plugins.noderesources.kernels import (
    Shape,
    capped_fraction,
    deviation_of_two,
    least_requested,
    most_requested,
    on_shape,
    score_of_deviation,
    used_percentage,
)


@inner_kernel
def add_least_small(allocatable: I64, used: I64, amount: int, into: tuple[int, I64, I64]) -> None:
    """Add the free shares of a resource of which no node has so much that float64 could not divide it exactly."""
    weight, total, weights = into
    for i in range(total.shape[0]):
        whole = allocatable[i]
        free = whole - used[i] - amount
        share = quotient(float(max(free, 0) * MAX_NODE_SCORE), float(max(whole, 1)))
        total[i] += weight * share
        weights[i] += weight if whole > 0 else 0


@inner_kernel
def add_least(allocatable: I64, used: I64, amount: int, into: tuple[int, I64, I64]) -> None:
    """Add the free shares of a resource."""
    weight, total, weights = into
    for i in range(total.shape[0]):
        if allocatable[i] > 0:
            total[i] += weight * least_requested(used[i] + amount, allocatable[i])
            weights[i] += weight


@inner_kernel
def add_most(allocatable: I64, used: I64, amount: int, into: tuple[int, I64, I64]) -> None:
    """Add the used shares of a resource."""
    weight, total, weights = into
    for i in range(total.shape[0]):
        if allocatable[i] > 0:
            total[i] += weight * most_requested(used[i] + amount, allocatable[i])
            weights[i] += weight


@inner_kernel
def add_on_shape(allocatable: I64, used: I64, amount: int, shape: Shape, into: tuple[int, I64, I64]) -> None:
    """Add a shape's values over the used shares of a resource; those of 0 drop out."""
    weight, total, weights = into
    for i in range(total.shape[0]):
        if allocatable[i] > 0:
            value = on_shape(shape, used_percentage(used[i] + amount, allocatable[i]))
            if value > 0:
                total[i] += weight * value
                weights[i] += weight


@inner_kernel
def take_mean(total: I64, weights: I64) -> None:
    """Divide sums by the weights that went into them; 0 where none did."""
    for i in range(total.shape[0]):
        total[i] = quotient(float(total[i]), float(max(weights[i], 1)))


@inner_kernel
def take_rounded_mean(total: I64, weights: I64) -> None:
    """Divide sums by the weights that went into them, rounded; 0 where none did."""
    for i in range(total.shape[0]):
        total[i] = round_half_away(float(total[i]) / float(weights[i])) if weights[i] > 0 else 0


@inner_kernel
def fill_fractions(allocatable: I64, requested: I64, amount: int, shares: F64) -> None:
    """Used share of a resource on each node, the pod included; -1 where the node lacks it."""
    for i in range(shares.shape[0]):
        share = capped_fraction(requested[i] + amount, max(allocatable[i], 1))
        shares[i] = share if allocatable[i] > 0 else -1.0


@inner_kernel
def pair_scores(first: F64, second: F64, scores: I64) -> None:
    """Scores of two shares; one alone is in perfect balance."""
    for i in range(scores.shape[0]):
        both = (first[i] >= 0.0) & (second[i] >= 0.0)
        deviation = deviation_of_two(first[i], second[i]) if both else 0.0
        scores[i] = score_of_deviation(deviation)


@inner_kernel
def are_small(allocatable: I64) -> bool:
    """Whether no node has so much of a resource that float64 could not divide its hundredfold exactly."""
    most = 0
    for i in range(allocatable.shape[0]):
        most = max(most, allocatable[i])
    return most < EXACT_NUMERATOR // MAX_NODE_SCORE
