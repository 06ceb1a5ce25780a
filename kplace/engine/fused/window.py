"""The search: which nodes are feasible, and how far it goes until enough of them are found."""

from typing import NamedTuple

import numpy as np

from kplace._jit import kernel
from kplace.dtypes import I8, I16, I32
from kplace.engine.fused.cells import compute_range
from kplace.engine.fused.layout import FAR, NEAR, SPREAD, Run

CHUNK = 512
"""Nodes that are judged at once."""


class Window(NamedTuple):
    """The nodes that a search visited: first those from ``low`` to ``high``, then those from 0 to ``wrapped``."""

    low: int
    high: int
    wrapped: int
    found: int
    evaluated: int


@kernel
def search(run: Run, template: int, base: I16, has_row: bool, start: int, want: int) -> Window:
    """Visit nodes from ``start`` on until one feasible node more than ``want`` is met.

    Parameters
    ----------
    base : int16 ndarray, shape (n_nodes,)
        The class's row, or scratch that is filled as far as the search goes.
    has_row : bool
        Whether ``base`` is filled already.
    """
    n_nodes = run.scratch.feasible.shape[0]
    high, found = scan(run, template, base, has_row, start, n_nodes, want)
    wrapped = 0
    if high == n_nodes and (found <= want) and start > 0:
        wrapped, found = scan_on(run, template, base, has_row, start, want, found)
    if found > want:
        found = want
    return Window(start, high, wrapped, found, high - start + wrapped)


@kernel
def scan_on(
    run: Run, template: int, base: I16, has_row: bool, end: int, want: int, found: int
) -> tuple[int, int]:
    """Go on at the first node, ``found`` being feasible so far."""
    stop, more = scan(run, template, base, has_row, 0, end, want - found)
    return stop, found + more


@kernel
def scan(run: Run, template: int, base: I16, has_row: bool, low: int, end: int, want: int) -> tuple[int, int]:
    """Judge nodes from ``low`` up to ``end``, chunk by chunk.

    Returns
    -------
    stop : int
        Where the node lies that is one feasible node more than wanted, or ``end``.
    found : int
        Number of feasible nodes before it, and that one if there is one.
    """
    feasible = run.scratch.feasible
    found = 0
    at = low
    while at < end:
        upto = min(at + CHUNK, end)
        if not has_row:
            compute_range(run, run.templates.class_of[template], at, upto, base)
        judge_base(base[at:upto], feasible[at:upto])
        judge_counters(run, template, at, upto)
        here = count(feasible[at:upto])
        if found + here > want:
            return position_of(feasible, at, want - found), want + 1
        found += here
        at = upto
    return end, found


@kernel
def judge_base(base: I16, feasible: I8) -> None:
    """Mark the nodes whose base score is not `INFEASIBLE`."""
    for i in range(base.shape[0]):
        feasible[i] = np.int8(base[i] >= 0)


@kernel
def count(feasible: I8) -> int:
    """Number of marked nodes."""
    total = 0
    for i in range(feasible.shape[0]):
        total += feasible[i]
    return total


@kernel
def position_of(feasible: I8, at: int, rank: int) -> int:
    """Where the marked node lies that has ``rank`` marked nodes before it, counted from ``at``."""
    left = rank
    n = at
    while True:
        if feasible[n] != 0:
            if left == 0:
                return n
            left -= 1
        n += 1


@kernel
def judge_counters(run: Run, template: int, low: int, high: int) -> None:
    """Unmark the nodes of a chunk that a filter on counters objects to."""
    filters = run.templates.filters
    for i in range(filters.start[template], filters.start[template + 1]):
        k = filters.counter[i]
        kind = filters.kind[i]
        if kind == NEAR:
            anywhere = filters.limit[i]
            if anywhere < 0 or run.counters.pool[run.counters.start[anywhere]] > 0:
                keep_at_least_one(run, k, low, high)
        else:
            limit = 0 if kind == FAR else filters.limit[i]
            if kind == SPREAD:
                limit += run.counters.lowest[k]
            keep_up_to(run, k, limit, low, high)


@kernel
def keep_up_to(run: Run, k: int, limit: int, low: int, high: int) -> None:
    """Unmark nodes whose domain holds more than ``limit``; nodes in no domain stay."""
    counters = run.counters
    first = counters.start[k]
    code = counters.code[k]
    feasible = run.scratch.feasible[low:high]
    if code < 0:
        drop_above(counters.pool[first + low : first + high], np.int32(limit), feasible)
    elif counters.size[k] > CHUNK:
        drop_above_at(counters.codes[code, low:high], counters.pool[first:], limit, feasible)
    else:
        allowed = run.scratch.allowed
        for d in range(counters.size[k]):
            allowed[d + 1] = np.int8(counters.pool[first + d] <= limit)
        allowed[0] = 1
        drop_outside(counters.codes[code, low:high], allowed, feasible)


@kernel
def keep_at_least_one(run: Run, k: int, low: int, high: int) -> None:
    """Unmark nodes whose domain holds no pod, and nodes in no domain."""
    counters = run.counters
    first = counters.start[k]
    code = counters.code[k]
    feasible = run.scratch.feasible[low:high]
    if code < 0:
        drop_empty(counters.pool[first + low : first + high], feasible)
    elif counters.size[k] > CHUNK:
        drop_empty_at(counters.codes[code, low:high], counters.pool[first:], feasible)
    else:
        allowed = run.scratch.allowed
        for d in range(counters.size[k]):
            allowed[d + 1] = np.int8(counters.pool[first + d] > 0)
        allowed[0] = 0
        drop_outside(counters.codes[code, low:high], allowed, feasible)


@kernel
def drop_above(counts: I32, limit: int, feasible: I8) -> None:
    """Unmark where a count is above the limit."""
    for i in range(counts.shape[0]):
        feasible[i] &= np.int8(counts[i] <= limit)


@kernel
def drop_empty(counts: I32, feasible: I8) -> None:
    """Unmark where a count is zero."""
    for i in range(counts.shape[0]):
        feasible[i] &= np.int8(counts[i] > 0)


@kernel
def drop_above_at(codes: I32, counts: I32, limit: int, feasible: I8) -> None:
    """Unmark where the count of a domain is above the limit; there are too many domains to mark them all first."""
    for i in range(codes.shape[0]):
        if codes[i] >= 0:
            feasible[i] &= np.int8(counts[codes[i]] <= limit)


@kernel
def drop_empty_at(codes: I32, counts: I32, feasible: I8) -> None:
    """Unmark where the count of a domain is zero and where there is no domain."""
    for i in range(codes.shape[0]):
        feasible[i] &= np.int8(codes[i] >= 0 and counts[codes[i]] > 0)


@kernel
def drop_outside(codes: I32, allowed: I8, feasible: I8) -> None:
    """Unmark where a domain, whose mark stands one further, is not allowed; position 0 is for no domain."""
    for i in range(codes.shape[0]):
        feasible[i] &= allowed[codes[i] + 1]

