"""The trace by its own times: ``python -m benchmarks.openb.replay --data FOLDER --images FOLDER``.

Pods arrive when they were created and leave when they were deleted, whether or not they have found a node by then. The
tables hold few pods of any one time for so many nodes: only every so many-th node is taken. Drawn is the end of the
trace, where nearly all of its pods are.
"""

import argparse
import time
from pathlib import Path

import pandas as pd

import kplace
from benchmarks.openb.chart import Axis, Line, draw
from kplace.frames.openb import openb_nodes

DAY = 86_400
SHOWN_DAYS = 35
STEP = 3600
RESOURCES = {
    "utilisation_cpu_milli": ("cpu", "#0969da"),
    "utilisation_memory_bytes": ("memory", "#1a7f37"),
    "utilisation_alibabacloud.com/gpu-milli": ("GPUs", "#bc4c00"),
}
WAITING = {"unschedulable": ("no node would do", "#bc4c00"), "bound": ("on nodes", "#0969da")}


def replay(nodes: Path, pods: Path, every: int, seed: int) -> "kplace.History":
    """Simulate the trace on every so many-th of its nodes."""
    table = pd.read_csv(nodes).sort_values("sn").iloc[::every]
    cluster = kplace.Cluster.from_frames(openb_nodes(table))
    return kplace.simulate(cluster, arrivals=pd.read_csv(pods), seed=seed, step=STEP)


def charts(history: "kplace.History") -> dict[str, str]:
    """Draw the end of the timeline, by file name."""
    timeline = history.timeline
    begin = (timeline["at"].max() // DAY - SHOWN_DAYS) * DAY
    shown = timeline[timeline["at"] >= begin]
    days = ((shown["at"] - begin) / DAY).tolist()
    x = Axis("days", 0, SHOWN_DAYS, 5)
    used = [
        Line(name, colour, days, (100 * shown[column]).tolist())
        for column, (name, colour) in RESOURCES.items()
        if column in shown
    ]
    waiting = [Line(name, colour, days, shown[column].tolist()) for column, (name, colour) in WAITING.items()]
    most = max(max(line.y) for line in waiting)
    step = max(round(most / 50) * 10, 1)
    return {
        "openb-replay-utilisation.svg": draw(
            "OpenB by its own times: requested of allocatable", x, Axis("requested, %", 0, 100, 20), used
        ),
        "openb-replay-waiting.svg": draw(
            "OpenB by its own times: pods", x, Axis("pods", 0, step * (int(most) // step + 1), step), waiting
        ),
    }


def main() -> None:
    """Simulate, print what came of it, and draw it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.openb.replay", description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="the folder of the trace's tables")
    parser.add_argument("--pods", default="default", help="list of pods")
    parser.add_argument("--every", type=int, default=130, help="take every so many-th node")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--images", type=Path, help="folder for the charts, as SVG")
    given = parser.parse_args()
    started = time.perf_counter()
    history = replay(
        given.data / "openb_node_list_all_node.csv",
        given.data / f"openb_pod_list_{given.pods}.csv",
        given.every,
        given.seed,
    )
    print(f"{history!r} in {time.perf_counter() - started:.1f} s")
    wait = history.pods["queueing"].dropna()
    print(f"queueing: median {wait.median():g} s, longest {wait.max():,.0f} s, {int((wait > 0).sum()):,} pods waited")
    print(f"never bound: {int(history.pods['bound'].isna().sum()):,}")
    if given.images:
        for name, chart in charts(history).items():
            (given.images / name).write_text(chart, encoding="utf-8")


if __name__ == "__main__":
    main()
