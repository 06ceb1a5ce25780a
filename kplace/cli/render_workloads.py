"""What ``kplace bench workloads`` prints."""

from collections.abc import Sequence

import pandas as pd
from rich.console import Console

from kplace.analysis.scheduler_perf import Measured, Workload
from kplace.cli.render import plain_table
from kplace.cli.text import one_line


def rows_of(measured: Sequence[tuple[Workload, Measured | None]]) -> pd.DataFrame:
    """A row per workload; what was not measured is NA."""
    rows = [
        {
            "case": workload.case,
            "workload": workload.name,
            "labels": ",".join(sorted(workload.labels)),
            "nodes": item.nodes if item else None,
            "pods": item.pods if item else None,
            "scheduled": item.scheduled if item else None,
            "seconds": item.seconds if item else None,
            "pods_per_second": item.pods_per_second if item else None,
            "threshold": workload.threshold,
            "factor": item.factor if item else None,
        }
        for workload, item in measured
    ]
    whole = dict.fromkeys(("nodes", "pods", "scheduled"), "Int64")
    parts = dict.fromkeys(("seconds", "pods_per_second", "threshold", "factor"), "Float64")
    return pd.DataFrame(rows).astype(whole | parts)


def render_workloads(console: Console, rows: pd.DataFrame) -> None:
    """Print them as a table."""
    table = plain_table()
    table.add_column("workload", no_wrap=True)
    for name in ("nodes", "pods", "pods/s", "threshold", "times"):
        table.add_column(name, justify="right")
    for row in rows.to_dict("records"):
        numbers = [
            _number(row[name], places)
            for name, places in (("nodes", 0), ("pods", 0), ("pods_per_second", 0), ("threshold", 0), ("factor", 1))
        ]
        table.add_row(one_line(f"{row['case']}/{row['workload']}"), *numbers)
    console.print(table)


def render_list(console: Console, workloads: Sequence[Workload]) -> None:
    """Print workloads that have not been run as a table."""
    table = plain_table()
    table.add_column("workload", no_wrap=True)
    table.add_column("labels")
    table.add_column("threshold", justify="right", no_wrap=True)
    for workload in workloads:
        labels = ", ".join(sorted(workload.labels))
        threshold = "" if workload.threshold is None else _number(workload.threshold, 0)
        table.add_row(one_line(workload.title), one_line(labels), threshold)
    console.print(table)


def _number(value: float, places: int) -> str:
    return "" if pd.isna(value) else f"{value:,.{places}f}"
