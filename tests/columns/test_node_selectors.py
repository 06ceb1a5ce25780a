"""Node selectors: a table by hand, and every kind of term against an oracle."""

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kplace.columns.node_selectors import (
    is_label_key,
    parse_int64,
    preferred_weights,
    required_node_affinity_mask,
    term_mask,
)
from kplace.columns.nodes import NodeColumns, build_nodes
from kplace.columns.resources import resource_names
from kplace.objects.core import Node, PodSpec, PreferredSchedulingTerm
from kplace.objects.meta import NodeSelectorTerm, ObjectMeta
from tests.naive import node_selectors as naive

NODES = {
    "a": {"zone": "z1", "gen": "3", "gpu": "yes"},
    "b": {"zone": "z1", "gen": "4"},
    "c": {"zone": "z2", "gen": "v5"},
    "d": {"zone": "", "gen": "-2"},
    "e": {},
}


def columns(nodes: dict[str, dict[str, str]]) -> NodeColumns:
    objects = [Node(metadata=ObjectMeta(name=name, labels=labels)) for name, labels in nodes.items()]
    return build_nodes(objects, resource_names([]))


def matching(term: dict) -> str:
    nodes = columns(NODES)
    mask = term_mask(nodes, msgspec.convert(term, NodeSelectorTerm))
    return "".join(nodes.names[n] for n in np.flatnonzero(mask))


def label(key: str, operator: str, *values: str) -> dict:
    return {"matchExpressions": [{"key": key, "operator": operator, "values": list(values)}]}


def field(operator: str, *values: str, key: str = "metadata.name") -> dict:
    return {"matchFields": [{"key": key, "operator": operator, "values": list(values)}]}


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        (label("zone", "In", "z1"), "ab"),
        (label("zone", "In", "z2", ""), "cd"),
        (label("zone", "NotIn", "z1"), "cde"),  # e lacks the label
        (label("gpu", "Exists"), "a"),
        (label("gpu", "DoesNotExist"), "bcde"),
        (label("gen", "Gt", "3"), "b"),  # 4 > 3; v5 is no integer
        (label("gen", "Lt", "4"), "ad"),  # 3 and -2
        (label("gen", "Lt", "0"), "d"),
        (label("rack", "In", "r1"), ""),
        (label("rack", "NotIn", "r1"), "abcde"),
        (field("In", "b"), "b"),
        (field("NotIn", "b"), "acde"),
        (field("In", "x"), ""),
        (field("In", "", key="metadata.namespace"), "abcde"),  # any other field is empty
        (field("NotIn", "", key="metadata.namespace"), ""),
        ({**label("zone", "In", "z1"), **field("NotIn", "a")}, "b"),
        ({}, ""),
    ],
)
def test_well_formed_terms(term: dict, expected: str):
    assert matching(term) == expected


@pytest.mark.parametrize(
    "term",
    [
        field("In"),
        field("In", "a", "b"),
        field("NotIn", "a", "b"),
        field("Exists"),
        label("zone", "In"),
        label("zone", "NotIn"),
        label("zone", "Exists", "z1"),
        label("zone", "DoesNotExist", "z1"),
        label("gen", "Gt"),
        label("gen", "Gt", "1", "2"),
        label("gen", "Lt", "high"),
        label("gen", "Gt", "-3"),  # an integer, but no label value
        label("gen", "Lt", "9223372036854775808"),
        label("zone", "Equals", "z1"),
        label("-zone", "NotIn", "z1"),
        label("zone", "NotIn", "z1_"),
        label("zone", "NotIn", "z" * 64),
        label("Upper.io/zone", "DoesNotExist"),
        {**label("zone", "Exists"), **field("In", "a", "b")},
    ],
)
def test_malformed_terms_match_nothing(term: dict):
    assert matching(term) == ""


def test_malformed_term_does_not_spoil_another():
    terms = [field("In", "a", "b"), label("zone", "In", "z2")]
    spec = msgspec.convert({"affinity": required(terms)}, PodSpec)
    assert required_node_affinity_mask(columns(NODES), spec).tolist() == [False, False, True, False, False]


def test_node_selector_and_terms_must_both_match():
    spec = msgspec.convert({"nodeSelector": {"zone": "z1"}, "affinity": required([label("gen", "Gt", "3")])}, PodSpec)
    assert required_node_affinity_mask(columns(NODES), spec).tolist() == [False, True, False, False, False]


def test_node_selector_takes_any_text():
    nodes = columns({"odd": {"zone": "-z-"}, "plain": {"zone": "z"}})
    spec = PodSpec(node_selector={"zone": "-z-"})
    assert required_node_affinity_mask(nodes, spec).tolist() == [True, False]


@pytest.mark.parametrize(("spec", "expected"), [({}, True), ({"nodeSelector": {}}, True), ({"affinity": {}}, True)])
def test_no_selector_matches_all(spec: dict, expected: bool):
    assert required_node_affinity_mask(columns(NODES), msgspec.convert(spec, PodSpec)).all() == expected


@pytest.mark.parametrize("terms", [[], [{}], [{}, {}]])
def test_required_affinity_without_a_usable_term_matches_nothing(terms: list):
    spec = msgspec.convert({"affinity": required(terms)}, PodSpec)
    assert not required_node_affinity_mask(columns(NODES), spec).any()


def test_equal_selectors_share_their_mask():
    nodes = columns(NODES)
    one, two = (
        msgspec.convert({"nodeSelector": selector, "affinity": required([label("gen", "Exists")])}, PodSpec)
        for selector in ({"zone": "z1", "gpu": "yes"}, {"gpu": "yes", "zone": "z1"})
    )
    assert required_node_affinity_mask(nodes, one) is required_node_affinity_mask(nodes, two)
    other = PodSpec(node_selector={"zone": "z1", "gpu": "no"})
    assert required_node_affinity_mask(nodes, other).tolist() != required_node_affinity_mask(nodes, one).tolist()


def test_no_nodes():
    nodes = columns({})
    spec = msgspec.convert({"nodeSelector": {"zone": "z1"}, "affinity": required([field("In", "a")])}, PodSpec)
    assert required_node_affinity_mask(nodes, spec).shape == (0,)


def test_preferred_weights_add_up():
    terms = [
        {"weight": 10, "preference": label("zone", "In", "z1")},
        {"weight": 25, "preference": label("gen", "Gt", "3")},
        {"weight": 7, "preference": {}},
        {"weight": 0, "preference": label("zone", "Exists")},
    ]
    weights = preferred_weights(columns(NODES), msgspec.convert(terms, list[PreferredSchedulingTerm]))
    assert weights.tolist() == [10, 35, 0, 0, 0]  # a: zone; b: zone and gen


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0", 0),
        ("+5", 5),
        ("-12", -12),
        ("9223372036854775807", 2**63 - 1),
        ("-9223372036854775808", -(2**63)),
        ("-9223372036854775809", None),
        ("", None),
        ("+", None),
        (" 1", None),
        ("1_0", None),
        ("0x1", None),
        ("\u0663", None),  # an Arabic-Indic three, which Python's int() would take
        ("5\n", None),
    ],
)
def test_integers_are_read_as_go_does(text: str, number: int | None):
    assert parse_int64(text) == number


@pytest.mark.parametrize("key", ["", "/zone", "a b", "zone\n", "x.y-/zone", "a" * 64, "a." * 127 + "/zone"])
def test_malformed_label_keys(key: str):
    assert not is_label_key(key)


def required(terms: list[dict]) -> dict:
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}


VALUES = ["", "1", "2", "12", "-1", "x", "x-", "9223372036854775807", "9223372036854775808", "z" * 63, "z" * 64]
KEYS = ["k", "l", "example.io/k", "bad//k", "-k"]
LABELS = st.dictionaries(st.sampled_from(KEYS[:3]), st.sampled_from(VALUES), max_size=3)
FLEETS = st.lists(LABELS, min_size=1, max_size=6).map(
    lambda labels: {f"n{number}": item for number, item in enumerate(labels)}
)
OPERATORS = ["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", "Near"]


def requirements(keys: list[str], values: list[str]) -> st.SearchStrategy:
    return st.fixed_dictionaries(
        {
            "key": st.sampled_from(keys),
            "operator": st.sampled_from(OPERATORS),
            "values": st.lists(st.sampled_from(values), max_size=2),
        }
    )


TERMS = st.fixed_dictionaries(
    {},
    optional={
        "matchExpressions": st.lists(requirements(KEYS, VALUES), max_size=2),
        "matchFields": st.lists(requirements(["metadata.name", "metadata.uid"], ["n0", "n1", "n9", ""]), max_size=2),
    },
)
SPECS = st.fixed_dictionaries(
    {},
    optional={
        "nodeSelector": st.dictionaries(st.sampled_from(KEYS), st.sampled_from(VALUES), max_size=2),
        "affinity": st.lists(TERMS, max_size=3).map(required),
    },
)


@given(FLEETS, SPECS)
def test_required_affinity_against_the_oracle(fleet: dict, spec: dict):
    mask = required_node_affinity_mask(columns(fleet), msgspec.convert(spec, PodSpec))
    assert mask.tolist() == [naive.required_affinity(spec, name, labels) for name, labels in fleet.items()]


@given(FLEETS, requirements(KEYS, VALUES))
def test_each_requirement_against_the_oracle(fleet: dict, requirement: dict):
    term = {"matchExpressions": [requirement]}
    mask = term_mask(columns(fleet), msgspec.convert(term, NodeSelectorTerm))
    assert mask.tolist() == [naive.term_matches(term, name, labels) for name, labels in fleet.items()]


@given(FLEETS, st.lists(st.fixed_dictionaries({"weight": st.integers(0, 100), "preference": TERMS}), max_size=4))
def test_preferred_weights_against_the_oracle(fleet: dict, terms: list):
    weights = preferred_weights(columns(fleet), msgspec.convert(terms, list[PreferredSchedulingTerm]))
    assert weights.tolist() == [naive.preferred_weight(terms, name, labels) for name, labels in fleet.items()]
