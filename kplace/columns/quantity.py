"""Kubernetes quantities (``100m``, ``1.5Gi``, ``2e3``) as exact numbers and as the integers that are counted.

A cluster of a hundred thousand pods holds a few hundred different quantities, so every answer is remembered.
"""

import re
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np

from kplace.dtypes import I64
from kplace.objects.meta import Quantity

Amount = int | Fraction
"""An exact number: an int if it is whole."""

INT64_MAX = int(np.iinfo(np.int64).max)
"""The most that a quantity can be; what is written larger counts as this."""

_NANO = 10**9
_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_PARTS = re.compile(r"([+-]?)([0-9]*)(?:\.([0-9]*))?(.*)", re.DOTALL)
_EXPONENT = re.compile(r"[eE][+-]?[0-9]+")
# Beyond these an exponent changes nothing any more: the number is capped, or it is the smallest one there is.
_LARGEST_EXPONENT = 1000
_LONGEST_TEXT = 256


class QuantityError(ValueError):
    """A text is not a quantity."""


def parse(quantity: Quantity | Fraction) -> Amount:
    """Give a quantity as the exact number that Kubernetes keeps.

    Parameters
    ----------
    quantity : str, int, float or Fraction
        As it stands in a manifest; numbers are taken as if they had been written out.

    Returns
    -------
    int or Fraction
        Whole numbers as int. Digits beyond the ninth decimal place are rounded away from zero; what is beyond
        the range of int64 is cut down to it.

    Raises
    ------
    QuantityError
        The text is not a quantity.

    Notes
    -----
    Mirrors ``ParseQuantity`` of upstream's ``apimachinery/pkg/api/resource/quantity.go``, with what it lets
    pass: a sign, a missing whole or fractional part (``.5``, ``1.``), even a missing number (``m`` is 0), and
    spaces around the text. Upstream caps binary forms (``9Ei``) only and lets larger decimal ones (``12E``)
    overflow to arbitrary integers later on; here all are capped, and `overflows` tells.

    Examples
    --------
    >>> parse("100m"), parse("1.5Gi"), parse("2e3"), parse(0.5)
    (Fraction(1, 10), 1610612736, 2000, Fraction(1, 2))
    """
    nano = _NANOS[quantity]
    whole, rest = divmod(nano, _NANO)
    return Fraction(nano, _NANO) if rest else whole


def value(quantity: Quantity | Fraction) -> int:
    """Give a quantity as an integer in its own unit, rounded up.

    Mirrors ``Quantity.Value``: fractions count as one more (away from zero for negative quantities).

    Parameters
    ----------
    quantity : str, int, float or Fraction
        As it stands in a manifest, or the sum of several numbers from `parse`.

    Raises
    ------
    QuantityError
        The text is not a quantity.

    Examples
    --------
    >>> value("128974848000m"), value("1500Mi"), value("0.1")
    (128974848, 1572864000, 1)
    """
    return _VALUES[quantity]


def milli_value(quantity: Quantity | Fraction) -> int:
    """Give a quantity as an integer in thousandths of its unit, rounded up.

    Mirrors ``Quantity.MilliValue``, which is how the scheduler counts cpu.

    Parameters
    ----------
    quantity : str, int, float or Fraction
        As it stands in a manifest, or the sum of several numbers from `parse`.

    Raises
    ------
    QuantityError
        The text is not a quantity.

    Examples
    --------
    >>> milli_value("2"), milli_value("0.5e0"), milli_value("100100u")
    (2000, 500, 101)
    """
    return _MILLI_VALUES[quantity]


def values(quantities: Sequence[Quantity]) -> I64:
    """Give the `value` of each quantity as an int64 vector.

    Raises
    ------
    QuantityError
        One of the texts is not a quantity.

    Examples
    --------
    >>> values(["1k", "1Ki", 7])
    array([1000, 1024,    7])
    """
    return np.fromiter(map(_VALUES.__getitem__, quantities), np.int64, len(quantities))


def milli_values(quantities: Sequence[Quantity]) -> I64:
    """Give the `milli_value` of each quantity as an int64 vector.

    Raises
    ------
    QuantityError
        One of the texts is not a quantity.

    Examples
    --------
    >>> milli_values(["1", "250m", 0.5])
    array([1000,  250,  500])
    """
    return np.fromiter(map(_MILLI_VALUES.__getitem__, quantities), np.int64, len(quantities))


def overflows(quantity: Quantity, *, milli: bool = False) -> bool:
    """Tell whether upstream's integers cannot hold a quantity, so that it would not count as what it says.

    Binary forms never do: upstream itself documents that they are capped.

    Parameters
    ----------
    quantity : str, int or float
        As it stands in a manifest.
    milli : bool
        Whether it is counted in thousandths, as cpu is.

    Raises
    ------
    QuantityError
        The text is not a quantity.

    Examples
    --------
    >>> overflows("12E"), overflows("9Ei"), overflows("8E"), overflows("8E", milli=True)
    (True, False, False, True)
    """
    text = _text(quantity)
    if text.endswith("i"):
        return False
    units = abs(_nano(text)) * (1000 if milli else 1)
    return units > INT64_MAX * _NANO


class _Memo(dict[Quantity | Fraction, int]):
    """A function of a quantity that is worked out once for each different quantity."""

    def __init__(self, work_out: Callable[[Quantity | Fraction], int]) -> None:
        super().__init__()
        self._work_out = work_out

    def __missing__(self, quantity: Quantity | Fraction) -> int:
        answer = self[quantity] = self._work_out(quantity)
        return answer


def _capped(number: int, cap: int) -> int:
    return max(-cap, min(number, cap))


def _ceil_away(numerator: int, denominator: int) -> int:
    """Divide and round away from zero."""
    magnitude = -(-abs(numerator) // denominator)
    return magnitude if numerator >= 0 else -magnitude


def _work_out_nano(quantity: Quantity | Fraction) -> int:
    if isinstance(quantity, Fraction):
        nano = _ceil_away(quantity.numerator * _NANO, quantity.denominator)
    else:
        nano = _nano(_text(quantity))
    return _capped(nano, INT64_MAX * _NANO)


def _work_out_value(quantity: Quantity | Fraction) -> int:
    return _capped(_ceil_away(_NANOS[quantity], _NANO), INT64_MAX)


def _work_out_milli(quantity: Quantity | Fraction) -> int:
    return _capped(_ceil_away(_NANOS[quantity], _NANO // 1000), INT64_MAX)


_NANOS = _Memo(_work_out_nano)
_VALUES = _Memo(_work_out_value)
_MILLI_VALUES = _Memo(_work_out_milli)


def _text(quantity: Quantity) -> str:
    # A float's repr is the shortest text that means it, which is how Go writes it, too.
    return quantity.strip() if isinstance(quantity, str) else repr(quantity)


def _nano(text: str) -> int:
    """Read a quantity in units of 10⁻⁹, rounded away from zero; only binary forms are capped."""
    parts = _PARTS.fullmatch(text)
    if parts is None or not text or len(text) > _LONGEST_TEXT:
        raise _not_a_quantity(text)
    sign, whole, fraction, suffix = parts.groups(default="")
    magnitude = int(whole + fraction or "0")
    exponent = 9 - len(fraction)
    if suffix in _BINARY:
        magnitude <<= _BINARY[suffix]
    elif suffix in _DECIMAL:
        exponent += _DECIMAL[suffix]
    elif _EXPONENT.fullmatch(suffix):
        exponent += _capped(int(suffix[1:]), _LARGEST_EXPONENT)
    else:
        raise _not_a_quantity(text)
    magnitude = magnitude * _power(exponent) if exponent >= 0 else _ceil_away(magnitude, _power(-exponent))
    if suffix in _BINARY:
        magnitude = min(magnitude, INT64_MAX * _NANO)
    return -magnitude if sign == "-" else magnitude


def _power(exponent: int) -> int:
    power: int = 10**exponent
    return power


def _not_a_quantity(text: str) -> QuantityError:
    meant = _meant(text)
    if meant is not None:
        return QuantityError(f'"{text}" is not a quantity: did you mean "{meant}"?')
    shown = text if len(text) <= _LONGEST_TEXT else text[:20] + "..."
    return QuantityError(f'"{shown}" is not a quantity: expected a number such as "500m", "1.5Gi" or "2e3"')


def _meant(text: str) -> str | None:
    """Guess what a suffix in the wrong case (``2gi``), with a B for bytes (``1GB``) or a space is for."""
    parts = _PARTS.fullmatch(text)
    if parts is None or len(text) > _LONGEST_TEXT:
        return None
    _, whole, fraction, suffix = parts.groups(default="")
    if not whole + fraction:
        return None
    bare = suffix.strip().removesuffix("B").removesuffix("b")
    for known in (*_BINARY, *_DECIMAL):
        if known.lower() == bare.lower() and suffix:
            return f"{text[: len(text) - len(suffix)]}{known}"
    return None
