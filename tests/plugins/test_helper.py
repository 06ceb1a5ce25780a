"""Arithmetic that plugins share."""

from decimal import ROUND_HALF_UP, Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kplace.plugins.helper import normalize, round_half_away


@pytest.mark.parametrize(
    ("value", "rounded"),
    [(0.0, 0), (0.49999999999999994, 0), (0.5, 1), (1.5, 2), (2.5, 3), (2.4999999999999996, 2), (-0.5, -1), (-2.4, -2)],
)
def test_rounding(value: float, rounded: int):
    assert round_half_away(value) == rounded


@given(st.floats(-(2.0**53), 2.0**53))
def test_rounding_is_that_of_decimals(value: float):
    assert round_half_away(value) == int(Decimal(value).to_integral_value(ROUND_HALF_UP))


@pytest.mark.parametrize(
    ("scores", "reverse", "expected"),
    [
        ([10, 40, 0], False, [25, 100, 0]),
        ([1, 2, 3], False, [33, 66, 100]),
        ([1, 2, 3], True, [67, 34, 0]),
        ([0, 0], False, [0, 0]),
        ([0, 0], True, [100, 100]),
        ([], True, []),
    ],
)
def test_normalize(scores: list[int], reverse: bool, expected: list[int]):
    found = np.array(scores, np.int64)
    normalize(found, reverse)
    assert found.tolist() == expected
