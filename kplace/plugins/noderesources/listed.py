"""Verdicts and scores of listed nodes: their columns are gathered first, so that tight loops can go over them."""

from typing import NamedTuple

import numpy as np

from kplace._jit import inner_kernel, kernel
from kplace.dtypes import CPU, F64, I8, I32, I64, MEMORY
from kplace.plugins.noderesources.kernels import Demand, Shape, balanced_at, change_of_balance, is_hopeless
from kplace.plugins.noderesources.spans import (
    add_least,
    add_least_small,
    add_most,
    add_on_shape,
    are_small,
    fill_fractions,
    pair_scores,
    take_mean,
    take_rounded_mean,
)
from kplace.state.node_resources import NodeResources

TOO_MANY_PODS = np.int64(1) << 62
"""Bit of a fit verdict's detail beside one bit for each requested resource."""
MAX_REQUESTED = 62
"""As many requested resources as there are bits below it."""


class Gathered(NamedTuple):
    """Workspace for columns of listed nodes.

    Attributes
    ----------
    whole, used, weight : int64 ndarray, shape (k,)
        What there is of a resource, what is used of it, and the weights of the resources that counted.
    share, other : float64 ndarray, shape (k,)
        Used shares of two resources.
    """

    whole: I64
    used: I64
    weight: I64
    share: F64
    other: F64

    @staticmethod
    def of(k: int) -> "Gathered":
        """Room for so many nodes."""
        numbers, shares = np.empty((3, k), np.int64), np.empty((2, k), np.float64)
        return Gathered(numbers[0], numbers[1], numbers[2], shares[0], shares[1])


@inner_kernel
def gather(column: I64, listed: I32, into: I64) -> None:
    """Take the listed nodes' values of a column. Writes ``into``."""
    for i in range(listed.shape[0]):
        into[i] = column[listed[i]]


@inner_kernel
def gather_scored(nodes: NodeResources, r: int, listed: I32, work: Gathered) -> None:
    """Take what listed nodes have and use of a resource, by the sums that scores of free and used shares go by."""
    gather(nodes.allocatable[r], listed, work.whole)
    gather(nodes.non_zero_requested[r] if r in (CPU, MEMORY) else nodes.requested[r], listed, work.used)


@inner_kernel
def add_bit(whole: I64, used: I64, amount: int, bit: np.int64, detail: I64) -> None:
    """Mark with a bit where an amount is more than what is left. Modifies ``detail``."""
    for i in range(detail.shape[0]):
        detail[i] |= bit if amount > whole[i] - used[i] else 0


@kernel
def fit(nodes: NodeResources, demand: Demand, listed: I32, work: Gathered, verdict: tuple[I8, I64]) -> None:
    """Judge each listed node: is there room for one more pod with these requests.

    Mirrors ``noderesources/fit.go``, ``fitsRequest``.

    Parameters
    ----------
    demand : Demand
        The requests above zero.
    listed : int32 ndarray, shape (k,)
        The nodes to judge.
    verdict : tuple of int8 and int64 ndarrays, shape (k,)
        Written: the code, 0 if it fits, 2 (Unschedulable) if it does not, 3 (UnschedulableAndUnresolvable) if it would
        not on the empty node either; and what lacks, a bit for each position of ``demand`` and `TOO_MANY_PODS`.
    """
    code, detail = verdict
    detail[:] = 0
    gather(nodes.allowed_pods, listed, work.whole)
    gather(nodes.pods, listed, work.used)
    add_bit(work.whole, work.used, 1, TOO_MANY_PODS, detail)
    for j in range(demand.rows.shape[0]):
        r = demand.rows[j]
        gather(nodes.allocatable[r], listed, work.whole)
        gather(nodes.requested[r], listed, work.used)
        add_bit(work.whole, work.used, demand.amounts[j], np.int64(1) << j, detail)
    for i in range(listed.shape[0]):
        code[i] = 0 if detail[i] == 0 else 2
        if detail[i] != 0 and is_hopeless(nodes, demand, listed[i]):
            code[i] = 3


@kernel
def least_allocated(nodes: NodeResources, demand: Demand, listed: I32, work: Gathered, scores: I64) -> None:
    """Weighted mean of the listed nodes' free shares; resources that a node lacks drop out. Writes ``scores``."""
    scores[:] = 0
    work.weight[:] = 0
    for j in range(demand.rows.shape[0]):
        gather_scored(nodes, demand.rows[j], listed, work)
        into = (demand.weights[j], scores, work.weight)
        if are_small(work.whole):
            add_least_small(work.whole, work.used, demand.amounts[j], into)
        else:
            add_least(work.whole, work.used, demand.amounts[j], into)
    take_mean(scores, work.weight)


@kernel
def most_allocated(nodes: NodeResources, demand: Demand, listed: I32, work: Gathered, scores: I64) -> None:
    """Weighted mean of the listed nodes' used shares; resources that a node lacks drop out. Writes ``scores``."""
    scores[:] = 0
    work.weight[:] = 0
    for j in range(demand.rows.shape[0]):
        gather_scored(nodes, demand.rows[j], listed, work)
        add_most(work.whole, work.used, demand.amounts[j], (demand.weights[j], scores, work.weight))
    take_mean(scores, work.weight)


@kernel
def capacity_ratio(
    nodes: NodeResources, demand: Demand, shape: Shape, listed: I32, work: Gathered, scores: I64
) -> None:
    """Weighted mean, rounded, of a shape over the listed nodes' used shares; what scores 0 drops out.

    Mirrors ``requested_to_capacity_ratio.go``. Writes ``scores``.
    """
    scores[:] = 0
    work.weight[:] = 0
    for j in range(demand.rows.shape[0]):
        gather_scored(nodes, demand.rows[j], listed, work)
        add_on_shape(work.whole, work.used, demand.amounts[j], shape, (demand.weights[j], scores, work.weight))
    take_rounded_mean(scores, work.weight)


@kernel
def balanced_allocation(nodes: NodeResources, demand: Demand, listed: I32, work: Gathered, scores: I64) -> None:
    """100 minus the spread of the listed nodes' used shares, the pod included. Writes ``scores``."""
    if demand.rows.shape[0] == 2:
        shares = work.share
        for j in range(2):
            gather(nodes.allocatable[demand.rows[j]], listed, work.whole)
            gather(nodes.requested[demand.rows[j]], listed, work.used)
            fill_fractions(work.whole, work.used, demand.amounts[j], shares)
            shares = work.other
        pair_scores(work.share, work.other, scores)
    else:
        for i in range(listed.shape[0]):
            scores[i] = balanced_at(nodes, demand.rows, demand.amounts, listed[i])


@kernel
def compare_balances(scores: I64, without: I64) -> None:
    """Turn balances with the pod into what the pod changes about those without it. Modifies ``scores``."""
    for i in range(scores.shape[0]):
        scores[i] = change_of_balance(scores[i], without[i])
