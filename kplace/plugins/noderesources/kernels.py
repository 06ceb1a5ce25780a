"""The arithmetic of node resources: fit, the three scoring strategies, balance."""

from typing import NamedTuple

import numpy as np

from kplace._jit import kernel
from kplace.dtypes import CPU, F64, I8, I32, I64, MAX_NODE_SCORE, MEMORY
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
        either. One bit of ``detail`` for each position of ``demand`` that lacks, and `TOO_MANY_PODS`.

    Notes
    -----
    Mirrors ``noderesources/fit.go``, ``fitsRequest``.
    """
    for i in range(listed.shape[0]):
        n = listed[i]
        bits = np.int64(0)
        hopeless = False
        if nodes.pods[n] + 1 > nodes.allowed_pods[n]:
            bits |= TOO_MANY_PODS
        for j in range(demand.rows.shape[0]):
            r = demand.rows[j]
            allocatable = nodes.allocatable[r, n]
            if demand.amounts[j] > allocatable - nodes.requested[r, n]:
                bits |= np.int64(1) << j
                if demand.amounts[j] > allocatable:
                    hopeless = True
        detail[i] = bits
        code[i] = 0 if bits == 0 else (3 if hopeless else 2)


@kernel
def least_requested(requested: int, allocatable: int) -> int:
    """Free share of a resource, 0 to 100 (``least_allocated.go``)."""
    if requested > allocatable:
        return 0
    return (allocatable - requested) * MAX_NODE_SCORE // allocatable


@kernel
def most_requested(requested: int, allocatable: int) -> int:
    """Used share of a resource, 0 to 100; a request above what there is counts as all of it (``most_allocated.go``)."""
    return min(requested, allocatable) * MAX_NODE_SCORE // allocatable


@kernel
def used_with(nodes: NodeResources, r: int, n: int, amount: int) -> int:
    """What would be used of a resource with the pod, by the sums that scores use."""
    if r in (CPU, MEMORY):
        return nodes.non_zero_requested[r, n] + amount
    return nodes.requested[r, n] + amount


@kernel
def least_allocated(nodes: NodeResources, demand: Demand, listed: I32, scores: I64) -> None:
    """Weighted mean of the free shares; resources that a node lacks drop out. Writes ``scores``."""
    for i in range(listed.shape[0]):
        n = listed[i]
        total = 0
        weights = 0
        for j in range(demand.rows.shape[0]):
            r = demand.rows[j]
            allocatable = nodes.allocatable[r, n]
            if allocatable > 0:
                used = used_with(nodes, r, n, demand.amounts[j])
                total += least_requested(used, allocatable) * demand.weights[j]
                weights += demand.weights[j]
        scores[i] = total // weights if weights > 0 else 0


@kernel
def most_allocated(nodes: NodeResources, demand: Demand, listed: I32, scores: I64) -> None:
    """Weighted mean of the used shares; resources that a node lacks drop out. Writes ``scores``."""
    for i in range(listed.shape[0]):
        n = listed[i]
        total = 0
        weights = 0
        for j in range(demand.rows.shape[0]):
            r = demand.rows[j]
            allocatable = nodes.allocatable[r, n]
            if allocatable > 0:
                used = used_with(nodes, r, n, demand.amounts[j])
                total += most_requested(used, allocatable) * demand.weights[j]
                weights += demand.weights[j]
        scores[i] = total // weights if weights > 0 else 0


@kernel
def on_shape(shape: Shape, utilization: int) -> int:
    """Value of a broken line, in integers, division truncating towards zero (``helper/shape_score.go``)."""
    last = shape.utilization.shape[0] - 1
    for k in range(last + 1):
        if utilization <= shape.utilization[k]:
            if k == 0:
                return shape.score[0]
            rise = (shape.score[k] - shape.score[k - 1]) * (utilization - shape.utilization[k - 1])
            run = shape.utilization[k] - shape.utilization[k - 1]
            step = rise // run if rise >= 0 else -(-rise // run)
            return shape.score[k - 1] + step
    return shape.score[last]


@kernel
def capacity_ratio(nodes: NodeResources, demand: Demand, shape: Shape, listed: I32, scores: I64) -> None:
    """Weighted mean, rounded, of a shape over the used shares; what scores 0 drops out. Writes ``scores``.

    Mirrors ``requested_to_capacity_ratio.go``.
    """
    for i in range(listed.shape[0]):
        n = listed[i]
        total = 0
        weights = 0
        for j in range(demand.rows.shape[0]):
            r = demand.rows[j]
            allocatable = nodes.allocatable[r, n]
            if allocatable > 0:
                used = used_with(nodes, r, n, demand.amounts[j])
                utilization = used * MAX_NODE_SCORE // allocatable if used <= allocatable else MAX_NODE_SCORE
                score = on_shape(shape, utilization)
                if score > 0:
                    total += score * demand.weights[j]
                    weights += demand.weights[j]
        scores[i] = np.int64(np.floor(total / weights + 0.5)) if weights > 0 else 0


@kernel
def balanced_allocation(nodes: NodeResources, demand: Demand, listed: I32, scores: I64) -> None:
    """100 minus the spread of the used shares of a node, the pod included. Writes ``scores``.

    Mirrors ``balanced_allocation.go``: half the difference for two resources, the population standard deviation for
    more.
    """
    fractions = np.zeros(demand.rows.shape[0])
    for i in range(listed.shape[0]):
        n = listed[i]
        count = 0
        total = 0.0
        for j in range(demand.rows.shape[0]):
            r = demand.rows[j]
            allocatable = nodes.allocatable[r, n]
            if allocatable > 0:
                fraction = min((nodes.requested[r, n] + demand.amounts[j]) / allocatable, 1.0)
                fractions[count] = fraction
                total += fraction
                count += 1
        scores[i] = np.int64((1.0 - spread(fractions, count, total)) * float(MAX_NODE_SCORE))


@kernel
def spread(fractions: F64, count: int, total: float) -> float:
    """Standard deviation of the first ``count`` fractions, the way upstream computes it."""
    if count == 2:
        return abs((fractions[0] - fractions[1]) / 2)
    if count < 2:
        return 0.0
    mean = total / float(count)
    squares = 0.0
    for k in range(count):
        squares = squares + (fractions[k] - mean) * (fractions[k] - mean)
    return np.sqrt(squares / float(count))
