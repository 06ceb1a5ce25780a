"""The search: which nodes are feasible, and how far it goes until enough of them are found."""

from typing import NamedTuple

import numpy as np

from kplace._jit import inner_kernel
from kplace.dtypes import I8, I16, I32, U8
from kplace.engine.fused.cells import compute_range
from kplace.engine.fused.layout import (
    CODE,
    COUNTER,
    FAR,
    FEW,
    FILTERS,
    KIND,
    LIMIT,
    LOWEST,
    NEAR,
    SIZE,
    SPREAD,
    START,
    Counters,
    Run,
    ShapeTable,
)

CHUNK = 512
"""Nodes that are judged at once."""


class Window(NamedTuple):
    """The nodes that a search visited: first those from ``low`` to ``high``, then those from 0 to ``wrapped``."""

    low: int
    high: int
    wrapped: int
    found: int
    evaluated: int


@inner_kernel
def search(run: Run, pod: tuple[int, int], base: I16, has_row: bool, start: int, want: int) -> Window:
    """Visit nodes from ``start`` on, wrapping around, until one feasible node more than ``want`` is met.

    Parameters
    ----------
    pod : (int, int)
        The pod's shape and class.
    base : int16 ndarray, shape (n_nodes,)
        The class's row, or scratch that is filled as far as the search goes.
    has_row : bool
        Whether ``base`` is filled already.
    """
    feasible = run.scratch.feasible
    n_nodes = feasible.shape[0]
    s, c = pod
    found = 0
    for part in range(2):
        at = start if part == 0 else 0
        end = n_nodes if part == 0 else start
        while at < end:
            upto = min(at + CHUNK, end)
            if not has_row:
                compute_range(run.cells, c, at, upto, base)
            judge_base(base[at:upto], feasible[at:upto])
            judge_counters(run.counters, run.shapes, s, at, feasible[at:upto])
            here = count(feasible[at:upto])
            if found + here > want:
                stop = position_of(feasible, at, want - found)
                if part == 0:
                    return Window(start, stop, 0, want, stop - start)
                return Window(start, n_nodes, stop, want, n_nodes - start + stop)
            found += here
            at = upto
    return Window(start, n_nodes, start, found, n_nodes)


@inner_kernel
def judge_base(base: I16, feasible: I8) -> None:
    """Mark the nodes whose base score is not `INFEASIBLE`."""
    for i in range(base.shape[0]):
        feasible[i] = np.int8(base[i] >= 0)


@inner_kernel
def count(marks: I8) -> int:
    """Number of marked nodes."""
    total = 0
    for i in range(marks.shape[0]):
        total += np.int64(marks[i])
    return total


@inner_kernel
def position_of(marks: I8, at: int, rank: int) -> int:
    """Where the marked node lies that has ``rank`` marked nodes before it, counted from ``at``."""
    left = rank
    n = at
    while True:
        if marks[n] != 0:
            if left == 0:
                return n
            left -= 1
        n += 1


@inner_kernel
def judge_counters(counters: Counters, shapes: ShapeTable, s: int, low: int, feasible: I8) -> None:
    """Unmark the nodes of a chunk, which begins at ``low``, that a filter on counters objects to."""
    high = low + feasible.shape[0]
    for i in range(shapes.starts[FILTERS, s], shapes.starts[FILTERS, s + 1]):
        k = shapes.filters[COUNTER, i]
        kind = shapes.filters[KIND, i]
        first = counters.table[START, k]
        size = counters.table[SIZE, k]
        code = counters.table[CODE, k]
        if kind == NEAR:
            anywhere = shapes.filters[LIMIT, i]
            if anywhere >= 0 and counters.pool[counters.table[START, anywhere]] == 0:
                continue
            if code < 0:
                drop_empty(counters.pool[first + low : first + high], feasible)
            else:
                drop_empty_at(counters.codes[code, low:high], counters.pool[first : first + size], feasible)
            continue
        limit = 0 if kind == FAR else shapes.filters[LIMIT, i]
        if kind == SPREAD:
            limit += counters.table[LOWEST, k]
        if code < 0:
            drop_above(counters.pool[first + low : first + high], limit, feasible)
        elif size > FEW:
            drop_above_at(counters.codes[code, low:high], counters.pool[first : first + size], limit, feasible)
        else:
            allowed = flags_up_to(counters.pool[first : first + size], limit)
            drop_unflagged(counters.flags[code, low:high], allowed, feasible)


@inner_kernel
def drop_above(counts: I32, limit: int, feasible: I8) -> None:
    """Unmark where a count is above the limit."""
    bound = np.int32(min(limit, 2**31 - 1))
    for i in range(counts.shape[0]):
        feasible[i] &= np.int8(counts[i] <= bound)


@inner_kernel
def drop_empty(counts: I32, feasible: I8) -> None:
    """Unmark where a count is zero."""
    for i in range(counts.shape[0]):
        feasible[i] &= np.int8(counts[i] > 0)


@inner_kernel
def drop_above_at(codes: I32, counts: I32, limit: int, feasible: I8) -> None:
    """Unmark where the count of a node's domain is above the limit; nodes in no domain stay."""
    for i in range(codes.shape[0]):
        if codes[i] >= 0 and counts[codes[i]] > limit:
            feasible[i] = 0


@inner_kernel
def drop_empty_at(codes: I32, counts: I32, feasible: I8) -> None:
    """Unmark where the count of a node's domain is zero, and nodes in no domain."""
    for i in range(codes.shape[0]):
        if codes[i] < 0 or counts[codes[i]] == 0:
            feasible[i] = 0


@inner_kernel
def flags_up_to(counts: I32, limit: int) -> int:
    """The flags of the domains that hold no more than the limit, and of no domain."""
    allowed = 1
    for d in range(counts.shape[0]):
        allowed |= (counts[d] <= limit) << (d + 1)
    return allowed


@inner_kernel
def drop_unflagged(flags: U8, allowed: int, feasible: I8) -> None:
    """Unmark the nodes whose flag is not among those allowed."""
    mask = np.uint8(allowed)
    for i in range(flags.shape[0]):
        feasible[i] &= np.int8((flags[i] & mask) != 0)
