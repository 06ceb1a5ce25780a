"""JSON with lines."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kplace.config.json_text import parse_json
from kplace.config.nodes import TextError, line_of, plain

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(JSON, st.sampled_from([None, 0, 2]))
def test_it_reads_what_json_writes(document, indent):
    assert plain(parse_json(json.dumps(document, indent=indent))) == document


def test_values_know_their_lines():
    root = parse_json('{\n "a": 1,\n "b": [\n  {"c":\n   2}\n ]\n}')
    assert [line_of(root, path) for path in ("", "a", "b", "b[0]", "b[0].c", "b[1]", "z")] == [1, 2, 3, 4, 4, 3, 1]


def test_repeated_keys_are_kept():
    assert [entry.key for entry in parse_json('{"a": 1, "a": 2}').entries] == ["a", "a"]
    assert plain(parse_json('{"a": 1, "a": 2}').get("a")) == 2


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("{", 1, "expected a key in double quotes, got the end of the file"),
        ('{"a" 1}', 1, 'expected ":" after the key "a", got "1"'),
        ('{"a": 1,\n}', 2, "expected a key in double quotes"),
        ('{"a": 1 "b"}', 1, 'expected "," or "}"'),
        ("[1 2]", 1, 'expected "," or "]"'),
        ("[1,]", 1, "expected a value"),
        ('{"a":\n nul}', 2, "expected a value"),
        ("01", 1, '"1" after the end'),
        ("NaN", 1, "expected a value"),
        ('"a\nb"', 1, "invalid control character"),
        ('"abc', 1, "unterminated string"),
        ('{"a": 1}\n\nx y', 3, '"x" after the end of the object'),
        ("[" * 300, 1, "nested too deeply"),
    ],
)
def test_faults_are_told_with_their_line(text, line, words):
    with pytest.raises(TextError) as error:
        parse_json(text)
    assert words in str(error.value)
    assert error.value.line == line
