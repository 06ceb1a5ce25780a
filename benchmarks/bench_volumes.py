"""Pods with claims through the batch engine."""

import pytest

from benchmarks.volumes import build
from kplace.dtypes import PreemptionMode
from kplace.engine.batch import place_batch
from kplace.engine.cycle import Options
from kplace.plugins.defaults import default_profile
from kplace.state import ClusterState

N_NODES, N_PODS = 5000, 10_000


@pytest.mark.parametrize("kind", ["none", "bound", "wait"])
def test_claims(benchmark, kind: str):
    columns = build(kind, N_NODES, N_PODS)

    def setup():
        return (ClusterState(columns), [default_profile()], Options(preemption=PreemptionMode.OFF)), {}

    benchmark.pedantic(place_batch, setup=setup, rounds=3, warmup_rounds=1)
    benchmark.extra_info["pods_per_second"] = N_PODS / benchmark.stats.stats.min
