"""What ``kplace tune`` prints for people."""

import pandas as pd
from rich.console import Console
from rich.text import Text

from kplace.analysis.tuning import OBJECTIVES, Tuning
from kplace.cli.render import plain_table, title
from kplace.cli.text import counted, one_line

MOST_SHOWN = 15
"""Candidates of the front that are listed."""
_HEADS = {
    "pending": "pending",
    "nodes_used": "nodes",
    "utilisation_cpu": "cpu",
    "utilisation_memory": "memory",
    "imbalance": "uneven",
    "fragmentation": "stranded",
    "violations": "broken",
}


def render_tune(console: Console, tuning: Tuning) -> None:
    """Print the candidates of the Pareto front after the weights as they are."""
    front = tuning.front
    words = f"{counted(len(front), 'candidate')} of {len(tuning.candidates):,}: {', '.join(tuning.objectives)}"
    title(console, "Pareto front", words)
    table = plain_table()
    table.add_column("")
    for name in OBJECTIVES:
        table.add_column(_HEADS[name], justify="right", no_wrap=True)
    _row(table, "as it is", tuning.table.iloc[0])
    shown = front.head(MOST_SHOWN)
    for number in range(len(shown)):
        _row(table, str(number + 1), shown.iloc[number])
    console.print(table)
    if len(front) > MOST_SHOWN:
        console.print(Text(f"and {len(front) - MOST_SHOWN:,} more", style="dim"))
    for number in range(len(shown)):
        console.print(Text(f"  {number + 1}  {_weights(shown.iloc[number])}"))
    console.print()


def _row(table: object, head: str, row: pd.Series) -> None:
    cells = [head]
    for name in OBJECTIVES:
        value = row[name]
        whole = name in ("pending", "nodes_used", "violations")
        cells.append("" if pd.isna(value) else f"{int(value):,}" if whole else f"{100 * value:.1f} %")
    table.add_row(*cells)  # type: ignore[attr-defined]


def _weights(row: pd.Series) -> str:
    named = [(str(name).removeprefix("weight_"), row[name]) for name in row.index if str(name).startswith("weight_")]
    words = ", ".join(f"{one_line(name)} {weight}" for name, weight in named)
    return f"{row['strategy']}: {words}" if row["strategy"] else words
