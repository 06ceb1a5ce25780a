"""The snapshot's node order: zones take turns."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kplace.columns.node_order import snapshot_order, zone_key
from tests.naive import node_order as naive

ZONE, REGION = "topology.kubernetes.io/zone", "topology.kubernetes.io/region"
OLD_ZONE, OLD_REGION = "failure-domain.beta.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/region"


@pytest.mark.parametrize(
    ("zones", "order"),
    [
        ("", []),
        ("aaa", [0, 1, 2]),
        ("aaabb", [0, 3, 1, 4, 2]),
        ("bab", [0, 1, 2]),  # b came first
        ("abcabca", [0, 1, 2, 3, 4, 5, 6]),
        ("caabbb", [0, 1, 3, 2, 4, 5]),  # c is exhausted after the first round, a after the second
    ],
)
def test_order(zones: str, order: list[int]):
    assert snapshot_order(list(zones)) == order


@pytest.mark.parametrize(
    ("labels", "key"),
    [
        ({}, ""),
        ({"zone": "a"}, ""),
        ({ZONE: "a"}, ":\0:a"),
        ({REGION: "r"}, "r:\0:"),
        ({REGION: "r", ZONE: "a"}, "r:\0:a"),
        ({OLD_ZONE: "old", ZONE: "a"}, ":\0:old"),  # the beta labels win
        ({OLD_REGION: "old", REGION: "r", ZONE: "a"}, "old:\0:a"),
        ({ZONE: "", REGION: ""}, ""),
    ],
)
def test_zone_key(labels: dict[str, str], key: str):
    assert zone_key(labels) == key


LABELS = st.dictionaries(st.sampled_from([ZONE, REGION, OLD_ZONE, OLD_REGION]), st.sampled_from(["", "a", "b"]))


@given(st.lists(LABELS, max_size=12))
def test_against_the_oracle(fleet: list[dict[str, str]]):
    names = [f"n{number}" for number in range(len(fleet))]
    order = snapshot_order([zone_key(labels) for labels in fleet])
    assert [names[position] for position in order] == naive.listed(list(zip(names, fleet, strict=True)))
