"""Base scores: the part of a node's total that depends on the class and on what runs on that node alone.

A range of nodes is computed resource by resource, each step a tight loop over slices of columns; the arithmetic of a
single value is that of the plugins' kernels.
"""

import numpy as np

from kplace._jit import inner_kernel
from kplace.dtypes import CPU, I8, I16, I64, MEMORY
from kplace.engine.fused.layout import (
    IMAGE,
    INFEASIBLE,
    PASSES,
    CellPlan,
    CellWork,
    ScoredResources,
)
from kplace.plugins.noderesources.kernels import UNWANTED, balanced_at, change_of_balance
from kplace.plugins.noderesources.spans import (
    add_least,
    add_least_small,
    add_most,
    add_on_shape,
    fill_fractions,
    pair_scores,
    take_mean,
    take_rounded_mean,
)
from kplace.state.node_resources import NodeResources

LEAST_ALLOCATED = 0
MOST_ALLOCATED = 1
CAPACITY_RATIO = 2

OF_REQUESTS = 0
"""Balance of a node with the pod, if that requests any of the balanced resources."""
OF_ALL = 1
"""The same for every pod."""
OF_CHANGE = 2
"""What the pod changes about the balance."""


@inner_kernel
def compute_range(plan: CellPlan, c: int, low: int, high: int, out: I16) -> None:
    """Compute the base scores of the nodes from ``low`` up to ``high`` for a class. Writes ``out`` at those nodes."""
    nodes = plan.nodes
    scores = out[low:high]
    passes = plan.statics.marks[plan.classes.table[PASSES, c], low:high]
    judge_static(passes, nodes.pods[low:high], nodes.allowed_pods[low:high], scores)
    for r in range(plan.classes.fit.shape[0]):
        amount = plan.classes.fit[r, c]
        if amount > 0:
            drop_lacking(nodes.allocatable[r, low:high], nodes.requested[r, low:high], amount, scores)
    if plan.weights.fit > 0:
        add_fit(plan, c, low, high, scores)
    if plan.weights.balanced > 0 and is_balanced(plan, c):
        add_balance(nodes, plan.balanced, plan.classes.balanced[:, c], (low, high), plan.work)
        if plan.weights.balance == OF_CHANGE:
            compare_balance(nodes, plan.balanced, plan.classes.unmoved[:, c], (low, high), plan.work)
        add_weighted(plan.work.sum[low:high], plan.weights.balanced, scores)
    image = plan.classes.table[IMAGE, c]
    if image >= 0:
        add_weighted(plan.statics.image[image, low:high], plan.weights.image, scores)


@inner_kernel
def judge_static(passes: I8, pods: I64, allowed: I64, scores: I16) -> None:
    """Begin with 0, or `INFEASIBLE` where a static filter objects or there are too many pods."""
    for i in range(scores.shape[0]):
        is_open = (passes[i] != 0) & (pods[i] < allowed[i])
        scores[i] = np.int16(0) if is_open else np.int16(INFEASIBLE)


@inner_kernel
def drop_lacking(allocatable: I64, requested: I64, amount: int, scores: I16) -> None:
    """Mark as `INFEASIBLE` where a resource lacks."""
    for i in range(scores.shape[0]):
        lacks = amount > allocatable[i] - requested[i]
        scores[i] = np.int16(INFEASIBLE) if lacks else scores[i]


@inner_kernel
def add_weighted(values: I64, weight: int, scores: I16) -> None:
    """Add weighted values to the scores of feasible nodes."""
    for i in range(scores.shape[0]):
        added = np.int16(scores[i] + np.int16(weight * values[i]))
        scores[i] = added if scores[i] >= 0 else scores[i]


@inner_kernel
def add_fit(plan: CellPlan, c: int, low: int, high: int, scores: I16) -> None:
    """Add NodeResourcesFit's score by the strategy of the profile."""
    nodes = plan.nodes
    total = plan.work.sum[low:high]
    weights = plan.work.weight[low:high]
    total[:] = 0
    weights[:] = 0
    for j in range(plan.scored.rows.shape[0]):
        amount = plan.classes.scored[j, c]
        if amount == UNWANTED:
            continue
        r = plan.scored.rows[j]
        used = nodes.non_zero_requested[r, low:high] if r in (CPU, MEMORY) else nodes.requested[r, low:high]
        allocatable = nodes.allocatable[r, low:high]
        if plan.weights.strategy == CAPACITY_RATIO:
            add_on_shape(allocatable, used, amount, plan.shape, (plan.scored.weights[j], total, weights))
        elif plan.weights.strategy == MOST_ALLOCATED:
            add_most(allocatable, used, amount, (plan.scored.weights[j], total, weights))
        elif plan.scored.small[j]:
            add_least_small(allocatable, used, amount, (plan.scored.weights[j], total, weights))
        else:
            add_least(allocatable, used, amount, (plan.scored.weights[j], total, weights))
    if plan.weights.strategy == CAPACITY_RATIO:
        take_rounded_mean(total, weights)
    else:
        take_mean(total, weights)
    add_weighted(total, plan.weights.fit, scores)


@inner_kernel
def is_balanced(plan: CellPlan, c: int) -> bool:
    """Whether a class requests any of the balanced resources; the score is skipped otherwise in most releases."""
    amounts = plan.classes.balanced
    for j in range(amounts.shape[0]):
        if amounts[j, c] > 0:
            return True
    return plan.weights.balance == OF_ALL


@inner_kernel
def add_balance(
    nodes: NodeResources, balanced: ScoredResources, amounts: I64, span: tuple[int, int], work: CellWork
) -> None:
    """Compute NodeResourcesBalancedAllocation's scores of a range. Writes ``work.sum``."""
    low, high = span
    wanted = 0
    for j in range(amounts.shape[0]):
        wanted += amounts[j] != UNWANTED
    if wanted == 2:
        score_pairs(nodes, balanced, amounts, span, work)
    else:
        for n in range(low, high):
            work.sum[n] = balanced_at(nodes, balanced.rows, amounts, n)


@inner_kernel
def compare_balance(
    nodes: NodeResources, balanced: ScoredResources, unmoved: I64, span: tuple[int, int], work: CellWork
) -> None:
    """Turn the balances of a range, in ``work.sum``, into what the pod changes about them."""
    low, high = span
    for n in range(low, high):
        work.weight[n] = work.sum[n]
    add_balance(nodes, balanced, unmoved, span, work)
    for n in range(low, high):
        work.sum[n] = change_of_balance(work.weight[n], work.sum[n])


@inner_kernel
def score_pairs(
    nodes: NodeResources, balanced: ScoredResources, amounts: I64, span: tuple[int, int], work: CellWork
) -> None:
    """Balance of two resources. Writes ``work.sum``."""
    low, high = span
    shares = work.share
    for j in range(amounts.shape[0]):
        if amounts[j] != UNWANTED:
            r = balanced.rows[j]
            fill_fractions(nodes.allocatable[r, low:high], nodes.requested[r, low:high], amounts[j], shares[low:high])
            shares = work.other
    pair_scores(work.share[low:high], work.other[low:high], work.sum[low:high])
