"""Kept totals: where every feasible node is in the sample, taints and node affinity can be normalised ahead.

With percentageOfNodesToScore 100 the highest raw score of the sample is that of all feasible nodes. As long as it
stays, a node's normalised score does not change, and totals can be kept in a row like base scores. When it changes, the
row is made anew.
"""

import numpy as np

from kplace._jit import inner_kernel
from kplace.dtypes import I16, I32, MAX_NODE_SCORE
from kplace.engine.fused.layout import (
    INFEASIBLE,
    KEPT_AFFINITY,
    KEPT_TAINT,
    N_TOP_TAINT,
    TOP_AFFINITY,
    TOP_TAINT,
    CellPlan,
)
from kplace.plugins.helper import quotient


@inner_kernel
def rebuild_kept(plan: CellPlan, c: int, base: I16, kept: I16) -> None:
    """Find the highest raw scores of feasible nodes and make all totals of a class anew. Writes ``kept``."""
    find_top(plan, c, np.int64(KEPT_TAINT), np.int64(TOP_TAINT), base)
    find_top(plan, c, np.int64(KEPT_AFFINITY), np.int64(TOP_AFFINITY), base)
    for n in range(base.shape[0]):
        kept[n] = kept_total(plan, c, n, base[n])


@inner_kernel
def update_kept(plan: CellPlan, c: int, n: int, was_feasible: bool, base: I16, kept: I16) -> bool:
    """Take in that a node's base score has changed; False if the class's totals must be made anew."""
    is_feasible = base[n] >= 0
    if was_feasible != is_feasible:
        sign = 1 if is_feasible else -1
        for row, top in ((KEPT_TAINT, TOP_TAINT), (KEPT_AFFINITY, TOP_AFFINITY)):
            if not note_feasible(plan, c, n, row, top, sign):
                return False
    kept[n] = kept_total(plan, c, n, base[n])
    return True


@inner_kernel
def note_feasible(plan: CellPlan, c: int, n: int, row: int, top: int, sign: int) -> bool:
    """Count a node in or out of those with the highest raw score; False if another score is the highest now."""
    table = plan.classes.table
    if table[row, c] < 0:
        return True
    raw = plan.statics.raw[table[row, c], n]
    if raw > table[top, c]:
        return False
    if raw == table[top, c]:
        table[top + N_TOP_TAINT - TOP_TAINT, c] += sign
        return table[top + N_TOP_TAINT - TOP_TAINT, c] > 0
    return True


@inner_kernel
def find_top(plan: CellPlan, c: int, row: int, top: int, base: I16) -> None:
    """Find the highest raw score of feasible nodes, at least 0, and how many have it."""
    table = plan.classes.table
    if table[row, c] < 0:
        return
    highest, times = highest_of_feasible(plan.statics.raw[table[row, c]], base)
    table[top, c] = highest
    table[top + N_TOP_TAINT - TOP_TAINT, c] = times


@inner_kernel
def highest_of_feasible(raw: I32, base: I16) -> tuple[int, int]:
    """Highest raw score of feasible nodes and the number of nodes that have it."""
    highest = np.int32(0)
    for n in range(raw.shape[0]):
        value = raw[n] if base[n] >= 0 else np.int32(0)
        highest = max(highest, value)
    times = 0
    for n in range(raw.shape[0]):
        times += (raw[n] == highest) & (base[n] >= 0)
    return highest, times


@inner_kernel
def kept_total(plan: CellPlan, c: int, n: int, base: int) -> int:
    """A node's base score with its normalised taint and affinity scores, weighted."""
    if base < 0:
        return np.int16(INFEASIBLE)
    table = plan.classes.table
    total = np.int64(base)
    if table[KEPT_TAINT, c] >= 0:
        raw = plan.statics.raw[table[KEPT_TAINT, c], n]
        total += plan.weights.taint * (MAX_NODE_SCORE - share_of(raw, table[TOP_TAINT, c]))
    if table[KEPT_AFFINITY, c] >= 0:
        raw = plan.statics.raw[table[KEPT_AFFINITY, c], n]
        total += plan.weights.affinity * share_of(raw, table[TOP_AFFINITY, c])
    return np.int16(total)


@inner_kernel
def share_of(raw: int, top: int) -> int:
    """Share of the highest raw score, 0 to 100; 0 if that is 0."""
    return quotient(np.int64(raw) * MAX_NODE_SCORE, np.int64(top)) if top > 0 else 0
