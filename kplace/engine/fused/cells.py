"""Base scores: the part of a node's total that depends on the class and on what runs on that node alone."""

import numpy as np

from kplace._jit import bare_kernel
from kplace.dtypes import I16
from kplace.engine.fused.blocks import BLOCK, refresh_blocks
from kplace.engine.fused.kept import rebuild_kept, update_kept
from kplace.engine.fused.layout import (
    BALANCED,
    BALANCES,
    FIT,
    IMAGE,
    INFEASIBLE,
    KEPT_AFFINITY,
    KEPT_TAINT,
    LENGTH,
    PASSES,
    ROW,
    SCORED,
    SEEN,
    SPENT,
    USED_ROWS,
    BaseRows,
    CellPlan,
    ClassTable,
    Log,
    Weights,
)
from kplace.plugins.noderesources.kernels import (
    Demand,
    Shape,
    balanced_at,
    capacity_ratio_at,
    fit_bits,
    least_allocated_at,
    most_allocated_at,
)
from kplace.state.node_resources import NodeResources

LEAST_ALLOCATED = 0
MOST_ALLOCATED = 1
CAPACITY_RATIO = 2

REFRESH_NS = 13
"""What bringing one cell of a row up to date costs, nodes being anywhere in memory."""
DIRECT_NS = 4
"""What computing one cell of a window costs, nodes lying side by side."""


@bare_kernel
def demand_of(classes: ClassTable, kind: int, c: int) -> Demand:
    """One of the demands of a class."""
    first = classes.starts[kind, c]
    last = classes.starts[kind, c + 1]
    return Demand(classes.rows[first:last], classes.amounts[first:last], classes.weights[first:last])


@bare_kernel
def fit_score(nodes: NodeResources, weights: Weights, shape: Shape, demand: Demand, n: int) -> int:
    """NodeResourcesFit's score by the strategy of the profile."""
    if weights.strategy == LEAST_ALLOCATED:
        return least_allocated_at(nodes, demand, n)
    if weights.strategy == MOST_ALLOCATED:
        return most_allocated_at(nodes, demand, n)
    return capacity_ratio_at(nodes, demand, shape, n)


@bare_kernel
def compute_range(plan: CellPlan, c: int, low: int, high: int, out: I16) -> None:
    """Compute the base scores of the nodes from ``low`` up to ``high`` for a class. Writes ``out`` at those nodes."""
    nodes = plan.nodes
    weights = plan.weights
    fits = demand_of(plan.classes, FIT, c)
    scored = demand_of(plan.classes, SCORED, c)
    balanced = demand_of(plan.classes, BALANCED, c)
    balances = weights.balanced > 0 and plan.classes.table[BALANCES, c] != 0
    passes = plan.statics.marks[plan.classes.table[PASSES, c]]
    image = plan.classes.table[IMAGE, c]
    for n in range(low, high):
        if passes[n] == 0 or fit_bits(nodes, fits, n) != 0:
            out[n] = INFEASIBLE
            continue
        score = 0
        if weights.fit > 0:
            score += weights.fit * fit_score(nodes, weights, plan.shape, scored, n)
        if balances:
            score += weights.balanced * balanced_at(nodes, balanced, n)
        if image >= 0:
            score += weights.image * plan.statics.image[image, n]
        out[n] = np.int16(score)


@bare_kernel
def take_in(plan: CellPlan, rows: BaseRows, log: Log, c: int) -> None:
    """Bring a class's row up to date with the nodes touched since it last was."""
    row = rows.table[ROW, c]
    base = rows.base[row]
    keeps = keeps_totals(plan.classes, c)
    totals = rows.kept[row] if keeps else base
    for i in range(rows.table[SEEN, c], log.clock[LENGTH]):
        n = np.int64(log.nodes[i])
        was_feasible = base[n] >= 0
        compute_range(plan, c, n, n + 1, base)
        if keeps and not update_kept(plan, c, n, was_feasible, base, totals):
            rebuild_row(plan, rows, log, c)
            return
        refresh_blocks(totals, rows.blocks[row], n // BLOCK, n // BLOCK)
    rows.table[SEEN, c] = log.clock[LENGTH]


@bare_kernel
def keeps_totals(classes: ClassTable, c: int) -> bool:
    """Whether a class keeps totals beside its base scores."""
    return classes.table[KEPT_TAINT, c] >= 0 or classes.table[KEPT_AFFINITY, c] >= 0


@bare_kernel
def rebuild_row(plan: CellPlan, rows: BaseRows, log: Log, c: int) -> None:
    """Make a class's row anew."""
    row = rows.table[ROW, c]
    n_nodes = rows.base.shape[1]
    totals = rows.base[row]
    compute_range(plan, c, 0, n_nodes, totals)
    if keeps_totals(plan.classes, c):
        rebuild_kept(plan, c, rows.base[row], rows.kept[row])
        totals = rows.kept[row]
    refresh_blocks(totals, rows.blocks[row], 0, rows.blocks.shape[2] - 1)
    rows.table[SEEN, c] = log.clock[LENGTH]


@bare_kernel
def has_current_row(plan: CellPlan, rows: BaseRows, log: Log, c: int, window: int) -> bool:
    """Make sure of a class's row if that is cheaper than computing a window of ``window`` nodes afresh.

    A class gets a row, or one anew, once it has spent as many cells as a row has: what was spent until then is at most
    doubled by it. Without room for another row it goes on without.
    """
    n_nodes = rows.base.shape[1]
    has_row = rows.table[ROW, c] >= 0
    pending = log.clock[LENGTH] - rows.table[SEEN, c]
    if has_row and pending * REFRESH_NS <= window * DIRECT_NS:
        take_in(plan, rows, log, c)
        rows.table[SPENT, c] = 0
        return True
    if rows.table[SPENT, c] < n_nodes:
        return False
    if not has_row:
        if log.clock[USED_ROWS] == rows.base.shape[0]:
            return False
        rows.table[ROW, c] = log.clock[USED_ROWS]
        log.clock[USED_ROWS] += 1
    rebuild_row(plan, rows, log, c)
    rows.table[SPENT, c] = 0
    return True
