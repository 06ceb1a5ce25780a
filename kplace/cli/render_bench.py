"""What ``kplace bench`` prints for people."""

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from kplace.analysis.bench import BenchReport, Change
from kplace.analysis.bench.picture import duration
from kplace.analysis.bench.report import Cost
from kplace.cli.render import percent, plain_table, title
from kplace.cli.text import counted, one_line

NEGLIGIBLE_NS = 1000
"""What takes less at every size is not listed."""
WIDE = 100
"""Columns of a terminal on which there is room for the names of the pods."""


def render_bench(console: Console, report: BenchReport) -> None:
    """Print what each plugin costs, a table for each size."""
    for size in dict.fromkeys(cost.nodes for cost in report.costs):
        costs = [cost for cost in report.costs if cost.nodes == size]
        title(console, f"{size:,} nodes", f"profile {report.scheduler}, {counted(report.rounds, 'round')}")
        listed = sorted((cost for cost in costs if cost.median_ns >= NEGLIGIBLE_NS), key=lambda cost: -cost.median_ns)
        _table(console, listed)
        rest = len(costs) - len(listed)
        if rest:
            console.print(Text(f"{rest:,} more take less than {duration(NEGLIGIBLE_NS)} each", style="dim"))
    console.print()


def _table(console: Console, costs: Sequence[Cost]) -> None:
    table = plain_table()
    table.add_column("plugin", no_wrap=True, min_width=max((len(_name(cost)) for cost in costs), default=0))
    for name in ("a call", "±", "ns/node", "nodes/s", "share"):
        table.add_column(name, justify="right", no_wrap=True)
    has_room = console.width >= WIDE
    if has_room:
        table.add_column("slowest for")
    for cost in costs:
        low, high = cost.quartiles
        row = [
            _name(cost),
            duration(cost.median_ns),
            f"{50 * (high - low) / max(cost.median_ns, 1e-9):.0f} %",
            f"{cost.ns_per_node:,.1f}",
            _millions(cost.nodes_per_second),
            "" if cost.share is None else percent(cost.share),
        ]
        table.add_row(*row, *([one_line(cost.pod)] if has_room else []))
    console.print(table)


def _name(cost: Cost) -> str:
    return f"{one_line(cost.plugin)} {cost.point}"


def _millions(number: float) -> str:
    """A number of nodes per second.

    Examples
    --------
    >>> _millions(12_345.6), _millions(12_345_678.9), _millions(3e9)
    ('12,346', '12.3 M', '3.0 G')
    """
    for size, unit in ((1e9, "G"), (1e6, "M")):
        if number >= size:
            return f"{number / size:,.1f} {unit}"
    return f"{number:,.0f}"


def render_changes(console: Console, changes: Sequence[Change], now: BenchReport, before: BenchReport) -> None:
    """Print what got slower or faster beyond the noise."""
    changed = [change for change in changes if change.verdict != "same"]
    missing = {cost.key for cost in before.costs} - {change.now.key for change in changes}
    words = f"{counted(len(changes), 'cost')} compared, {counted(len(missing), 'other')} in one run only"
    title(console, "Compared", words if missing else f"{counted(len(changes), 'cost')} compared")
    if changed:
        table = plain_table()
        for name in ("", "plugin", "point"):
            table.add_column(name)
        for name in ("nodes", "before", "now", "factor"):
            table.add_column(name, justify="right")
        for change in sorted(changed, key=lambda item: -item.factor):
            style = "bold red" if change.verdict == "slower" else "green"
            cost = change.now
            table.add_row(
                Text(change.verdict, style=style),
                one_line(cost.plugin),
                cost.point,
                f"{cost.nodes:,}",
                duration(change.before.median_ns),
                duration(cost.median_ns),
                f"{change.factor:.2f}",
            )
        console.print(table)
    n_slower = sum(change.verdict == "slower" for change in changes)
    console.print(Text(f"{n_slower:,} slower beyond the noise" if n_slower else "nothing got slower beyond the noise"))
    drift = now.probe_ns / before.probe_ns
    if not 0.9 < drift < 1.1:
        pace = f"slower by a factor of {drift:.2f}" if drift > 1 else f"faster by a factor of {1 / drift:.2f}"
        console.print(Text(f"the machine as a whole was {pace}, which is allowed for", style="dim"))
    console.print()
