"""Counters by domain: what a placed pod adds, and the lowest domain of those that a spread filter watches."""

import numpy as np

from kplace._jit import bare_kernel, inner_kernel
from kplace.engine.fused.layout import (
    CODE,
    COUNTED,
    COUNTER,
    ELIGIBLE,
    LOWEST,
    N_LOWEST,
    START,
    TOUCHES,
    WEIGHT,
    Counters,
    ShapeTable,
)


@bare_kernel
def find_lowest(counters: Counters, k: int) -> None:
    """Look through the eligible domains of a counter for the lowest count. Modifies ``counters``."""
    first = counters.table[START, k]
    lowest = counters.pool[first]
    times = 0
    for d in range(first, first + counters.table[ELIGIBLE, k]):
        value = counters.pool[d]
        if value < lowest:
            lowest = value
            times = 1
        elif value == lowest:
            times += 1
    counters.table[LOWEST, k] = lowest
    counters.table[N_LOWEST, k] = times


@inner_kernel
def add(counters: Counters, k: int, n: int, weight: int) -> None:
    """Add a pod on a node to a counter. Modifies ``counters``."""
    code = counters.table[CODE, k]
    d = np.int64(n) if code < 0 else np.int64(counters.codes[code, n])
    counted = counters.table[COUNTED, k]
    if d < 0 or (counted >= 0 and counters.masks[counted, n] == 0):
        return
    at = counters.table[START, k] + d
    before = counters.pool[at]
    after = before + weight
    counters.pool[at] = after
    if d < counters.table[ELIGIBLE, k]:
        if after < counters.table[LOWEST, k]:
            counters.table[LOWEST, k] = after
            counters.table[N_LOWEST, k] = 1
        elif before == counters.table[LOWEST, k]:
            counters.table[N_LOWEST, k] -= 1
            if counters.table[N_LOWEST, k] == 0:
                find_lowest(counters, k)
        elif after == counters.table[LOWEST, k]:
            counters.table[N_LOWEST, k] += 1


@inner_kernel
def touch(counters: Counters, shapes: ShapeTable, s: int, n: int, sign: int) -> None:
    """Let a pod of a shape come to (``sign`` 1) or leave (-1) a node. Modifies ``counters``."""
    for i in range(shapes.starts[TOUCHES, s], shapes.starts[TOUCHES, s + 1]):
        add(counters, np.int64(shapes.touches[COUNTER, i]), n, sign * shapes.touches[WEIGHT, i])
