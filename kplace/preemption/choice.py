"""Which of the candidates is taken."""

import numpy as np

from kplace.dtypes import I64, NO_TIME
from kplace.framework.preemption import Candidates
from kplace.state.node_pods import Importance

PRIORITY_SHIFT = 2**31
"""Added to each priority before they are summed up, so that more victims weigh more even if priorities are negative."""


def best_candidates(candidates: Candidates, importance: Importance) -> I64:
    """Positions of the candidates that no criterion sets apart.

    Each criterion looks at those that the ones before it left: fewest violations, lowest priority of the most important
    victim, smallest sum of shifted priorities, fewest victims, latest start among the earliest of each candidate's
    victims of the highest priority. Mirrors ``pickOneNodeForPreemption``.

    Parameters
    ----------
    candidates : Candidates
        At least one.
    importance : Importance
        Pods that have not started count as started just now.
    """
    begin = candidates.start[:-1]
    number = np.diff(candidates.start)
    priority = importance.priority[candidates.victims]
    top = priority[begin]
    # The first victim is the most important one, unless an extender has put them in another order.
    is_top = priority == np.repeat(np.maximum.reduceat(priority, begin), number)
    started = np.where(is_top, importance.started_ns[candidates.victims], NO_TIME)
    left = np.arange(len(number))
    for cost in (
        candidates.violations,
        top,
        np.add.reduceat(priority + PRIORITY_SHIFT, begin),
        number,
        -np.minimum.reduceat(started, begin),
    ):
        left = left[cost[left] == cost[left].min()]
    return left
