"""Random numbers: a stream for each purpose, and the distributions of descriptions.

Every distribution is a function of standard normal numbers, so that two of them are correlated by correlating the
normals (a Gaussian copula) whatever they are.
"""

import hashlib
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from kplace.columns.quantity import milli_value, value
from kplace.dtypes import F64, I64, MIB
from kplace.synthesis.description import Draw, Quantity

MILLI_STEP = 10
"""To how many milli-cpu draws of cpu are rounded."""

_BYTES = ("memory", "ephemeral-storage")


def stream(seed: int, *names: object) -> np.random.Generator:
    """A generator of its own for each seed and purpose: what is drawn elsewhere does not change it.

    Examples
    --------
    >>> a, b = stream(1, "web", "replicas"), stream(1, "web", "replicas")
    >>> a.random() == b.random(), a.random() == stream(1, "web", "cpu").random()
    (True, False)
    """
    digest = hashlib.sha256("\0".join(map(str, (seed, *names))).encode()).digest()
    return np.random.Generator(np.random.PCG64(int.from_bytes(digest, "little")))


@dataclass(frozen=True, slots=True)
class Unit:
    """In what the numbers of a quantity are counted.

    Attributes
    ----------
    of : callable
        Gives the number of a quantity.
    step : int
        To what draws are rounded if the description does not say.
    """

    of: Callable[[Quantity], int]
    step: int


def unit_of(resource: str) -> Unit:
    """Unit of a resource: milli-cpu, bytes or whole pieces."""
    if resource == "cpu":
        return Unit(milli_value, MILLI_STEP)
    return Unit(value, MIB if resource in _BYTES or resource.startswith("hugepages-") else 1)


WHOLE = Unit(value, 1)
"""Whole numbers: replicas, priorities, seconds."""


def drawn(draw: Quantity | Draw, unit: Unit, normals: F64) -> I64:
    """Numbers of a distribution.

    Parameters
    ----------
    draw : quantity or Draw
        A quantity is fixed.
    unit : Unit
    normals : float64 ndarray
        Standard normal numbers, one for each draw. A larger one never gives a smaller draw.

    Returns
    -------
    int64 ndarray

    Examples
    --------
    >>> drawn(Draw(mix={"100m": 1, "2": 1}), unit_of("cpu"), np.array([-1.0, 1.0]))
    array([ 100, 2000])
    """
    if not isinstance(draw, Draw):
        return np.full(len(normals), unit.of(draw), np.int64)
    if draw.mix is not None:
        numbers = _of_mix(draw.mix, unit, normals)
    elif draw.zipf is not None:
        weights = np.arange(1, draw.zipf.max + 1, dtype=np.float64) ** -draw.zipf.exponent
        numbers = _quantile(weights, normals) + 1
    else:
        step = unit.step if draw.step is None else unit.of(draw.step)
        numbers = np.maximum(np.rint(_continuous(draw, unit, normals) / step), 1).astype(np.int64) * step
    if draw.min is not None:
        numbers = np.maximum(numbers, unit.of(draw.min))
    return numbers if draw.max is None else np.minimum(numbers, unit.of(draw.max))


def _of_mix(mix: dict[str, float], unit: Unit, normals: F64) -> I64:
    pairs = sorted((unit.of(quantity), weight) for quantity, weight in mix.items())
    weights = np.array([weight for _, weight in pairs], np.float64)
    return np.array([number for number, _ in pairs], np.int64)[_quantile(weights, normals)]


def _continuous(draw: Draw, unit: Unit, normals: F64) -> F64:
    if draw.lognormal is not None:
        return unit.of(draw.lognormal.median) * np.exp(draw.lognormal.sigma * normals)
    if draw.exponential is not None:
        return -unit.of(draw.exponential.mean) * np.log(_below(-normals))
    assert draw.uniform is not None
    low, high = unit.of(draw.uniform.low), unit.of(draw.uniform.high)
    return low + (high - low) * _below(normals)


def weighted(weights: F64, uniforms: F64) -> I64:
    """Positions drawn with some weights, one for each uniform number in [0, 1)."""
    ends = np.cumsum(weights)
    return np.minimum(np.searchsorted(ends, uniforms * ends[-1], side="right"), len(weights) - 1).astype(np.int64)


def apportioned(weights: F64, total: int) -> I64:
    """A number split into whole parts in the ratio of some weights: the largest remainders are rounded up.

    Examples
    --------
    >>> apportioned(np.array([1.0, 1.0, 2.0]), 10)
    array([3, 2, 5])
    """
    exact = weights / weights.sum() * total
    parts = np.floor(exact).astype(np.int64)
    order = np.argsort(-(exact - parts), kind="stable")
    parts[order[: total - int(parts.sum())]] += 1
    return parts


def _quantile(weights: F64, normals: F64) -> I64:
    return weighted(weights, _below(normals))


def _below(normals: F64) -> F64:
    """Probability that a standard normal number is below each."""
    complement = math.erfc
    scale = -math.sqrt(0.5)
    return np.fromiter((0.5 * complement(scale * x) for x in normals.tolist()), np.float64, len(normals))
