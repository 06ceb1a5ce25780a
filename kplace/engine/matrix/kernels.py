"""The best nodes of a row, and the smallest change of a weight that lets another one win."""

from typing import NamedTuple

import numpy as np

from kplace._jit import kernel
from kplace.dtypes import I8, I32, I64, Mask

SCORED, OUTSIDE_SAMPLE, REJECTED = range(3)
"""What became of a node: it has scores; it is feasible but lies outside the sample; it is not feasible."""


class RowScores(NamedTuple):
    """The scores of one row.

    Attributes
    ----------
    normalised : int8 ndarray, shape (n_plugins, n_nodes)
    weights : int64 ndarray, shape (n_plugins,)
        0 for a plugin that did not score.
    total : int64 ndarray, shape (n_nodes,)
    nodes : int32 ndarray, shape (k,)
        The nodes that are scored, ascending.
    winner : int
        One of them.
    """

    normalised: I8
    weights: I64
    total: I64
    nodes: I32
    winner: int


@kernel
def best_nodes(row: RowScores, best: I32) -> int:
    """Write the nodes of the highest totals, the winner first, equal ones in their order; returns how many there are.

    Parameters
    ----------
    best : int32 ndarray, shape (k,)
        As many as are wanted; at least 1. Written.
    """
    best[0] = row.winner
    count = 1
    for i in range(row.nodes.shape[0]):
        n = row.nodes[i]
        if n == row.winner:
            continue
        if count == best.shape[0]:
            if count == 1 or row.total[n] <= row.total[best[count - 1]]:
                continue
            count -= 1
        at = count
        while at > 1 and row.total[best[at - 1]] < row.total[n]:
            best[at] = best[at - 1]
            at -= 1
        best[at] = n
        count += 1
    return count


@kernel
def smallest_flip(row: RowScores, found: I64) -> None:
    """Find the smallest change of one weight by which another node gets a higher total than the winner.

    Weights are whole numbers and do not fall below 0. Of equal changes that of the first plugin counts.

    Parameters
    ----------
    found : int64 ndarray, shape (2,)
        Written: the plugin and the change; a plugin of -1 if no change does it.

    Notes
    -----
    With a margin ``m`` and normalised scores that differ by ``d``, a change of ``m // d + 1`` is needed. That is worked
    out only where it beats the best so far.
    """
    found[0], found[1] = -1, 0
    least = np.int64(0)
    for p in range(row.weights.shape[0]):
        if row.weights[p] == 0:
            continue
        for i in range(row.nodes.shape[0]):
            n = row.nodes[i]
            ahead = np.int64(row.normalised[p, row.winner]) - np.int64(row.normalised[p, n])
            margin = row.total[row.winner] - row.total[n]
            if ahead == 0 or (least > 0 and margin >= abs(ahead) * (least - 1)):
                continue
            change = margin // abs(ahead) + 1
            if ahead < 0 or change <= row.weights[p]:
                least = change
                found[0], found[1] = p, change if ahead < 0 else -change


@kernel
def enter_verdicts(passes: Mask, feasible: I32, verdict: I8) -> None:
    """Write what became of each node.

    Parameters
    ----------
    passes : bool ndarray, shape (n_nodes,)
        Whether no filter objects.
    feasible : int32 ndarray, shape (k,)
        The nodes that are scored.
    verdict : int8 ndarray, shape (n_nodes,)
        Written.
    """
    for n in range(passes.shape[0]):
        verdict[n] = OUTSIDE_SAMPLE if passes[n] else REJECTED
    for i in range(feasible.shape[0]):
        verdict[feasible[i]] = SCORED


@kernel
def scatter(values: I64, nodes: I32, row: I64) -> None:
    """Write the values of some nodes into a row of all nodes, whatever its integer type. Modifies ``row``.

    The row is blank: where there is nothing to write, memory that nobody has touched yet is left alone.
    """
    for i in range(nodes.shape[0]):
        if values[i] != 0:
            row[nodes[i]] = values[i]
