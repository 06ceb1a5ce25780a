"""The classes of a run: templates that agree in everything a base score depends on."""

from dataclasses import dataclass

import numpy as np

from kplace.columns.vocab import Vocabulary
from kplace.dtypes import I32, I64, MAX_NODE_SCORE
from kplace.engine.fused.layout import (
    IMAGE,
    KEPT_AFFINITY,
    KEPT_TAINT,
    PASSES,
    ClassTable,
    ScoredResources,
)
from kplace.plugins.helper import EXACT_NUMERATOR
from kplace.plugins.noderesources.balanced_allocation import NodeResourcesBalancedAllocation
from kplace.plugins.noderesources.demand import ScoredRows
from kplace.plugins.noderesources.fit import NodeResourcesFit
from kplace.plugins.noderesources.kernels import UNWANTED


@dataclass(frozen=True, slots=True)
class TemplateAmounts:
    """What all templates request.

    Attributes
    ----------
    plain : int64 ndarray, shape (n_templates, n_resources + n_drivers)
        With the volumes that are attached, by driver.
    scored : int64 ndarray, shape (n_templates, n_resources)
    non_zero : int64 ndarray, shape (n_templates, 2)
    """

    plain: I64
    scored: I64
    non_zero: I64


class Classes:
    """The classes of some templates.

    Parameters
    ----------
    amounts : TemplateAmounts
    used : int64 ndarray, shape (k,)
        The templates that need a class.
    rows : int32 ndarray, shape (k, 4)
        For each of them the rows of its static verdicts, its image scores, and the raw taint and affinity scores that
        its totals are kept with.
    """

    def __init__(self, amounts: TemplateAmounts, used: I64, rows: I32) -> None:
        self._amounts = amounts
        keys = np.ascontiguousarray(
            np.hstack([amounts.plain[used], amounts.scored[used], amounts.non_zero[used], rows])
        )
        numbers: dict[bytes, int] = {}
        width = keys.shape[1] * keys.itemsize
        text = keys.tobytes()
        listed = [numbers.setdefault(text[at : at + width], len(numbers)) for at in range(0, len(text), width)]
        number = np.array(listed, np.int64)
        firsts = np.zeros(len(numbers), np.int64)
        firsts[number[::-1]] = np.arange(len(number))[::-1]
        self.class_of: I32 = np.full(len(amounts.plain), -1, np.int32)
        self.class_of[used] = number
        self._rows = rows[firsts]
        self._templates = used[firsts]

    def __len__(self) -> int:
        return len(self._templates)

    def table(
        self, fit: NodeResourcesFit, balance: NodeResourcesBalancedAllocation | None, resources: Vocabulary
    ) -> ClassTable:
        """All classes, for the plugins of a profile."""
        table = np.zeros((8, len(self)), np.int32)
        table[[PASSES, IMAGE, KEPT_TAINT, KEPT_AFFINITY]] = self._rows.T
        plain = self._amounts.plain[self._templates]
        scored = self._amounts.scored[self._templates]
        balanced = _wanted(balanced_rows(balance, resources), plain)
        # Volumes that are attached stand after the resources.
        looked_at = np.ones(plain.shape[1], np.bool_)
        looked_at[: len(resources)] = fit.filtered_rows(resources)
        return ClassTable(
            table=table,
            fit=np.where(looked_at, plain, 0).T.copy(),
            scored=_wanted(fit.scored_rows(resources), scored),
            balanced=balanced,
            unmoved=np.minimum(balanced, 0),
        )


def balanced_rows(balance: NodeResourcesBalancedAllocation | None, resources: Vocabulary) -> ScoredRows:
    """Rows of the resources that a profile balances; none without the plugin."""
    if balance is None:
        return ScoredRows(np.zeros(0, np.int32), np.zeros(0, np.int64), np.zeros(0, np.bool_))
    return balance.scored_rows(resources)


def scored_resources(scored: ScoredRows, allocatable: I64) -> ScoredResources:
    """Rows of scored resources, with a mark on those whose shares float64 divides exactly on every node."""
    most = allocatable[scored.rows].max(axis=1, initial=0)
    return ScoredResources(scored.rows, scored.weights, most < EXACT_NUMERATOR // MAX_NODE_SCORE)


def _wanted(scored: ScoredRows, amounts: I64) -> I64:
    """Amounts by scored resource and class, `UNWANTED` where a class does not ask for an optional one."""
    wanted = amounts[:, scored.rows]
    return np.where(scored.always | (wanted > 0), wanted, UNWANTED).T.copy()
