"""Making a cluster, keeping it, reading it back: ``python -m benchmarks.synth --preset datacenter-100k``.

The best of several runs counts; imports are not part of it.
"""

import argparse
import json
import tempfile
import time
from pathlib import Path

import kplace
from benchmarks.throughput import peak_memory_bytes
from kplace.synthesis import PRESETS, generate, load_description


def timed(work, repeat: int):
    """The best time of several runs, and what the last one gave."""
    best = float("inf")
    for _ in range(repeat):
        started = time.perf_counter()
        result = work()
        best = min(best, time.perf_counter() - started)
    return best, result


def measure(preset: str, repeat: int) -> dict[str, float | int | str]:
    """Figures of one preset."""
    description = load_description(preset)
    make_seconds, columns = timed(lambda: generate(description, 0), repeat)
    cluster = kplace.Cluster(columns)
    with tempfile.TemporaryDirectory() as folder:
        paths = iter([Path(folder, f"{i}.parquet") for i in range(repeat)])
        write_seconds, _ = timed(lambda: cluster.to_snapshot(next(paths)), repeat)
        read_seconds, _ = timed(lambda: kplace.read(Path(folder, "0.parquet")), repeat)
        size = sum(file.stat().st_size for file in Path(folder, "0.parquet").iterdir())
    return {
        "preset": preset,
        "nodes": len(columns.nodes),
        "pods": len(columns.pods),
        "templates": len(columns.templates),
        "make_seconds": round(make_seconds, 3),
        "write_seconds": round(write_seconds, 3),
        "read_seconds": round(read_seconds, 3),
        "snapshot_bytes": size,
        "peak_memory_bytes": peak_memory_bytes(),
    }


def main(arguments: list[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.synth", description=__doc__.splitlines()[0])
    parser.add_argument("--preset", choices=PRESETS, default="datacenter-100k")
    parser.add_argument("--repeat", type=int, default=3, help="the best of so many runs counts")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    given = parser.parse_args(arguments)
    figures = measure(given.preset, given.repeat)
    if given.json:
        print(json.dumps(figures))
        return
    for name, value in figures.items():
        print(f"{name:>20}  {value:,}" if isinstance(value, int | float) else f"{name:>20}  {value}")


if __name__ == "__main__":
    main()
