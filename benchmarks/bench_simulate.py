"""A simulated day by both engines."""

import pytest

from benchmarks.simulate import day_arrivals, day_nodes, run

N_NODES = 2000
N_ARRIVALS = 100_000


@pytest.mark.parametrize("engine", ["batch", "cycle"])
def test_a_day(benchmark, engine: str):
    cluster, arrivals = day_nodes(N_NODES), day_arrivals(N_ARRIVALS, N_NODES)
    run(day_nodes(20), day_arrivals(400, 20), engine)
    found = benchmark.pedantic(run, args=(cluster, arrivals, engine), rounds=1)
    benchmark.extra_info |= {"attempts": len(found.history.placements)}
