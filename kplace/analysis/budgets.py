"""Disruption budgets: how many pods of each may be evicted now."""

import math
from typing import NamedTuple

import numpy as np

from kplace.columns import ClusterColumns
from kplace.dtypes import I32, I64, NO_NODE, Mask, Phase
from kplace.objects.policy import PodDisruptionBudget
from kplace.preemption.budgets import Budgets, find_budgets, pods_of


class Allowance(NamedTuple):
    """The budgets of a cluster.

    Attributes
    ----------
    names : list of str
        ``namespace/name``.
    allowed : int64 ndarray, shape (n_budgets,)
        Evictions that each allows at once.
    budgets : Budgets
        Which pod is protected by which.
    """

    names: list[str]
    allowed: I64
    budgets: Budgets

    def of_pod(self, pod: int) -> I32:
        """Budgets that protect a pod."""
        start = self.budgets.start
        return self.budgets.budgets[start[pod] : start[pod + 1]]

    def counts(self, pods: I32) -> I64:
        """How many of some pods each budget protects."""
        return np.bincount(self._all_of(pods), minlength=len(self.names)).astype(np.int64)

    def violated(self, pods: I32) -> Mask:
        """Budgets that would be broken if all of these pods went at once."""
        return self.counts(pods) > self.allowed

    def marked(self, pods: I32) -> Mask:
        """Pods whose eviction breaks a budget, if they go one after another and none comes back; shape (k,)."""
        left = self.allowed.copy()
        marks = np.zeros(len(pods), np.bool_)
        for position, pod in enumerate(pods.tolist()):
            own = self.of_pod(pod)
            left[own] -= 1
            marks[position] = bool((left[own] < 0).any())
        return marks

    def _all_of(self, pods: I32) -> I32:
        first, end = self.budgets.start[pods], self.budgets.start[pods + 1]
        lengths = end - first
        shift = first - (np.cumsum(lengths) - lengths)
        return self.budgets.budgets[np.arange(int(lengths.sum())) + np.repeat(shift, lengths)]


def allowance(columns: ClusterColumns) -> Allowance:
    """Find out what the budgets of a cluster allow.

    ``status.disruptionsAllowed`` counts where the input has it; otherwise, as the disruption controller works it
    out: healthy pods less ``minAvailable``, or ``maxUnavailable`` less the pods that are not healthy, percentages
    rounded up. All pods that run count as healthy.
    """
    items = columns.of_kind(PodDisruptionBudget)
    names = [f"{item.metadata.namespace or 'default'}/{item.metadata.name}" for item in items]
    allowed = np.array([_allowed(columns, item) for item in items], np.int64)
    return Allowance(names, allowed, find_budgets(columns))


def _allowed(columns: ClusterColumns, item: PodDisruptionBudget) -> int:
    if item.status.disruptions_allowed is not None:
        return item.status.disruptions_allowed
    pods = columns.pods
    chosen = pods_of(columns, item)
    expected = int((~pods.finished[chosen]).sum())
    on_node = (pods.node[chosen] != NO_NODE) & (pods.phase[chosen] != Phase.UNKNOWN) & ~pods.finished[chosen]
    healthy = int((on_node & ~pods.terminating[chosen]).sum())
    if item.spec.max_unavailable is not None:
        return max(healthy - (expected - _number(item.spec.max_unavailable, expected)), 0)
    needed = _number(item.spec.min_available if item.spec.min_available is not None else 0, expected)
    return max(healthy - needed, 0)


def _number(given: int | str, whole: int) -> int:
    """A number, or a percentage of ``whole``, rounded up.

    Examples
    --------
    >>> _number(2, 7), _number("30%", 7), _number("3", 7)
    (2, 3, 3)
    """
    if isinstance(given, str) and given.endswith("%"):
        return math.ceil(int(given[:-1]) * whole / 100)
    return int(given)
