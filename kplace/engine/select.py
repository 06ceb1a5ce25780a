"""Which of the best nodes is taken."""

import numpy as np

from kplace.dtypes import I64, TieBreak
from kplace.state.rng import draw


def best_positions(totals: I64) -> I64:
    """Positions of the highest total, in sample order."""
    return np.flatnonzero(totals == totals.max())


def choose(n_best: int, tie_break: TieBreak, seed: int, attempt: int) -> int:
    """Which of ``n_best`` equal nodes: the first, or a draw that depends on seed and attempt only.

    Upstream keeps a reservoir of one over the best nodes, which is a uniform draw among them.
    """
    if tie_break is TieBreak.FIRST:
        return 0
    return draw(seed, attempt, n_best)
