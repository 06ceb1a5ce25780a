"""What an attempt that found a node came to, in numbers."""

from typing import NamedTuple

from kplace.engine.attempt import Attempt
from kplace.engine.results import highest_totals


class Found(NamedTuple):
    """A node, and how it was found; the columns of `kplace.engine.results.PlacementColumns`.

    Attributes
    ----------
    node : int
        Row of the node.
    evaluated, feasible : int
        Nodes visited by the search, and feasible ones among them.
    total, runner_up : int
        Highest total score and the highest of the other sampled nodes; `kplace.engine.results.NO_SCORE` if there is
        none.
    ties : int
        Number of nodes with the highest total.
    next_start_index : int
        Where the next search begins.
    """

    node: int
    evaluated: int
    feasible: int
    total: int
    runner_up: int
    ties: int
    next_start_index: int

    @staticmethod
    def of(attempt: Attempt) -> "Found":
        """Take it from an attempt of the readable engine."""
        total, runner_up = highest_totals(attempt)
        return Found(
            attempt.node,
            attempt.sample.evaluated,
            len(attempt.feasible),
            total,
            runner_up,
            len(attempt.best),
            attempt.next_start_index,
        )
