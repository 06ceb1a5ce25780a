"""What a candidate of `kplace tune` costs, on 500 nodes and 5,000 waiting pods.

pytest benchmarks/bench_tuning.py --benchmark-enable
"""

import pytest

import kplace

N_VECTORS = 20


@pytest.mark.parametrize("preset", ["datacenter-5k", "web"])
def test_candidates(benchmark, preset: str):
    cluster = kplace.synth(preset, nodes=500, pods=5000)
    kplace.tune(cluster, vectors=1)
    tuning = benchmark.pedantic(lambda: kplace.tune(cluster, vectors=N_VECTORS), rounds=2)
    # The first candidate has the weights as they are.
    assert len(tuning.table) == N_VECTORS + 1
    benchmark.extra_info |= {"seconds_per_candidate": benchmark.stats.stats.min / len(tuning.table)}
