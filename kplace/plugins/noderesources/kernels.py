"""The arithmetic of node resources: fit, the three scoring strategies, balance."""

from typing import NamedTuple

import numpy as np

from kplace._jit import kernel
from kplace.dtypes import CPU, I8, I32, I64, MAX_NODE_SCORE, MEMORY
from kplace.plugins.helper import EXACT_NUMERATOR, on_line, quotient, round_half_away
from kplace.state.node_resources import NodeResources

TOO_MANY_PODS = np.int64(1) << 62
"""Bit of a fit verdict's detail beside one bit for each requested resource."""
MAX_REQUESTED = 62
"""As many requested resources as there are bits below it."""


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
def fit_bits(nodes: NodeResources, demand: Demand, n: int) -> int:
    """Say what a node lacks for one more pod: a bit for each position of ``demand``, and `TOO_MANY_PODS`; 0 if it fits.

    Mirrors ``noderesources/fit.go``, ``fitsRequest``.
    """
    bits = np.int64(0)
    if nodes.pods[n] + 1 > nodes.allowed_pods[n]:
        bits |= TOO_MANY_PODS
    for j in range(demand.rows.shape[0]):
        r = demand.rows[j]
        if demand.amounts[j] > nodes.allocatable[r, n] - nodes.requested[r, n]:
            bits |= np.int64(1) << j
    return int(bits)


@kernel
def is_hopeless(nodes: NodeResources, demand: Demand, n: int) -> bool:
    """Whether the pod would not fit the node even if it were empty."""
    for j in range(demand.rows.shape[0]):
        if demand.amounts[j] > nodes.allocatable[demand.rows[j], n]:
            return True
    return False


@kernel
def fit(nodes: NodeResources, demand: Demand, listed: I32, code: I8, detail: I64) -> None:
    """Judge each listed node: is there room for one more pod with these requests.

    Parameters
    ----------
    demand : Demand
        The requests above zero.
    listed : int32 ndarray, shape (k,)
        The nodes to judge.
    code, detail : ndarrays, shape (k,)
        Written: 0 fits; 2 (Unschedulable) does not; 3 (UnschedulableAndUnresolvable) would not on the empty node
        either; and the bits of `fit_bits`.
    """
    for i in range(listed.shape[0]):
        n = listed[i]
        bits = fit_bits(nodes, demand, n)
        detail[i] = bits
        if bits == 0:
            code[i] = 0
        else:
            code[i] = 3 if is_hopeless(nodes, demand, n) else 2


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
def used_with(nodes: NodeResources, r: int, n: int, amount: int) -> int:
    """What would be used of a resource with the pod, by the sums that scores use."""
    if r in (CPU, MEMORY):
        return nodes.non_zero_requested[r, n] + amount
    return nodes.requested[r, n] + amount


@kernel
def least_allocated_at(nodes: NodeResources, demand: Demand, n: int) -> int:
    """Weighted mean of a node's free shares; resources that it lacks drop out."""
    total = 0
    weights = 0
    for j in range(demand.rows.shape[0]):
        r = demand.rows[j]
        allocatable = nodes.allocatable[r, n]
        if allocatable > 0:
            used = used_with(nodes, r, n, demand.amounts[j])
            total += least_requested(used, allocatable) * demand.weights[j]
            weights += demand.weights[j]
    return total // weights if weights > 0 else 0


@kernel
def least_allocated(nodes: NodeResources, demand: Demand, listed: I32, scores: I64) -> None:
    """Score the listed nodes by their free shares. Writes ``scores``."""
    for i in range(listed.shape[0]):
        scores[i] = least_allocated_at(nodes, demand, listed[i])


@kernel
def most_allocated_at(nodes: NodeResources, demand: Demand, n: int) -> int:
    """Weighted mean of a node's used shares; resources that it lacks drop out."""
    total = 0
    weights = 0
    for j in range(demand.rows.shape[0]):
        r = demand.rows[j]
        allocatable = nodes.allocatable[r, n]
        if allocatable > 0:
            used = used_with(nodes, r, n, demand.amounts[j])
            total += most_requested(used, allocatable) * demand.weights[j]
            weights += demand.weights[j]
    return total // weights if weights > 0 else 0


@kernel
def most_allocated(nodes: NodeResources, demand: Demand, listed: I32, scores: I64) -> None:
    """Score the listed nodes by their used shares. Writes ``scores``."""
    for i in range(listed.shape[0]):
        scores[i] = most_allocated_at(nodes, demand, listed[i])


@kernel
def used_percentage(used: int, allocatable: int) -> int:
    """Used share of a resource, 0 to 100; 100 if more is asked for than there is."""
    return percentage(used, allocatable) if used <= allocatable else MAX_NODE_SCORE


@kernel
def on_shape(shape: Shape, utilization: int) -> int:
    """Value of a shape at a utilisation."""
    return on_line(shape.utilization, shape.score, utilization)


@kernel
def capacity_ratio_at(nodes: NodeResources, demand: Demand, shape: Shape, n: int) -> int:
    """Weighted mean, rounded, of a shape over a node's used shares; what scores 0 drops out.

    Mirrors ``requested_to_capacity_ratio.go``.
    """
    total = 0
    weights = 0
    for j in range(demand.rows.shape[0]):
        r = demand.rows[j]
        allocatable = nodes.allocatable[r, n]
        if allocatable > 0:
            used = used_with(nodes, r, n, demand.amounts[j])
            score = on_shape(shape, used_percentage(used, allocatable))
            if score > 0:
                total += score * demand.weights[j]
                weights += demand.weights[j]
    return round_half_away(total / weights) if weights > 0 else 0


@kernel
def capacity_ratio(nodes: NodeResources, demand: Demand, shape: Shape, listed: I32, scores: I64) -> None:
    """Score the listed nodes by a shape over their used shares. Writes ``scores``."""
    for i in range(listed.shape[0]):
        scores[i] = capacity_ratio_at(nodes, demand, shape, listed[i])


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
def balanced_at(nodes: NodeResources, demand: Demand, n: int) -> int:
    """100 minus the spread of a node's used shares, the pod included.

    Mirrors ``balanced_allocation.go``: half the difference for two resources, the population standard deviation for
    more, in float64 and in upstream's order of operations.
    """
    count = 0
    total = 0.0
    first = 0.0
    last = 0.0
    for j in range(demand.rows.shape[0]):
        r = demand.rows[j]
        if nodes.allocatable[r, n] > 0:
            last = capped_fraction(nodes.requested[r, n] + demand.amounts[j], nodes.allocatable[r, n])
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
        for j in range(demand.rows.shape[0]):
            r = demand.rows[j]
            if nodes.allocatable[r, n] > 0:
                distance = capped_fraction(nodes.requested[r, n] + demand.amounts[j], nodes.allocatable[r, n]) - mean
                squares = squares + distance * distance
        deviation = np.sqrt(squares / float(count))
    return score_of_deviation(deviation)


@kernel
def balanced_allocation(nodes: NodeResources, demand: Demand, listed: I32, scores: I64) -> None:
    """Score the listed nodes by their balance. Writes ``scores``."""
    for i in range(listed.shape[0]):
        scores[i] = balanced_at(nodes, demand, listed[i])


@kernel
def change_of_balance(score: int, without: int) -> int:
    """What a pod changes about a node's balance, as releases from v1.36 on score it: 75 for no change."""
    half = MAX_NODE_SCORE // 2
    return half + (half + score - without) // 2


@kernel
def compare_balances(scores: I64, without: I64) -> None:
    """Turn balances with the pod into what the pod changes about those without it. Modifies ``scores``."""
    for i in range(scores.shape[0]):
        scores[i] = change_of_balance(scores[i], without[i])
