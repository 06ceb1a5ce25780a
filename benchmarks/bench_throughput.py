"""Throughput of both engines on every workload, and compile time apart."""

import subprocess
import sys

import pytest

from benchmarks.throughput import ENGINES, run
from benchmarks.workloads import WORKLOADS, build
from kplace.dtypes import PreemptionMode
from kplace.engine.cycle import Options
from kplace.plugins.defaults import default_profile
from kplace.state import ClusterState

SIZES = {"batch": (5000, 20_000), "cycle": (5000, 1000)}


def options_for(workload: str, percentage: int = 0) -> Options:
    """Preemptors preempt at once; the other workloads never do."""
    mode = PreemptionMode.IMMEDIATE if workload == "preemption" else PreemptionMode.OFF
    return Options(percentage_of_nodes_to_score=percentage, preemption=mode)


def bench(benchmark, workload: str, engine: str, size: tuple[int, int], percentage: int = 0) -> None:
    """Time runs on fresh states; the first, which compiles, is not counted."""
    columns = build(workload, *size)
    options = options_for(workload, percentage)
    run(build(workload, 20, 40), engine, options)

    def setup():
        return (ClusterState(columns), [default_profile()], options), {}

    placed = benchmark.pedantic(ENGINES[engine], setup=setup, rounds=3)
    tried = len(placed)
    benchmark.extra_info |= {"nodes": size[0], "pods": tried, "pods_per_second": tried / benchmark.stats.stats.min}


@pytest.mark.parametrize("workload", WORKLOADS)
@pytest.mark.parametrize("engine", ENGINES)
def test_throughput(benchmark, workload: str, engine: str):
    bench(benchmark, workload, engine, SIZES[engine])


@pytest.mark.parametrize("workload", [name for name in WORKLOADS if name not in {"preemption", "unschedulable"}])
def test_ten_times_the_nodes(benchmark, workload: str):
    bench(benchmark, workload, "batch", (50_000, 20_000))


@pytest.mark.parametrize("workload", ["basic", "taints", "nodeaffinity", "topologyspread-soft", "podantiaffinity"])
def test_full_scan(benchmark, workload: str):
    bench(benchmark, workload, "batch", (100_000, 2000), percentage=100)


def test_a_million_pods(benchmark):
    bench(benchmark, "basic", "batch", (100_000, 1_000_000))


def test_cold_compile(benchmark, tmp_path_factory):
    """Compile everything that placing needs, in a process and with a cache of its own."""
    script = "from benchmarks.throughput import main; main(['--workload', 'mixed', '--nodes', '20', '--pods', '40'])"

    def compile_once():
        cache = tmp_path_factory.mktemp("cache")
        subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, env=_environment(str(cache)))

    benchmark.pedantic(compile_once, rounds=1)


def _environment(cache: str) -> dict[str, str]:
    import os

    return {**os.environ, "KPLACE_CACHE_DIR": cache}
