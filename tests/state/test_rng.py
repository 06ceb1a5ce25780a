"""The draw: uniform, independent of what was drawn before, and without visible structure."""

import numpy as np
import pytest

from kplace.state.rng import draw, mix


def test_mix_is_a_bijection_on_a_sample():
    inputs = np.unique(np.random.default_rng(1).integers(0, 2**32, 50_000))
    assert len({mix(int(x)) for x in inputs}) == len(inputs)


@pytest.mark.parametrize("n_choices", [2, 3, 7, 100])
@pytest.mark.parametrize("seed", [0, 1, 12345, 2**62 + 1])
def test_every_choice_comes_equally_often(n_choices, seed):
    n_draws = 20_000
    counts = np.bincount([draw(seed, attempt, n_choices) for attempt in range(n_draws)], minlength=n_choices)
    expected = n_draws / n_choices
    chi_square = ((counts - expected) ** 2 / expected).sum()
    # The mean of chi-square is its degrees of freedom, its variance twice that: five deviations off is no accident.
    freedom = n_choices - 1
    assert abs(chi_square - freedom) < 5 * np.sqrt(2 * freedom) + 5


def test_neighbouring_attempts_and_seeds_do_not_follow_each_other():
    draws = np.array([[draw(seed, attempt, 2) for attempt in range(400)] for seed in range(50)])
    along_attempts = np.corrcoef(draws[:, :-1].ravel(), draws[:, 1:].ravel())[0, 1]
    along_seeds = np.corrcoef(draws[:-1].ravel(), draws[1:].ravel())[0, 1]
    assert abs(along_attempts) < 0.03
    assert abs(along_seeds) < 0.03
