"""Which pods would have to leave a node, found out for many nodes at once."""

from dataclasses import dataclass

import numpy as np

from kplace._jit import kernel
from kplace.dtypes import I32, I64, Mask
from kplace.framework.failure import Failure
from kplace.framework.runtime import PASSED, FilterPhase
from kplace.preemption.budgets import Budgets, violations
from kplace.state.node_pods import Importance, is_more_important


@dataclass(frozen=True, slots=True)
class Selection:
    """What would have to leave each of some nodes.

    Attributes
    ----------
    nodes : int32 ndarray, shape (k,)
    judged : FilterPhase
        The filters' word on each node without any of its pods of a lower priority.
    start : int64 ndarray, shape (k + 1,)
        Where each node's victims begin in ``victims``, and the end; a node that fails all the same has none.
    victims : int32 ndarray
        Node after node, the most important pod first.
    violating : bool ndarray
        By victim: its eviction breaks a budget.
    """

    nodes: I32
    judged: FilterPhase
    start: I64
    victims: I32
    violating: Mask


def select_victims(failure: Failure, budgets: Budgets, nodes: I32, numbers: I64) -> Selection:
    """Find the victims on each of some nodes, which the filters must be able to judge independently of each other.

    All pods of a lower priority are taken off; where the pod fits then, they are put back one by one, those that break
    a budget first, the more important ones first: who leaves it room stays. Mirrors ``SelectVictimsOnNode``.

    Parameters
    ----------
    nodes : int32 ndarray, shape (k,)
        Either one node, or several if the failure's filters are local.
    numbers : int64 ndarray, shape (k,)
        Number of pods of a lower priority on each.
    """
    state = failure.cycle.state
    pods = state.node_pods.least_important(nodes, numbers)
    where = np.repeat(nodes, numbers)
    start = np.concatenate([[0], np.cumsum(numbers)])
    violating = violations(budgets, pods, start)
    order = reprieve_order(start, violating)
    gone = np.ones(len(pods), np.bool_)
    failure.filtering.shift(pods, where, -1)
    try:
        judged = failure.filtering.judge(nodes)
        fits = np.flatnonzero(judged.plugin == PASSED)
        _reprieve(failure, Appeal(pods, where, start, order), fits, gone)
    finally:
        failure.filtering.shift(pods[gone], where[gone], 1)
    gone &= np.repeat(judged.plugin == PASSED, numbers)
    chosen = order[gone[order]]
    selection = Selection(
        nodes=nodes,
        judged=judged,
        start=np.concatenate([[0], np.cumsum(np.add.reduceat(gone, start[:-1], dtype=np.int64))]),
        victims=pods[chosen],
        violating=violating[chosen],
    )
    rank_again(state.importance, is_mixed(start, violating), selection.start, selection.victims, selection.violating)
    return selection


@dataclass(frozen=True, slots=True)
class Appeal:
    """The pods that may be let stay.

    Attributes
    ----------
    pods, where : int32 ndarrays, shape (m,)
        Node after node.
    start : int64 ndarray, shape (k + 1,)
    order : int64 ndarray, shape (m,)
        Positions in ``pods`` in the order in which each node's pods are heard.
    """

    pods: I32
    where: I32
    start: I64
    order: I64


def _reprieve(failure: Failure, appeal: Appeal, fits: I64, gone: Mask) -> None:
    """Put pods back where the pod fits all the same: the first of every node at once, then the second, and so on."""
    lengths = np.diff(appeal.start)
    for turn in range(int(lengths[fits].max(initial=0))):
        fits = fits[lengths[fits] > turn]
        heard = appeal.order[appeal.start[fits] + turn]
        pods, where = appeal.pods[heard], appeal.where[heard]
        failure.filtering.shift(pods, where, 1)
        gone[heard] = False
        lost = failure.filtering.judge(where).plugin != PASSED
        failure.filtering.shift(pods[lost], where[lost], -1)
        gone[heard[lost]] = True


def reprieve_order(start: I64, violating: Mask) -> I64:
    """Positions of the pods, node after node: those that break a budget first, else as they stand.

    Examples
    --------
    >>> reprieve_order(np.array([0, 3, 5]), np.array([False, False, True, True, False])).tolist()
    [2, 0, 1, 3, 4]
    """
    owner = np.repeat(np.arange(len(start) - 1), np.diff(start))
    return np.argsort(2 * owner + ~violating, kind="stable")


def is_mixed(start: I64, violating: Mask) -> Mask:
    """Nodes with pods of both kinds, whose victims upstream sorts once more."""
    breaking = np.add.reduceat(violating, start[:-1], dtype=np.int64)
    return (breaking > 0) & (breaking < np.diff(start))


@kernel
def rank_again(importance: Importance, mixed: Mask, start: I64, victims: I32, violating: Mask) -> None:
    """Sort the victims of mixed nodes by importance, as `sort_by_importance` does. Modified in place."""
    for k in range(mixed.shape[0]):
        if mixed[k]:
            for i in range(start[k] + 1, start[k + 1]):
                pod, breaks = victims[i], violating[i]
                j = i
                while j > start[k] and is_more_important(importance, pod, victims[j - 1]):
                    victims[j], violating[j] = victims[j - 1], violating[j - 1]
                    j -= 1
                victims[j], violating[j] = pod, breaks
