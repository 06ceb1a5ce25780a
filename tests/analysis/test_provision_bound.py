"""The lower bound lies below what the best packing costs, found by trying all of them."""

from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kplace.analysis.provision.bound import Packing, lower_bound, reachable

SIZES = (1, 2, 3, 4, 5, 6, 7)


@st.composite
def packings(draw):
    n_classes, n_candidates = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    request = [[draw(st.sampled_from((0, *SIZES))) for _ in range(n_classes)] for _ in range(2)]
    room = [[draw(st.sampled_from((7, 10, 12))) for _ in range(n_candidates)] for _ in range(2)]
    fits = [[draw(st.booleans()) for _ in range(n_candidates)] for _ in range(n_classes)]
    for row in fits:
        row[draw(st.integers(0, n_candidates - 1))] = True
    return Packing(
        demand=np.array([draw(st.integers(0, 3)) for _ in range(n_classes)], np.int64),
        request=np.array([*request, [1] * n_classes], np.int64),
        room=np.array([*room, [draw(st.integers(1, 4))] * n_candidates], np.int64),
        price=tuple(Fraction(draw(st.sampled_from(("0.1", "0.25", "1", "1.7")))) for _ in range(n_candidates)),
        fits=np.array(fits, np.bool_).reshape(n_classes, n_candidates),
        alone=np.array([draw(st.sampled_from((-1, -1, 0, 1))) for _ in range(n_classes)], np.int64),
    )


def best_packing(packing):
    """The least cost, by filling one node after another in every possible way."""
    n_classes, n_candidates = packing.fits.shape

    def holds(pattern, c):
        groups = [packing.alone[k] for k in range(n_classes) for _ in range(pattern[k]) if packing.alone[k] >= 0]
        return (
            all(packing.fits[k, c] for k in range(n_classes) if pattern[k])
            and (packing.request @ np.array(pattern) <= packing.room[:, c]).all()
            and len(groups) == len(set(groups))
        )

    @cache
    def cost(left):
        if not any(left):
            return Fraction(0)
        first = next(k for k in range(n_classes) if left[k])
        ways = []
        for c in range(n_candidates):
            for pattern in product(*(range(number + 1) for number in left)):
                if pattern[first] and holds(pattern, c):
                    rest = cost(tuple(a - b for a, b in zip(left, pattern, strict=True)))
                    ways.append(packing.price[c] + rest)
        return min(ways, default=Fraction(10**9))

    return cost(tuple(packing.demand.tolist()))


@settings(max_examples=60, deadline=None)
@given(packing=packings())
def test_no_packing_is_cheaper(packing):
    assert lower_bound(packing.of(packing.demand)).cost <= best_packing(packing)


def simple(demand, request, room, price, alone=None):
    n = len(demand)
    return Packing(
        np.array(demand),
        np.array(request),
        np.array(room),
        tuple(map(Fraction, price)),
        np.ones((n, len(price)), np.bool_),
        np.array(alone or [-1] * n),
    )


@pytest.mark.parametrize(
    ("packing", "cost"),
    [
        # 5 pods of 0.4 of a node: two on each, so three nodes, though they request but two.
        (simple([5], [[4]], [[10]], ["1"]), 3),
        # 6 pods of a bit more than a third: two on each.
        (simple([6], [[34]], [[100]], ["0.5"]), Fraction("1.5")),
        # Pods that take a node each, whatever they request.
        (simple([4, 3], [[1, 1]], [[100]], ["2"], [7, 7]), 14),
        # Two groups can share: as many nodes as the larger one has pods.
        (simple([4, 3], [[1, 1]], [[100]], ["2"], [7, 8]), 8),
        # A node at 3 holds as much as two at 2.
        (simple([4], [[10]], [[10, 20]], ["2", "3"]), 6),
        # Memory binds, not cpu.
        (simple([3], [[1], [6]], [[8], [10]], ["1"]), 3),
        (simple([0], [[1]], [[8]], ["1"]), 0),
        # Nobody else can use the dear node that two of three pods need.
        (
            Packing(
                np.array([3, 1]),
                np.array([[5, 1]]),
                np.array([[10, 10]]),
                (Fraction(4), Fraction("0.1")),
                np.array([[True, False], [True, True]]),
                np.array([-1, -1]),
            ),
            8,
        ),
        # Free nodes cost nothing.
        (simple([3], [[1]], [[8, 8]], ["1", "0"]), 0),
    ],
)
def test_where_the_bound_is_the_optimum(packing, cost):
    assert lower_bound(packing.of(packing.demand)).cost == cost == best_packing(packing)


@given(
    cost=st.fractions(0, 20, max_denominator=50),
    prices=st.lists(st.sampled_from(("0.3", "0.7", "1.1", "2")), min_size=1, max_size=3),
)
def test_a_cost_is_lifted_to_the_least_sum_of_prices(cost, prices):
    exact = [Fraction(price) for price in prices]
    sums = {Fraction(0)}
    while True:
        more = sums | {a + b for a in sums for b in exact if a + b <= cost + 2}
        if more == sums:
            break
        sums = more
    assert reachable(cost, tuple(exact)) == min(item for item in sums if item >= cost)


def test_large_amounts_are_no_trouble():
    packing = simple([3], [[2**60]], [[2**61 + 2**60 - 1]], ["1"])
    assert 1 <= lower_bound(packing).cost <= 2


def test_the_bound_is_the_same_every_time():
    packing = simple([5, 7, 2], [[4, 3, 9], [1, 8, 2]], [[10, 21], [12, 30]], ["1", "2.3"])
    one, other = lower_bound(packing), lower_bound(packing)
    assert one.cost == other.cost
    assert np.array_equal(one.values, other.values)
