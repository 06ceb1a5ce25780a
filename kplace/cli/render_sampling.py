"""What ``kplace sampling`` prints for people."""

from math import isclose, isnan

import pandas as pd
from rich.console import Console
from rich.text import Text

from kplace.analysis.sampling import Sampling
from kplace.cli.render import fit, percent, plain_table, title
from kplace.cli.render_stability import measured
from kplace.cli.text import counted

MOST_METRICS = 12


def render_sampling(console: Console, found: Sampling) -> None:
    """Print which percentage to use, what each costs, and what it does to the end of the run."""
    n_nodes = len(found.before.columns.nodes)
    if not found.can_happen:
        line = f"sampling does not happen: with {counted(n_nodes, 'node')}, fewer than 100, every search goes over all"
        console.print(Text(line, style="bold"))
        console.print()
        return
    table = found.table
    _advice(console, found, table)
    _percentages(console, found, table)
    _metrics(console, found)
    console.print()


def _advice(console: Console, found: Sampling, table: pd.DataFrame) -> None:
    chosen = table[table["recommended"]].iloc[0]
    words = f"percentageOfNodesToScore: {found.recommended}"
    console.print(Text(words, style="bold green"))
    if not (table["loss_max"] > 0).any():
        console.print(Text("  no percentage costs anything: every pod looked at gets a best node", style="dim"))
        return
    limit = f"the fewest nodes with a mean loss of at most {found.tolerance:g}"
    console.print(Text(f"  {limit} ({_loss(chosen)}), points of the weighted total", style="dim"))
    current = table[table["current"]]
    if len(current) and found.recommended != found.current:
        console.print(Text(f"  now {found.current}: mean loss {_loss(current.iloc[0])}", style="dim"))


def _loss(row: "pd.Series") -> str:
    error = row["loss_stderr"]
    return f"{row['loss_mean']:.2f}" + (f" ± {error:.2f}" if error > 0 else "")


def _percentages(console: Console, found: Sampling, table: pd.DataFrame) -> None:
    looked_at = int(table["pods"].max())
    aside = f"loss of {looked_at:,} of {counted(found.tried, 'pod')}, in points of the weighted total"
    title(console, "Percentages", aside)
    shown = plain_table()
    for name in ("", "%", "nodes wanted", "mean loss", "max", "not best", "pending", "filtered", "scored", "time"):
        shown.add_column(name, justify="right", no_wrap=True)
    for _, row in table.iterrows():
        mark = "now" if row["current"] else ""
        shown.add_row(
            mark,
            f"{row['percentage']}",
            f"{row['nodes_wanted']:,}",
            _loss(row),
            f"{row['loss_max']:,}",
            percent(row["not_best"]),
            f"{row['pending']:,}",
            f"{row['filtered']:,.0f}",
            f"{row['scored']:,.0f}",
            f"{row['relative_time']:.2f}",
            style="bold" if row["recommended"] else "",
        )
    fit(console, shown, ("filtered", "max", "time", "scored"))
    console.print(shown)


def _metrics(console: Console, found: Sampling) -> None:
    whole, *others = found.rungs
    shown_with = {found.recommended, found.current}
    beside = [rung for rung in others if rung.percentage in shown_with]
    varied = [
        name for name, value in whole.metrics.items() if any(_differs(value, rung.metrics[name]) for rung in beside)
    ]
    if not varied:
        return
    title(console, "Metrics", "at the end of the run, those that differ")
    shown = plain_table()
    shown.add_column("metric", overflow="fold")
    for rung in (whole, *beside):
        shown.add_column(f"with {rung.percentage}", justify="right", no_wrap=True)
    for name in varied[:MOST_METRICS]:
        shown.add_row(name, *(measured(name, rung.metrics[name]) for rung in (whole, *beside)))
    fit(console, shown, ())
    console.print(shown)


def _differs(one: float, other: float) -> bool:
    """Whether two values differ by more than sums are rounded."""
    return not isclose(one, other, rel_tol=1e-9) and not (isnan(one) and isnan(other))
