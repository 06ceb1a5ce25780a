"""Counters by domain: what a placed pod adds, and the lowest domain of those that a spread filter watches."""

from kplace._jit import kernel
from kplace.engine.fused.layout import Counters, Touches


@kernel
def domain_of(counters: Counters, k: int, n: int) -> int:
    """Domain of a node for a counter; negative if it has none."""
    code = counters.code[k]
    return n if code < 0 else counters.codes[code, n]


@kernel
def find_lowest(counters: Counters, k: int) -> None:
    """Look through the eligible domains of a counter for the lowest count. Modifies ``counters``."""
    first = counters.start[k]
    lowest = counters.pool[first]
    times = 0
    for d in range(first, first + counters.eligible[k]):
        value = counters.pool[d]
        if value < lowest:
            lowest = value
            times = 1
        elif value == lowest:
            times += 1
    counters.lowest[k] = lowest
    counters.n_lowest[k] = times


@kernel
def add(counters: Counters, k: int, n: int, weight: int) -> None:
    """Add a pod on a node to a counter. Modifies ``counters``."""
    d = domain_of(counters, k, n)
    counted = counters.counted[k]
    if d < 0 or (counted >= 0 and counters.masks[counted, n] == 0):
        return
    at = counters.start[k] + d
    before = counters.pool[at]
    counters.pool[at] = before + weight
    if d < counters.eligible[k]:
        after = before + weight
        if after < counters.lowest[k]:
            counters.lowest[k] = after
            counters.n_lowest[k] = 1
        elif before == counters.lowest[k]:
            counters.n_lowest[k] -= 1
            if counters.n_lowest[k] == 0:
                find_lowest(counters, k)
        elif after == counters.lowest[k]:
            counters.n_lowest[k] += 1


@kernel
def touch(counters: Counters, touches: Touches, template: int, n: int, sign: int) -> None:
    """Let a pod of a template come to (``sign`` 1) or leave (-1) a node. Modifies ``counters``."""
    for i in range(touches.start[template], touches.start[template + 1]):
        add(counters, touches.counter[i], n, sign * touches.weight[i])
