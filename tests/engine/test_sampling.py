"""How many feasible nodes are looked for, and which nodes a search visits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kplace.engine.sampling import num_feasible_nodes_to_find, search
from tests.naive import sampling as naive


@pytest.mark.parametrize(
    ("n_nodes", "percentage", "wanted"),
    [
        (0, 0, 0),
        (99, 0, 99),
        (99, 5, 99),  # small clusters are searched to the end
        (100, 0, 100),  # 50 - 100/125 = 50% are 50, but at least 100
        (300, 0, 144),  # 50 - 2 = 48%
        (1000, 0, 420),  # 50 - 8 = 42%
        (5000, 0, 500),  # 50 - 40 = 10%
        (5624, 0, 337),  # 50 - 44 = 6%
        (5625, 0, 281),  # 50 - 45 = 5%
        (10000, 0, 500),  # not below 5%
        (1000, 1, 100),
        (1000, 15, 150),
        (1000, 100, 1000),
        (1000, 250, 1000),
    ],
)
def test_number_to_find(n_nodes: int, percentage: int, wanted: int):
    assert num_feasible_nodes_to_find(n_nodes, percentage) == wanted


@given(st.integers(0, 20_000), st.integers(0, 120))
def test_number_to_find_against_the_oracle(n_nodes: int, percentage: int):
    assert num_feasible_nodes_to_find(n_nodes, percentage) == naive.wanted(n_nodes, percentage)


def visited(passes: str, start: int, want: int, nodes: list[int] | None = None) -> tuple[list[int], int]:
    """Nodes found and number evaluated, for nodes written as x (passes) and . (fails)."""
    mask = np.array([letter == "x" for letter in passes], np.bool_)
    listed = np.array(range(len(passes)) if nodes is None else nodes, np.int32)
    found, evaluated = search(mask, listed, start, want)
    return found.tolist(), evaluated


@pytest.mark.parametrize(
    ("passes", "start", "want", "expected"),
    [
        ("xxxx", 0, 4, ([0, 1, 2, 3], 4)),
        ("xxxx", 2, 4, ([2, 3, 0, 1], 4)),  # wraps around
        ("xxxx", 0, 2, ([0, 1], 2)),  # the third ends the search and is not counted
        ("xx..x", 0, 2, ([0, 1], 4)),  # the failing ones before it are
        ("xx...", 0, 2, ([0, 1], 5)),
        ("x..x.", 3, 1, ([3], 2)),  # from 3: found, 4 failed, 0 ends it
        ("....", 1, 4, ([], 4)),
        ("", 0, 0, ([], 0)),
        (".x.x", 0, 0, ([], 1)),  # none wanted: the first feasible one ends it
    ],
)
def test_search(passes: str, start: int, want: int, expected: tuple[list[int], int]):
    assert visited(passes, start, want) == expected


def test_search_of_some_nodes():
    assert visited("xx.xx", 1, 2, nodes=[4, 2, 0]) == ([0, 4], 3)
    assert visited("xxxxx", 2, 9, nodes=[4, 2, 0]) == ([0, 4, 2], 3)


@given(st.lists(st.booleans(), min_size=1, max_size=30), st.data())
def test_search_against_the_oracle(passes: list[bool], data: st.DataObject):
    nodes = data.draw(st.lists(st.integers(0, len(passes) - 1), unique=True, min_size=1))
    start, want = data.draw(st.integers(0, len(nodes) - 1)), data.draw(st.integers(0, len(passes)))
    found, evaluated = search(np.array(passes), np.array(nodes, np.int32), start, want)
    names = [str(node) for node in nodes]
    expected = naive.search(names, {str(node) for node, fits in enumerate(passes) if fits}, start, want)
    assert ([str(node) for node in found], evaluated) == expected


@given(st.lists(st.booleans(), min_size=1, max_size=40), st.integers(1, 20), st.integers(1, 12))
def test_searches_in_turn_visit_all_nodes_equally_often(passes: list[bool], want: int, rounds: int):
    """Each search begins where the one before ended: over many searches nobody is passed over."""
    mask, nodes = np.array(passes), np.arange(len(passes), dtype=np.int32)
    start, visits = 0, np.zeros(len(passes), np.int64)
    for _ in range(rounds):
        _, evaluated = search(mask, nodes, start, want)
        visits[np.arange(start, start + evaluated) % len(passes)] += 1
        start = (start + evaluated) % len(passes)
    assert visits.max() - visits.min() <= 1
