"""Rows of base scores: which classes have one, and when it is worth bringing it up to date."""

import numpy as np

from kplace._jit import inner_kernel
from kplace.engine.fused.blocks import BLOCK, refresh_blocks
from kplace.engine.fused.cell import compute_cell
from kplace.engine.fused.cells import compute_range
from kplace.engine.fused.kept import rebuild_kept, update_kept
from kplace.engine.fused.layout import (
    KEPT_AFFINITY,
    KEPT_TAINT,
    LENGTH,
    ROW,
    SEEN,
    SPENT,
    STANDS,
    USED_ROWS,
    BaseRows,
    CellPlan,
    ClassTable,
    Log,
)

REFRESH_COST = 12
"""What bringing one cell of a row up to date costs, one cell of a window being the unit: touched nodes lie apart."""


@inner_kernel
def take_in(plan: CellPlan, rows: BaseRows, log: Log, c: int) -> None:
    """Bring a class's row up to date with the nodes touched since it last was."""
    row = rows.table[ROW, c]
    base = rows.base[row]
    keeps = keeps_totals(plan.classes, c)
    totals = rows.kept[row] if keeps else base
    for i in range(rows.table[SEEN, c], log.clock[LENGTH]):
        n = np.int64(log.nodes[i])
        was_feasible = base[n] >= 0
        base[n] = compute_cell(plan, c, n)
        if keeps and not update_kept(plan, c, n, was_feasible, base, totals):
            rebuild_row(plan, rows, log, c)
            return
        if rows.table[STANDS, c] != 0:
            refresh_blocks(totals, rows.blocks[row], n // BLOCK, n // BLOCK)
    rows.table[SEEN, c] = log.clock[LENGTH]


@inner_kernel
def keeps_totals(classes: ClassTable, c: int) -> bool:
    """Whether a class keeps totals beside its base scores."""
    return classes.table[KEPT_TAINT, c] >= 0 or classes.table[KEPT_AFFINITY, c] >= 0


@inner_kernel
def rebuild_row(plan: CellPlan, rows: BaseRows, log: Log, c: int) -> None:
    """Make a class's row anew."""
    row = rows.table[ROW, c]
    totals = rows.base[row]
    compute_range(plan, c, np.int64(0), rows.base.shape[1], totals)
    if keeps_totals(plan.classes, c):
        rebuild_kept(plan, c, rows.base[row], rows.kept[row])
        totals = rows.kept[row]
    if rows.table[STANDS, c] != 0:
        refresh_blocks(totals, rows.blocks[row], np.int64(0), rows.blocks.shape[2] - 1)
    rows.table[SEEN, c] = log.clock[LENGTH]


@inner_kernel
def has_current_row(plan: CellPlan, rows: BaseRows, log: Log, c: int, window: int) -> bool:
    """Make sure of a class's row if that is cheaper than computing a window of ``window`` nodes afresh.

    A class gets a row, or one anew, once it has spent as many cells as a row has: what was spent until then is at most
    doubled by it. Without room for another row it goes on without.
    """
    n_nodes = rows.base.shape[1]
    has_row = rows.table[ROW, c] >= 0
    pending = log.clock[LENGTH] - rows.table[SEEN, c]
    if has_row and pending * REFRESH_COST <= window:
        take_in(plan, rows, log, c)
        rows.table[SPENT, c] = 0
        return True
    # A row that was behind once will be behind again: it is made anew only when that pays at this pace.
    if rows.table[SPENT, c] < n_nodes or (has_row and pending * REFRESH_COST > 4 * window):
        return False
    if not has_row:
        if log.clock[USED_ROWS] == rows.base.shape[0]:
            return False
        rows.table[ROW, c] = log.clock[USED_ROWS]
        log.clock[USED_ROWS] += 1
    rebuild_row(plan, rows, log, c)
    rows.table[SPENT, c] = 0
    return True
