"""What ``kplace drain`` prints for people."""

import re
from collections import Counter

from rich.console import Console
from rich.text import Text

from kplace.analysis.drain import Drain, EachDrain
from kplace.analysis.workloads import Workloads
from kplace.cli.render import NARROW, fit, plain_table, shorten, title
from kplace.cli.text import counted, one_line

MOST_NODES = 20
MOST_GROUPS = 12
_FRONT = 28
"""Columns of the table of pending pods beside their names."""
_BEYOND_REASONS = re.compile(r"\. (?=no new claims|preemption: )")
"""Where a message goes on to say that making room does not help either."""


def render_drain(console: Console, found: Drain, *, fail: bool = False) -> None:
    """Print what a drain, or a failure, comes to: pods by outcome, the nodes, what stays pending."""
    counts = found.pods["outcome"].value_counts()
    moves, pending = int(counts["moves"]), int(counts["pending"])
    parts = [Text(f"{counted(moves, 'pod')} {'moves' if moves == 1 else 'move'}", style="bold green")]
    if pending:
        parts.append(Text(f"{pending:,} {'stays' if pending == 1 else 'stay'} pending", style="bold yellow"))
    console.print(Text("  ").join(parts))
    facts = [f"{counted(len(found.order), 'node')} of {len(found.before.columns.nodes):,}"]
    if counts["daemon"]:
        daemons = int(counts["daemon"])
        facts.append(f"{counted(daemons, 'daemon')} {'ends' if daemons == 1 else 'end'} with them")
    bare = int((found.pods["owner_kind"].isna() & found.pods["outcome"].isin(["moves", "pending"])).sum())
    if bare:
        facts.append(f"{counted(bare, 'pod')} without a controller: nobody makes {'it' if bare == 1 else 'them'} anew")
    console.print(Text(", ".join(facts), style="dim"))
    _nodes(console, found, fail)
    if pending:
        _pending(console, found)
    console.print()


def _nodes(console: Console, found: Drain, fail: bool) -> None:
    if fail:
        title(console, "Nodes", "they fail all at once; disruption budgets would be in the way of a drain only")
    else:
        title(console, "Order", "nodes as they are drained")
    table = plain_table()
    for name in ("moves", "pending") if fail else ("step", "moves", "pending"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("node", overflow="fold")
    table.add_column("disruption budgets", overflow="fold")
    for row in found.nodes.head(MOST_NODES).to_dict("records"):
        waits = f"in stages: {row['budgets_waited_for']}" if row["budgets_waited_for"] else ""
        blocks = f"blocked by {row['budgets_blocking']}" if row["budgets_blocking"] else ""
        budgets = Text(", ".join(part for part in (blocks, waits) if part), style="yellow" if blocks else "")
        step = [] if fail else [f"{row['step']:,}"]
        table.add_row(*step, f"{row['moves']:,}", f"{row['pending']:,}", str(row["node"]), budgets)
    fit(console, table, () if fail else ("step",))
    console.print(table)
    _more(console, len(found.nodes) - MOST_NODES, "node")


def _pending(console: Console, found: Drain) -> None:
    """Pods without a node, those of a workload with the same reasons in one row."""
    pods = found.pods[found.pods["outcome"] == "pending"]
    workloads = Workloads(found.before.columns)
    names = workloads.names(workloads.of_pod[pods["row"].to_numpy()])
    reasons = [_BEYOND_REASONS.split(str(message))[0] for message in pods["message"]]
    groups = Counter(zip(names, reasons, strict=True))
    title(console, "Pods that find no node")
    table = plain_table()
    table.add_column("pods", justify="right", no_wrap=True)
    table.add_column("of", no_wrap=console.width >= NARROW)
    table.add_column("why", overflow="fold", style="yellow")
    for (name, reason), number in list(groups.items())[:MOST_GROUPS]:
        table.add_row(f"{number:,}", shorten(one_line(name), console.width - _FRONT), one_line(reason))
    fit(console, table, ())
    console.print(table)
    _more(console, sum(list(groups.values())[MOST_GROUPS:]), "pod")


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
