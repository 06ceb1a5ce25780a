"""Which of the best nodes is taken."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kplace.dtypes import TieBreak
from kplace.engine.select import best_positions, choose


@pytest.mark.parametrize(
    ("totals", "best"), [([3], [0]), ([1, 3, 2, 3], [1, 3]), ([-5, -7], [0]), ([0, 0, 0], [0, 1, 2])]
)
def test_best(totals: list[int], best: list[int]):
    assert best_positions(np.array(totals, np.int64)).tolist() == best


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=12))
def test_best_against_the_oracle(totals: list[int]):
    expected = [position for position, total in enumerate(totals) if total == max(totals)]
    assert best_positions(np.array(totals, np.int64)).tolist() == expected


def test_first():
    assert {choose(5, TieBreak.FIRST, seed, number) for seed in range(9) for number in range(9)} == {0}


@pytest.mark.parametrize("n_best", [1, 2, 5])
def test_random_choices_are_those_of_a_reservoir(n_best: int):
    """Keeping the k-th of them with probability 1/k leaves each in the end with the same: 3,000 draws tell."""
    counts = Counter(choose(n_best, TieBreak.RANDOM, 7, number) for number in range(3000))
    assert sorted(counts) == list(range(n_best))
    mean = 3000 / n_best
    # Four standard deviations.
    assert all(abs(count - mean) <= 4 * math.sqrt(mean * (1 - 1 / n_best)) for count in counts.values())
