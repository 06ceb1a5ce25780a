"""The search for few and cheap nodes: a guess by numbers, put right and pared down by placing for real."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from kplace.analysis.provision.bound import Packing
from kplace.analysis.provision.catalogue import Catalogue, Enlarged, Enlarger
from kplace.analysis.provision.demand import Demand, Prober
from kplace.analysis.provision.guess import Room, guess
from kplace.analysis.trial import Trial, waiting_rows
from kplace.dtypes import I32, NO_NODE, Mask
from kplace.engine.results import PlacementColumns

Counts = tuple[int, ...]
"""How many nodes of each candidate."""

REPAIRS = 24
"""How often nodes are added for pods that a placing has left over."""


@dataclass(frozen=True, slots=True)
class Tried:
    """What the scheduler makes of a cluster with nodes added.

    Attributes
    ----------
    counts : tuple of int
        Nodes by candidate.
    cost : Fraction
    enlarged : Enlarged
    outcome : PlacementColumns
    node : int32 ndarray, shape (n_pods,)
        Node of each pod of the demand; negative for none.
    pending : int32 ndarray
        Pods of the demand that find none.
    """

    counts: Counts
    cost: Fraction
    enlarged: Enlarged
    outcome: PlacementColumns
    node: I32
    pending: I32

    @property
    def rank(self) -> tuple[int, Fraction, int, Counts]:
        """The less the better: fewer pods pending, cheaper, fewer nodes."""
        return len(self.pending), self.cost, sum(self.counts), self.counts


@dataclass
class Search:
    """Tries numbers of nodes, and remembers what came of each.

    Parameters
    ----------
    trial : Trial
    demand : Demand
    enlarger : Enlarger
        With the cluster of the demand.
    packing : Packing
        The demand as numbers.
    report : callable, optional
        Called after each trial with the number of trials so far.
    """

    trial: Trial
    demand: Demand
    enlarger: Enlarger
    packing: Packing
    report: Callable[[int], None] | None = None
    tries: int = 0
    _known: dict[Counts, tuple[int, ...]] = field(default_factory=dict)

    @property
    def catalogue(self) -> Catalogue:
        """The candidates."""
        return self.enlarger.catalogue

    @property
    def nothing(self) -> Counts:
        """No nodes."""
        return (0,) * len(self.catalogue.candidates)

    def cost(self, counts: Sequence[int]) -> Fraction:
        """What nodes cost."""
        prices = (item.price for item in self.catalogue.candidates)
        return sum((price * number for price, number in zip(prices, counts, strict=True)), Fraction(0))

    def place(self, counts: Counts) -> Tried:
        """Let the scheduler place all that waits once the nodes are there."""
        self.tries += 1
        enlarged = self.enlarger.with_counts(counts)
        outcome = self.trial.place(enlarged.columns, waiting_rows(enlarged.columns))
        node = np.full(len(enlarged.columns.pods), NO_NODE, np.int32)
        node[outcome.pod] = outcome.node
        mine = node[self.demand.pods]
        pending = self.demand.pods[mine == NO_NODE]
        if self.report is not None:
            self.report(self.tries)
        return Tried(counts, self.cost(counts), enlarged, outcome, mine, pending)

    def find(self, usable: Mask, effort: int) -> Tried:
        """Find cheap nodes that let in as many pods as can be.

        Parameters
        ----------
        usable : bool ndarray, shape (n_candidates,)
            The candidates to use.
        effort : int
            How many trials may go into making it cheaper.
        """
        best = self._grown(usable)
        return _Paring(self, usable, self.tries + effort).pared(best)

    def _grown(self, usable: Mask) -> Tried:
        """Begin with a guess, and add nodes until no more pods are let in."""
        reachable = (self.packing.fits & usable).any(axis=1)
        room = Room(self.catalogue)
        open_classes = np.where(reachable, self.packing.demand, 0)
        best = self.place(tuple(guess(self.packing, open_classes, self.packing.fits & usable, room, self.nothing)))
        prober = Prober(self.trial, self.enlarger, self.demand)
        for _ in range(REPAIRS):
            left = self.demand.counts(best.pending) * reachable
            if not left.sum():
                break
            fits = prober.opinions(best.counts, best.node, best.pending).passes & usable
            more = guess(self.packing, np.where(fits.any(axis=1), left, 0), fits, room, best.counts)
            if not sum(more):
                break
            tried = self.place(tuple(a + b for a, b in zip(best.counts, more, strict=True)))
            if len(tried.pending) >= len(best.pending):
                break
            best = tried
        return best


class _Paring:
    """Takes nodes away and trades them as long as everything still fits."""

    def __init__(self, search: Search, usable: Mask, most: int) -> None:
        self._search = search
        # A candidate that no pod fits is not worth a trial.
        self._usable = np.flatnonzero(usable & search.packing.fits.any(axis=0))
        self._most = most
        self._seen: set[Counts] = set()
        self._prices = [item.price for item in search.catalogue.candidates]
        self._room = Room(search.catalogue)

    @property
    def _may_go_on(self) -> bool:
        return self._search.tries < self._most

    def pared(self, best: Tried) -> Tried:
        """Take unused nodes away, then as many as can be, then trade; until nothing gets cheaper."""
        best = self._without_idle(best)
        while self._may_go_on:
            before = best
            best = self._fewer(best)
            best = self._traded(best)
            if best is before:
                break
        return best

    def _try(self, counts: Sequence[int], best: Tried) -> Tried | None:
        """Place with other nodes; None if that lets fewer pods in or is no cheaper."""
        wanted = tuple(counts)
        if wanted in self._seen or not self._may_go_on:
            return None
        self._seen.add(wanted)
        if (self._search.cost(wanted), sum(wanted)) >= (best.cost, sum(best.counts)) or not self._room.allows(wanted):
            return None
        tried = self._search.place(wanted)
        return tried if tried.rank < best.rank else None

    def _without_idle(self, best: Tried) -> Tried:
        used = np.bincount(best.node[best.node >= 0], minlength=len(best.enlarged.candidate)) > 0
        candidate = best.enlarged.candidate
        busy = np.bincount(candidate[used & (candidate >= 0)], minlength=len(best.counts))
        return self._try(busy.tolist(), best) or best

    def _fewer(self, best: Tried) -> Tried:
        """For each candidate, the dearest first, the smallest number with which all still fits, by halving."""
        for c in sorted(np.flatnonzero(best.counts).tolist(), key=lambda c: (-self._prices[c] * best.counts[c], c)):
            low, high = -1, best.counts[c]
            step = 1
            while high - low > 1 and self._may_go_on:
                number = max(high - step, low + 1)
                tried = self._try(_with(best.counts, c, number), best)
                if tried is None:
                    low = number
                    step = max((high - low) // 2, 1)
                else:
                    best, high, step = tried, number, step * 2
        return best

    def _traded(self, best: Tried) -> Tried:
        """A node for a cheaper one, two for one, one for two, wherever that is cheaper."""
        for c in sorted(np.flatnonzero(best.counts).tolist(), key=lambda c: (-self._prices[c], c)):
            for d in sorted(self._usable.tolist(), key=lambda d: (self._prices[d], d)):
                if c == d:
                    continue
                for away, come in ((1, 1), (2, 1), (1, 2), (3, 2)):
                    if best.counts[c] < away or come * self._prices[d] >= away * self._prices[c]:
                        continue
                    counts = _with(best.counts, c, best.counts[c] - away)
                    tried = self._try(_with(counts, d, counts[d] + come), best)
                    best = tried or best
        return best


def _with(counts: Counts, c: int, number: int) -> Counts:
    return (*counts[:c], number, *counts[c + 1 :])
