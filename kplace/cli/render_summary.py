"""What ``kplace place`` prints for people."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from kplace.api import Placements
from kplace.api.summary import BusyNode, Summary
from kplace.cli.render import GAP, NARROW, amount, bar, fit, percent, plain_table, shorten, title
from kplace.cli.text import counted, one_line
from kplace.dtypes import Status
from kplace.plugins.in_tree import DEFAULT_ORDER

MOST_REASONS = 8
MOST_PENDING = 10
MOST_RESOURCES = 12
OTHER_COLUMNS = 52
"""Columns that the table of busy nodes needs beside the names of nodes and zones."""
FULL = 0.9
"""From this share on, a resource counts as full."""
MARGINS = 10
"""Columns of the table of pending pods beside names and reasons."""

_STAGE = {plugin: stage for stage, (plugin, _) in enumerate(DEFAULT_ORDER)}


def render_summary(console: Console, placements: Placements) -> None:
    """Print a run at a glance: what became of the pods, how full the nodes are, why some pods wait."""
    summary = placements.summary()
    _outcome(console, summary, placements)
    _utilisation(console, summary)
    _busiest(console, summary)
    if summary.pending:
        _reasons(console, summary)
        _pending(console, placements)
    console.print()


def _outcome(console: Console, summary: Summary, placements: Placements) -> None:
    if not summary.placed + summary.pending:
        console.print(Text("No pod is waiting to be placed.", style="bold"))
    parts = [
        (summary.placed, "placed", "bold green" if summary.placed else "bold"),
        (summary.pending, "pending", "bold yellow"),
    ]
    parts += [(summary.gated, "gated", "bold cyan"), (summary.skipped, "of other schedulers", "bold dim")]
    shown = [Text(f"{number:,} {word}", style=style) for number, word, style in parts[:1]]
    shown += [Text(f"{number:,} {word}", style=style) for number, word, style in parts[1:] if number]
    console.print(Text("  ").join(shown))
    facts = [f"{counted(summary.placed + summary.pending, 'pod')} tried on {counted(summary.nodes, 'node')}"]
    if summary.made:
        facts.append(f"{summary.made:,} made from controllers")
    facts.append(f"seed {placements.run.seed}" if placements.run.tie_break == "random" else "first of equal nodes")
    facts.append(f"result {placements.result_hash[:12]}")
    console.print(Text(", ".join(facts), style="dim"))
    if summary.preemptors:
        console.print(Text(_preemptions(summary, placements.run.preemption), style="yellow"))


def _preemptions(summary: Summary, mode: str) -> str:
    """What preemption came to, or would come to."""
    if mode in ("queue", "immediate"):
        return f"{counted(summary.victims, 'pod')} pushed out by {summary.preemptors:,} of higher priority"
    could = counted(summary.preemptors, "pending pod")
    return f"{could} could push others out; --preemption queue or immediate lets them"


def _utilisation(console: Console, summary: Summary) -> None:
    uses = [use for use in summary.utilisation if use.allocatable or use.after]
    if not uses:
        return
    title(console, "Utilisation", "requested of allocatable, before and after the run")
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
    fit(console, table, ("", "requested", "allocatable", "before"))
    console.print(table)
    _more(console, len(uses) - MOST_RESOURCES, "resource")


def _busiest(console: Console, summary: Summary) -> None:
    if not summary.busiest:
        return
    title(console, "Busiest nodes", "by the resource of which least is left")
    longest = max(len(node.node) + len(node.zone) for node in summary.busiest)
    zones = any(node.zone for node in summary.busiest) and longest + OTHER_COLUMNS <= console.width
    table = plain_table()
    table.add_column("node", overflow="fold")
    if zones:
        table.add_column("zone", no_wrap=True)
    for name in ("pods", "new", "cpu", "memory"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("fullest", overflow="fold", no_wrap=console.width < NARROW)
    for node in summary.busiest:
        table.add_row(
            node.node,
            *([node.zone] if zones else []),
            f"{node.pods:,}",
            f"+{node.placed:,}" if node.placed else "",
            percent(node.cpu),
            percent(node.memory),
            _fullest(console, node),
        )
    fit(console, table, ("new", "memory", "cpu", "pods"))
    console.print(table)


def _fullest(console: Console, node: BusyNode) -> Text:
    style = "bold" if node.share >= FULL else ""
    if console.width < NARROW:
        return Text(f"{node.resource} {percent(node.share)}", style=style)
    text = bar(console, node.share, node.share, 8).append(f" {node.resource}", style=style)
    if node.resource not in {"cpu", "memory"}:
        text.append(f" {percent(node.share)}")
    return text


def _reasons(console: Console, summary: Summary) -> None:
    if not summary.reasons:
        return
    title(console, "Why pods are pending", "pods it concerns, nodes it rules out for one")
    table = plain_table()
    table.add_column("pods", justify="right", no_wrap=True)
    table.add_column("nodes", justify="right", no_wrap=True)
    table.add_column("reason", overflow="fold", ratio=1)
    table.add_column("plugin", style="dim", no_wrap=True)
    for reason in summary.reasons[:MOST_REASONS]:
        table.add_row(f"{reason.pods:,}", f"{reason.nodes:,}", one_line(reason.reason), reason.plugin)
    fit(console, table, ("plugin", "nodes"))
    console.print(table)
    _more(console, len(summary.reasons) - MOST_REASONS, "reason")


def _pending(console: Console, placements: Placements) -> None:
    groups = pending_groups(placements)
    shown = groups[:MOST_PENDING]
    title(console, "Pending pods", "nodes by what rules them out, the last hurdle first")
    width = console.width - MARGINS
    table = plain_table()
    table.add_column("pods", justify="right", no_wrap=True)
    if console.width < NARROW:
        table.add_column("pod, and why", no_wrap=True)
        for group in shown:
            why = Text(group.why(width), style="yellow")
            table.add_row(f"{group.pods:,}", Text(shorten(group.name, width)).append("\n").append_text(why))
    else:
        name_width = min(max(len(group.name) for group in shown), width * 3 // 5)
        table.add_column("pod", no_wrap=True)
        table.add_column("why", no_wrap=True, style="yellow")
        for group in shown:
            table.add_row(f"{group.pods:,}", shorten(group.name, name_width), group.why(width - name_width))
    console.print(table)
    _more(console, sum(group.pods for group in groups[MOST_PENDING:]), "pod", ": --format csv lists all")
    if len(placements.nodes):
        advice = "kplace explain ... --after-place --pod NS/NAME shows what each node says"
        console.print(Padding(Text(advice, style="dim"), (0, 0, 0, GAP)))


@dataclass(frozen=True, slots=True)
class PendingGroup:
    """Pending pods of one controller with the same reasons.

    Attributes
    ----------
    name : str
        Of the first pod, with its namespace.
    pods : int
        How many there are.
    reasons : tuple of (str, str, int)
        Plugin, reason, number of nodes.
    message : str
        The whole message.
    """

    name: str
    pods: int
    reasons: tuple[tuple[str, str, int], ...]
    message: str

    def why(self, width: int) -> str:
        """What rules out how many nodes, in one line: the last hurdle first, for it is the one to mend.

        Where there is no room for upstream's long sentences, their plugins' names stand for them.

        Examples
        --------
        >>> taint = ("TaintToleration", "node(s) had untolerated taint {a: b}", 9)
        >>> group = PendingGroup("ns/a", 1, (taint, ("NodeResourcesFit", "Insufficient cpu", 3)), "")
        >>> group.why(80), group.why(40)
        ('3 Insufficient cpu, 9 node(s) had untolerated taint {a: b}', '3 Insufficient cpu, 9 TaintToleration')
        """
        if not self.reasons:
            return shorten(one_line(self.message), width)
        ordered = sorted(self.reasons, key=lambda reason: -_STAGE.get(reason[0], len(_STAGE)))
        full = ", ".join(f"{nodes:,} {one_line(reason)}" for _, reason, nodes in ordered)
        if len(full) <= width:
            return full
        brief: Counter[str] = Counter()
        for plugin, reason, nodes in ordered:
            brief[plugin if plugin and reason.startswith("node(s)") else one_line(reason)] += nodes
        parts = [f"{nodes:,} {word}" for word, nodes in brief.items()]
        whole = next((n for n in range(len(parts), 0, -1) if len(_joined(parts, n)) <= width), 1)
        return shorten(_joined(parts, whole), width)


def _joined(parts: Sequence[str], n: int) -> str:
    """The first ``n`` parts, and a sign that there are more."""
    return ", ".join([*parts[:n], "..."] if n < len(parts) else parts)


def pending_groups(placements: Placements) -> list[PendingGroup]:
    """Pending pods by controller and reasons, in the order they were tried."""
    pods, columns = placements.pods, placements.columns
    names = (pods["namespace"].astype(str) + "/" + pods["pod"].astype(str)).tolist()
    owners = list(zip(pods["namespace"], pods["owner_kind"], pods["owner"], strict=True))
    owned = pods["owner"].notna().tolist()
    groups: dict[object, list[int]] = {}
    for row in np.flatnonzero(np.isin(columns.status, (Status.UNSCHEDULABLE, Status.ERROR))).tolist():
        key = (owners[row] if owned[row] else names[row], columns.reasons[row])
        groups.setdefault(key, []).append(row)
    return [
        PendingGroup(names[rows[0]], len(rows), columns.reasons[rows[0]], columns.messages[rows[0]])
        for rows in groups.values()
    ]


def _more(console: Console, number: int, noun: str, where: str = "") -> None:
    if number > 0:
        console.print(Text(f"  and {counted(number, 'more ' + noun)}{where}", style="dim"))
