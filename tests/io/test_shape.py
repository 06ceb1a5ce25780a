"""Finding every value of a wrong type."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kplace.io.shape import described, fit, join_path, key_step
from kplace.objects.core import Node, Pod
from kplace.objects.policy import PodDisruptionBudget

MALFORMED = {
    "metadata": {"name": 5, "labels": {"app": True, "example.com/tier": 1, "ok": "yes"}, "ownerReferences": {}},
    "spec": {
        "containers": [
            {"name": "a", "image": ["x"], "ports": [{"containerPort": "80"}]},
            "b",
            {"resources": {"requests": {"cpu": [1], "memory": None, "nvidia.com/gpu": {}}}},
        ],
        "hostNetwork": "yes",
        "priority": 1.5,
        "unknown": object,
    },
}


def test_every_fault_at_once_with_its_path():
    fitting, problems = fit(MALFORMED, Pod)
    assert problems == [
        ("metadata.name", "expected a string, got a number (5): put it in quotes"),
        ("metadata.labels.app", "expected a string, got a boolean (true): put it in quotes"),
        ("metadata.labels[example.com/tier]", "expected a string, got a number (1): put it in quotes"),
        ("metadata.ownerReferences", "expected a list, got an object"),
        ("spec.containers[0].image", "expected a string, got a list"),
        ("spec.containers[0].ports[0].containerPort", 'expected an integer, got a string ("80")'),
        ("spec.containers[1]", 'expected an object, got a string ("b")'),
        ("spec.containers[2].resources.requests.cpu", "expected a string or a number, got a list"),
        ("spec.containers[2].resources.requests[nvidia.com/gpu]", "expected a string or a number, got an object"),
        ("spec.priority", "expected an integer, got a number (1.5)"),
        ("spec.hostNetwork", 'expected true or false, got a string ("yes")'),
    ]
    assert msgspec.convert(fitting, Pod).metadata.labels == {"ok": "yes"}


def test_null_means_absent_everywhere():
    value = {
        "metadata": None,
        "spec": {"containers": [None, {"name": None, "image": "x"}], "nodeSelector": {"a": None, "b": "c"}},
    }
    fitting, problems = fit(value, Pod)
    assert problems == []
    assert fitting == {"spec": {"containers": [{"image": "x"}], "nodeSelector": {"b": "c"}}}


def test_whole_floats_are_integers():
    assert fit({"spec": {"priority": 3.0}}, Pod) == ({"spec": {"priority": 3}}, [])


@pytest.mark.parametrize("number", [2**63, -(2**63) - 1, 10**30])
def test_integers_beyond_64_bits(number):
    assert fit({"spec": {"priority": number}}, Pod)[1] == [
        ("spec.priority", f"expected an integer, got a number ({number})")
    ]


def test_a_number_or_a_string():
    assert fit({"spec": {"minAvailable": "50%", "maxUnavailable": 1}}, PodDisruptionBudget)[1] == []
    assert fit({"spec": {"minAvailable": [1]}}, PodDisruptionBudget)[1] == [
        ("spec.minAvailable", "expected a string or a number, got a list")
    ]


@pytest.mark.parametrize(
    ("value", "text"),
    [("x" * 100, "a string"), (None, "null"), ([1], "a list"), ({}, "an object"), (False, "a boolean (false)")],
)
def test_descriptions(value, text):
    assert described(value) == text


def test_a_quantity_may_be_larger_than_64_bits():
    fitting, problems = fit({"spec": None, "status": {"allocatable": {"memory": 10**30}}}, Node)
    assert (problems, msgspec.convert(fitting, Node).status.allocatable) == ([], {"memory": 1e30})


def test_paths():
    assert join_path(join_path(join_path("", "spec"), "[0]"), key_step("a/b")) == "spec[0][a/b]"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)
OBJECTS = st.fixed_dictionaries(
    {},
    optional={
        "metadata": JSON | st.fixed_dictionaries({}, optional={"name": JSON, "labels": JSON, "ownerReferences": JSON}),
        "spec": JSON | st.fixed_dictionaries({}, optional={"containers": JSON, "taints": JSON, "unschedulable": JSON}),
        "status": JSON | st.fixed_dictionaries({}, optional={"allocatable": JSON, "phase": JSON, "images": JSON}),
    },
)


@given(OBJECTS, st.sampled_from([Pod, Node]))
def test_what_fits_can_always_be_decoded_and_what_decodes_has_no_problem(value, kind):
    fitting, problems = fit(value, kind)
    decoded = msgspec.json.decode(msgspec.json.encode(fitting), type=kind)
    try:
        expected = msgspec.json.decode(msgspec.json.encode(value), type=kind)
    except msgspec.ValidationError:
        return
    assert (decoded, problems) == (expected, [])
