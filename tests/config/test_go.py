"""Durations and quotes as Go has them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kplace.config.go import parse_duration, print_duration, quote


@given(st.integers(-(2**63), 2**63 - 1))
def test_what_is_printed_reads_back(nanoseconds):
    assert parse_duration(print_duration(nanoseconds)) == nanoseconds


@pytest.mark.parametrize(
    ("text", "nanoseconds"),
    [
        *(("0", 0), ("-0", 0), ("+0", 0), ("1us2µs3μs", 6000)),
        *((".5s", 5 * 10**8), ("1.s", 10**9), ("-1m", -60 * 10**9), ("1.5h", 5400 * 10**9)),
    ],
)
def test_durations(text, nanoseconds):
    assert parse_duration(text) == nanoseconds


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", 'invalid duration ""'),
        ("s", 'invalid duration "s"'),
        (".s", 'invalid duration ".s"'),
        ("15", 'missing unit in duration "15"'),
        ("1d", 'unknown unit "d" in duration "1d"'),
        ("1h 2m", 'unknown unit "h " in duration "1h 2m"'),
        ("--1s", 'invalid duration "--1s"'),
        ("9223372037s", 'invalid duration "9223372037s"'),
    ],
)
def test_bad_durations(text, reason):
    with pytest.raises(ValueError, match="duration") as error:
        parse_duration(text)
    assert str(error.value) == reason


def test_quote_escapes_what_go_escapes():
    assert quote('a"\\\t\x01\u200b\U0001f600') == '"a\\"\\\\\\t\\x01\\u200b😀"'
