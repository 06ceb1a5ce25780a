"""A report on a study for the terminal."""

from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from kplace.sweeps.report.chart import shown

if TYPE_CHECKING:
    import pandas as pd

    from kplace.sweeps.report import StudyReport


def render_sweep(console: Console, report: "StudyReport") -> None:
    """Print the tables of a report."""
    console.print(f"study {report.results.name}: {report.facts[0]}")
    for heading, (about, table) in report.tables.items():
        console.print(f"\n{heading}", style="bold")
        console.print(about, style="dim")
        console.print(_table(table))


def _table(table: "pd.DataFrame") -> Table:
    made = Table(box=None, pad_edge=False, header_style="bold")
    for i, name in enumerate(table.columns):
        made.add_column(str(name), justify="left" if i == 0 else "right", overflow="fold")
    for row in table.itertuples(index=False):
        made.add_row(*map(shown, row))
    return made
