"""What ``kplace capacity`` prints for people."""

import pandas as pd
from rich.console import Console
from rich.text import Text

from kplace.analysis.capacity import Capacity
from kplace.analysis.metrics.pools import POOL
from kplace.cli.render import fit, plain_table, title
from kplace.cli.text import counted, one_line

MOST_GROUPS = 20


def render_capacity(console: Console, found: Capacity, by: list[str]) -> None:
    """Print how many more fit, what binds, and where they would go."""
    if found.together:
        limited = " (the limit)" if found.counts[0].stopped_by < 0 else ""
        console.print(Text(f"{counted(found.rounds, 'whole round')} of the mix{limited}", style="bold"))
    elif len(found.specs) == 1:
        _single(console, found)
    else:
        console.print(Text(f"{counted(len(found.specs), 'kind')} of pods, each by itself", style="bold"))
    if found.together or len(found.specs) > 1:
        _kinds(console, found)
    if len(found.specs) == 1 or found.together or by:
        _groups(console, found, by or list(POOL))
    if len(found.specs) == 1 and len(found.binding[0]):
        _reasons(console, found)
    console.print()


def _single(console: Console, found: Capacity) -> None:
    row = found.table.iloc[0]
    limited = " (the limit)" if row["limited"] else ""
    console.print(Text(f"{row['capacity']:,} more of {row['spec']} fit{limited}", style="bold"))
    if row["capacity"]:
        console.print(Text(f"on {counted(int(row['nodes']), 'node')}", style="dim"))


def _kinds(console: Console, found: Capacity) -> None:
    title(console, "Kinds of pods", "how many more fit, and what keeps the next one out of most nodes that could")
    table = plain_table()
    table.add_column("more", justify="right", no_wrap=True)
    table.add_column("running", justify="right", no_wrap=True)
    table.add_column("pods like", overflow="fold")
    table.add_column("nodes", justify="right", no_wrap=True)
    table.add_column("what binds", overflow="fold")
    for row in found.table.to_dict("records"):
        why = "the limit" if row["limited"] else one_line(row["binding"]) if isinstance(row["binding"], str) else ""
        table.add_row(f"{row['capacity']:,}", f"{row['running']:,}", row["spec"], f"{row['nodes']:,}", why)
    fit(console, table, ("nodes", "running"))
    console.print(table)


def _groups(console: Console, found: Capacity, by: list[str]) -> None:
    groups = found.by(by).sort_values("copies", ascending=False, kind="stable")
    if not len(groups):
        return
    title(console, "Where they go", "copies by " + ", ".join(by))
    table = plain_table()
    table.add_column("copies", justify="right", no_wrap=True)
    for name in by:
        table.add_column(name, overflow="fold")
    if len(found.specs) > 1:
        table.add_column("pods like", overflow="fold")
    for row in groups.head(MOST_GROUPS).to_dict("records"):
        names = [row[name] if isinstance(row[name], str) else "-" for name in by]
        table.add_row(f"{row['copies']:,}", *names, *([row["spec"]] if len(found.specs) > 1 else []))
    fit(console, table, ())
    console.print(table)
    if len(groups) > MOST_GROUPS:
        rest = counted(len(groups) - MOST_GROUPS, "more row")
        console.print(Text(f"  and {rest}: --format csv --by lists all", style="dim"))


def _reasons(console: Console, found: Capacity) -> None:
    title(console, "Why not one more", "nodes by reason; those among them that could take the first copy")
    table = plain_table()
    table.add_column("nodes", justify="right", no_wrap=True)
    table.add_column("could", justify="right", no_wrap=True)
    table.add_column("plugin", no_wrap=True, style="dim")
    table.add_column("reason", overflow="fold", ratio=1)
    for row in found.binding[0].to_dict("records"):
        table.add_row(f"{row['nodes']:,}", f"{row['binding']:,}", row["plugin"], one_line(row["reason"]))
    fit(console, table, ("plugin",))
    console.print(table)


def render_frontier(console: Console, points: pd.DataFrame) -> None:
    """Print how many of one kind fit beside so many of another."""
    table = plain_table()
    for name in points.columns:
        table.add_column(str(name), justify="right", overflow="fold")
    for row in points.itertuples(index=False):
        table.add_row(*(f"{value:,}" for value in row))
    console.print(table)
    console.print()
