"""What ``kplace drain`` prints for people."""

import pandas as pd
from rich.console import Console
from rich.text import Text

from kplace.analysis.drain import Drain, EachDrain
from kplace.cli.render import NARROW, fit, plain_table, shorten, title
from kplace.cli.text import counted, one_line

MOST_NODES = 20
MOST_PODS = 12
_FRONT = 28
"""Columns of the table of pending pods beside their names."""


def render_drain(console: Console, found: Drain) -> None:
    """Print what a drain comes to: pods by outcome, the order of the nodes, what stays pending."""
    counts = found.pods["outcome"].value_counts()
    parts = [Text(f"{counts['moves']:,} pods move", style="bold green")]
    if counts["pending"]:
        parts.append(Text(f"{counts['pending']:,} stay pending", style="bold yellow"))
    console.print(Text("  ").join(parts))
    facts = [f"{counted(len(found.order), 'node')} of {len(found.before.columns.nodes):,}"]
    if counts["daemon"]:
        facts.append(f"{counted(int(counts['daemon']), 'daemon')} end with them")
    bare = int((found.pods["owner_kind"].isna() & found.pods["outcome"].isin(["moves", "pending"])).sum())
    if bare:
        facts.append(f"{counted(bare, 'pod')} without a controller: nobody makes them anew")
    console.print(Text(", ".join(facts), style="dim"))
    _order(console, found)
    if counts["pending"]:
        _pending(console, found.pods[found.pods["outcome"] == "pending"])
    console.print()


def _order(console: Console, found: Drain) -> None:
    title(console, "Order", "nodes as they are drained")
    table = plain_table()
    for name in ("step", "moves", "pending"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("node", overflow="fold")
    table.add_column("disruption budgets", overflow="fold")
    for row in found.nodes.head(MOST_NODES).to_dict("records"):
        waits = f"in stages: {row['budgets_waited_for']}" if row["budgets_waited_for"] else ""
        blocks = f"blocked by {row['budgets_blocking']}" if row["budgets_blocking"] else ""
        budgets = Text(", ".join(part for part in (blocks, waits) if part), style="yellow" if blocks else "")
        table.add_row(f"{row['step']:,}", f"{row['moves']:,}", f"{row['pending']:,}", str(row["node"]), budgets)
    fit(console, table, ("step",))
    console.print(table)
    _more(console, len(found.nodes) - MOST_NODES, "node")


def _pending(console: Console, pods: pd.DataFrame) -> None:
    title(console, "Pods that find no node")
    table = plain_table()
    table.add_column("pod", no_wrap=console.width >= NARROW)
    table.add_column("why", overflow="fold", style="yellow")
    for row in pods.head(MOST_PODS).to_dict("records"):
        name = shorten(f"{row['namespace']}/{row['pod']}", console.width - _FRONT)
        table.add_row(name, one_line(row["message"]))
    fit(console, table, ())
    console.print(table)
    _more(console, len(pods) - MOST_PODS, "pod")


def render_each(console: Console, found: EachDrain) -> None:
    """Print which nodes could go by themselves, and how many together."""
    nodes = found.nodes
    able = int(nodes["can_go"].sum())
    console.print(Text(f"{able:,} of {counted(len(nodes), 'node')} can go by themselves", style="bold"))
    most = len(nodes) - found.at_least
    together = (
        f"{len(found.together):,} of them together, one after another; no more than {most:,} could, however one packs"
    )
    console.print(Text(together, style="dim"))
    title(console, "Nodes", "the freest first")
    table = plain_table()
    for name in ("pods", "pending"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("node", overflow="fold")
    table.add_column("zone", no_wrap=True)
    table.add_column("", no_wrap=True)
    order = nodes.sort_values(
        ["in_set", "can_go", "pending", "pods"], ascending=[False, False, True, True], kind="stable"
    )
    for row in order.head(MOST_NODES).to_dict("records"):
        zone = row["zone"] if isinstance(row["zone"], str) else ""
        table.add_row(
            f"{row['pods']:,}",
            f"{row['pending']:,}",
            str(row["node"]),
            zone,
            _verdict(row["in_set"], row["can_go"], row["budgets_blocking"]),
        )
    fit(console, table, ("zone",))
    console.print(table)
    _more(console, len(nodes) - MOST_NODES, "node")
    console.print()


def _verdict(in_set: bool, can_go: bool, blocking: int) -> Text:
    if in_set:
        return Text("can go, with the others of the set", style="green")
    if can_go:
        return Text("can go alone")
    return Text("a disruption budget blocks it" if blocking else "", style="yellow")


def _more(console: Console, number: int, noun: str) -> None:
    if number > 0:
        console.print(Text(f"  and {counted(number, 'more ' + noun)}: --format csv lists all", style="dim"))
