"""Quantities against an oracle that knows nothing but fractions, and against upstream's own table."""

import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kplace.columns.quantity import (
    INT64_MAX,
    QuantityError,
    milli_value,
    milli_values,
    overflows,
    parse,
    value,
    values,
)

SUFFIXES = {
    **{suffix: Fraction(10) ** power for suffix, power in zip("num kMGTPE", range(-9, 19, 3), strict=True)},
    **{f"{letter}i": Fraction(1024) ** (i + 1) for i, letter in enumerate("KMGTPE")},
    "": Fraction(1),
}
del SUFFIXES[" "]


def oracle(text: str) -> Fraction:
    """The number in the text, to nine places away from zero, at most what int64 holds."""
    sign, number, suffix = re.fullmatch(r"([+-]?)([0-9.]*)(.*)", text).groups()
    factor = SUFFIXES[suffix] if suffix in SUFFIXES else Fraction(10) ** int(suffix[1:])
    magnitude = min(ceiling(Fraction(number) * factor, Fraction(1, 10**9)), Fraction(INT64_MAX))
    return -magnitude if sign == "-" else magnitude


def ceiling(number: Fraction, step: Fraction) -> Fraction:
    return -(-number // step) * step


@st.composite
def quantity_texts(draw):
    sign = draw(st.sampled_from(["", "", "", "+", "-"]))
    whole = draw(st.integers(0, 10**12) | st.integers(0, 2000))
    number = draw(st.sampled_from([f"{whole}", f"{whole}.", f"00{whole}"]))
    if draw(st.booleans()):
        number = f"{whole}.{draw(st.text('0123456789', min_size=1, max_size=12))}"
    exponents = st.builds("{}{}".format, st.sampled_from("eE"), st.integers(-15, 15))
    return sign + number + draw(st.sampled_from(sorted(SUFFIXES)) | exponents)


@given(quantity_texts())
def test_every_form_is_the_number_it_says(text):
    expected = oracle(text)
    magnitude = abs(expected)
    sign = -1 if expected < 0 else 1
    assert parse(text) == expected
    assert value(text) == sign * min(int(ceiling(magnitude, Fraction(1))), INT64_MAX)
    assert milli_value(text) == sign * min(int(ceiling(magnitude * 1000, Fraction(1))), INT64_MAX)


@given(st.lists(quantity_texts()))
def test_vectors_are_the_single_values(texts):
    np.testing.assert_array_equal(values(texts), np.array([value(text) for text in texts], np.int64))
    np.testing.assert_array_equal(milli_values(texts), np.array([milli_value(text) for text in texts], np.int64))


@given(quantity_texts())
def test_an_exact_number_has_the_value_of_its_text(text):
    assert value(parse(text)) == value(text)
    assert milli_value(parse(text)) == milli_value(text)


@given(st.integers(-(10**20), 10**20))
def test_numbers_count_as_if_written_out(number):
    assert parse(number) == parse(str(number))


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_floats_count_as_if_written_out(number):
    assert parse(number) == parse(repr(number))


@pytest.mark.parametrize(
    ("text", "number"),
    [
        # Upstream's own tables (TestQuantityParse), with what saturates or was "written by trolls".
        ("0", 0),
        ("0Ki", 0),
        ("5n", Fraction(5, 10**9)),
        ("4u", Fraction(4, 10**6)),
        ("3m", Fraction(3, 1000)),
        ("50k", 50_000),
        ("1E", 10**18),
        ("1E-3", Fraction(1, 1000)),
        ("1.3E+6", 1_300_000),
        ("1.7E18", 17 * 10**17),
        ("100.035k", 100_035),
        ("0.0005k", Fraction(1, 2)),
        ("6.987654321G", 6_987_654_321),
        ("3.001n", Fraction(4, 10**9)),
        ("1.1E-9", Fraction(2, 10**9)),
        ("0.0000000001", Fraction(1, 10**9)),
        ("0.00000012345", Fraction(124, 10**9)),
        ("9Ei", INT64_MAX),
        ("9223372036854775807Ki", INT64_MAX),
        ("100.035Ki", Fraction(10_243_584, 100)),
        ("0.025Ti", Fraction(274_877_906_944, 10)),
        ("0.000000000001Ki", Fraction(2, 10**9)),
        (".001", Fraction(1, 1000)),
        (".0001k", Fraction(1, 10)),
        ("1.", 1),
        ("1.G", 10**9),
        # Not in the tables, but let pass: no number at all is 0, and spaces around are trimmed.
        (".", 0),
        ("-", 0),
        ("m", 0),
        (" 1Gi ", 2**30),
        ("1e-1000000000", Fraction(1, 10**9)),
        ("1e1000000000", INT64_MAX),
        ("12E", INT64_MAX),
    ],
)
def test_upstream_table(text, number):
    assert parse(text) == number
    assert isinstance(parse(text), int) == (number == int(number))


@pytest.mark.parametrize(
    ("text", "integer", "milli"),
    [
        ("100100u", 1, 101),
        ("128974848000m", 128_974_848, 128_974_848_000),
        ("1500M", 1_500_000_000, 1_500_000_000_000),
        ("1e0", 1, 1000),
        ("0.5e0", 1, 500),
        ("0.1", 1, 100),
        ("-1.5", -2, -1500),
        ("8E", 8 * 10**18, INT64_MAX),
    ],
)
def test_rounding_up(text, integer, milli):
    assert (value(text), milli_value(text)) == (integer, milli)


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "1.5cores", "1 Gi", "1i", "5e", "1e3.5", "1.1.M", "1+1.0M", "0.1mi", "0x10", "--1", "abc"),
        *("1,5", "NaN", "inf", "٣", "1_000", "1e", "9" * 5000, "1\n2"),
    ],
)
def test_what_is_not_a_quantity(text):
    with pytest.raises(QuantityError, match="is not a quantity"):
        parse(text)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("1GB", "1G"),
        ("5MiB", "5Mi"),
        ("2gi", "2Gi"),
        ("1K", "1k"),
        ("-1 Gi", "-1Gi"),
        ("100mi", "100Mi"),
        ("5e", "5E"),
    ],
)
def test_a_near_miss_is_told(text, meant):
    with pytest.raises(QuantityError, match=f'^"{re.escape(text)}" is not a quantity: did you mean "{meant}"'):
        parse(text)


def test_the_message_says_what_is_expected():
    with pytest.raises(
        QuantityError, match=r'"1.5cores" is not a quantity: expected a number .*"500m", "1.5Gi" or "2e3"'
    ):
        values(["1", "1.5cores"])


def test_not_a_number():
    with pytest.raises(QuantityError):
        parse(float("nan"))


@pytest.mark.parametrize(
    ("text", "milli", "expected"),
    [
        ("9223372036854775807", False, False),
        ("9223372036854775808", False, True),
        ("9Ei", True, False),
        ("1e16", False, False),
        ("1e16", True, True),
        ("-1e19", False, True),
        (1e19, False, True),
    ],
)
def test_overflow_is_told(text, milli, expected):
    assert overflows(text, milli=milli) is expected
