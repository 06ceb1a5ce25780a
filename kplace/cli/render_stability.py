"""What ``kplace stability`` prints for people."""

from collections.abc import Mapping
from math import isnan
from typing import Any

import pandas as pd
from rich.console import Console
from rich.text import Text

from kplace.analysis.stability import Stability
from kplace.cli.render import amount, fit, percent, plain_table, shorten, title
from kplace.cli.text import counted, one_line

MOST_PODS = 12
MOST_WORKLOADS = 8
_FRONT = 40
"""Columns of the table of pods beside their names."""


def render_stability(console: Console, found: Stability) -> None:
    """Print what the runs agree on, which pods may stay pending, what moves, and how far metrics spread."""
    varied = f"varying {', '.join(found.vary)}" if found.vary else "varying nothing"
    outcomes = found.runs["outcome"].nunique()
    console.print(Text(f"{counted(len(found.rows), 'run')}, {varied}: {counted(outcomes, 'outcome')}", style="bold"))
    _agreement(console, found.pods)
    _doubtful(console, found.pods)
    _workloads(console, found)
    _metrics(console, found.metrics)
    console.print()


def _agreement(console: Console, pods: pd.DataFrame) -> None:
    settled = int((pods["p_node"] == 1).sum())
    never, sometimes = int((pods["p_pending"] == 1).sum()), int(_some(pods["p_pending"]).sum())
    always, evicted = int((pods["p_preempted"] == 1).sum()), int(_some(pods["p_preempted"]).sum())
    moving = int(((pods["p_placed"] == 1) & (pods["p_node"] < 1)).sum())
    kept = f"{settled:,} always on the same node, {moving:,} always on a node, but not on the same"
    console.print(Text(f"  {counted(len(pods), 'pod')}: {kept}"))
    if never or sometimes:
        console.print(Text(f"  {never:,} pending in every run, {sometimes:,} in some", style="yellow"))
    if always or evicted:
        console.print(Text(f"  {always:,} pushed out in every run, {evicted:,} in some", style="yellow"))
    placed = pods[pods["nodes"] > 0]
    if len(placed):
        nodes, likely = counted(int(placed["nodes"].median()), "node"), percent(placed["p_node"].median())
        line = f"  the median pod was on {nodes}, on the likeliest one in {likely} of the runs"
        console.print(Text(line, style="dim"))


def _some(share: pd.Series) -> pd.Series:
    return share.between(0, 1, "neither")


def _doubtful(console: Console, pods: pd.DataFrame) -> None:
    doubtful = pods[_some(pods["p_pending"]) | _some(pods["p_preempted"])]
    if not len(doubtful):
        return
    title(console, "Pods that depend on chance", "pending or pushed out in some runs, the unluckiest first")
    table = plain_table()
    table.add_column("pod", no_wrap=True)
    for name in ("pending", "pushed out", "nodes"):
        table.add_column(name, justify="right", no_wrap=True)
    unlucky = (doubtful["p_pending"] + doubtful["p_preempted"]).sort_values(ascending=False, kind="stable").index
    for row in doubtful.loc[unlucky].head(MOST_PODS).to_dict("records"):
        name = shorten(one_line(f"{row['namespace']}/{row['pod']}"), console.width - _FRONT)
        out = percent(row["p_preempted"]) if row["p_preempted"] else ""
        table.add_row(name, percent(row["p_pending"]), out, f"{row['nodes']:,}")
    fit(console, table, ("nodes",))
    console.print(table)
    _more(console, len(doubtful) - MOST_PODS, "pod", "pods")


def _workloads(console: Console, found: Stability) -> None:
    table = found.workloads
    varied = table[(table["pending_std"] > 0) | (table["skew_std"] > 0)]
    if not len(varied):
        return
    title(console, "Workloads", "those that differ: copies pending, and the most less the fewest copies in a zone")
    shown = plain_table()
    shown.add_column("workload", no_wrap=True)
    shown.add_column("pending", justify="right", no_wrap=True)
    shown.add_column("skew over zones", justify="right", no_wrap=True)
    order = varied.sort_values(["pending_std", "skew_std"], ascending=False, kind="stable")
    for row in order.head(MOST_WORKLOADS).to_dict("records"):
        name = shorten(one_line(row["workload"]), console.width - _FRONT)
        shown.add_row(name, _range(row, "pending"), _range(row, "skew"))
    fit(console, shown, ())
    console.print(shown)
    _more(console, len(varied) - MOST_WORKLOADS, "workload", "workloads")


def _range(row: Mapping[Any, Any], name: str) -> str:
    low, high = row[f"{name}_min"], row[f"{name}_max"]
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _metrics(console: Console, metrics: pd.DataFrame) -> None:
    varied = metrics[metrics["std"] > 0]
    aside = "those that differ between runs" if len(varied) else "no run differs from another"
    title(console, "Metrics", aside)
    if not len(varied):
        return
    table = plain_table()
    table.add_column("metric", overflow="fold")
    for name in ("min", "median", "max", "mean", "std"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in varied.to_dict("records"):
        values = [row[name] for name in ("min", "q50", "max", "mean", "std")]
        table.add_row(row["metric"], *(measured(row["metric"], value) for value in values))
    fit(console, table, ("median", "mean"))
    console.print(table)


def measured(metric: str, value: float) -> str:
    """A metric's value, with its unit if it is an amount of a resource.

    Examples
    --------
    >>> measured("largest_free:memory", 3.0 * 2**30), measured("imbalance:memory", 0.25)
    ('3 GiB', '0.25')
    """
    name, _, resource = metric.partition(":")
    return amount(resource, round(value)) if name == "largest_free" and not isnan(value) else number(value)


def number(value: float) -> str:
    """A metric's value: whole numbers without, others with four significant figures; a dash for none.

    Examples
    --------
    >>> number(12_000.0), number(0.123456), number(1234.56), number(float("nan"))
    ('12,000', '0.1235', '1,235', '-')
    """
    if isnan(value):
        return "-"
    if value == round(value) or abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.4g}"


def _more(console: Console, rest: int, noun: str, table: str) -> None:
    if rest > 0:
        line = f"  and {counted(rest, 'more ' + noun)}: --rows {table} --format csv lists all"
        console.print(Text(line, style="dim"))
