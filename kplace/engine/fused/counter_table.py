"""The counters of a run: which pods each counts, over which domains."""

from typing import NamedTuple

import numpy as np

from kplace.dtypes import I8, I32, U8, Mask
from kplace.engine.fused.counters import find_lowest
from kplace.engine.fused.interning import Lists, RowTable
from kplace.engine.fused.layout import CODE, COUNTED, ELIGIBLE, FEW, SIZE, START, Counters
from kplace.engine.fused.shapes import Shapes
from kplace.state import ClusterState

NODES = -1
"""In a column of code rows: every node is a domain of its own."""
ALL = -1
"""In a column of mask rows: the pods of all nodes count."""

Terms = tuple[tuple[int, int], ...]
"""Rows of the group counts with the weight of each pod."""


class _Counter(NamedTuple):
    terms: Terms
    code: int
    counted: int
    eligible: int


class CounterTable:
    """Collects the counters that templates need, each once.

    Parameters
    ----------
    state : ClusterState
    """

    def __init__(self, state: ClusterState) -> None:
        self._state = state
        self._numbers: dict[_Counter, int] = {}
        self.codes: RowTable[np.int32] = RowTable(state.n_nodes, np.int32)
        self._sizes: dict[int, int] = {NODES: state.n_nodes}
        self.masks: RowTable[np.int8] = RowTable(state.n_nodes, np.int8)

    def code_row(self, codes: I32) -> int:
        """Row of an array of domains; `NODES` if node ``n`` is domain ``n``."""
        if len(codes) and codes[0] == 0 and np.array_equal(codes, self._state.all_nodes):
            return NODES
        row = self.codes.row(codes.tobytes(), lambda: codes)
        self._sizes.setdefault(row, int(codes.max(initial=-1)) + 1)
        return row

    def mask_row(self, mask: Mask) -> int:
        """Row of a mask of nodes; `ALL` if it holds them all."""
        return ALL if mask.all() else self.masks.row(mask.tobytes(), lambda: mask)

    def counter(self, terms: Terms, code: int, counted: int = ALL, eligible: int = 0) -> int:
        """Number of a counter, a new one if there is none like it."""
        return self._numbers.setdefault(_Counter(terms, code, counted, eligible), len(self._numbers))

    def arrays(self) -> Counters:
        """All counters, with the pods that the state has placed."""
        counters = list(self._numbers)
        sizes = [self._sizes[item.code] for item in counters]
        start = np.zeros(len(counters) + 1, np.int64)
        np.cumsum(sizes, out=start[1:])
        table = np.zeros((7, len(counters)), np.int64)
        table[START], table[SIZE] = start[:-1], sizes
        table[CODE] = [item.code for item in counters]
        table[COUNTED] = [item.counted for item in counters]
        table[ELIGIBLE] = [item.eligible for item in counters]
        codes, masks = self.codes.array(), self.masks.array()
        pool = np.zeros(max(int(start[-1]), 1), np.int32)
        for number, item in enumerate(counters):
            self._count(item, codes, masks, pool[start[number] : start[number + 1]])
        filled = Counters(table, pool, codes, _flags(codes), masks)
        for number, item in enumerate(counters):
            if item.eligible:
                find_lowest(filled, number)
        return filled

    def largest(self) -> int:
        """Number of domains of the counter that has most."""
        return max(self._sizes.values())

    def touches(self, shapes: Shapes) -> Lists:
        """What a placed pod of each shape adds to the counters."""
        lists = Lists(len(shapes.first), 2)
        for number, item in enumerate(self._numbers):
            weights: dict[int, int] = {}
            for row, weight in item.terms:
                for shape in shapes.of_group(self._state, row):
                    weights[shape] = weights.get(shape, 0) + weight
            for shape, weight in weights.items():
                lists.append(shape, number, weight)
        return lists

    def _count(self, item: _Counter, codes: I32, masks: I8, out: I32) -> None:
        nodes = self._state.all_nodes
        domain = nodes if item.code == NODES else codes[item.code]
        counted = domain >= 0
        if item.counted != ALL:
            counted &= masks[item.counted] != 0
        for row, weight in item.terms:
            np.add.at(out, domain[counted], weight * self._state.groups.counts[row][counted])


def _flags(codes: I32) -> U8:
    """One bit per node for rows of few domains; rows of more stay empty."""
    few = codes.max(axis=1, initial=-1) < FEW
    return np.where(few[:, None], np.left_shift(1, np.minimum(codes, FEW - 1) + 1), 0).astype(np.uint8)
