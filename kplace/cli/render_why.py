"""What ``kplace why`` prints for people."""

from rich.console import Console
from rich.text import Text

from kplace.analysis.why import Why
from kplace.cli.render import fit, plain_table, title
from kplace.cli.text import one_line


def render_why(console: Console, found: Why) -> None:
    """Print what keeps a pod out, and what would let it in."""
    console.print(Text(found.pod, style="bold"))
    if found.untried:
        console.print(Text(f"the scheduler does not try it: {one_line(found.untried)}", style="yellow"))
    if found.node:
        console.print(Text(f"fits as things are: it goes to {found.node}", style="green"))
        console.print()
        return
    if found.room is not None:
        leave = "leaves" if len(found.room.victims) == 1 else "leave"
        text = f"makes room for itself on {found.room.node}: {found.room.text} {leave}"
        console.print(Text(one_line(text), style="green"))
    console.print(Text(one_line(found.message), style="dim"))
    title(console, "Filters", "nodes that are left after each")
    table = plain_table()
    for name in ("left", "rejected"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("filter", no_wrap=True)
    for row in found.funnel.to_dict("records"):
        table.add_row(
            f"{row['left']:,}", f"-{row['rejected']:,}" if row["rejected"] else "", row["plugin"] or "all nodes"
        )
    console.print(table)
    title(console, "What would let it in", "one of these by itself; each was tried")
    if not len(found.changes):
        console.print(Text("  nothing that was tried: it takes more than one change"))
        console.print()
        return
    table = plain_table()
    table.add_column("change", overflow="fold")
    table.add_column("it goes to", overflow="fold")
    for row in found.changes.to_dict("records"):
        table.add_row(one_line(row["change"]), row["node"])
    fit(console, table, ())
    console.print(table)
    console.print()
