"""The base score of one node: what `kplace.engine.fused.cells` computes for a range, without the loops.

Rows take in one touched node at a time; a range of one node costs many times what its arithmetic does.
"""

import numpy as np

from kplace._jit import inner_kernel
from kplace.dtypes import CPU, MEMORY
from kplace.engine.fused.cells import CAPACITY_RATIO, MOST_ALLOCATED, OF_CHANGE, is_balanced
from kplace.engine.fused.layout import IMAGE, INFEASIBLE, PASSES, CellPlan
from kplace.plugins.helper import quotient, round_half_away
from kplace.plugins.noderesources.kernels import (
    UNWANTED,
    balanced_at,
    change_of_balance,
    least_requested,
    most_requested,
    on_shape,
    used_percentage,
)


@inner_kernel
def compute_cell(plan: CellPlan, c: int, n: int) -> int:
    """Compute the base score of a node for a class, an int16."""
    if not is_feasible(plan, c, n):
        return np.int16(INFEASIBLE)
    score = np.int64(0)
    if plan.weights.fit > 0:
        score += plan.weights.fit * fit_score(plan, c, n)
    if plan.weights.balanced > 0 and is_balanced(plan, c):
        score += plan.weights.balanced * balance_score(plan, c, n)
    image = plan.classes.table[IMAGE, c]
    if image >= 0:
        score += plan.weights.image * plan.statics.image[image, n]
    return np.int16(score)


@inner_kernel
def is_feasible(plan: CellPlan, c: int, n: int) -> bool:
    """Whether neither a static filter nor the requests rule a node out."""
    nodes = plan.nodes
    if plan.statics.marks[plan.classes.table[PASSES, c], n] == 0 or nodes.pods[n] >= nodes.allowed_pods[n]:
        return False
    for r in range(plan.classes.fit.shape[0]):
        amount = plan.classes.fit[r, c]
        if amount > 0 and amount > nodes.allocatable[r, n] - nodes.requested[r, n]:
            return False
    return True


@inner_kernel
def balance_score(plan: CellPlan, c: int, n: int) -> int:
    """NodeResourcesBalancedAllocation's score of a node, as the release has it."""
    rows = plan.balanced.rows
    score = balanced_at(plan.nodes, rows, plan.classes.balanced[:, c], n)
    if plan.weights.balance != OF_CHANGE:
        return score
    return change_of_balance(score, balanced_at(plan.nodes, rows, plan.classes.unmoved[:, c], n))


@inner_kernel
def fit_score(plan: CellPlan, c: int, n: int) -> int:
    """NodeResourcesFit's score of a node by the strategy of the profile."""
    nodes = plan.nodes
    strategy = plan.weights.strategy
    total = np.int64(0)
    weights = np.int64(0)
    for j in range(plan.scored.rows.shape[0]):
        r = plan.scored.rows[j]
        amount = plan.classes.scored[j, c]
        whole = nodes.allocatable[r, n]
        if amount == UNWANTED or whole <= 0:
            continue
        used = amount + (nodes.non_zero_requested[r, n] if r in (CPU, MEMORY) else nodes.requested[r, n])
        if strategy == CAPACITY_RATIO:
            share = on_shape(plan.shape, used_percentage(used, whole))
        elif strategy == MOST_ALLOCATED:
            share = most_requested(used, whole)
        else:
            share = least_requested(used, whole)
        # Of a shape's values those of 0 drop out.
        if strategy != CAPACITY_RATIO or share > 0:
            total += plan.scored.weights[j] * share
            weights += plan.scored.weights[j]
    if weights == 0:
        return 0
    if strategy == CAPACITY_RATIO:
        return round_half_away(float(total) / float(weights))
    return quotient(float(total), float(weights))
