"""Which runs a study consists of."""

import json
from collections import Counter
from itertools import pairwise

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kplace.sweeps.description import Range, Study
from kplace.sweeps.sampling import Axis, run_id, runs_of, varied


def study(**fields: object) -> Study:
    return msgspec.convert({"inputs": {"a": "a", "b": "b"}, **fields}, Study)


def parameters(of: Study) -> list:
    return [item for _, item in runs_of(of)]


def test_grid_is_every_combination_once_with_clusters_together():
    of = study(
        what_if={"w": {}},
        configurations={"c": {}},
        axes={
            "seed": [1, 2, 2],
            "load": {"low": 50, "high": 70, "step": 10},
            "settings": {"weight.X": [1, 2], "args.Y.z": ["q"]},
        },
    )
    found = parameters(of)
    assert len(found) == 2 * 2 * 2 * 3 * 2
    assert len({run_id(item) for item in found}) == len(found)
    clusters = [(item.input, item.what_if, item.node_scale, item.load, item.seed) for item in found]
    changes = sum(a != b for a, b in pairwise(clusters))
    assert changes == len(set(clusters)) - 1
    assert {item.configuration for item in found} == {"c"}
    assert Counter(item.settings for item in found) == {
        '{"args.Y.z":"q","weight.X":1}': 24,
        '{"args.Y.z":"q","weight.X":2}': 24,
    }
    assert varied(of) == ["input", "what_if", "load", "seed", "settings.weight.X"]


@pytest.mark.parametrize(
    ("name", "spread", "values"),
    [
        ("seed", {"low": 0, "high": 9, "step": 3}, [0, 3, 6, 9]),
        ("seed", {"low": 0, "high": 10, "step": 3}, [0, 3, 6, 9]),
        ("load", {"low": 50, "high": 51, "step": 0.1}, [50 + i / 10 for i in range(11)]),
        ("load", {"low": 50, "high": 130, "count": 3}, [50.0, 90.0, 130.0]),
        ("node_scale", {"low": 1, "high": 100, "count": 3, "log": True}, [1.0, 10.0, 100.0]),
        ("settings.weight.X", {"low": 1, "high": 3, "count": 9}, [1, 2, 3]),
        ("settings.x", {"low": 1, "high": 2.0, "count": 1}, [1.0]),
    ],
)
def test_values_of_ranges(name, spread, values):
    found = Axis(name, msgspec.convert(spread, Range)).values
    assert found == pytest.approx(values)
    assert all(isinstance(a, type(b)) for a, b in zip(found, values, strict=True))


@given(points=st.integers(1, 40), seed=st.integers(0, 1000))
def test_latin_hypercube_meets_every_part_of_every_axis_once(points, seed):
    of = study(
        sample="latin-hypercube",
        points=points,
        sample_seed=seed,
        axes={
            "input": ["a"],
            "seed": [0, 1],
            "load": {"low": 10, "high": 20},
            "node_scale": {"low": 1, "high": 100, "log": True},
            "tie_break": ["random", "first"],
        },
    )
    found = parameters(of)
    assert len(found) == 2 * points
    ones = [item for item in found if item.seed == 0]
    assert sorted(int((item.load - 10) / 10 * points) for item in ones) == list(range(points))
    first = sum(item.tie_break == "first" for item in ones)
    assert first in (points // 2, (points + 1) // 2)
    assert found == parameters(of)


def test_random_samples_follow_their_seed_and_stay_in_range():
    axes = {"load": {"low": 1, "high": 5}, "settings": {"w": {"low": 1, "high": 4}}}
    one, again, other = (
        parameters(study(sample="random", points=200, sample_seed=seed, axes=axes)) for seed in (0, 0, 1)
    )
    assert one == again
    assert one != other
    assert all(1 <= item.load <= 5 for item in one)
    assert {json.loads(item.settings)["w"] for item in one} == {1, 2, 3, 4}


def test_lists_alone_and_beside_a_grid():
    runs = [{"seed": 7}, {"input": "b", "load": 60, "settings": {"x": [1]}}, {"seed": 7}]
    axes = {"input": ["a"], "seed": [3, 7]}
    found = parameters(study(sample="list", axes=axes, run=runs))
    assert [(item.input, item.seed, item.load, item.settings) for item in found] == [
        ("a", 7, None, "{}"),
        ("b", 3, 60.0, '{"x":[1]}'),
    ]
    assert len(parameters(study(axes=axes, run=runs))) == 3
