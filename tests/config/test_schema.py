"""Strict decoding into structs."""

import msgspec
import pytest

from kplace.config.misfits import Misfits
from kplace.config.nodes import Node
from kplace.config.schema import Bytes, Duration, Float32, Int32, Int64, Wire, decode, encode, zero
from kplace.config.yaml11 import parse_yaml


class Inner(Wire, frozen=True, kw_only=True):
    name: str
    weight: Int32 = 0


class Outer(Wire, frozen=True, kw_only=True):
    text: str = ""
    flag: bool = False
    small: Int32 = 0
    large: Int64 = 0
    ratio: Float32 = 0.0
    timeout: Duration = 0
    pointer: Int32 | None = None
    pause: Duration | None = None
    inner: Inner
    maybe: Inner | None = None
    many: tuple[Inner, ...] = ()
    words: tuple[str, ...] | None = None
    labels: dict[str, str] = {}  # noqa: RUF012 - msgspec gives each struct its own
    data: Bytes = ""
    raw: Node | None = None


def read(text: str) -> tuple[Outer, list[str]]:
    misfits = Misfits()
    value = decode(Outer, parse_yaml(text)[0], "", misfits)
    return value, [f"{misfit.line}: {misfit.field}: {misfit.message}" for misfit in misfits.found]


def test_everything_at_once():
    value, misfits = read(
        "{text: a, flag: on, small: -2147483648, large: 9223372036854775807, ratio: 2.5, timeout: 1m, pointer: 0,"
        " inner: {name: i}, maybe: {}, many: [{name: a, weight: 1}, null], words: [], labels: {k: v}, data: aGk=,"
        " raw: {any: [1]}}"
    )
    assert not misfits
    assert encode(value) == {
        "text": "a",
        "flag": True,
        "small": -(2**31),
        "large": 2**63 - 1,
        "ratio": 2.5,
        "timeout": "1m0s",
        "pointer": 0,
        "inner": {"name": "i"},
        "maybe": {"name": ""},
        "many": [{"name": "a", "weight": 1}, {"name": ""}],
        "labels": {"k": "v"},
        "data": "aGk=",
        "raw": {"any": [1]},
    }
    assert value.words == ()


def test_null_is_absent_but_for_durations():
    names = [field.encode_name for field in msgspec.structs.fields(Outer) if field.name != "timeout"]
    value, misfits = read("\n".join(f"{name}: null" for name in names))
    assert (value, misfits) == (zero(Outer), [])
    assert read("timeout: null")[1] == ['1: timeout: invalid duration "": expected a duration such as "15s"']


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("text: 5", "text: expected text, got the number 5"),
        ("text: NO", "text: expected text, got false (YAML reads a bare NO so: put it in quotes)"),
        ("flag: 1", "flag: expected true or false, got the number 1"),
        ("small: 2147483648", "small: expected a whole number of 32 bits, got the number 2147483648"),
        ("large: 9223372036854775808", "large: expected a whole number of 64 bits, got the number 9223372036854775808"),
        ("small: true", "small: expected a whole number of 32 bits, got true"),
        ("small: 2.5", "small: expected a whole number of 32 bits, got the number 2.5"),
        ("ratio: 1e39", "ratio: expected a number, got the number 1e39"),
        ("ratio: '1'", 'ratio: expected a number, got the text "1"'),
        ("timeout: 15", 'timeout: expected a duration in quotes, such as "15s", got the number 15'),
        ("pause: 15x", 'pause: unknown unit "x" in duration "15x": expected a duration such as "15s"'),
        ("inner: []", "inner: expected an object, got a list"),
        ("many: {}", "many: expected a list, got an object"),
        ("many: [5]", "many[0]: expected an object, got the number 5"),
        ("labels: [a]", "labels: expected an object, got a list"),
        ("labels: {a: 5}", "labels.a: expected text, got the number 5"),
        ("data: '#'", 'data: expected base64 text, got the text "#"'),
        ("inner: {nmae: x}", 'inner.nmae: unknown field; did you mean "name"?'),
        ("Text: x", 'Text: unknown field; did you mean "text"?'),
        ("zzz: x", "zzz: unknown field"),
    ],
)
def test_misfits(text, message):
    assert read(text)[1] == [f"1: {message}"]
