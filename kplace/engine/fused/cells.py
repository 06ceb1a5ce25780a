"""Base scores: the part of a node's total that depends on the class and on what runs on that node alone."""

import numpy as np

from kplace._jit import kernel
from kplace.dtypes import I16
from kplace.engine.fused.layout import INFEASIBLE, Demands, Run, Weights
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


@kernel
def demand_of(demands: Demands, c: int) -> Demand:
    """The demand of one class."""
    first = demands.start[c]
    last = demands.start[c + 1]
    return Demand(demands.rows[first:last], demands.amounts[first:last], demands.weights[first:last])


@kernel
def fit_score(nodes: NodeResources, weights: Weights, shape: Shape, demand: Demand, n: int) -> int:
    """NodeResourcesFit's score by the strategy of the profile."""
    if weights.strategy == LEAST_ALLOCATED:
        return least_allocated_at(nodes, demand, n)
    if weights.strategy == MOST_ALLOCATED:
        return most_allocated_at(nodes, demand, n)
    return capacity_ratio_at(nodes, demand, shape, n)


@kernel
def compute_range(run: Run, c: int, low: int, high: int, out: I16) -> None:
    """Compute the base scores of the nodes from ``low`` up to ``high`` for a class. Writes ``out`` at those nodes."""
    nodes = run.nodes
    weights = run.weights
    fits = demand_of(run.classes.fit, c)
    scored = demand_of(run.classes.scored, c)
    balanced = demand_of(run.classes.balanced, c)
    balances = weights.balanced > 0 and run.classes.balances[c] != 0
    passes = run.statics.passes[run.classes.passes[c]]
    image = run.classes.image[c]
    for n in range(low, high):
        if passes[n] == 0 or fit_bits(nodes, fits, n) != 0:
            out[n] = INFEASIBLE
            continue
        score = 0
        if weights.fit > 0:
            score += weights.fit * fit_score(nodes, weights, run.shape, scored, n)
        if balances:
            score += weights.balanced * balanced_at(nodes, balanced, n)
        if image >= 0:
            score += weights.image * run.statics.image[image, n]
        out[n] = np.int16(score)


@kernel
def take_in(run: Run, c: int) -> None:
    """Bring a class's row up to date with the nodes touched since it last was."""
    rows = run.rows
    base = rows.base[rows.row[c]]
    for i in range(rows.seen[c], run.log.length[0]):
        n = run.log.nodes[i]
        compute_range(run, c, n, n + 1, base)
    rows.seen[c] = run.log.length[0]


@kernel
def has_current_row(run: Run, c: int, window: int) -> bool:
    """Make sure of a class's row if that is cheaper than computing a window of ``window`` nodes afresh.

    A class without a row gets one once it has spent as many cells as a row has, if there is room: what was spent until
    then is at most doubled by it.
    """
    rows = run.rows
    n_nodes = rows.base.shape[1]
    if rows.row[c] >= 0:
        pending = run.log.length[0] - rows.seen[c]
        if pending * REFRESH_NS <= window * DIRECT_NS:
            take_in(run, c)
            rows.spent[c] = 0
            return True
        if rows.spent[c] < n_nodes:
            return False
    elif rows.spent[c] < n_nodes or rows.used[0] == rows.base.shape[0]:
        return False
    else:
        rows.row[c] = rows.used[0]
        rows.used[0] += 1
    compute_range(run, c, 0, n_nodes, rows.base[rows.row[c]])
    rows.seen[c] = run.log.length[0]
    rows.spent[c] = 0
    return True

