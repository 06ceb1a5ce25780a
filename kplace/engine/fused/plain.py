"""Search and choice for templates whose totals stand ready in a row: nothing depends on counters or on the sample.

The window's ranges are taken as a head, whole blocks, and a tail; only head and tail are looked at node by node.
"""

import numpy as np

from kplace._jit import inner_kernel
from kplace.dtypes import I16
from kplace.engine.fused.blocks import (
    BLOCK,
    FOUND,
    TIES,
    TOP,
    Summary,
    count_equal,
    count_feasible,
    merge,
    summarize,
    summarize_blocks,
)
from kplace.engine.fused.layout import INFEASIBLE
from kplace.engine.fused.window import Window


@inner_kernel
def search_row(totals: I16, blocks: I16, start: int, want: int) -> Window:
    """Visit nodes from ``start`` on, wrapping around, until one feasible node more than ``want`` is met."""
    n_nodes = totals.shape[0]
    stop, found = walk(totals, blocks, start, n_nodes, want)
    if found > want:
        return Window(start, stop, 0, want, stop - start)
    stop, more = walk(totals, blocks, np.int64(0), start, want - found)
    if found + more > want:
        return Window(start, n_nodes, stop, want, n_nodes - start + stop)
    return Window(start, n_nodes, start, found + more, n_nodes)


@inner_kernel
def walk(totals: I16, blocks: I16, low: int, end: int, want: int) -> tuple[int, int]:
    """Count feasible nodes from ``low`` up to ``end``.

    Returns
    -------
    stop : int
        Where the node lies that is one more than wanted, or ``end``.
    found : int
        Number of feasible nodes before it, and that one if there is one.
    """
    found = 0
    at = low
    while at < end:
        upto = min((at // BLOCK + 1) * BLOCK, end)
        is_whole = upto - at == BLOCK
        here = np.int64(blocks[FOUND, at // BLOCK]) if is_whole else count_feasible(totals[at:upto])
        if found + here > want:
            return feasible_position(totals, at, want - found), want + 1
        found += here
        at = upto
    return end, found


@inner_kernel
def feasible_position(totals: I16, at: int, rank: int) -> int:
    """Where the feasible node lies that has ``rank`` feasible nodes before it, counted from ``at``."""
    left = rank
    n = at
    while True:
        if totals[n] >= 0:
            if left == 0:
                return n
            left -= 1
        n += 1


@inner_kernel
def best_of_window(totals: I16, blocks: I16, window: Window) -> Summary:
    """Summary of the window's nodes."""
    return merge(
        best_of_range(totals, blocks, window.low, window.high),
        best_of_range(totals, blocks, np.int64(0), window.wrapped),
    )


@inner_kernel
def best_of_range(totals: I16, blocks: I16, low: int, high: int) -> Summary:
    """Summary of a range of nodes."""
    first = (low + BLOCK - 1) // BLOCK
    end = high // BLOCK
    if first >= end:
        return summarize(totals[low:high])
    head = summarize(totals[low : first * BLOCK])
    tail = summarize(totals[end * BLOCK : high])
    return merge(merge(head, summarize_blocks(blocks, first, end)), tail)


@inner_kernel
def nth_of_window(totals: I16, blocks: I16, window: Window, top: int, rank: int) -> int:
    """The node that has the highest total and ``rank`` such nodes before it, in the order of the visit."""
    n, left = nth_of_range(totals, blocks, window.low, window.high, top, rank)
    if n < 0:
        n, left = nth_of_range(totals, blocks, np.int64(0), window.wrapped, top, left)
    return n


@inner_kernel
def nth_of_range(totals: I16, blocks: I16, low: int, high: int, top: int, rank: int) -> tuple[int, int]:
    """Look for the node in a range.

    Returns
    -------
    node : int
        -1 if the range has too few nodes of that total.
    left : int
        How many are still to be passed over.
    """
    left = rank
    at = low
    while at < high:
        upto = min((at // BLOCK + 1) * BLOCK, high)
        if upto - at == BLOCK:
            b = at // BLOCK
            here = np.int64(blocks[TIES, b]) if blocks[TOP, b] == top else 0
        else:
            here = count_equal(totals[at:upto], np.int16(top))
        if left < here:
            return equal_position(totals, at, np.int16(top), left), 0
        left -= here
        at = upto
    return INFEASIBLE, left


@inner_kernel
def equal_position(totals: I16, at: int, value: int, rank: int) -> int:
    """Where the entry lies that equals ``value`` and has ``rank`` such entries before it, counted from ``at``."""
    left = rank
    n = at
    while True:
        if totals[n] == value:
            if left == 0:
                return n
            left -= 1
        n += 1
