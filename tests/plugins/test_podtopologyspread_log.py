"""The logarithm of Go against forty digits of the true one."""

import math
from decimal import Decimal, localcontext

import pytest

from kplace.plugins.podtopologyspread.log import log


def true_log(number: int) -> Decimal:
    with localcontext() as context:
        context.prec = 40
        return Decimal(number).ln()


def test_is_not_correctly_rounded_where_go_is_not():
    different = [number for number in range(1, 335) if log(float(number)) != float(true_log(number))]
    assert different == [3, 14, 48, 74, 176, 196, 220, 299, 308, 334]


@pytest.mark.parametrize(
    ("number", "bits"),
    [
        (1, "0x0.0p+0"),
        (2, "0x1.62e42fefa39efp-1"),  # f = 0: only the exponent's part is left
        (3, "0x1.193ea7aad030ap+0"),  # the true one rounds to ...30b
        (14, "0x1.51cca16d7bba8p+1"),
        (502, "0x1.8dfd8b5b3e920p+2"),
        (1524, "0x1.d50fdf2c9fd81p+2"),  # here and below the order of the sums shows
        (2793, "0x1.fbd4ef8c6c784p+2"),
        (5002, "0x1.10901f6dc84b9p+3"),
    ],
)
def test_bits(number: int, bits: str):
    assert log(float(number)).hex() == bits


def test_error_is_below_one_unit_in_the_last_place():
    for number in [*range(2, 1000), *(10**k + 7 for k in range(3, 16)), 2**53 - 1]:
        value = log(float(number))
        assert abs(Decimal(value) - true_log(number)) < Decimal(math.ulp(value)), number
