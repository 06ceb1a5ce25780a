"""Disruption budgets: which victims would break one."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from kplace._jit import kernel
from kplace.columns.cluster import ClusterColumns
from kplace.columns.selectors import compile_selector
from kplace.dtypes import I32, I64, Mask
from kplace.objects.policy import PodDisruptionBudget


class Budgets(NamedTuple):
    """The budgets of a cluster and the pods that they protect.

    Attributes
    ----------
    allowed : int64 ndarray, shape (n_budgets,)
        ``status.disruptionsAllowed``.
    start : int64 ndarray, shape (n_pods + 1,)
        Where each pod's budgets begin in ``budgets``, and the end.
    budgets : int32 ndarray
    """

    allowed: I64
    start: I64
    budgets: I32


def find_budgets(columns: ClusterColumns) -> Budgets:
    """Find the budgets of every pod.

    A budget protects the pods of its namespace that its selector matches; not those without labels, none at all if the
    selector is empty, and not those that it lists as disrupted already. Mirrors ``filterPodsWithPDBViolation``.
    """
    items = columns.of_kind(PodDisruptionBudget)
    allowed = np.array([item.status.disruptions_allowed or 0 for item in items], np.int64)
    pairs = [pods_of(columns, item) for item in items]
    pods = np.concatenate([np.zeros(0, np.int64), *pairs])
    budgets = np.repeat(np.arange(len(items), dtype=np.int32), [len(own) for own in pairs])
    order = np.argsort(pods, kind="stable")
    start = np.searchsorted(pods[order], np.arange(len(columns.pods) + 1))
    return Budgets(allowed, start, budgets[order])


def pods_of(columns: ClusterColumns, budget: PodDisruptionBudget) -> I64:
    """Pods that a budget protects."""
    templates = np.array(list(_templates_of(columns, budget)), np.int64)
    pods = np.flatnonzero(np.isin(columns.pods.template, templates))
    disrupted = budget.status.disrupted_pods
    if not disrupted:
        return pods
    return pods[[columns.pods.names[pod] not in disrupted for pod in pods.tolist()]]


def _templates_of(columns: ClusterColumns, budget: PodDisruptionBudget) -> Iterator[int]:
    selector = compile_selector(budget.spec.selector)
    namespace = budget.metadata.namespace or "default"
    if not selector.is_empty:
        for template in columns.templates:
            if template.labels and template.namespace == namespace and selector.matches(template.labels):
                yield template.code


def violations(budgets: Budgets, pods: I32, start: I64) -> Mask:
    """Which of the pods that might have to go would break a budget, each node's pods being looked at by themselves.

    Parameters
    ----------
    pods : int32 ndarray, shape (m,)
        Node after node, the most important pod first.
    start : int64 ndarray, shape (k + 1,)
        Where each node's pods begin, and the end.
    """
    violating = np.zeros(len(pods), np.bool_)
    if len(budgets.budgets):
        mark_violations(budgets, pods, start, budgets.allowed.copy(), violating)
    return violating


@kernel
def mark_violations(budgets: Budgets, pods: I32, start: I64, left: I64, violating: Mask) -> None:
    """Use up the budgets pod by pod; one that uses what is not there is marked.

    Parameters
    ----------
    left : int64 ndarray, shape (n_budgets,)
        A copy of the budgets. Modified in place, and restored.
    violating : bool ndarray, shape (m,)
        All False. Modified in place.
    """
    for k in range(start.shape[0] - 1):
        for i in range(start[k], start[k + 1]):
            for j in range(budgets.start[pods[i]], budgets.start[pods[i] + 1]):
                left[budgets.budgets[j]] -= 1
                if left[budgets.budgets[j]] < 0:
                    violating[i] = True
        for i in range(start[k], start[k + 1]):
            for j in range(budgets.start[pods[i]], budgets.start[pods[i] + 1]):
                left[budgets.budgets[j]] = budgets.allowed[budgets.budgets[j]]
