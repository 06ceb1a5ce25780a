"""Summaries of blocks of nodes: how a search over many nodes need not touch each of them.

A row of totals is divided into blocks of `BLOCK` nodes. Of each block four numbers are kept: how many nodes are
feasible, the highest total, how many nodes have it, and the highest total below it.
"""

from typing import NamedTuple

import numpy as np

from kplace._jit import inner_kernel
from kplace.dtypes import I16
from kplace.engine.fused.layout import INFEASIBLE

BLOCK = 64
"""Nodes in a block."""

# Rows of a row's summaries
FOUND, TOP, TIES, SECOND = range(4)


class Summary(NamedTuple):
    """What there is to know of some nodes: the highest total, how many have it, the highest below it."""

    top: int
    ties: int
    second: int


NOBODY = Summary(INFEASIBLE, 0, INFEASIBLE)
"""Of no nodes at all."""


@inner_kernel
def summarize(totals: I16) -> Summary:
    """Summary of a slice of totals."""
    top = highest(totals)
    if top < 0:
        return Summary(INFEASIBLE, 0, INFEASIBLE)
    return Summary(np.int64(top), count_equal(totals, top), np.int64(highest_below(totals, top)))


@inner_kernel
def refresh_blocks(totals: I16, blocks: I16, first: int, last: int) -> None:
    """Summarise the blocks from ``first`` to ``last``, both included, of a row anew. Writes ``blocks``.

    Parameters
    ----------
    totals : int16 ndarray, shape (n_nodes,)
    blocks : int16 ndarray, shape (4, n_blocks)
    """
    n_nodes = totals.shape[0]
    for b in range(first, last + 1):
        part = totals[b * BLOCK : min((b + 1) * BLOCK, n_nodes)]
        summary = summarize(part)
        blocks[FOUND, b] = count_feasible(part)
        blocks[TOP, b] = summary.top
        blocks[TIES, b] = summary.ties
        blocks[SECOND, b] = summary.second


@inner_kernel
def merge(one: Summary, other: Summary) -> Summary:
    """Summary of two sets of nodes together."""
    if other.top > one.top:
        return Summary(other.top, other.ties, max(one.top, other.second))
    if other.top == one.top:
        return Summary(one.top, one.ties + other.ties, max(one.second, other.second))
    return Summary(one.top, one.ties, max(one.second, other.top))


@inner_kernel
def summarize_blocks(blocks: I16, first: int, end: int) -> Summary:
    """Summary of whole blocks, from ``first`` up to ``end``."""
    tops = blocks[TOP, first:end]
    top = highest(tops)
    if top < 0:
        return Summary(INFEASIBLE, 0, INFEASIBLE)
    ties = 0
    second = np.int16(INFEASIBLE)
    for b in range(first, end):
        is_top = blocks[TOP, b] == top
        ties += np.int64(blocks[TIES, b]) if is_top else 0
        below = blocks[SECOND, b] if is_top else blocks[TOP, b]
        second = max(second, below)
    return Summary(np.int64(top), ties, np.int64(second))


@inner_kernel
def highest(totals: I16) -> int:
    """Highest entry, at least `INFEASIBLE`."""
    top = np.int16(INFEASIBLE)
    for i in range(totals.shape[0]):
        top = max(top, totals[i])
    return top


@inner_kernel
def highest_below(totals: I16, bound: int) -> int:
    """Highest entry that is lower than ``bound``, at least `INFEASIBLE`."""
    top = np.int16(INFEASIBLE)
    for i in range(totals.shape[0]):
        value = totals[i] if totals[i] < bound else np.int16(INFEASIBLE)
        top = max(top, value)
    return top


@inner_kernel
def count_equal(totals: I16, value: int) -> int:
    """Number of entries that equal ``value``; there are fewer than 2**15."""
    n_equal = np.int16(0)
    for i in range(totals.shape[0]):
        n_equal = np.int16(n_equal + np.int16(totals[i] == value))
    return np.int64(n_equal)


@inner_kernel
def count_feasible(totals: I16) -> int:
    """Number of entries that are not `INFEASIBLE`; there are fewer than 2**15."""
    n_feasible = np.int16(0)
    for i in range(totals.shape[0]):
        n_feasible = np.int16(n_feasible + np.int16(totals[i] >= 0))
    return np.int64(n_feasible)
