"""Both engines on every golden case: equal results, by hash and row by row."""

import numpy as np
import pytest

import kplace
from tests.conformance.golden import Golden


@pytest.mark.parametrize("tie_break", ["first", "random"])
def test_both_engines_agree(case: Golden, tie_break: str):
    cluster = kplace.read(case.path)
    batch, cycle = (kplace.place(cluster, tie_break=tie_break, engine=engine) for engine in ("batch", "cycle"))
    assert batch.result_hash == cycle.result_hash
    for column in ("feasible", "runner_up", "ties", "attempt", "status"):
        assert np.array_equal(getattr(batch.columns, column), getattr(cycle.columns, column)), column
    assert batch.columns.messages == cycle.columns.messages
