"""How fast a dump becomes columns, and how much memory that takes at most.

python -m benchmarks.bench_reading                    # 5,000 nodes and 100,000 pods: writes a file of about 1 GB
pytest benchmarks/bench_reading.py --benchmark-enable
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from benchmarks.dumps import DumpSize, write_dump
from kplace.io.read import read_cluster

SMALL = DumpSize(nodes=100, pods=2_000, waiting=20, apps=50)
_READ = "import sys, benchmarks.bench_reading as it; it.report(sys.argv[1])"


@pytest.fixture(scope="module", params=[4, None], ids=["kubectl", "compact"])
def dump(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("dump") / "dump.json"
    write_dump(path, SMALL, indent=request.param)
    return path


def test_reading_a_dump(benchmark, dump):
    columns = benchmark(read_cluster, dump)
    assert (len(columns.nodes), len(columns.pods)) == (SMALL.nodes, SMALL.pods)
    benchmark.extra_info["MB"] = dump.stat().st_size / 1e6


def report(path: str) -> None:
    """Read a dump and print throughput and peak memory; to be called in a process of its own."""
    size = os.path.getsize(path)
    start = time.perf_counter()
    columns = read_cluster(path)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(
        f"{len(columns.nodes)} nodes, {len(columns.pods)} pods, {size / 1e6:.0f} MB: {seconds:.2f} s, "
        f"{size / seconds / 1e6:.0f} MB/s, peak {peak / 1e6:.0f} MB ({peak / size:.2f} x the file)"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, default=DumpSize().nodes)
    parser.add_argument("--pods", type=int, default=DumpSize().pods)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--compact", action="store_true", help="without indentation, as the API server sends it")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "dump.json"
        write_dump(path, DumpSize(nodes=given.nodes, pods=given.pods), indent=None if given.compact else 4)
        for _ in range(given.repeat):
            subprocess.run([sys.executable, "-c", _READ, str(path)], check=True)


if __name__ == "__main__":
    main()
