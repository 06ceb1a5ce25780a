"""Importing tables in the format of Alibaba's trace of 2018, made up: many tasks of few instances, containers beside.

pytest benchmarks/bench_importing.py --benchmark-enable
"""

from pathlib import Path

import numpy as np
import pandas as pd

import kplace

N_MACHINES, N_CONTAINERS, N_TASKS = 4000, 70_000, 46_000
INSTANCES = 930_000
"""Of all tasks, about."""


def write_tables(folder: Path) -> list[Path]:
    """Write machines, containers and tasks; requests and sizes are as spread as the published ones."""
    random = np.random.default_rng(0)
    machines = {"machine": [f"m_{i}" for i in range(N_MACHINES)], "time": 0}
    machines |= {"domain": np.arange(N_MACHINES) % 40, "rack": np.arange(N_MACHINES) % 200}
    machines |= {"cpu": 96, "memory": 100, "status": "USING"}
    containers = {
        "container": [f"c_{i}" for i in range(N_CONTAINERS)],
        "machine": [f"m_{i}" for i in random.integers(0, N_MACHINES, N_CONTAINERS)],
        "time": random.integers(0, 690_000, N_CONTAINERS),
        "app": [f"app_{i}" for i in random.zipf(1.6, N_CONTAINERS) % 5000],
        "status": "started",
        "cpu": random.choice([100, 400, 800, 1600], N_CONTAINERS),
        "limit": 1600,
        "memory": random.choice([0.78, 1.56, 3.13, 6.26], N_CONTAINERS),
    }
    begins = np.sort(random.integers(0, 690_000, N_TASKS))
    tasks = {
        "task": [f"M{i % 20}" for i in range(N_TASKS)],
        "instances": 1 + random.poisson(INSTANCES / N_TASKS - 1, N_TASKS),
        "job": [f"j_{i // 3}" for i in range(N_TASKS)],
        "type": random.integers(0, 13, N_TASKS),
        "status": "Terminated",
        "begin": begins,
        "end": begins + random.integers(1, 2000, N_TASKS),
        "cpu": random.choice([50, 100, 200, 400], N_TASKS),
        "memory": random.choice([0.2, 0.39, 0.78], N_TASKS),
    }
    paths = []
    for name, table in (("machine_meta", machines), ("container_meta", containers), ("batch_task", tasks)):
        paths.append(folder / f"{name}.csv")
        pd.DataFrame(table).to_csv(paths[-1], index=False, header=False)
    return paths


def test_a_million_pods_of_a_trace(benchmark, tmp_path):
    paths = write_tables(tmp_path)
    cluster = benchmark.pedantic(kplace.read_trace, args=("alibaba-2018", *paths), rounds=1, warmup_rounds=0)
    assert len(cluster.columns.nodes) == N_MACHINES
    benchmark.extra_info |= {"pods": len(cluster.columns.pods), "templates": len(cluster.columns.templates)}
