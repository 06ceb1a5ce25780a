"""Traces of many request classes, up to one for every pod; two scenarios in two threads."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from benchmarks.workloads import SOURCE, build, node, pod
from kplace.columns import ClusterBuilder, ClusterColumns
from kplace.engine.batch import place_batch
from kplace.engine.cycle import Options
from kplace.plugins.defaults import default_profile
from kplace.state import ClusterState

N_NODES = 5000
N_PODS = 100_000


def trace(n_classes: int) -> ClusterColumns:
    """Pods of so many request classes, drawn at random; or each of its own if there are as many classes as pods."""
    builder = ClusterBuilder()
    for i in range(N_NODES):
        builder.add("Node", node(i), b"{}", SOURCE)
    drawn = np.random.default_rng(0).integers(0, n_classes, N_PODS)
    classes = np.arange(N_PODS) if n_classes == N_PODS else drawn
    for i, c in enumerate(classes.tolist()):
        builder.add_pod(pod(i, cpu=f"{100 + c % 1000}m", memory=f"{200 * 1024 + c}Ki"), SOURCE)
    return builder.finish()


@pytest.mark.parametrize("n_classes", [1000, N_PODS])
def test_many_classes(benchmark, n_classes: int):
    columns = trace(n_classes)

    def setup():
        return (ClusterState(columns), [default_profile()], Options()), {}

    benchmark.pedantic(place_batch, setup=setup, rounds=3, warmup_rounds=1)
    benchmark.extra_info["pods_per_second"] = N_PODS / benchmark.stats.stats.min


@pytest.mark.parametrize("threads", [1, 2])
def test_two_scenarios(benchmark, threads: int):
    columns = build("mixed", 5000, 100_000)

    def both():
        def one(seed: int) -> None:
            place_batch(ClusterState(columns), [default_profile()], Options(seed=seed))

        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(one, (1, 2)))

    benchmark.pedantic(both, rounds=3, warmup_rounds=1)
