"""YAML as kubectl reads it."""

import msgspec
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from kplace.io.yaml_documents import YamlError, yaml_to_json


def load(text: str) -> list[object]:
    """The documents; mistakes as their messages."""
    return [str(item) if isinstance(item, YamlError) else msgspec.json.decode(item) for item in yaml_to_json(text)]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        # go-yaml v2, under sigs.k8s.io/yaml, resolves so.
        ("yes", True),
        ("Off", False),
        ("y", True),
        ("N", False),
        ("TRUE", True),
        ("yEs", "yEs"),
        ("~", None),
        ("Null", None),
        ("nULL", "nULL"),
        ("", None),
        ("12", 12),
        ("+12", 12),
        ("-12", -12),
        ("1_000", 1000),
        ("010", 8),
        ("-010", -8),
        ("0o17", 15),
        ("0x1F", 31),
        ("0b101", 5),
        ("08", 8),
        ("1.50", 1.5),
        (".5", 0.5),
        ("1.", 1),
        ("1e3", 1000),
        ("-1E-2", -0.01),
        ("12e4567", "12e4567"),
        ("18446744073709551615", 2**64 - 1),
        ("123456789012345678901234567890", 123456789012345678901234567890.0),
        (".inf", None),
        (".NaN", None),
        ("1:30", "1:30"),
        ("2025-01-01", "2025-01-01"),
        ("2025-01-01T12:00:00Z", "2025-01-01T12:00:00Z"),
        ("100m", "100m"),
        ("1Gi", "1Gi"),
        ("0x", "0x"),
        ("-", "-"),
        (".", "."),
        ("<<", "<<"),
        ("=", "="),
        ("'yes'", "yes"),
        ('"1"', "1"),
        ("!!str 1", "1"),
        ("!!timestamp 2025-01-01", "2025-01-01"),
    ],
)
def test_scalars(text, value):
    if text == "-":
        assert load("[-]") in (
            [["-"]],
            ["not valid YAML: line 1, column 2: block sequence entries are not allowed in this context"],
        )
        return
    assert load(f"key: {text}") == [{"key": value}]


def test_keys_become_strings():
    assert load("1: a\ntrue: b\n1.5: c\non: d") == [{"1": "a", "true": "d", "1.5": "c"}]


def test_anchors_and_merge_keys():
    text = "base: &base {cpu: 1, memory: 2}\nweb:\n  <<: *base\n  cpu: 3\nsame: *base\n"
    base = {"cpu": 1, "memory": 2}
    assert load(text) == [{"base": base, "web": {"cpu": 3, "memory": 2}, "same": base}]


# The dumper leaves unquoted what to it is text and to kubectl a number or a boolean (n, 0o17): hence the letter before.
TEXT = st.text().map("s{}".format)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | TEXT,
    lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner),
    max_leaves=20,
)


@given(st.lists(JSON.filter(lambda value: value is not None)))
def test_what_a_dumper_writes_is_read_back(values):
    text = yaml.safe_dump_all(values, explicit_start=True)
    assert load(text) == values


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_documents_and_comments(end):
    text = end.join(
        ["# head", "---", "a: 1", "--- # second", "b: |", "  --- not a separator", "", "---", "", "--- {c: 3}"]
    )
    assert load(text) == [{"a": 1}, {"b": "--- not a separator\n"}, {"c": 3}]


def test_a_mistake_does_not_hide_other_documents_nor_other_mistakes():
    text = "a: 1\n---\nb: c: d\n---\ne: 1\n---\n\tf: 1\n---\ng: 1\ng: 2\nh: 3\nh: 4\n---\ni: 1\n"
    assert load(text) == [
        {"a": 1},
        "not valid YAML: line 3, column 5: mapping values are not allowed in this context",
        {"e": 1},
        "not valid YAML: line 7, column 1: a tab in the indentation: YAML wants blanks",
        'line 10, column 1: the key "g" is given twice, first on line 9',
        'line 12, column 1: the key "h" is given twice, first on line 11',
        {"i": 1},
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "a: [1, 2\nb: 3",
            "not valid YAML: line 2, column 2: did not find expected ',' or ']' (while parsing a flow sequence)",
        ),
        ("a: !Ref b", "not valid YAML: line 1, column 4: could not determine a constructor for the tag '!Ref'"),
        ("a: *b", "not valid YAML: line 1, column 4: found undefined alias"),
        ("a: &a [*a]", "line 1: the document is nested too deeply"),
        ("[" * 500 + "]" * 500, "line 1: the document is nested too deeply"),
        ("? [a]\n: b", "not valid YAML: line 1, column 3: a key must be a string"),
        ("? null\n: b", "line 1: the document holds a key that is no string (None)"),
        ("a: !!binary aGk=", "line 1: the document holds a value that JSON has no form for (bytes)"),
    ],
)
def test_mistakes_are_said_with_their_place(text, message):
    assert load(text) == [message]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("{{- if .Values.on }}\na: 1\n{{- end }}", 1),
        ("a: 1\nname: {{ .Release.Name }}", 2),
        ("a: 1\n---\nb:\n  {{- toYaml .Values.x | nindent 2 }}", 4),
    ],
)
def test_helm_templates_are_told_as_such(text, line):
    message = load(text)[-1]
    assert message.startswith(f"line {line}: an unrendered Helm template ({{{{")
    assert message.endswith("render it first, with `helm template`")


def test_text_in_braces_is_no_template():
    assert load('a: "{{ kept }}"') == [{"a": "{{ kept }}"}]


def test_aliases_cannot_blow_up_memory():
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 12)]
    assert load("\n".join(lines)) == ["line 1: the document means too much through its aliases"]
