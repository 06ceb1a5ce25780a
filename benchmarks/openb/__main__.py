"""Place the trace, print what came of it, and draw it: see the package."""

import argparse
import json
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from benchmarks.openb import published
from benchmarks.openb.chart import Axis, Line, draw
from benchmarks.openb.curves import Curves, curves
from benchmarks.openb.policies import POLICIES, Policy, Workload, run
from benchmarks.openb.trace import node_table, pod_rows, read, tuned

COLOURS = {
    "whole GPUs": "#6e7781",
    "best-fit": "#0969da",
    "best-fit, first": "#0969da",
    "FGD": "#1a7f37",
    "FGD, first": "#1a7f37",
    "FGD, 95 %": "#bc4c00",
    "FGD, 95 %, first": "#bc4c00",
}
DRAWN = ("whole GPUs", "best-fit", "FGD", "FGD, 95 %", "FGD, 95 %, first")
"""The policies that charts show: the others lie on top of one of these."""
DASHES = {"random": "", "first": "6 4"}
MEASURES = ("allocated", "handed_out", "fragmented", "fragmented_of_idle")


@dataclass(frozen=True)
class Study:
    """One list of pods on one list of nodes under one policy, several times.

    Attributes
    ----------
    table : dict of str to ndarray, shape (n_seeds, n_steps)
        By measure.
    seconds, placed : lists
        By seed.
    """

    policy: Policy
    table: dict[str, np.ndarray]
    seconds: list[float]
    placed: list[int]

    @staticmethod
    def of(policy: Policy, found: Sequence[Curves], seconds: list[float], placed: list[int]) -> "Study":
        """Put curves on top of each other, as far as all of them go."""
        steps = min(len(one.arrived) for one in found)
        table = {name: np.array([getattr(one, name)[:steps] for one in found]) for name in MEASURES}
        return Study(policy, table, seconds, placed)

    @staticmethod
    def from_record(record: dict[str, Any]) -> "Study":
        """Take up what was kept."""
        policy = next(policy for policy in POLICIES if policy.name == record["policy"])
        return Study(policy, {name: np.array(record[name]) for name in MEASURES}, record["seconds"], record["placed"])

    def record(self) -> dict[str, object]:
        """What is worth keeping."""
        rounded = {name: np.round(rows, 3).tolist() for name, rows in self.table.items()}
        return {"policy": self.policy.name, "seconds": self.seconds, "placed": self.placed} | rounded


def main() -> None:
    """Run the study."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.openb", description=__doc__)
    parser.add_argument("--data", type=Path, help="the folder of the trace's tables")
    parser.add_argument("--again", type=Path, help="figures of an earlier run, to be shown and drawn again")
    parser.add_argument("--pods", nargs="+", default=["default", "gpushare40"], help="lists of pods")
    parser.add_argument(
        "--nodes", choices=["gpu", "all"], default="gpu", help="nodes with GPUs only (as in the paper), or all"
    )
    parser.add_argument(
        "--order", choices=["drawn", "created"], default="drawn", help="in which the table's pods arrive"
    )
    parser.add_argument("--seeds", type=int, default=3, help="how many times, each with another seed")
    parser.add_argument("--load", type=float, default=1.3, help="demand for GPUs as a multiple of what there is")
    parser.add_argument("--policies", nargs="+", default=[policy.name for policy in POLICIES])
    parser.add_argument("--out", type=Path, help="file for the figures, as JSON")
    parser.add_argument("--images", type=Path, help="folder for the charts, as SVG")
    given = parser.parse_args()
    if (given.data is None) == (given.again is None):
        parser.error("either --data or --again is needed")
    record = {}
    for pods, studies in results(given):
        record[pods] = [one.record() for one in studies]
        if given.images:
            for name, chart in charts(pods, given.nodes, studies).items():
                (given.images / name).write_text(chart, encoding="utf-8")
    if given.out:
        given.out.write_text(json.dumps(record), encoding="utf-8")


def results(given: argparse.Namespace) -> Iterator[tuple[str, list[Study]]]:
    """What came of each list of pods, printed as it comes."""
    if given.again is None:
        for pods in given.pods:
            yield pods, [study(given, pods, policy) for policy in POLICIES if policy.name in given.policies]
        return
    for pods, records in json.loads(given.again.read_text(encoding="utf-8")).items():
        studies = [Study.from_record(record) for record in records]
        for one in studies:
            _print(pods, one)
        yield pods, studies


def study(given: argparse.Namespace, pods: str, policy: Policy) -> Study:
    """Run one policy with each seed, and print what came of it."""
    nodes, rows = node_table(given.data, given.nodes), pod_rows(given.data, pods)
    found, seconds, placed = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        table = read(nodes, rows, Path(folder))
        workload = Workload.of(table)
        capacity = int(table.nodes["allocatable_alibabacloud.com/gpu-milli"].sum())
        for seed in range(given.seeds):
            arrivals = tuned(rows, given.load * capacity, Random(seed), shuffled=given.order == "drawn")
            outcome = run(read(nodes, arrivals, Path(folder)), policy, workload, seed)
            found.append(curves(outcome, workload.mix))
            seconds.append(round(outcome.seconds, 2))
            placed.append(int((outcome.nodes >= 0).sum()))
    done = Study.of(policy, found, seconds, placed)
    _print(pods, done)
    return done


def _print(pods: str, done: Study) -> None:
    print(f"\n{pods}, {done.policy.name}: {done.placed} placed, {done.seconds} s")
    for name, rows in done.table.items():
        middle = np.median(rows, axis=0)
        steps = [step for step in (0, 20, 40, 60, 80, 90, 100, 110, 120, 130) if step < len(middle)]
        shown = "  ".join(f"{step}: {middle[step]:.2f}" for step in steps)
        print(f"  {name:18} {shown}  (end: {rows[:, -1].min():.2f} to {rows[:, -1].max():.2f})")


def charts(pods: str, nodes: str, studies: Sequence[Study]) -> dict[str, str]:
    """Draw the medians of all policies with the range of the seeds, and what was published."""
    arrived = Axis("arrived demand, % of the GPUs", 60, 130, 10)
    allocated = Axis("allocated, % of the GPUs", 60, 100, 5)
    fragmented = Axis("fragmented, % of the GPUs", 0, 16, 2)
    everything = Axis("arrived demand, % of the GPUs", 0, 130, 10)
    where = "1,213 nodes with GPUs" if nodes == "gpu" else "1,523 nodes"
    return {
        f"openb-{pods}-{nodes}-allocated.svg": draw(
            f"Allocated GPUs: {pods}, {where}",
            arrived,
            allocated,
            [*_lines(studies, "allocated"), *_published(pods, nodes, published.ALLOCATED)],
        ),
        f"openb-{pods}-{nodes}-fragmented.svg": draw(
            f"Fragmented GPUs: {pods}, {where}",
            everything,
            fragmented,
            [*_lines(studies, "fragmented"), *_published(pods, nodes, published.FRAGMENTED)],
        ),
    }


def _lines(studies: Sequence[Study], measure: str) -> list[Line]:
    lines = []
    for one in (one for one in studies if one.policy.name in DRAWN):
        rows = one.table[measure]
        steps = list(range(rows.shape[1]))
        low, middle, high = (np.quantile(rows, share, axis=0).tolist() for share in (0, 0.5, 1))
        name, dash = one.policy.name, DASHES[one.policy.ties]
        lines.append(Line(name, COLOURS[name], steps, middle, dash, low=low, high=high))
    return lines


def _published(pods: str, nodes: str, table: dict[tuple[str, str], tuple[float, ...]]) -> list[Line]:
    if nodes != "gpu":
        return []
    colours = {"best-fit": COLOURS["best-fit"], "FGD": COLOURS["FGD, 95 %"]}
    return [
        Line(f"published: {name}", colour, published.ARRIVED, table[pods, name], dots=True)
        for name, colour in colours.items()
        if (pods, name) in table
    ]


if __name__ == "__main__":
    main()
