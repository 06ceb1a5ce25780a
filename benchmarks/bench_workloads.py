"""Throughput on kplace's own descriptions of the scheduler_perf workloads, at the published sizes.

pytest benchmarks/bench_workloads.py --benchmark-enable
"""

import pytest

from kplace.analysis.scheduler_perf import own_workloads, run_workload

PERFORMANCE = [item for item in own_workloads() if "performance" in item.labels]


@pytest.mark.parametrize("workload", PERFORMANCE, ids=lambda item: item.title)
def test_workload(benchmark, workload):
    small = next(item for item in own_workloads() if item.case == workload.case and "short" in item.labels)
    run_workload(small)
    measured = benchmark.pedantic(run_workload, args=(workload,), rounds=1)
    assert measured.scheduled == measured.pods
    benchmark.extra_info |= {"pods_per_second": measured.pods_per_second, "threshold": workload.threshold}
