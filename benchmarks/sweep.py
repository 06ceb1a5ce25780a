"""What doing runs on several processes costs: ``python -m benchmarks.sweep``.

Prints the throughput of two processes against one, the overhead of a run, the time of many tiny runs, and what the
parts of it cost that do not get faster with more workers: the scheduler, the clusters' way to the workers, the dataset.
"""

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil
import pyarrow.parquet as pq

import kplace
from benchmarks.workloads import build
from kplace.api import Cluster
from kplace.sweeps.bundle import Bundle, writing_bundle
from kplace.sweeps.dataset import table_of
from kplace.sweeps.load import load_study
from kplace.sweeps.running import Means, Watch, run_study
from kplace.sweeps.runs import Outcome
from kplace.sweeps.sampling import runs_of
from kplace.sweeps.worker import Shipment


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sweep", description=__doc__)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--long", type=int, default=24, help="runs of half a second or more")
    parser.add_argument("--tiny", type=int, default=10_000, help="runs of a tiny cluster")
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    efficiency(given.workers, given.long, given.rounds)
    tiny(given.workers, given.tiny)
    scheduler(given.workers)
    shipping()
    dataset()


def study(cluster: Cluster, runs: int, **fields: object) -> dict[str, object]:
    """So many runs of a cluster, each with its seed."""
    axes = {"seed": {"low": 0, "high": runs - 1, "step": 1}}
    return {"name": "bench", "inputs": {"cluster": cluster}, "axes": axes, **fields}


@dataclass
class Taken:
    """What runs took, from the first to the last.

    Attributes
    ----------
    wall, cpu : float
        Seconds; of processors those of all processes together.
    placing : float
        Seconds that placing took in all of them.
    """

    wall: float
    cpu: float
    placing: float = 0.0


def running(of: dict[str, object], workers: int) -> Taken:
    """What the runs of a study take, without what goes before and after."""
    marks: list[Taken] = []

    def progress(done: int, total: int) -> None:
        if done in (0, total):
            marks.append(Taken(time.perf_counter(), _cpu()))

    with tempfile.TemporaryDirectory() as folder:
        results = run_study(load_study(of), Means(out=folder, workers=workers), Watch(progress=progress))
    assert not len(results.failed), results.failed["error"].iloc[0]
    begin, end = marks
    return Taken(end.wall - begin.wall, end.cpu - begin.cpu, float(results.runs["seconds"].sum()))


def _cpu() -> float:
    """Processor seconds of this process and those below it."""
    own = psutil.Process()
    return sum(sum(process.cpu_times()[:2]) for process in [own, *own.children(recursive=True)])


def efficiency(workers: int, runs: int, rounds: int) -> None:
    """Throughput of several processes over that of one, for long runs; both in turn, several times."""
    cluster = Cluster(build("topologyspread-soft", 5_000, 120_000))
    of = study(cluster, runs)
    running(study(cluster, 2), 0)
    found = []
    for _ in range(rounds):
        alone, together = running(of, 0), running(of, workers)
        found.append((alone.wall / together.wall, workers * alone.cpu / together.cpu))
        print(
            f"{runs} runs: {alone.wall:.1f} s alone ({alone.cpu / runs:.2f} s of a processor each), "
            f"{together.wall:.1f} s with {workers} workers ({together.cpu / runs:.2f})"
        )
    walls, cpus = zip(*found, strict=True)
    print(f"throughput with {workers} workers: {max(walls):.2f} times, median {statistics.median(walls):.2f}")
    print(f"  by the processor time that was used: {statistics.median(cpus):.2f} times")


def tiny(workers: int, runs: int) -> None:
    """Many runs of a tiny cluster, from reading the study to reading its results."""
    of = study(kplace.synth("small"), runs, metrics=["scheduled", "pending", "utilisation"])
    began = time.perf_counter()
    together = running(of, workers)
    whole = time.perf_counter() - began
    print(f"{runs} runs of a tiny cluster: {whole:.1f} s, {1000 * together.wall / runs:.2f} ms each")
    few = runs // 20
    alone = running(study(kplace.synth("small"), few, metrics=["scheduled", "pending", "utilisation"]), 0)
    overhead = together.cpu / runs - alone.cpu / few
    print(
        f"  processor time of a run: {1000 * alone.cpu / few:.2f} ms alone, {1000 * overhead:.2f} ms more with workers"
    )


def nothing(_number: int) -> int:
    """A task that does nothing."""
    return 0


def scheduler(workers: int) -> None:
    """What Dask takes for a portion, whatever is in it."""
    import distributed

    started = distributed.LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None)
    with started as cluster, distributed.Client(cluster) as client:
        list(distributed.as_completed(client.map(nothing, range(100), pure=False), with_results=True))
        began = time.perf_counter()
        for _ in range(5):
            list(distributed.as_completed(client.map(nothing, range(400), pure=False), with_results=True))
        seconds = time.perf_counter() - began
    print(f"scheduler: {1e6 * seconds / 2000:.0f} microseconds a portion, {2000 / seconds:.0f} a second")


def shipping() -> None:
    """A large cluster's way to a worker."""
    columns = build("mixed", 5_000, 100_000)
    with tempfile.TemporaryDirectory() as folder, timed("bundle of 5,000 nodes and 100,000 pods written"):
        path = Path(folder) / "bundle"
        with writing_bundle(path) as bundle:
            bundle.add("input", columns)
        size = os.path.getsize(path)
        with timed(f"  {size / 2**20:.1f} MiB mapped and taken up"):
            Bundle(path).part("input")
        with timed("  compressed to be sent"):
            packed = Shipment.of_bytes(path).packed
        print(f"  compressed: {len(packed) / 2**20:.2f} MiB")


def dataset() -> None:
    """Rows of 1,000 runs with 20 metrics into a part."""
    planned = list(runs_of(load_study(study(kplace.synth("small"), 1000)).study))
    metrics = {f"utilisation:r{i}": i / 7 for i in range(20)}
    outcomes = [Outcome(run, parameters, metrics, run * 4, 0.5) for run, parameters in planned]
    with tempfile.TemporaryDirectory() as folder, timed("1,000 runs with 20 metrics written"):
        path = Path(folder) / "part.parquet"
        pq.write_table(table_of(outcomes), path)
        print(f"  {os.path.getsize(path) / 1000:.0f} bytes a run")


@contextmanager
def timed(what: str) -> Iterator[Callable[[], float]]:
    """Print how long the block took."""
    began = time.perf_counter()
    yield lambda: time.perf_counter() - began
    print(f"{what}: {1000 * (time.perf_counter() - began):.0f} ms")


if __name__ == "__main__":
    main()
