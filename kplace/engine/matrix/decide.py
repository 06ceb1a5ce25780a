"""What decided a row: the best nodes, how far they lie apart, who made the difference, and what would turn it."""

from dataclasses import dataclass

import numpy as np

from kplace.dtypes import I32, I64, NO_NODE
from kplace.engine.matrix.arrays import ScoreArrays
from kplace.engine.matrix.kernels import REJECTED, SCORED, RowScores, best_nodes, smallest_flip

NOTHING = np.iinfo(np.int64).min
"""Stands for a number that there is none of."""
NO_PLUGIN = -1


@dataclass(frozen=True, slots=True)
class Decisions:
    """What decided some rows.

    Attributes
    ----------
    feasible : int32 ndarray, shape (n_rows,)
        Number of nodes that no filter objects to.
    node, runner_up : int32 ndarrays, shape (n_rows,)
        The first of the nodes with the highest total, and the best of the others; `NO_NODE` if there is none.
    total, margin : int64 ndarrays, shape (n_rows,)
        Its total, and how far that lies above the runner-up's; `NOTHING` without.
    ties : int32 ndarray, shape (n_rows,)
        Number of nodes with the highest total.
    decider : int16 ndarray, shape (n_rows,)
        The plugin whose weighted scores set the node off most from its runner-up; `NO_PLUGIN` if the totals are equal.
    flip_plugin : int16 ndarray, shape (n_rows,)
        The plugin the weight of which has to change least for another node to have the highest total alone;
        `NO_PLUGIN` if no weight does it.
    flip_weight : int64 ndarray, shape (n_rows,)
        What its weight would have to be; 0 is the plugin taken out. `NOTHING` without.
    flip_node : int32 ndarray, shape (n_rows,)
        The node that would win then.
    """

    feasible: I32
    node: I32
    runner_up: I32
    total: I64
    margin: I64
    ties: I32
    decider: I32
    flip_plugin: I32
    flip_weight: I64
    flip_node: I32

    @staticmethod
    def blank(n_rows: int) -> "Decisions":
        """Of rows without a feasible node."""
        zero, none = np.zeros(n_rows, np.int32), np.full(n_rows, NO_NODE, np.int32)
        nothing = np.full(n_rows, NOTHING, np.int64)
        nobody = np.full(n_rows, NO_PLUGIN, np.int32)
        return Decisions(
            feasible=zero.copy(),
            node=none.copy(),
            runner_up=none.copy(),
            total=nothing.copy(),
            margin=nothing.copy(),
            ties=zero.copy(),
            decider=nobody.copy(),
            flip_plugin=nobody.copy(),
            flip_weight=nothing.copy(),
            flip_node=none.copy(),
        )

    def enter(self, at: int, arrays: ScoreArrays) -> None:
        """Write what decided the rows of some arrays, from row ``at`` on."""
        for row in range(len(arrays)):
            self.feasible[at + row] = int((arrays.verdict[row] != REJECTED).sum())
            if arrays.winner[row] != NO_NODE:
                self._enter_row(at + row, row_scores(arrays, row))

    def _enter_row(self, at: int, row: RowScores) -> None:
        best = np.empty(2, np.int32)
        count = best_nodes(row, best)
        totals = row.total[row.nodes]
        self.node[at] = row.winner
        self.total[at] = row.total[row.winner]
        self.ties[at] = int((totals == self.total[at]).sum())
        if count == 1:
            return
        self.runner_up[at] = best[1]
        self.margin[at] = self.total[at] - row.total[best[1]]
        if self.margin[at] > 0:
            ahead = row.normalised[:, best[0]].astype(np.int64) - row.normalised[:, best[1]]
            self.decider[at] = int(np.argmax(ahead * row.weights))
        found = np.empty(2, np.int64)
        smallest_flip(row, found)
        if found[0] != NO_PLUGIN:
            plugin, change = int(found[0]), int(found[1])
            self.flip_plugin[at] = plugin
            self.flip_weight[at] = row.weights[plugin] + change
            moved = totals + change * row.normalised[plugin, row.nodes].astype(np.int64)
            self.flip_node[at] = row.nodes[np.argmax(moved)]


def row_scores(arrays: ScoreArrays, row: int) -> RowScores:
    """The scores of a row that has a feasible node."""
    return RowScores(
        arrays.normalised[row],
        np.where(arrays.scores[row], arrays.weights[row], 0),
        arrays.total[row],
        np.flatnonzero(arrays.verdict[row] == SCORED).astype(np.int32),
        int(arrays.winner[row]),
    )


def top_nodes(arrays: ScoreArrays, k: int) -> I32:
    """The nodes of the highest totals in each row, shape (n_rows, k); `NO_NODE` where there are no more."""
    top = np.full((len(arrays), k), NO_NODE, np.int32)
    for row in np.flatnonzero(arrays.winner != NO_NODE).tolist():
        best_nodes(row_scores(arrays, row), top[row])
    return top
