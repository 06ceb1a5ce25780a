"""What a preemption comes to, as arrays: the nodes where room could be made, the pods that would go, the choice."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from kplace.dtypes import I32, I64, Mask


class Candidates(NamedTuple):
    """Nodes on which a pod would fit without some of their pods.

    Attributes
    ----------
    nodes : int32 ndarray, shape (k,)
    start : int64 ndarray, shape (k + 1,)
        Where each node's victims begin in ``victims``, and the end.
    victims : int32 ndarray
        Node after node, the most important pod first; every node has at least one.
    violating : bool ndarray
        By victim: its eviction breaks a disruption budget.
    claimed : int64 ndarray, shape (k,), optional
        Numbers of violations that an extender claims, whatever was found before.
    """

    nodes: I32
    start: I64
    victims: I32
    violating: Mask
    claimed: I64 | None = None

    def victims_of(self, position: int) -> I32:
        """Victims of one candidate."""
        return self.victims[self.start[position] : self.start[position + 1]]

    @property
    def violations(self) -> I64:
        """Number of victims of each candidate that break a disruption budget, shape (k,)."""
        if self.claimed is not None:
            return self.claimed
        if not len(self.nodes):
            return np.zeros(0, np.int64)
        return np.add.reduceat(self.violating, self.start[:-1], dtype=np.int64)

    def take(self, positions: I64) -> "Candidates":
        """Some of the candidates, in another order."""
        number = np.diff(self.start)[positions]
        start = np.concatenate([[0], np.cumsum(number)])
        flat = np.arange(start[-1]) + np.repeat(self.start[positions] - start[:-1], number)
        claimed = None if self.claimed is None else self.claimed[positions]
        return Candidates(self.nodes[positions], start, self.victims[flat], self.violating[flat], claimed)

    def breaking_first(self) -> "Candidates":
        """The same, with those of a node's victims that break a budget before the others."""
        owner = np.repeat(np.arange(len(self.nodes)), np.diff(self.start))
        order = np.argsort(2 * owner + ~self.violating, kind="stable")
        return self._replace(victims=self.victims[order], violating=self.violating[order])

    @staticmethod
    def join(parts: Iterable["Candidates"]) -> "Candidates":
        """All candidates of several lists, none of which has been through extenders."""
        listed = list(parts)
        return Candidates(
            nodes=np.concatenate([np.zeros(0, np.int32), *(part.nodes for part in listed)]),
            start=np.concatenate([[0], *(np.diff(part.start) for part in listed)]).cumsum(),
            victims=np.concatenate([np.zeros(0, np.int32), *(part.victims for part in listed)]),
            violating=np.concatenate([np.zeros(0, np.bool_), *(part.violating for part in listed)]),
        )


@dataclass(frozen=True, slots=True)
class Preemption:
    """The candidates and the one that is chosen.

    Attributes
    ----------
    candidates : Candidates
        Those without violations first, each kind in the order they were looked at; or as extenders gave them.
    tied : int64 ndarray
        Positions of the candidates that no criterion sets apart, the chosen one among them.
    chosen : int
        Position of the chosen one.
    """

    candidates: Candidates
    tied: I64
    chosen: int

    @property
    def node(self) -> int:
        """The chosen node."""
        return int(self.candidates.nodes[self.chosen])

    @property
    def victims(self) -> I32:
        """The pods that have to go, the most important one first."""
        return self.candidates.victims_of(self.chosen)

    @property
    def violating(self) -> Mask:
        """By victim: its eviction breaks a disruption budget."""
        start = self.candidates.start
        return self.candidates.violating[start[self.chosen] : start[self.chosen + 1]]
