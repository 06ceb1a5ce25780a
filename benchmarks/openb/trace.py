"""The trace's tables, with the load tuned as its paper does."""

import csv
from collections.abc import Sequence
from pathlib import Path
from random import Random

import kplace
from kplace.api import Cluster

Row = dict[str, str]


def node_table(data: Path, nodes: str) -> Path:
    """The table of all nodes, or of those with GPUs: ``all`` or ``gpu``."""
    return data / f"openb_node_list_{nodes}_node.csv"


def pod_rows(data: Path, pods: str) -> list[Row]:
    """A table of pods in the order of creation; pods of one time keep the table's order."""
    with (data / f"openb_pod_list_{pods}.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    return sorted(rows, key=lambda row: int(row.get("creation_time") or 0))


def demand_milli(row: Row) -> int:
    """Thousandths of GPU that a pod takes."""
    return int(row["num_gpu"]) * int(row["gpu_milli"])


def tuned(rows: Sequence[Row], target_milli: float, random: Random, *, shuffled: bool) -> list[Row]:
    """Draw further pods from a table, with replacement, until all together would demand more than the target.

    The table's own pods arrive first.

    Parameters
    ----------
    shuffled : bool
        They do so in an order that is drawn too, instead of the table's.
    """
    found = [dict(row) for row in rows]
    if shuffled:
        random.shuffle(found)
    demand = sum(map(demand_milli, rows))
    while True:
        row = rows[random.randrange(len(rows))]
        # One device of the next pod decides, as in the paper's simulator.
        if demand + int(row["gpu_milli"]) > target_milli:
            break
        demand += demand_milli(row)
        found.append(row | {"name": f"{row['name']}-{len(found)}"})
    for i, row in enumerate(found):
        row["creation_time"] = str(i)
    return found


def read(nodes: Path, rows: Sequence[Row], scratch: Path) -> Cluster:
    """Read a cluster with its pods, which go to a table of their own first."""
    table = scratch / "pods.csv"
    with table.open("w", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]), extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)
    return kplace.read(nodes, table)
