"""What ``kplace provision`` prints for people."""

from math import ceil

import pandas as pd
from rich.console import Console
from rich.text import Text

from kplace.analysis.provision import Plan, Provision
from kplace.cli.render import NARROW, fit, percent, plain_table, shorten, title
from kplace.cli.text import counted, one_line
from kplace.frames.schema import resource_of

MOST_PLANS = 12
MOST_NODES = 20
MOST_PODS = 12
_FRONT = 28
"""Columns of the table of pending pods beside their names."""


def render_provision(console: Console, found: Provision, unit: str) -> None:
    """Print the best plan and the others, what each new node takes, and what stays pending."""
    wanting, best = len(found.demand.pods), found.best
    if not wanting:
        console.print(Text("no pod needs a new node", style="bold green"))
        console.print(Text(f"{counted(found.fitted, 'waiting pod')} placed as things are", style="dim"))
        console.print()
        return
    _head(console, found, unit)
    if best.n_nodes:
        _plans(console, found, unit)
        _nodes(console, best)
    if found.pending:
        _pending(console, found.pods[found.pods["node"].isna()])
    console.print()


def _head(console: Console, found: Provision, unit: str) -> None:
    best, wanting = found.best, len(found.demand.pods)
    added = ", ".join(f"{number:,} {name}" for name, number in best.counts.items()) or "no node helps"
    parts = [Text(f"add {added}" if best.n_nodes else added, style="bold green" if best.n_nodes else "bold yellow")]
    if found.pending:
        verb = "stays" if found.pending == 1 else "stay"
        parts.append(Text(f"{found.pending:,} {verb} pending", style="bold yellow"))
    console.print(Text("  ").join(parts))
    verbs = "finds no node gets" if wanting == 1 else "find no node get"
    facts = [f"{wanting - found.pending:,} of {counted(wanting, 'pod')} that {verbs} one"]
    if best.n_nodes:
        least, needed = money(float(best.at_least), unit), "is"
        cost = f"{counted(best.n_nodes, 'node')} for {money(best.cost, unit)}"
        if not found.has_prices:
            number = ceil(best.at_least)
            least, needed = counted(number, "node"), "is" if number == 1 else "are"
            cost = counted(best.n_nodes, "node")
        facts.append(f"{cost}: {'the least possible' if best.gap == 0 else f'at least {least} {needed} needed'}")
    console.print(Text(", ".join(facts), style="dim"))


def money(amount: float, unit: str) -> str:
    """A cost with its unit.

    Examples
    --------
    >>> money(0.192, "$/h"), money(12.0, ""), money(1234.5678, "")
    ('0.192 $/h', '12', '1,234.57')
    """
    figures = f"{amount:,.2f}" if amount >= 100 else f"{amount:,.4f}"
    return f"{figures.rstrip('0').rstrip('.')} {unit}".strip()


def _plans(console: Console, found: Provision, unit: str) -> None:
    second = "the cheapest" if found.has_prices else "those with the fewest nodes"
    title(console, "Plans", f"those that let the most pods in first, then {second}")
    table = plain_table()
    if found.has_prices:
        table.add_column("cost", justify="right", no_wrap=True)
    table.add_column("above bound", justify="right", no_wrap=True)
    for name in ("nodes", "pending"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("add", overflow="fold")
    table.add_column("fullest", no_wrap=True)
    for plan in found.plans[:MOST_PLANS]:
        used = plan.utilisation
        fullest = f"{plan.binding} {percent(used[plan.binding])}" if used else ""
        above = "-" if not plan.at_least else f"{plan.gap:.1%}".replace("%", " %")
        add = ", ".join(f"{number:,} {name}" for name, number in plan.counts.items())
        cost = [money(plan.cost, unit)] if found.has_prices else []
        table.add_row(*cost, above, f"{plan.n_nodes:,}", f"{plan.pending:,}", add, fullest)
    fit(console, table, ("fullest",))
    console.print(table)
    _more(console, len(found.plans) - MOST_PLANS, "plan", "plans")


def _nodes(console: Console, plan: Plan) -> None:
    nodes = plan.nodes
    title(console, "New nodes", "what each takes, and how full it gets")
    table = plain_table()
    for name in ("pods", "daemons"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("node", overflow="fold")
    endings = _shown(nodes)
    for ending in endings:
        table.add_column(resource_of(ending), justify="right", no_wrap=True)
    for row in nodes.head(MOST_NODES).to_dict("records"):
        shares = [percent(row[f"utilisation_{ending}"]) for ending in endings]
        table.add_row(f"{row['pods']:,}", f"{row['daemons']:,}", str(row["node"]), *shares)
    fit(console, table, ("daemons", *(resource_of(ending) for ending in endings[::-1])))
    console.print(table)
    _more(console, len(nodes) - MOST_NODES, "node", "nodes")


def _shown(nodes: pd.DataFrame) -> list[str]:
    """Resources that pods on the new nodes request, cpu and memory first."""
    prefix = "requested_"
    endings = [str(name).removeprefix(prefix) for name in nodes.columns if str(name).startswith(prefix)]
    return [ending for ending in endings if nodes[prefix + ending].any()]


def _pending(console: Console, pods: pd.DataFrame) -> None:
    title(console, "Pods that no candidate helps", "what a new node of each candidate says, counted")
    table = plain_table()
    table.add_column("pods", justify="right", no_wrap=True)
    table.add_column("of", no_wrap=console.width >= NARROW)
    table.add_column("why", overflow="fold", style="yellow")
    groups = pods.groupby(["workload", "why_pending"], sort=False, observed=True).size()
    for row in groups.reset_index(name="pods").head(MOST_PODS).to_dict("records"):
        table.add_row(
            f"{row['pods']:,}", shorten(row["workload"], console.width - _FRONT), one_line(row["why_pending"])
        )
    fit(console, table, ())
    console.print(table)
    _more(console, len(groups) - MOST_PODS, "workload", "pods")


def _more(console: Console, number: int, noun: str, rows: str) -> None:
    if number > 0:
        more = counted(number, "more " + noun)
        console.print(Text(f"  and {more}: --format csv --rows {rows} lists all", style="dim"))
