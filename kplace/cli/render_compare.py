"""What ``kplace compare`` prints for people."""

from math import isnan

import pandas as pd
from rich.console import Console
from rich.text import Text

from kplace.analysis.compare import Comparison
from kplace.analysis.compare.releases import SEPARATOR
from kplace.cli.render import fit, plain_table, title
from kplace.cli.text import counted, one_line

MOST_PODS = 15
_SMALL = 0.0001
"""What four decimals would show as nothing."""


def render_compare(console: Console, found: Comparison) -> None:
    """Print what two runs disagree on: pods by change and cause, and the metrics that differ."""
    counts = found.counts
    parts = [f"{number:,} {change}" for change, number in counts.items() if number]
    same = "the same nodes for all pods" + (", and the same scores" if found.is_same else "")
    console.print(Text(", ".join(parts) or same, style="bold"))
    if len(found.pods):
        _causes(console, found)
        _pods(console, found)
    _figures(console, found)
    console.print()


def _causes(console: Console, found: Comparison) -> None:
    known = found.pods[found.pods["cause"] != ""]
    if not len(known):
        return
    explained = "" if len(known) == len(found.pods) else f", of {len(known):,} of {counted(len(found.pods), 'pod')}"
    title(console, "Causes", f"what made the difference when it was the pod's turn{explained}")
    table = plain_table()
    table.add_column("pods", justify="right", no_wrap=True)
    table.add_column("cause", no_wrap=True)
    table.add_column("plugin", overflow="fold")
    sums = known.groupby(["cause", "plugin"], sort=False).size().rename("pods").reset_index()
    sums = sums.sort_values("pods", ascending=False, kind="stable")
    words = {"earlier": "follows from pods before it", "sample": "outside the sample", "draw": "equal totals, drawn"}
    words["preemption"] = "pushed out, or pushed others out"
    for row in sums.to_dict("records"):
        table.add_row(f"{row['pods']:,}", words.get(row["cause"], row["cause"]), row["plugin"])
    console.print(table)


def _pods(console: Console, found: Comparison) -> None:
    title(console, "Pods", "in the order in which they are tried")
    table = plain_table()
    for name in ("pod", "before", "after"):
        table.add_column(name, overflow="fold")
    table.add_column("why", overflow="fold")
    for row in found.pods.head(MOST_PODS).to_dict("records"):
        nodes = [row[name] if isinstance(row[name], str) else "-" for name in ("node_before", "node_after")]
        whom = f"for {row['preemptor']}" if isinstance(row["preemptor"], str) else row["plugin"]
        why = one_line(f"{row['cause']} {whom}".strip())
        table.add_row(one_line(f"{row['namespace']}/{row['pod']}"), *nodes, why)
    fit(console, table, ())
    console.print(table)
    if len(found.pods) > MOST_PODS:
        rest = counted(len(found.pods) - MOST_PODS, "more pod")
        console.print(Text(f"  and {rest}: --format csv lists all", style="dim"))


def _figures(console: Console, found: Comparison) -> None:
    changed = found.figures[found.figures["change"].fillna(0) != 0]
    if not len(changed):
        return
    title(console, "Metrics", "those that differ")
    table = plain_table()
    table.add_column("metric", overflow="fold")
    for name in ("before", "after", "change"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in changed.reset_index(names="metric").to_dict("records"):
        table.add_row(row["metric"], *(_number(row[name]) for name in ("before", "after", "change")))
    fit(console, table, ())
    console.print(table)


def _number(value: float) -> str:
    if isnan(value):
        return "-"
    if value == round(value):
        return f"{value:,.0f}"
    return f"{value:,.4f}" if abs(value) >= _SMALL else f"{value:.0e}"


def render_versions(console: Console, releases: pd.DataFrame) -> None:
    """Print what each release does otherwise than the one before."""
    table = plain_table()
    table.add_column("release", no_wrap=True)
    names = ("placed", "pending", "moved", "now_pending", "now_placed", "scores_changed", "messages_changed")
    headings = ("placed", "pending", "moved", "+pending", "+placed", "scores", "messages")
    for name in headings:
        table.add_column(name, justify="right", no_wrap=True)
    for row in releases.to_dict("records"):
        table.add_row(row["version"], *(f"{row[name]:,}" for name in names))
    console.print(table)
    for row in releases.to_dict("records"):
        for rule in filter(None, row["rules"].split(SEPARATOR)):
            console.print(Text.assemble(("  " + row["version"], "bold"), "  ", one_line(rule)))
    console.print()
