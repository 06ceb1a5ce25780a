"""The classes of a run: templates that agree in everything a base score depends on."""

import numpy as np

from kplace.engine.fused.layout import BALANCES, IMAGE, KEPT_AFFINITY, KEPT_TAINT, PASSES, ClassTable
from kplace.framework import Cycle
from kplace.plugins.noderesources.balanced_allocation import NodeResourcesBalancedAllocation
from kplace.plugins.noderesources.fit import NodeResourcesFit
from kplace.plugins.noderesources.kernels import Demand


class Classes:
    """Collects classes, each once.

    Parameters
    ----------
    fit, balance : plugins or None
        Of the profile.
    """

    def __init__(self, fit: NodeResourcesFit, balance: NodeResourcesBalancedAllocation | None) -> None:
        self._fit = fit
        self._balance = balance
        self._numbers: dict[tuple[bytes, bytes, bytes, int, int, int, int], int] = {}
        self._members: list[Cycle] = []

    def of(self, cycle: Cycle, rows: tuple[int, int, int, int]) -> int:
        """Class of a template.

        Parameters
        ----------
        rows : (int, int, int, int)
            Of its static verdicts, its image scores, and the raw taint and affinity scores that its totals are kept
            with.
        """
        template = cycle.template
        key = (template.request.tobytes(), template.non_zero_request.tobytes(), template.scored_request.tobytes())
        number = self._numbers.setdefault((*key, *rows), len(self._numbers))
        if number == len(self._members):
            self._members.append(cycle)
        return number

    def __len__(self) -> int:
        return len(self._members)

    def arrays(self) -> ClassTable:
        """All classes."""
        balanced = [self._balance.demand(cycle) if self._balance else _NOTHING for cycle in self._members]
        demands = [self._fit.filter_demand(cycle) for cycle in self._members]
        demands += [self._fit.scored_demand(cycle) for cycle in self._members]
        demands += balanced
        ends = np.zeros(len(demands) + 1, np.int32)
        np.cumsum([len(item.rows) for item in demands], out=ends[1:])
        table = np.zeros((9, len(self)), np.int32)
        table[[PASSES, IMAGE, KEPT_TAINT, KEPT_AFFINITY]] = np.array([key[3:] for key in self._numbers], np.int32).T
        table[BALANCES] = [bool(np.any(item.amounts > 0)) for item in balanced]
        return ClassTable(
            table=table,
            starts=np.stack([ends[kind * len(self) : (kind + 1) * len(self) + 1] for kind in range(3)]),
            rows=np.concatenate([item.rows for item in demands] or [_NOTHING.rows]).astype(np.int32),
            amounts=np.concatenate([item.amounts for item in demands] or [_NOTHING.amounts]).astype(np.int64),
            weights=np.concatenate([item.weights for item in demands] or [_NOTHING.weights]).astype(np.int64),
        )


_NOTHING = Demand(np.zeros(0, np.int32), np.zeros(0, np.int64), np.zeros(0, np.int64))
