"""Telling JSON from YAML and one document from the next, and saying where a text is broken."""

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kplace.io.documents import documents


def split(text: str | bytes, *, is_yaml: bool = False) -> tuple[list[object], list[str]]:
    complaints: list[str] = []
    data = text if isinstance(text, bytes) else text.encode()
    found = [msgspec.json.decode(item.raw) for item in documents(data, is_yaml=is_yaml, complain=complaints.append)]
    return found, complaints


@pytest.mark.parametrize("separator", ["", " ", "\n", "\n\n\t"])
def test_several_json_documents(separator):
    first, second = {"kind": "Pod"}, [{"kind": "Node"}]
    text = json.dumps(first) + separator + json.dumps(second) + separator + json.dumps(first, indent=2) + separator
    assert split(text) == ([first, second, first], [])


@given(st.lists(st.dictionaries(st.text(), st.integers() | st.text() | st.none())), st.sampled_from(["", "\n", " "]))
def test_any_json_documents(values, separator):
    assert split(separator.join(map(json.dumps, values))) == (values, [])


@pytest.mark.parametrize(
    "text", ["", "  \n", "null", "# nothing\n", "---\n---\n# x\n", "%YAML 1.1\n---\n...\n", "~", "null\n---\nnull"]
)
def test_empty_documents_are_left_out(text):
    assert split(text) == ([], [])


def test_json_inside_yaml_separators():
    assert split('---\n{"a": 1}\n---\n[2]\n') == ([{"a": 1}, [2]], [])


def test_json_first_and_yaml_separators_after():
    text = '{"a":\n1}\n---\n{"b": 2}\n---\nc: d: e\n---\nf: 3\n'
    complaint = "not valid YAML: line 6, column 5: mapping values are not allowed in this context"
    assert split(text) == ([{"a": 1}, {"b": 2}, {"f": 3}], [complaint])


def test_flow_style_yaml_by_name():
    assert split("{a: 1}\n", is_yaml=True) == ([{"a": 1}], [])
    assert split("{a: 1}\n")[1] == ["not valid JSON: line 1, column 2: expected a key in double quotes, got 'a'"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": 1,\n "b" 2}', "line 2, column 6: expected ':', got '2'"),
        ('{"a": 1\n "b": 2}', "line 2, column 2: expected ',' or '}', got '\"'"),
        ('{"a": 1,\n}', "line 2, column 1: expected another key after the comma, got '}'"),
        ("[1,\n2,]", "line 2, column 3: expected another value after the comma, got ']'"),
        ("{\n'a': 1}", 'line 2, column 1: expected a key in double quotes, got "\'"'),
        ('{"a": tru}', "line 1, column 8: this is no value"),
        ('{"a": 01}', "line 1, column 8: invalid number"),
        ('{"a": 1}\n{"b": 1]', "line 2, column 8: expected ',' or '}', got ']'"),
        ('{\n"a": [\n1\n\n', "line 3: it ends in the middle of an object: the file is cut off"),
        ("[" * 100_000, "nested too deeply"),
        ('{"kind": "\xff"}'.encode("latin-1"), "Invalid UTF-8 encoded string"),
    ],
)
def test_where_json_is_broken(text, message):
    assert split(text)[1] == [f"not valid JSON: {message}"]


def test_json_documents_before_a_broken_one_are_kept():
    assert split('{"a": 1} {"b": }')[0] == [{"a": 1}]


def test_an_envelope_with_fields_of_other_types():
    text = '{"apiVersion": 1, "kind": "Odd", "items": {"a": 1}, "objects": [1], "preempt": "x", "spec": {"b": 2}}'
    (document,) = documents(text.encode(), is_yaml=False, complain=pytest.fail)
    envelope = document.envelope
    assert (envelope.api_version, envelope.kind, envelope.items) == (None, "Odd", None)
    assert bytes(envelope.spec) == b'{"b": 2}'
    assert [bytes(item) for item in envelope.objects] == [b"1"]


@pytest.mark.parametrize(
    ("text", "other"), [("web", 'a string ("web")'), ("5", "a number (5)"), ("yes", "a boolean (true)")]
)
def test_what_is_neither_object_nor_list(text, other):
    (document,) = documents(text.encode(), is_yaml=True, complain=pytest.fail)
    assert document.other == other


def test_text_that_is_not_utf8():
    assert split("a: b\nc: Jörg\n".encode("latin-1"))[1] == ["line 2, column 5: not UTF-8 text: byte 0xf6"]
