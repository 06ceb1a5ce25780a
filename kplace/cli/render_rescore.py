"""What ``kplace rescore`` prints for people."""

from collections.abc import Hashable, Mapping
from typing import Any

import pandas as pd
from rich.console import Console
from rich.text import Text

from kplace.analysis.rescore import Rescore
from kplace.cli.render import NARROW, fit, plain_table, shorten, title
from kplace.cli.text import counted, one_line

_SHOWN = ("nodes used", "stddev cpu", "stddev memory", "stranded cpu", "stranded memory", "spread constraints broken")
"""The figures that are shown; all are in `Rescore.figures`."""
_SHARES = ("stddev", "stranded")


def render_rescore(console: Console, found: Rescore, top: int) -> None:
    """Print how many pods would move, because of which plugins, which they are, and which moves do most.

    Parameters
    ----------
    top : int
        Rows of each table at the most.
    """
    if not len(found.rows):
        console.print(Text("no pod on a node could be elsewhere", style="bold yellow"))
        console.print(Text("pods of DaemonSets, static pods and pods that wait have no say", style="dim"))
        console.print()
        return
    drifted, regret = found.standing
    head = f"{found.would_move:,} of {counted(len(found.rows), 'pod')} would move today"
    console.print(Text(head, style="bold yellow" if found.would_move else "bold green"))
    facts = f"regret {regret:,} in all"
    if drifted:
        facts += f", {counted(drifted, 'pod')} on nodes that a filter rejects now"
    console.print(Text(facts, style="dim"))
    pending = int((found.pods["outcome"] == "pending").sum())
    if pending:
        console.print(Text(f"{counted(pending, 'pod')} would find no node", style="yellow"))
    if drifted or regret:
        _plugins(console, found)
        _pods(console, found.pods, top)
        _workloads(console, found.workloads, top)
    if len(found.moves):
        _moves(console, found, top)
        _figures(console, found)
    elif found.greedy.ended and (drifted or regret):
        title(console, "Moves")
        console.print(Text("  no single move lowers the regret of all pods, or mends more than it breaks"))
    console.print()


def _plugins(console: Console, found: Rescore) -> None:
    rows = found.by_plugin
    rows = rows[(rows["decides"] > 0) | (rows["difference"] != 0) | (rows["rejects"] > 0)]
    title(console, "Plugins", "best node less own node, weighted; for how many pods each decides, or rejects the node")
    table = plain_table()
    for name in ("difference", "decides", "rejects"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("plugin", no_wrap=True)
    for row in rows.to_dict("records"):
        rejects = f"{row['rejects']:,}" if row["rejects"] else ""
        table.add_row(f"{row['difference']:,}", f"{row['decides']:,}", rejects, one_line(row["plugin"]))
    fit(console, table, ("rejects",))
    console.print(table)


def _pods(console: Console, pods: pd.DataFrame, top: int) -> None:
    rows = pods[pods["outcome"] != "stays"]
    title(console, "Pods", "those with most to gain first")
    table = plain_table()
    table.add_column("regret", justify="right", no_wrap=True)
    table.add_column("pod", no_wrap=console.width >= NARROW)
    table.add_column("node", overflow="fold")
    table.add_column("best node", overflow="fold")
    table.add_column("why", overflow="fold")
    for row in rows.head(top).to_dict("records"):
        name = shorten(f"{row['namespace']}/{row['pod']}", console.width // 2)
        table.add_row(
            "" if pd.isna(row["regret"]) else f"{row['regret']:,}", name, str(row["node"]), _where(row), _why(row)
        )
    fit(console, table, ("node",))
    console.print(table)
    _more(console, len(rows) - top, "pod", "pods")


def _where(row: Mapping[Hashable, Any]) -> Text:
    if row["outcome"] == "pending":
        return Text("none", style="yellow")
    return Text(str(row["best_node"]))


def _why(row: Mapping[Hashable, Any]) -> Text:
    if row["reason"]:
        return Text(one_line(row["reason"]), style="yellow")
    return Text(one_line(row["plugin"]))


def _workloads(console: Console, workloads: pd.DataFrame, top: int) -> None:
    rows = workloads[(workloads["drifted"] > 0) | (workloads["regret"] > 0)]
    title(console, "Workloads")
    table = plain_table()
    for name in ("regret", "drifted", "would move", "pods"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("workload", overflow="fold")
    for row in rows.head(top).to_dict("records"):
        drifted = f"{row['drifted']:,}" if row["drifted"] else ""
        numbers = f"{row['regret']:,}", drifted, f"{row['would_move']:,}", f"{row['pods']:,}"
        table.add_row(*numbers, one_line(row["workload"]))
    fit(console, table, ("drifted",))
    console.print(table)
    _more(console, len(rows) - top, "workload", "workloads")


def _moves(console: Console, found: Rescore, top: int) -> None:
    moves, enough = found.moves, found.enough
    gain = found.standing.regret - found.after.regret
    verb = "takes" if len(moves) == 1 else "take"
    about = f"{counted(len(moves), 'move')} {verb} the regret from {found.standing.regret:,} to {found.after.regret:,}"
    if found.standing.drifted > found.after.drifted:
        mended = counted(found.standing.drifted - found.after.drifted, "drifted pod")
        about += f" and {'mends' if len(moves) == 1 else 'mend'} {mended}"
    title(console, "Moves", about)
    table = plain_table()
    for name in ("step", "regret left", "gain so far"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("pod", no_wrap=console.width >= NARROW)
    table.add_column("from", overflow="fold")
    table.add_column("to", overflow="fold")
    for row in moves.head(top).to_dict("records"):
        left = "" if pd.isna(row["regret"]) else f"{row['regret']:,}"
        share = "" if pd.isna(row["share"]) else f"{row['share']:.0%}"
        name = shorten(f"{row['namespace']}/{row['pod']}", console.width // 2)
        table.add_row(f"{row['step']:,}", left, share, name, str(row["from_node"]), str(row["to_node"]))
    fit(console, table, ("from", "regret left"))
    console.print(table)
    _more(console, len(moves) - top, "move", "moves")
    if gain > 0:
        rest = "no further one does any good" if found.greedy.ended else "more may bring more"
        verb = "brings" if enough == 1 else "bring"
        few = f"  {counted(enough, 'move')} {verb} {found.share:.0%} of that or more; {rest}"
        console.print(Text(few, style="bold"))


def _figures(console: Console, found: Rescore) -> None:
    title(console, "Before and after the moves")
    table = plain_table()
    for name in ("before", "after"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    rows = found.figures.set_index("figure")
    for name in _SHOWN:
        if name in rows.index:
            shown = [_shown(name, float(rows.loc[name, side])) for side in ("before", "after")]  # type: ignore[arg-type]
            table.add_row(*shown, name)
    console.print(table)


def _shown(name: str, value: float) -> str:
    return f"{value:.2%}".replace("%", " %") if name.startswith(_SHARES) else f"{value:,.0f}"


def _more(console: Console, number: int, noun: str, rows: str) -> None:
    if number > 0:
        text = f"  and {counted(number, 'more ' + noun)}: --rows {rows} --format csv lists all"
        console.print(Text(text, style="dim"))
