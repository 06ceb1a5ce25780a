"""The natural logarithm to the bit of Go's ``math.Log`` on amd64.

C libraries round differently: theirs differs in the last bit for about one small integer in a hundred, 3 being the
first, and one bit is enough to move a rounded score.
"""

import math

from kplace._jit import kernel

_HALF_SQRT2 = 0.7071067811865476

# ln 2 as a sum: the high part has 20 trailing zero bits, so that its product with an exponent is exact.
_LN2_HIGH = float.fromhex("0x1.62e42feep-1")
_LN2_LOW = float.fromhex("0x1.a39ef35793c76p-33")

# ln((1 + s) / (1 - s)) = 2s + s * R(s^2), where R(z) is the polynomial with these coefficients of z, z^2, ... z^7:
# fdlibm's fit to 2z/3 + 2z^2/5 + 2z^3/7 + ... over the range that the reduction leaves.
_C1 = float.fromhex("0x1.5555555555593p-1")
_C2 = float.fromhex("0x1.999999997fa04p-2")
_C3 = float.fromhex("0x1.2492494229359p-2")
_C4 = float.fromhex("0x1.c71c51d8e78afp-3")
_C5 = float.fromhex("0x1.7466496cb03dep-3")
_C6 = float.fromhex("0x1.39a09d078c69fp-3")
_C7 = float.fromhex("0x1.2f112df3e5244p-3")


@kernel
def log(x: float) -> float:
    """Natural logarithm of a positive normal number.

    Parameters
    ----------
    x : float

    Returns
    -------
    float

    Notes
    -----
    With ``x = 2^k * (1 + f)`` and ``1 + f`` between the square roots of 1/2 and 2, ``ln x = k ln 2 + ln(1 + f)``, and
    with ``s = f / (2 + f)``, ``ln(1 + f) = f - (f^2/2 - s * (f^2/2 + R(s^2)))``. Odd and even powers of R are summed
    apart, and the order of all operations is part of the result.

    Examples
    --------
    >>> log(1.0), log(3.0)
    (0.0, 1.0986122886681096)
    """
    mantissa, exponent = math.frexp(x)
    if mantissa < _HALF_SQRT2:
        mantissa *= 2.0
        exponent -= 1
    f = mantissa - 1.0
    k = float(exponent)
    s = f / (2.0 + f)
    z = s * s
    w = z * z
    odd = z * (_C1 + w * (_C3 + w * (_C5 + w * _C7)))
    even = w * (_C2 + w * (_C4 + w * _C6))
    half = 0.5 * f * f
    return k * _LN2_HIGH - ((half - (s * (half + (odd + even)) + k * _LN2_LOW)) - f)
