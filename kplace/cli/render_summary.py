"""What ``kplace place`` prints for people."""

from rich.console import Console
from rich.table import Table
from rich.text import Text

from kplace.api import Placements
from kplace.api.summary import Summary
from kplace.cli.errors import counted, one_line
from kplace.cli.render import amount, bar, percent, plain_table, shorten, title

MOST_REASONS = 8
MOST_PENDING = 10
MOST_RESOURCES = 12


def render_summary(console: Console, placements: Placements, run: str = "") -> None:
    """Print a run at a glance: what became of the pods, why some wait, how full the nodes are.

    Parameters
    ----------
    run : str
        How the run was made, for the first line.
    """
    summary = placements.summary()
    _outcome(console, summary, run)
    _utilisation(console, summary)
    _busiest(console, summary)
    if summary.pending:
        _reasons(console, summary)
        _pending(console, placements)
    console.print()


def _outcome(console: Console, summary: Summary, run: str) -> None:
    parts = [
        (summary.placed, "placed", "bold green"),
        (summary.pending, "pending", "bold yellow" if summary.pending else "dim"),
        (summary.gated, "gated", "bold cyan"),
        (summary.skipped, "of other schedulers", "dim"),
    ]
    line = Text("  ").join(
        Text(f"{number:,} {word}", style=style) for number, word, style in parts if number or word in {"placed", "pending"}
    )
    tried = summary.placed + summary.pending
    aside = f"{counted(tried, 'pod')} tried on {counted(summary.nodes, 'node')}"
    if summary.made:
        aside += f", {summary.made:,} made from controllers"
    console.print(line)
    console.print(Text(aside + (f", {run}" if run else ""), style="dim"))


def _utilisation(console: Console, summary: Summary) -> None:
    uses = [use for use in summary.utilisation if use.allocatable or use.after]
    if not uses:
        return
    title(console, "Utilisation", "requested of allocatable, before and after")
    table = plain_table()
    table.add_column("resource", overflow="fold")
    table.add_column("")
    table.add_column("before", justify="right", no_wrap=True)
    table.add_column("after", justify="right", no_wrap=True)
    table.add_column("requested", justify="right", no_wrap=True)
    table.add_column("allocatable", justify="right", no_wrap=True)
    for use in uses[:MOST_RESOURCES]:
        table.add_row(
            use.resource,
            bar(console, use.share_before, use.share_after),
            percent(use.share_before),
            percent(use.share_after),
            amount(use.resource, use.after),
            amount(use.resource, use.allocatable),
        )
    console.print(table)
    _more(console, len(uses) - MOST_RESOURCES, "resource")


def _busiest(console: Console, summary: Summary) -> None:
    if not summary.busiest:
        return
    title(console, "Busiest nodes", "by the resource that is fullest")
    table = plain_table()
    table.add_column("node", overflow="fold")
    if any(node.zone for node in summary.busiest):
        table.add_column("zone", overflow="fold")
    table.add_column("pods", justify="right", no_wrap=True)
    table.add_column("new", justify="right", no_wrap=True)
    table.add_column("cpu", justify="right", no_wrap=True)
    table.add_column("memory", justify="right", no_wrap=True)
    table.add_column("fullest", overflow="fold")
    for node in summary.busiest:
        zone = [node.zone] if len(table.columns) == 7 else []
        table.add_row(
            node.node,
            *zone,
            f"{node.pods:,}",
            f"+{node.placed:,}" if node.placed else "",
            percent(node.cpu),
            percent(node.memory),
            Text(f"{node.resource} {percent(node.share)}", style="yellow" if node.share >= 0.9 else ""),
        )
    console.print(table)


def _reasons(console: Console, summary: Summary) -> None:
    if not summary.reasons:
        return
    title(console, "Why pods are pending", "pods, and the most nodes that the reason rules out for one of them")
    table = Table.grid(padding=(0, 2, 0, 0))
    table = plain_table()
    table.add_column("pods", justify="right", no_wrap=True)
    table.add_column("nodes", justify="right", no_wrap=True)
    table.add_column("reason", overflow="fold", ratio=1)
    table.add_column("plugin", style="dim", no_wrap=True)
    for reason in summary.reasons[:MOST_REASONS]:
        table.add_row(f"{reason.pods:,}", f"{reason.nodes:,}", one_line(reason.reason), reason.plugin)
    console.print(table)
    _more(console, len(summary.reasons) - MOST_REASONS, "reason")


def _pending(console: Console, placements: Placements) -> None:
    pods = placements.pods
    pending = pods[pods["status"] == "unschedulable"]
    title(console, "Pending pods", "kplace explain ... --pod NS/NAME tells more about one")
    shown = pending.head(MOST_PENDING)
    names = [f"{namespace}/{name}" for namespace, name in zip(shown["namespace"], shown["pod"], strict=True)]
    width = console.width - 2
    name_width = min(max(map(len, names)), width // 2)
    for name, message in zip(names, shown["message"], strict=True):
        line = Text(f"  {shorten(name, name_width):<{name_width}}  ")
        line.append(shorten(reason_of(message), width - name_width - 2), style="yellow")
        console.print(line, no_wrap=True, overflow="crop")
    _more(console, len(pending) - MOST_PENDING, "pod", ": --format csv lists them all")


def _more(console: Console, number: int, noun: str, where: str = "") -> None:
    if number > 0:
        console.print(Text(f"  and {counted(number, 'more ' + noun)}{where}", style="dim"))


def reason_of(message: str) -> str:
    """The part of a pending pod's message that tells it from others.

    Examples
    --------
    >>> reason_of("0/14 nodes are available: 12 Insufficient cpu, 2 Too many pods.")
    '12 Insufficient cpu, 2 Too many pods'
    >>> reason_of("no nodes available to schedule pods")
    'no nodes available to schedule pods'
    """
    head, colon, rest = message.partition(" nodes are available: ")
    reason = rest if colon and head.startswith("0/") else message
    return one_line(reason).removesuffix(".")
