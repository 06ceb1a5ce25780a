"""A simulated day: ``python -m benchmarks.simulate --nodes 2000 --arrivals 100000``.

Pods arrive over a day, more of them at noon than at midnight, run for a while and leave. At noon the cluster is nearly
full: large pods wait then, and pods of a high priority push others out. Everything is drawn by a seed.
"""

import argparse
import hashlib
import json
import time
from dataclasses import dataclass

import numpy as np
import pandas as pd

import kplace
from benchmarks.throughput import peak_memory_bytes, probe_ns

DAY = 86_400
CPU = 32
"""Cores of a node."""
SIZES = pd.DataFrame(
    {
        "cpu": ["500m", "1", "2", "4", "8", "16"],
        "memory": ["1Gi", "4Gi", "4Gi", "16Gi", "32Gi", "32Gi"],
        "cores": [0.5, 1, 2, 4, 8, 16],
        "share": [0.2, 0.25, 0.2, 0.2, 0.1, 0.05],
    }
)
LOAD = 0.62
"""Of all cores, on average over the day."""
SWING = 0.5
"""Of the rate of arrivals around its mean."""


@dataclass(frozen=True)
class Figures:
    """What a day came to."""

    history: "kplace.History"
    seconds: float


def day_nodes(n_nodes: int) -> "kplace.Cluster":
    """A cluster of equal nodes in three zones, every fifth of them for pods that tolerate its taint."""
    return kplace.Cluster.from_frames(
        pd.DataFrame(
            {
                "node": [f"node-{i:05d}" for i in range(n_nodes)],
                "cpu": str(CPU),
                "memory": "128Gi",
                "pods": 110,
                "labels": [
                    {"kubernetes.io/hostname": f"node-{i:05d}", "topology.kubernetes.io/zone": f"zone-{i % 3}"}
                    for i in range(n_nodes)
                ],
                "taints": ["dedicated=batch:NoSchedule" if i % 5 == 0 else "" for i in range(n_nodes)],
            }
        )
    )


def day_arrivals(n_pods: int, n_nodes: int, seed: int = 0) -> pd.DataFrame:
    """The pods of a day as a table of arrivals, in order of time."""
    random = np.random.default_rng(seed)
    at = arrival_times(random, n_pods)
    size = random.choice(len(SIZES), n_pods, p=SIZES["share"])
    mean_cores = float((SIZES["cores"] * SIZES["share"]).sum())
    mean_length = LOAD * n_nodes * CPU * DAY / (n_pods * mean_cores)
    batch = random.random(n_pods) < 0.5
    table = pd.DataFrame(
        {
            "pod": [f"pod-{i:06d}" for i in range(n_pods)],
            "cpu": SIZES["cpu"].to_numpy()[size],
            "memory": SIZES["memory"].to_numpy()[size],
            "priority": random.choice([0, 0, 0, 100, 1000], n_pods),
            "tolerations": np.where(batch, "dedicated=batch:NoSchedule", ""),
            "at": at.round(3),
            "lasts": np.maximum(random.exponential(mean_length, n_pods), 1).round(3),
        }
    )
    return table


def arrival_times(random: np.random.Generator, n_pods: int) -> np.ndarray:
    """Sorted times of a day whose rate swings around its mean as a cosine, lowest at midnight."""
    times = np.linspace(0, DAY, 4097)
    expected = times / DAY - SWING * np.sin(2 * np.pi * times / DAY) / (2 * np.pi)
    return np.sort(np.interp(random.random(n_pods), expected, times))


def run(cluster: "kplace.Cluster", arrivals: pd.DataFrame, engine: str = "batch", seed: int = 0) -> Figures:
    """Simulate a day."""
    started = time.perf_counter()
    history = kplace.simulate(cluster, arrivals=arrivals, until=DAY, seed=seed, step=300, engine=engine)
    return Figures(history, time.perf_counter() - started)


def history_hash(history: "kplace.History") -> str:
    """Hash of everything that is kept of a simulation."""
    digest = hashlib.sha256()
    for table in (history.placements, history.events, history.pods, history.timeline):
        digest.update(pd.util.hash_pandas_object(table.astype(str), index=False).to_numpy().tobytes())
    return digest.hexdigest()


def main(arguments: list[str] | None = None) -> None:
    """Measure a day and print its figures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.simulate", description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, default=2000)
    parser.add_argument("--arrivals", type=int, default=100_000)
    parser.add_argument("--engine", choices=["batch", "cycle"], default="batch")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    given = parser.parse_args(arguments)
    run(day_nodes(20), day_arrivals(1000, 20), given.engine)
    found = run(day_nodes(given.nodes), day_arrivals(given.arrivals, given.nodes, given.seed), given.engine, given.seed)
    history = found.history
    figures = {
        "nodes": given.nodes,
        "arrivals": given.arrivals,
        "engine": given.engine,
        "seed": given.seed,
        "seconds": round(found.seconds, 2),
        "attempts": len(history.placements),
        "bound": int(history.pods["bound"].notna().sum()),
        "preempted": int((history.events["reason"] == "Preempted").sum()),
        "attempts_per_second": round(len(history.placements) / found.seconds),
        "highest_cpu": round(float(history.timeline["utilisation_cpu_milli"].max()), 3),
        "most_waiting": int((history.timeline["unschedulable"] + history.timeline["backoff"]).max()),
        "peak_memory_bytes": peak_memory_bytes(),
        "history_hash": history_hash(history),
    }
    if given.json:
        print(json.dumps(figures))
        return
    for name, value in figures.items():
        print(f"{name:>20}  {value:,}" if isinstance(value, int | float) else f"{name:>20}  {value}")
    print(f"{'probe':>20}  {probe_ns():,.0f} ns for a maximum over 5,000 int16")


if __name__ == "__main__":
    main()
