"""Arithmetic that several plugins share."""

import numpy as np

from kplace._jit import kernel
from kplace.dtypes import I64, MAX_NODE_SCORE


@kernel
def normalize(scores: I64, reverse: bool) -> None:
    """Bring non-negative scores to [0, 100] by their maximum (upstream ``DefaultNormalizeScore``). Modified in place.

    Parameters
    ----------
    reverse : bool
        Subtract from 100 afterwards: the smallest raw score is the best.
    """
    highest = 0
    for i in range(scores.shape[0]):
        highest = max(highest, scores[i])
    for i in range(scores.shape[0]):
        score = scores[i] * MAX_NODE_SCORE // highest if highest > 0 else 0
        scores[i] = MAX_NODE_SCORE - score if reverse else score


@kernel
def round_half_away(x: float) -> int:
    """Nearest integer, halves away from zero (Go's ``math.Round``).

    Examples
    --------
    >>> [round_half_away(x) for x in (0.5, 1.4999, 2.5, -0.5, 0.49999999999999994)]
    [1, 1, 3, -1, 0]
    """
    whole = np.trunc(x)
    if abs(x - whole) >= 0.5:
        whole += 1.0 if x > 0.0 else -1.0
    return int(whole)


@kernel
def on_line(points: I64, values: I64, at: int) -> int:
    """Value of a broken line, in integers, division truncating towards zero (``helper/shape_score.go``).

    Parameters
    ----------
    points, values : int64 ndarray, shape (k,)
        The points ascending.

    Examples
    --------
    >>> points, values = np.array([0, 100]), np.array([100, 0])
    >>> int(on_line(points, values, 33)), int(on_line(points, values, 120))
    (67, 0)
    """
    last = points.shape[0] - 1
    for k in range(last + 1):
        if at <= points[k]:
            if k == 0:
                return values[0]
            rise = (values[k] - values[k - 1]) * (at - points[k - 1])
            run = points[k] - points[k - 1]
            step = rise // run if rise >= 0 else -(-rise // run)
            return values[k - 1] + step
    return values[last]


EXACT_NUMERATOR = 2**52
"""Numerators below this are divided exactly by `quotient`."""


@kernel
def quotient(numerator: float, denominator: float) -> int:
    """Integer quotient by way of a float64 division, which is several times faster and can be vectorised.

    Parameters
    ----------
    numerator : int or float
        A whole number from 0 to `EXACT_NUMERATOR`.
    denominator : int or float
        A whole number above 0.

    Notes
    -----
    A quotient that is not whole lies at least ``1 / denominator`` below the next whole number, relative to that at
    least ``1 / (numerator + denominator)``. Rounding moves it by 2**-53 of itself at most, so it does not get there,
    and truncation gives the integer quotient.

    Examples
    --------
    >>> quotient(299, 100), quotient(300, 100)
    (2, 3)
    """
    return int(float(numerator) / float(denominator))
