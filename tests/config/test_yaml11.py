"""YAML 1.1 as Go's decoder resolves it."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kplace.config.nodes import Duplicate, TextError, plain
from kplace.config.yaml11 import parse_yaml


def value(text: str) -> object:
    return plain(parse_yaml(text)[0])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *((word, False) for word in ("NO", "n", "Off", "false")),
        *((word, True) for word in ("y", "Yes", "ON", "true")),
        *((word, None) for word in ("~", "null", "", "# nothing")),
        *((word, word) for word in ("nO", "nulL", "._5", "1e400", "1:30", "0x", "2001-01-02", "=", "<<")),
        *(("010", 8), ("08", 8), ("0x10", 16), ("0b11", 3), ("0o17", 15), ("-0b11", -3)),
        *(("+5", 5), ("1_000", 1000), ("0", 0), ("-0", 0), ("1e1", 10), ("3.0", 3)),
        *(("2.5", 2.5), (".5", 0.5), ("1.", 1), ("1e-7", 1e-7)),
        *(("18446744073709551615", 2**64 - 1), ("18446744073709551616", 2**64)),
        *(("'5'", "5"), ('"no"', "no"), ("|\n a\n b\n", "a\nb\n"), ("-", [None])),
        *(("!!str 5", "5"), ("!!int '5'", 5), ("!!float 5", 5), ("!mine 5", "5"), ("! 5", "5")),
        ("!!binary aGk=", "hi"),
    ],
)
def test_scalars(text, expected):
    found = value(text)
    assert (found, type(found)) == (expected, type(expected))


def test_keys_become_texts():
    assert value("{1: a, 2.5: b, on: c, 'x': d}") == {"1": "a", "2.5": "b", "true": "c", "x": "d"}


def test_keys_are_sorted_by_bytes():
    assert list(value("b: 1\nB: 2\na: 3\nä: 4\n")) == ["B", "a", "b", "ä"]


def test_only_the_first_document_counts():
    assert value("a: 1\n---\nfoo: [\n") == {"a": 1}
    assert value("--- \na: 1\n...\nfoo: [\n") == {"a": 1}
    assert value("---\n---\na: 1\n") is None


def test_a_key_given_twice_counts_last_and_is_told():
    node, duplicates = parse_yaml("a: 1\nb:\n  c: 1\n  c: 2\na: 3\n")
    assert plain(node) == {"a": 3, "b": {"c": 2}}
    assert duplicates == (Duplicate(4, "c"), Duplicate(5, "a"))


def test_merge_keys():
    text = "base: &b {p: 1, q: 2}\nmine: {<<: *b, r: 3}\nlist: {<<: [{p: 5}, *b]}\n"
    node, duplicates = parse_yaml(text)
    # Of several maps the first one counts; to say a key again is to repeat it.
    assert plain(node) == {"base": {"p": 1, "q": 2}, "mine": {"p": 1, "q": 2, "r": 3}, "list": {"p": 5, "q": 2}}
    assert duplicates == (Duplicate(3, "p"),)
    assert parse_yaml("a: &a {x: 1}\nb: {<<: *a, x: 2}\n")[1] == (Duplicate(2, "x"),)


def test_anchors_may_be_given_anew():
    assert value("a: &x 1\nb: *x\nc: &x 2\nd: *x\n") == {"a": 1, "b": 1, "c": 2, "d": 2}


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("a: [1\n  b", 3, "not valid YAML"),
        ("a:\n\t- b", 2, "a tab"),
        ("a: *x", 1, "unknown anchor x"),
        ("a: &x [*x]", 1, "contains itself"),
        ("ok: 1\n? [a]\n: 1\n", 2, "a list cannot be a key"),
        ("~: 1", 1, "nothing cannot be a key"),
        ("a: .nan", 1, "no form in JSON"),
        ("a:\n  <<: 5", 2, "<< wants a map"),
        ("!!int x", 1, "cannot decode"),
        ("!!binary '#'", 1, "invalid base64"),
        ("[" * 300, 1, "nested too deeply"),
    ],
)
def test_what_cannot_be_parsed_is_told_with_its_line(text, line, words):
    with pytest.raises(TextError, match=words) as error:
        parse_yaml(text)
    assert error.value.line == line


def test_aliases_cannot_make_a_small_text_huge():
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 9)]
    with pytest.raises(TextError, match="mean too much"):
        parse_yaml("\n".join(lines))


TEXTS = st.text(st.characters(categories=["L", "N", "P", "S"]))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=20,
)


@given(JSON)
def test_json_is_yaml(document):
    assert value(json.dumps(document, ensure_ascii=False)) == document
