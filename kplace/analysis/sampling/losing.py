"""What a pod loses by a search that stops early: its turn once more, with all feasible nodes scored."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from kplace.dtypes import I32, I64, NO_NODE
from kplace.engine.cycle import Options, try_pod
from kplace.errors import UsageError
from kplace.framework import Profile
from kplace.state import ClusterState

ALL = 100


class Turn(NamedTuple):
    """A pod's turn in a run.

    Attributes
    ----------
    pod, node : int
        The node that the run gave it.
    best_node : int
        The first of the best nodes in snapshot order.
    feasible : int
        Number of feasible nodes.
    total, best : int
        Total of the node and of the best one, both normalised over all feasible nodes.
    """

    pod: int
    node: int
    best_node: int
    feasible: int
    total: int
    best: int

    @property
    def loss(self) -> int:
        """How far the node lies below the best one."""
        return self.best - self.total


@dataclass(slots=True)
class _Waiting:
    """What was found before it is known where a pod goes."""

    pod: int
    nodes: I32
    totals: I64


class Losses:
    """Looks on at some turns of a run; an `Observer`.

    Parameters
    ----------
    positions : int64 ndarray
        Places in the queue of the pods to look at.
    profile_of : callable
        The profile that a pod meets, by state and pod.
    options : Options
        Those of the run.

    Attributes
    ----------
    turns : list of Turn
        Of the pods among them that found a node.
    seconds : float
        That looking took.
    """

    def __init__(self, positions: I64, profile_of: Callable[[ClusterState, int], Profile], options: Options) -> None:
        self.positions = positions
        self.turns: list[Turn] = []
        self.seconds = 0.0
        self._profile_of = profile_of
        self._options = replace(options, percentage_of_nodes_to_score=ALL)
        self._waiting: _Waiting | None = None

    def before(self, state: ClusterState, pod: int, number: int) -> None:
        """Score all feasible nodes."""
        began = time.perf_counter()
        profile = replace(self._profile_of(state, pod), percentage_of_nodes_to_score=None)
        attempt = try_pod(state, profile, pod, number, self._options)
        self._waiting = None
        if attempt.scores is not None:
            self._waiting = _Waiting(pod, attempt.feasible, attempt.scores.total)
        self.seconds += time.perf_counter() - began

    def after(self, node: int) -> None:
        """Hold the node against the best one.

        Raises
        ------
        UsageError
            An extender answers otherwise when it is asked about more nodes.
        """
        if node == NO_NODE or self._waiting is None:
            return
        nodes, totals = self._waiting.nodes, self._waiting.totals
        best, own = int(totals.max()), np.flatnonzero(nodes == node)
        if not len(own):
            msg = "extenders: one refuses a node among all feasible ones that it let pass among fewer"
            raise UsageError(msg)
        self.turns.append(
            Turn(
                pod=self._waiting.pod,
                node=node,
                best_node=int(nodes[totals == best].min()),
                feasible=len(nodes),
                total=int(totals[own[0]]),
                best=best,
            )
        )


def spread_evenly(total: int, number: int) -> I64:
    """Positions out of ``total``, at equal distances: the middles of as many equal parts.

    Examples
    --------
    >>> spread_evenly(10, 3).tolist(), spread_evenly(3, 5).tolist()
    ([1, 5, 8], [0, 1, 2])
    """
    number = min(number, total)
    return (2 * np.arange(number, dtype=np.int64) + 1) * total // (2 * max(number, 1))
