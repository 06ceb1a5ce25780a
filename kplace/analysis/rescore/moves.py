"""Few moves that do most: one pod after another goes where the scheduler would rather have it."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import NamedTuple

import numpy as np

from kplace.analysis.rescore.judge import Judge
from kplace.analysis.trial import Progress
from kplace.columns import ClusterColumns
from kplace.dtypes import I32, I64, NO_NODE, Mask
from kplace.engine.fused.scores import OUTSIDE
from kplace.engine.moving.rescore import Rescored

SCORINGS = 800_000
"""How many scorings the moves may take, about; at least those of `LEAST_PASSES` over all pods."""
LEAST_PASSES = 10
MOST_WEIGHED = 16
"""Candidates that are weighed for one move at the most."""
PATIENCE = 4
"""Candidates in a row that do no good before the moves end, or as many as are weighed if these are more."""


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
        No further move would do any good, as far as candidates were weighed.
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


class _Stage(NamedTuple):
    """A cluster, and what is said of its pods."""

    columns: ClusterColumns
    found: Rescored


def greedy_moves(
    judge: Judge,
    columns: ClusterColumns,
    found: Rescored,
    blocked: Mask,
    most: int,
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
    most : int
        Number of moves.
    """
    passes = max(LEAST_PASSES, SCORINGS // max(len(judge.pods), 1))
    size = -(-most // passes) if judge.can_walk(columns) else 1
    weighed = max(1, min(MOST_WEIGHED, passes // max(most, 1)))
    stage, rounds, done = _Stage(columns, found), list[Round](), 0
    while done < most:
        before = Standing.of(stage.found)
        if size > 1:
            moves, reached = _several(judge, stage, blocked, min(size, most - done))
            if not moves or Standing.of(reached.found) >= before:
                size //= 2
                continue
        else:
            moves, reached = _single(judge, stage, blocked, weighed)
            if not moves:
                return Moves(tuple(rounds), stage.columns, ended=True)
        rounds.append(Round(moves, before, Standing.of(reached.found)))
        stage, done = reached, done + len(moves)
        if progress is not None:
            progress(done, most)
    return Moves(tuple(rounds), stage.columns, ended=False)


def _several(judge: Judge, stage: _Stage, blocked: Mask, number: int) -> tuple[tuple[Move, ...], _Stage]:
    """Up to so many moves; there are none if nobody has regret any more."""
    moves = tuple(
        Move(int(judge.pods[at]), int(stage.columns.pods.node[judge.pods[at]]), target, regret)
        for at, target, regret in judge.walk(stage.columns, _candidates(judge, stage, blocked), number)
    )
    if not moves:
        return (), stage
    pods, targets = np.array([(item.pod, item.target) for item in moves], np.int32).T
    moved = with_nodes_of(stage.columns, pods, targets)
    return moves, _Stage(moved, judge.rescore(moved))


def _single(judge: Judge, stage: _Stage, blocked: Mask, weighed: int) -> tuple[tuple[Move, ...], _Stage]:
    """The best of some candidates' moves; none if no move betters the standing."""
    columns, found = stage
    candidates = list(islice(_unlike(judge, columns, _candidates(judge, stage, blocked)), max(weighed, PATIENCE)))
    best, move = stage, None
    for begin in range(0, len(candidates), weighed):
        for at in candidates[begin : begin + weighed]:
            moved = with_nodes_of(columns, judge.pods[[at]], found.node[[at]])
            tried = _Stage(moved, judge.rescore(moved))
            if Standing.of(tried.found) < Standing.of(best.found):
                best = tried
                regret = int(found.best[at] - found.own[at]) if found.own[at] != OUTSIDE else OUTSIDE
                pod = int(judge.pods[at])
                move = Move(pod, int(columns.pods.node[pod]), int(found.node[at]), regret)
        if move is not None:
            return (move,), best
    return (), stage


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


def _unlike(judge: Judge, columns: ClusterColumns, candidates: I64) -> Iterator[int]:
    """Of equal pods on one node the first."""
    seen: set[tuple[int, int]] = set()
    pods = columns.pods
    for at in candidates.tolist():
        pod = judge.pods[at]
        kind = int(pods.template[pod]), int(pods.node[pod])
        if kind not in seen:
            seen.add(kind)
            yield at
