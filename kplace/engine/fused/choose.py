"""The choice: the highest total, how many nodes have it, and which of them is taken."""

from typing import NamedTuple

import numpy as np

from kplace._jit import inner_kernel
from kplace.dtypes import I32
from kplace.engine.fused.scores import OUTSIDE
from kplace.engine.fused.window import Window


class Best(NamedTuple):
    """The highest total of a sample, the nodes that have it, and the highest of the others."""

    total: int
    ties: int
    runner_up: int


@inner_kernel
def find_best(total: I32, window: Window) -> Best:
    """Look for the highest total of the window."""
    top = max(highest(total[window.low : window.high]), highest(total[: window.wrapped]))
    ties = count_equal(total[window.low : window.high], np.int32(top)) + count_equal(
        total[: window.wrapped], np.int32(top)
    )
    if ties > 1:
        return Best(np.int64(top), ties, np.int64(top))
    second = max(
        highest_below(total[window.low : window.high], np.int32(top)),
        highest_below(total[: window.wrapped], np.int32(top)),
    )
    return Best(np.int64(top), ties, np.int64(second))


@inner_kernel
def highest(total: I32) -> int:
    """Highest entry."""
    top = np.int32(OUTSIDE)
    for i in range(total.shape[0]):
        top = max(top, total[i])
    return top


@inner_kernel
def highest_below(total: I32, bound: int) -> int:
    """Highest entry that is lower than ``bound``."""
    top = np.int32(OUTSIDE)
    for i in range(total.shape[0]):
        value = total[i] if total[i] < bound else np.int32(OUTSIDE)
        top = max(top, value)
    return top


@inner_kernel
def count_equal(total: I32, value: int) -> int:
    """Number of entries that equal ``value``."""
    n_equal = 0
    for i in range(total.shape[0]):
        n_equal += total[i] == value
    return n_equal


@inner_kernel
def nth_best(total: I32, window: Window, top: int, rank: int) -> int:
    """The node that has the highest total and ``rank`` such nodes before it, in the order of the visit."""
    left = rank
    for n in range(window.low, window.high):
        if total[n] == top:
            if left == 0:
                return n
            left -= 1
    for n in range(window.wrapped):
        if total[n] == top:
            if left == 0:
                return n
            left -= 1
    return -1
