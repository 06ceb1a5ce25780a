"""A lower bound of what new nodes cost: no packing, however clever, is cheaper."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from math import ceil, gcd, lcm

import numpy as np

from kplace.dtypes import F64, I64, Mask

STEPS = 5
"""How many dual feasible functions are used beside plain shares."""
MOST_GROUPS = 12
"""How many groups of pods that take a node each are measured."""
MOST_PARTS = 6
"""How many sets of candidates that some pods need are looked at by themselves."""
ROUNDS = 400
"""Steps of improving the weights."""
_SAFE = 1e-9
"""Share of a bound that is given away so that rounding errors cannot lift it."""
_MOST_STATES = 200_000


@dataclass(frozen=True, slots=True)
class Packing:
    """Pods that need new nodes, and the nodes, as numbers.

    Attributes
    ----------
    demand : int64 ndarray, shape (n_classes,)
        How many pods there are of each class; those of a class are alike.
    request : int64 ndarray, shape (n_resources, n_classes)
        What one requests of each resource that is looked at; the last row is 1, for the number of pods.
    room : int64 ndarray, shape (n_resources, n_candidates)
        What a new node offers.
    price : sequence of Fraction
        Of each candidate.
    fits : bool ndarray, shape (n_classes, n_candidates)
        Where a pod of the class may be put on a node of the candidate; too many are no fault.
    alone : int64 ndarray, shape (n_classes,)
        Of classes with the same number no two pods share a node; -1 for those without such a rule.
    """

    demand: I64
    request: I64
    room: I64
    price: tuple[Fraction, ...]
    fits: Mask
    alone: I64

    def of(self, demand: I64, candidates: Mask | None = None) -> "Packing":
        """The same with another demand, and with some of the candidates only."""
        kept = np.flatnonzero(demand > 0)
        chosen = np.arange(len(self.price)) if candidates is None else np.flatnonzero(candidates)
        return Packing(
            demand[kept],
            self.request[:, kept],
            self.room[:, chosen],
            tuple(self.price[c] for c in chosen.tolist()),
            self.fits[np.ix_(kept, chosen)],
            self.alone[kept],
        )


@dataclass(frozen=True, slots=True)
class Bound:
    """A lower bound.

    Attributes
    ----------
    cost : Fraction
        No nodes that hold all pods cost less.
    values : float64 ndarray, shape (n_classes,)
        What a pod of each class costs at least; they sum up to the bound before it is rounded up.
    """

    cost: Fraction
    values: F64


def lower_bound(packing: Packing, rounds: int = ROUNDS) -> Bound:
    """No nodes that hold all of the pods cost less than this.

    Parameters
    ----------
    packing : Packing
        Each class fits at least one candidate.
    rounds : int
        Steps of improving the weights.

    Notes
    -----
    Give each candidate weights over some measures, which sum up to 1, such that the pods on one node come to at most 1
    by each measure. Then a pod costs at least the least, over the candidates that it fits, of the price times its
    weighted measures. Measures are the shares of a resource that pods request, and these shares after a dual feasible
    function (Fekete and Schepers): of three pods that each take 0.4 of a node, two fit, and one of these functions
    counts each of them as a half. Pods of which no two share a node count as a whole one. Weights are improved step by
    step; whatever they are, the bound holds.

    No pod costs less than the cheapest node that it fits either, and pods that fit only some candidates need nodes of
    these. What nodes cost together is a sum of prices, so the bound is lifted to the least such sum that reaches it.
    """
    if not packing.demand.sum():
        return Bound(Fraction(0), np.zeros(len(packing.demand)))
    measures = _measures(packing)
    prices = np.array([float(price) for price in packing.price])
    best = np.zeros(len(packing.demand))
    for values in _improving(measures, prices, packing, rounds):
        if values @ packing.demand > best @ packing.demand:
            best = values
    total = Fraction(float(best @ packing.demand) * (1 - _SAFE))
    total = max(total, _dearest(packing), *_of_the_choosy(packing, rounds))
    return Bound(reachable(total, packing.price), best)


def _of_the_choosy(packing: Packing, rounds: int) -> Iterator[Fraction]:
    """Bounds for those pods alone that fit only some of the candidates, and so have to pay these candidates' prices."""
    sets = {row.tobytes(): row for row in packing.fits if not row.all()}
    parts = [(row, np.where((packing.fits <= row).all(axis=1), packing.demand, 0)) for row in sets.values()]
    parts = [(row, part) for row, part in parts if part.sum()]
    parts.sort(key=lambda item: -int(item[1].sum()))
    for row, part in parts[:MOST_PARTS]:
        yield lower_bound(packing.of(part, row), rounds // 4).cost if row.any() else Fraction(0)


def _dearest(packing: Packing) -> Fraction:
    """What the pod costs that is hardest to please: the cheapest node that it fits."""
    return max(
        min(packing.price[c] for c in np.flatnonzero(row).tolist())
        for row, number in zip(packing.fits, packing.demand.tolist(), strict=True)
        if number
    )


def _measures(packing: Packing) -> F64:
    """How much of a node a pod takes by each measure; shape (n_candidates, n_measures, n_classes)."""
    request, room = packing.request[:, None, :], packing.room[:, :, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(request > 0, request / np.maximum(room, 1), 0.0)
    rows = [np.minimum(share, 1.0)]
    most = int(request.max(initial=0))
    for k in range(1, STEPS + 1 if most <= np.iinfo(np.int64).max // (STEPS + 1) else 1):
        steps, rest = np.divmod(request * (k + 1), np.maximum(room, 1))
        rows.append(np.minimum(np.where(rest == 0, share, steps / k), 1.0))
    rows = [np.swapaxes(row, 0, 1) for row in rows]
    for mine in _groups(packing):
        rows.append(np.broadcast_to(mine.astype(np.float64), (len(packing.price), 1, len(packing.demand))))
    measures = np.concatenate(rows, axis=1)
    used = measures.max(axis=(0, 2)) > 0
    return np.ascontiguousarray(measures[:, used])


def _groups(packing: Packing) -> list[Mask]:
    """Classes whose pods take a node each, group by group; only the groups with the most pods."""
    numbers = np.unique(packing.alone[packing.alone >= 0]).tolist()
    masks = [packing.alone == number for number in numbers]
    return sorted(masks, key=lambda mine: -int(packing.demand[mine].sum()))[:MOST_GROUPS]


def _improving(measures: F64, prices: F64, packing: Packing, rounds: int) -> Iterator[F64]:
    """What pods cost at least under one choice of weights after another, each better than the last by and large.

    Weights follow the slope of the bound, with the least over the candidates made soft: less and less so.
    """
    n_candidates, n_measures, _ = measures.shape
    demand = packing.demand.astype(np.float64)
    blocked = np.where(packing.fits.T, 0.0, np.inf)
    logs = np.zeros((n_candidates, n_measures))
    for step in range(rounds):
        weights = np.exp(logs - logs.max(axis=1, keepdims=True))
        weights /= weights.sum(axis=1, keepdims=True)
        costs = prices[:, None] * np.einsum("sm,smc->sc", weights, measures) + blocked
        values = costs.min(axis=0)
        yield values
        heat = max(float(values @ demand) / demand.sum(), 1e-12) * max(0.5 * 0.98**step, 1e-3)
        pull = np.exp(-(costs - values) / heat)
        pull *= demand / pull.sum(axis=0)
        slope = prices[:, None] * np.einsum("sc,smc->sm", pull, measures)
        largest = slope.max(axis=1, keepdims=True)
        logs += (2.0 / (1 + step / 40)) * np.where(largest > 0, slope / np.where(largest > 0, largest, 1), 0.0)


def reachable(cost: Fraction, prices: tuple[Fraction, ...]) -> Fraction:
    """The least sum of prices, each taken any number of times, that reaches a cost.

    Examples
    --------
    >>> reachable(Fraction("0.31"), (Fraction("0.1"), Fraction("0.25")))
    Fraction(7, 20)
    """
    if cost <= 0:
        return Fraction(0)
    unit = lcm(*(price.denominator for price in prices), 1)
    whole = [int(price * unit) for price in prices]
    step = reduce(gcd, whole, 0)
    if step == 0:
        return cost
    sizes = sorted({size // step for size in whole if size})
    wanted = ceil(cost * unit / step)
    if wanted > _MOST_STATES or sizes[0] == 1:
        return Fraction(wanted * step, unit)
    # Bit n stands for the sum n; the smallest price alone has a multiple among the bits from `wanted` on.
    top = wanted + sizes[0]
    sums, kept = 1, (1 << (top + 1)) - 1
    for size in sizes:
        times = size
        while times <= top:
            sums |= (sums << times) & kept
            times *= 2
    above = sums >> wanted
    return Fraction((wanted + (above & -above).bit_length() - 1) * step, unit)
