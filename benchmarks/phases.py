"""Where the time of the fused loop goes: ``python -m benchmarks.phases --workload mixed --nodes 5000``.

Half of a workload is placed; then each phase of the next pods' decisions is run many times over on what stands there,
in a compiled loop of its own. Beside a phase's time stands what its window would take if each byte of its columns had
just to be read and written once, at the speed of this machine's caches.
"""

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.throughput import PROBE_NODES, probe_ns
from benchmarks.workloads import WORKLOADS, build
from kplace._jit import bare_kernel
from kplace.dtypes import NO_NODE
from kplace.engine.cycle import Options
from kplace.engine.fused.choose import find_best, nth_best
from kplace.engine.fused.engine import FusedEngine, empty_results
from kplace.engine.fused.layout import ROW, SEEN, STANDS, Run
from kplace.engine.fused.loop import Placing, place
from kplace.engine.fused.plain import best_of_window, nth_of_window, search_row
from kplace.engine.fused.rows import take_in
from kplace.engine.fused.scores import add_up
from kplace.engine.fused.window import search
from kplace.plugins.defaults import default_profile
from kplace.state import ClusterState

TIMES = 400
"""How often a phase is run for each pod that is looked at."""
PODS = 50
"""Pods of the second half that are looked at."""
BYTES_PER_NODE = {"search": 3, "scores": 7, "choice": 8}
"""Least that a phase moves for each node of a window: base and mark; base, mark and total; totals twice."""


@bare_kernel
def times_refresh(run: Run, c: int, times: int) -> int:
    """Bring a row up to date with one touched node, again and again."""
    for _ in range(times):
        run.rows.table[SEEN, c] -= 1
        take_in(run.cells, run.rows, run.log, c)
    return 0


@bare_kernel
def times_search(run: Run, pod: tuple[int, int], start: int, want: int, times: int) -> int:
    """Look for the window again and again."""
    base = run.rows.base[run.rows.table[ROW, pod[1]]]
    total = 0
    for _ in range(times):
        total += search(run, pod, base, True, start, want).evaluated
    return total


@bare_kernel
def times_scores(run: Run, pod: tuple[int, int], start: int, want: int, times: int) -> int:
    """Add up the window's scores again and again."""
    base = run.rows.base[run.rows.table[ROW, pod[1]]]
    seen = search(run, pod, base, True, start, want)
    for i in range(times):
        add_up(run, pod[0], base, seen, (np.int64(1) << 40) + i)
    return seen.evaluated


@bare_kernel
def times_choice(run: Run, pod: tuple[int, int], start: int, want: int, times: int) -> int:
    """Choose the best of the window again and again."""
    base = run.rows.base[run.rows.table[ROW, pod[1]]]
    seen = search(run, pod, base, True, start, want)
    add_up(run, pod[0], base, seen, np.int64(1) << 41)
    total = 0
    for _ in range(times):
        best = find_best(run.scratch.total, seen)
        total += nth_best(run.scratch.total, seen, best.total, best.ties // 2)
    return total


@bare_kernel
def times_ready(run: Run, pod: tuple[int, int], start: int, want: int, times: int) -> int:
    """Search and choose by totals that stand ready, again and again."""
    row = run.rows.table[ROW, pod[1]]
    base, blocks = run.rows.base[row], run.rows.blocks[row]
    total = 0
    for _ in range(times):
        seen = search_row(base, blocks, start, want)
        best = best_of_window(base, blocks, seen)
        total += nth_of_window(base, blocks, seen, best.top, best.ties // 2)
    return total


@bare_kernel
def times_place(run: Run, placing: Placing, t: int, n: int, times: int) -> int:
    """Put a pod on a node and take it off, again and again."""
    for _ in range(times):
        place(run, placing, t, n, np.int64(1))
        place(run, placing, t, n, np.int64(-1))
        run.log.clock[0] -= 2
    return 0


def nanoseconds(call: Callable[..., int], *arguments: Any) -> float:
    """Time of one repetition, the best of a few calls."""
    best = float("inf")
    for _ in range(5):
        started = time.perf_counter_ns()
        call(*arguments, TIMES)
        best = min(best, time.perf_counter_ns() - started)
    return best / TIMES


def phases(workload: str, nodes: int, pods: int) -> dict[str, list[float]]:
    """Nanoseconds of each phase for the pods looked at, and under ``evaluated`` how many nodes their windows have."""
    state = ClusterState(build(workload, nodes, pods))
    queue = np.flatnonzero(state.columns.pods.node == NO_NODE).astype(np.int32)
    engine = FusedEngine(state, default_profile(), Options(), queue)
    results = empty_results(len(queue), 0)
    half = len(queue) // 2
    stop = engine.advance(results, 0, half)
    run, placing, want = engine._run, engine._placing, engine._search.want
    found: dict[str, list[float]] = {}
    start = int(results.next_start[stop.position - 1])
    for position in range(stop.position, min(stop.position + PODS, len(queue))):
        t = int(state.columns.pods.template[queue[position]])
        pod = int(run.templates.shape[t]), int(run.templates.class_of[t])
        if pod[1] < 0 or run.rows.table[ROW, pod[1]] < 0:
            continue
        take_in_all(run, pod[1])
        timed = {
            "refresh of one node": nanoseconds(times_refresh, run, pod[1]),
            "search": nanoseconds(times_search, run, pod, start, want),
            "scores": nanoseconds(times_scores, run, pod, start, want),
            "choice": nanoseconds(times_choice, run, pod, start, want),
            "placing and log": nanoseconds(times_place, run, placing, t, int(results.node[stop.position - 1])) / 2,
            "evaluated": times_search(run, pod, start, want, 1),
        }
        if run.rows.table[STANDS, pod[1]]:
            timed["by ready totals instead"] = nanoseconds(times_ready, run, pod, start, want)
        for name, value in timed.items():
            found.setdefault(name, []).append(value)
    return found


@bare_kernel
def take_in_all(run: Run, c: int) -> None:
    """Bring a class's row up to date."""
    take_in(run.cells, run.rows, run.log, c)


def bytes_per_ns() -> float:
    """How fast 64 KiB are copied within the caches: bytes read and written."""
    source = np.zeros(64 * 1024, np.int8)
    target = np.empty_like(source)
    best = float("inf")
    for _ in range(200):
        started = time.perf_counter_ns()
        for _ in range(10):
            np.copyto(target, source)
        best = min(best, (time.perf_counter_ns() - started) / 10)
    return 2 * source.size / best


def main() -> None:
    """Print the table of one workload, or of all."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.phases", description=__doc__.splitlines()[0])
    parser.add_argument("--workload", choices=[*WORKLOADS, "all"], default="all")
    parser.add_argument("--nodes", type=int, default=5000)
    parser.add_argument("--pods", type=int, default=4000)
    given = parser.parse_args()
    speed = bytes_per_ns()
    print(
        f"copying within the caches: {speed:.0f} bytes/ns; a maximum over {PROBE_NODES:,} int16: {probe_ns():,.0f} ns"
    )
    skipped = {"unschedulable", "preemption"}
    names = [name for name in WORKLOADS if name not in skipped] if given.workload == "all" else [given.workload]
    for name in names:
        found = {phase: float(np.mean(values)) for phase, values in phases(name, given.nodes, given.pods).items()}
        evaluated = found.pop("evaluated", 0.0)
        print(f"\n{name}: {evaluated:,.0f} nodes evaluated a pod")
        for phase, value in found.items():
            least = BYTES_PER_NODE.get(phase, 0) * evaluated / speed
            print(f"  {phase:<24} {value:8,.0f} ns" + (f"   {least:6,.0f} ns to move its bytes" if least else ""))


if __name__ == "__main__":
    main()
