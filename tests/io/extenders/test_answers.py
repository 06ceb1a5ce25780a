"""Answers of extenders, read as Go reads them."""

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kplace.errors import ExtenderError
from kplace.io.extenders.answers import (
    FilterResult,
    MetaVictims,
    read_binding_result,
    read_filter_result,
    read_host_priorities,
    read_preemption_result,
)

NOTHING = FilterResult(None, None, {}, {}, "")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        # Names of fields stand in any case, unknown ones do not matter.
        (b'{"NodeNames":["a","b"],"Colour":"red"}', FilterResult(None, ["a", "b"], {}, {}, "")),
        (b'{"nodenames":["a"],"failednodes":{"B":"full"}}', FilterResult(None, ["a"], {"B": "full"}, {}, "")),
        (
            b'{"FailedAndUnresolvableNodes":{"c":"never"},"Error":"broken"}',
            FilterResult(None, None, {}, {"c": "never"}, "broken"),
        ),
        # Of Node objects the names are taken.
        (
            b'{"Nodes":{"metadata":{},"items":[{"metadata":{"name":"a"},"spec":{"taints":[]}},{"Metadata":{"NAME":"b"}}]}}',
            FilterResult(["a", "b"], None, {}, {}, ""),
        ),
        # An empty list is not the same as none.
        (b'{"NodeNames":[]}', FilterResult(None, [], {}, {}, "")),
        (b'{"Nodes":{"items":null}}', FilterResult([], None, {}, {}, "")),
        (b'{"Nodes":{}}', FilterResult([], None, {}, {}, "")),
        (b'{"NodeNames":null,"Nodes":null,"FailedNodes":null,"Error":null}', NOTHING),
        (b"{}", NOTHING),
        (b"null", NOTHING),
        # Only the first value counts.
        (b'\n {"Error":"x"} trailing', FilterResult(None, None, {}, {}, "x")),
        # null in a list of strings is the empty string.
        (b'{"NodeNames":[null]}', FilterResult(None, [""], {}, {}, "")),
        # Bytes that are no UTF-8, and half a surrogate pair, become replacement characters.
        (b'{"Error":"\xff"}', FilterResult(None, None, {}, {}, "\ufffd")),
        (b'{"Error":"\\ud800"}', FilterResult(None, None, {}, {}, "\ufffd")),
        (b'{"Error":"\\ud83d\\ude00"}', FilterResult(None, None, {}, {}, "\U0001f600")),
    ],
)
def test_filter(body, expected):
    assert read_filter_result(body) == expected


@pytest.mark.parametrize(
    ("read", "body", "message"),
    [
        (read_filter_result, b"", "the answer is empty"),
        (read_filter_result, b"  \n", "the answer is empty"),
        (read_filter_result, b"<html>", "the answer is not JSON: "),
        (read_filter_result, b'{"NodeNames":["a"', "the answer is not JSON: "),
        (read_filter_result, b'{"Error":NaN}', "the answer is not JSON: unexpected NaN"),
        (read_filter_result, b"[" * 100_000, "the answer is not JSON: "),
        (read_filter_result, b"[]", "the answer: expected an object, got an array"),
        (read_filter_result, b'{"NodeNames":"a"}', "NodeNames of the answer: expected an array, got a string"),
        (read_filter_result, b'{"NodeNames":[1]}', "NodeNames of the answer: expected a string, got a number"),
        (read_filter_result, b'{"NodeNames":[1.5]}', "NodeNames of the answer: expected a string, got a number"),
        (read_filter_result, b'{"Nodes":[]}', "Nodes of the answer: expected an object, got an array"),
        (read_filter_result, b'{"FailedNodes":["a"]}', "FailedNodes of the answer: expected an object, got an array"),
        (
            read_filter_result,
            b'{"FailedNodes":{"a":true}}',
            "FailedNodes.a of the answer: expected a string, got a boolean",
        ),
        (read_host_priorities, b'{"Host":"a"}', "the answer: expected an array, got an object"),
        (read_host_priorities, b'["a"]', "[] of the answer: expected an object, got a string"),
        (
            read_host_priorities,
            b'[{"Score":"7"}]',
            "[].Score of the answer: expected an integer of 64 bits, got a string",
        ),
        # Go takes neither a point nor an exponent for an integer, nor what exceeds 64 bits.
        (read_host_priorities, b'[{"Score":7.0}]', "[].Score of the answer: expected an integer"),
        (read_host_priorities, b'[{"Score":1e1}]', "[].Score of the answer: expected an integer"),
        (read_host_priorities, b'[{"Score":true}]', "[].Score of the answer: expected an integer"),
        (read_host_priorities, b'[{"Score":9223372036854775808}]', "[].Score of the answer: expected an integer"),
        (
            read_preemption_result,
            b'{"NodeNameToMetaVictims":{"a":null}}',
            "NodeNameToMetaVictims.a of the answer: expected an object, got null",
        ),
        (
            read_preemption_result,
            b'{"NodeNameToMetaVictims":{"a":{"Pods":[null]}}}',
            "NodeNameToMetaVictims.a.Pods[] of the answer: expected an object, got null",
        ),
        (read_binding_result, b'{"Error":{}}', "Error of the answer: expected a string, got an object"),
    ],
)
def test_something_else(read, body, message):
    with pytest.raises(ExtenderError) as caught:
        read(body)
    assert str(caught.value).startswith(message)


def test_host_priorities():
    body = b'[{"Host":"a","Score":3},{"host":"b","score":-9223372036854775808},{"HOST":"c"},{}]'
    assert read_host_priorities(body) == [("a", 3), ("b", -(2**63)), ("c", 0), ("", 0)]
    assert read_host_priorities(b"null") == []


def test_preemption_result():
    body = b'{"nodenametometavictims":{"b":{"pods":[{"uid":"u1"},{"UID":"u2"}],"numpdbviolations":1},"A":{}}}'
    found = read_preemption_result(body)
    # Names of nodes are no names of fields: they keep their case, and their order.
    assert list(found.items()) == [("b", MetaVictims(["u1", "u2"], 1)), ("A", MetaVictims([], 0))]


def test_binding_result():
    assert read_binding_result(b'{"Error":"taken"}') == "taken"
    assert read_binding_result(b"{}") == ""


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=3), st.lists))
def test_nothing_but_an_extender_error_comes_of_any_json(value):
    for read in (read_filter_result, read_host_priorities, read_preemption_result, read_binding_result):
        for body in (value, {"NodeNames": value, "Nodes": value, "NodeNameToMetaVictims": {"a": value}}):
            with contextlib.suppress(ExtenderError):
                read(json.dumps(body).encode())


@given(st.binary(max_size=12))
def test_nothing_but_an_extender_error_comes_of_any_bytes(body):
    for read in (read_filter_result, read_host_priorities):
        with contextlib.suppress(ExtenderError):
            read(body)
