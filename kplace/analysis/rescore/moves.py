"""Few moves that do most: one pod after another goes where the scheduler would rather have it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from kplace.analysis.rescore.judge import Judge
from kplace.analysis.trial import Progress
from kplace.columns import ClusterColumns
from kplace.dtypes import I32, I64, NO_NODE, Mask
from kplace.engine.fused.scores import OUTSIDE
from kplace.engine.moving.rescore import Rescored

SCORINGS = 800_000
"""How many scorings the moves are meant to take; at least those of `LEAST_PASSES` over all pods."""
LEAST_PASSES = 10
LONGEST = 2
"""The search for moves ends after so many times the scorings that it is meant to take."""
MOST_WEIGHED = 16
"""Candidates that are weighed for one move at the most."""


class Standing(NamedTuple):
    """How far the scheduler is from having put the pods where they are; less is better, the first number first.

    Attributes
    ----------
    drifted : int
        Pods on nodes that a filter rejects today.
    regret : int
        Of all others, what the totals of the best nodes are above those of the nodes that they are on, together.
    """

    drifted: int
    regret: int

    @staticmethod
    def of(found: Rescored) -> "Standing":
        """Add up what was found."""
        fits = found.own != OUTSIDE
        return Standing(int((~fits).sum()), int((found.best - found.own)[fits].sum()))


class Move(NamedTuple):
    """A pod that goes elsewhere.

    Attributes
    ----------
    pod : int
    source, target : int
        Nodes.
    regret : int
        That of the pod just before; `OUTSIDE` if its node was one that a filter rejects.
    """

    pod: int
    source: int
    target: int
    regret: int


class Round(NamedTuple):
    """Moves after which all pods have been scored anew.

    Attributes
    ----------
    moves : tuple of Move
        At least one.
    before, after : Standing
    """

    moves: tuple[Move, ...]
    before: Standing
    after: Standing


@dataclass(frozen=True, slots=True)
class Moves:
    """Rounds of moves one after another.

    Attributes
    ----------
    rounds : tuple of Round
    columns : ClusterColumns
        The cluster after them; the pods are the same.
    ended : bool
        No further move by itself would do any good: the move of each pod was tried.
    """

    rounds: tuple[Round, ...]
    columns: ClusterColumns
    ended: bool

    @property
    def steps(self) -> list[Move]:
        """The moves, in order."""
        return [move for item in self.rounds for move in item.moves]

    def enough(self, share: float) -> int:
        """How few of the moves mend all that the moves mend and bring so much of their gain in regret.

        Whole rounds are counted.
        """
        if not self.rounds:
            return 0
        start, end = self.rounds[0].before, self.rounds[-1].after
        wanted = share * (start.regret - end.regret)
        number = 0
        for item in self.rounds:
            number += len(item.moves)
            if item.after.drifted == end.drifted and start.regret - item.after.regret >= wanted:
                break
        return number


_Kind = tuple[int, int]
"""Template and node: pods that share these are alike."""


class _Stage(NamedTuple):
    """A cluster, and what is said of its pods."""

    columns: ClusterColumns
    found: Rescored


def greedy_moves(
    judge: Judge,
    columns: ClusterColumns,
    found: Rescored,
    blocked: Mask,
    most: int | None,
    progress: Progress | None = None,
) -> Moves:
    """Move pods one after another, each to the node that the scheduler would choose at that moment.

    Candidates are first the pods on nodes that a filter rejects, then those with the largest regret. After each round
    of moves all pods are scored anew. A round that does not better the `Standing` is not made, but tried with half as
    many moves.

    Where all pods can be scored often enough, a round is a single move, and of some candidates the one that betters the
    standing most. Elsewhere a round has several moves: each pod is scored when it is its turn, with those before it
    moved, and stays if it has no regret any more.

    Parameters
    ----------
    found : Rescored
        Of the judge's pods in ``columns``.
    blocked : bool ndarray, shape (k,)
        Pods that may not be moved.
    most : int or None
        Number of moves; None for as many as do good.
    """
    stage, rounds, done = _Stage(columns, found), list[Round](), 0
    passes = max(LEAST_PASSES, SCORINGS // max(len(judge.pods), 1))
    expected = len(_candidates(judge, stage, blocked))
    expected = expected if most is None else min(most, expected)
    size = -(-expected // passes) if judge.can_walk(columns) else 1
    weighed = max(1, min(MOST_WEIGHED, passes // max(expected, 1)))
    search = _Search(judge, blocked, weighed, judge.spent + LONGEST * passes)
    while (most is None or done < most) and not search.is_over:
        if size > 1:
            moves, reached = search.several(stage, size if most is None else min(size, most - done))
            if not moves:
                size //= 2
                continue
        else:
            moves, reached = search.single(stage)
            if not moves:
                return Moves(tuple(rounds), stage.columns, ended=not search.is_over)
        rounds.append(Round(moves, Standing.of(stage.found), Standing.of(reached.found)))
        stage, done = reached, done + len(moves)
        if progress is not None:
            progress(done, max(done, expected))
    return Moves(tuple(rounds), stage.columns, ended=False)


class _Search:
    """Looks for rounds that better the standing.

    Parameters
    ----------
    judge : Judge
    blocked : bool ndarray, shape (k,)
    weighed : int
        Candidates that are weighed for a single move.
    limit : int
        When the judge has scored all pods so often, the search is over.
    """

    def __init__(self, judge: Judge, blocked: Mask, weighed: int, limit: int) -> None:
        self._judge = judge
        self._blocked = blocked
        self._weighed = weighed
        self._limit = limit
        self._failed: set[_Kind] = set()
        """Pods whose moves did no good; they are tried again when there are no others."""
        self._is_stale = False
        """Whether others have moved since."""

    @property
    def is_over(self) -> bool:
        """Whether all pods have been scored as often as may be."""
        return self._judge.spent >= self._limit

    def several(self, stage: _Stage, number: int) -> tuple[tuple[Move, ...], _Stage]:
        """Up to so many moves; none if nobody has regret, or if they do no good together."""
        judge = self._judge
        moves = tuple(
            Move(int(judge.pods[at]), int(stage.columns.pods.node[judge.pods[at]]), target, regret)
            for at, target, regret in judge.walk(stage.columns, _candidates(judge, stage, self._blocked), number)
        )
        if not moves:
            return (), stage
        pods, targets = np.array([(item.pod, item.target) for item in moves], np.int32).T
        moved = with_nodes_of(stage.columns, pods, targets)
        reached = _Stage(moved, judge.rescore(moved))
        return (moves, reached) if Standing.of(reached.found) < Standing.of(stage.found) else ((), stage)

    def single(self, stage: _Stage) -> tuple[tuple[Move, ...], _Stage]:
        """The best of some candidates' moves; none if no move betters the standing, or the search is over."""
        while True:
            candidates = self._untried(stage)
            for begin in range(0, len(candidates), self._weighed):
                tried = candidates[begin : begin + self._weighed]
                move, reached = self._best(stage, [at for _, at in tried])
                if move is not None:
                    self._is_stale = bool(self._failed)
                    return (move,), reached
                self._failed.update(kind for kind, _ in tried)
                if self.is_over:
                    return (), stage
            if not self._is_stale:
                return (), stage
            self._failed.clear()
            self._is_stale = False

    def _best(self, stage: _Stage, candidates: Sequence[int]) -> tuple[Move | None, _Stage]:
        columns, found = stage
        best, move = stage, None
        for at in candidates:
            moved = with_nodes_of(columns, self._judge.pods[[at]], found.node[[at]])
            tried = _Stage(moved, self._judge.rescore(moved))
            if Standing.of(tried.found) < Standing.of(best.found):
                best = tried
                regret = int(found.best[at] - found.own[at]) if found.own[at] != OUTSIDE else OUTSIDE
                pod = int(self._judge.pods[at])
                move = Move(pod, int(columns.pods.node[pod]), int(found.node[at]), regret)
        return move, best

    def _untried(self, stage: _Stage) -> list[tuple[_Kind, int]]:
        """Candidates that have not failed, of equal pods on one node the first."""
        pods = stage.columns.pods
        found: dict[_Kind, int] = {}
        for at in _candidates(self._judge, stage, self._blocked).tolist():
            pod = self._judge.pods[at]
            kind = int(pods.template[pod]), int(pods.node[pod])
            if kind not in self._failed:
                found.setdefault(kind, at)
        return list(found.items())


def with_nodes_of(columns: ClusterColumns, pods: I32, nodes: I32) -> ClusterColumns:
    """Build the same cluster with some pods on other nodes, whatever the rules say."""
    node = columns.pods.node.copy()
    node[pods] = nodes
    return replace(columns, pods=replace(columns.pods, node=node))


def _candidates(judge: Judge, stage: _Stage, blocked: Mask) -> I64:
    """Positions of pods that may be moved: those that have drifted, then those with most to gain."""
    found = stage.found
    fits = found.own != OUTSIDE
    elsewhere = found.node != stage.columns.pods.node[judge.pods]
    can = np.flatnonzero(~blocked & (found.node != NO_NODE) & elsewhere)
    regret = np.where(fits, found.best - found.own, 0)[can]
    return can[np.lexsort((can, -regret, fits[can]))]
