"""A report as one HTML file that needs nothing beside it."""

from collections.abc import Iterator, Mapping, Sequence
from html import escape

import pandas as pd

from kplace.sweeps.report.chart import shown

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; color: #24292f; max-width: 1000px; margin: 2em auto; padding: 0 1em; }
table { border-collapse: collapse; font-size: 13px; margin: 0.5em 0 1.5em; display: block; overflow-x: auto; }
th, td { padding: 3px 10px; border-bottom: 1px solid #d0d7de; text-align: right; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
p.about { color: #57606a; }
svg { max-width: 100%; height: auto; }
"""


def page(
    title: str, facts: Sequence[str], tables: Mapping[str, tuple[str, pd.DataFrame]], figures: Mapping[str, str]
) -> str:
    """Write a page.

    Parameters
    ----------
    title : str
    facts : sequence of str
        A line each.
    tables : mapping of str to (str, DataFrame)
        By heading: what it is about, and the table.
    figures : mapping of str to str
        SVG by name.
    """
    parts = [
        "<!DOCTYPE html>",
        f'<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>',
        f"<style>{_STYLE}</style></head><body>",
        f"<h1>{escape(title)}</h1>",
        *(f'<p class="about">{escape(fact)}</p>' for fact in facts),
    ]
    for heading, (about, table) in tables.items():
        parts += [f"<h2>{escape(heading)}</h2>", f'<p class="about">{escape(about)}</p>', *_table(table)]
    if figures:
        parts += ["<h2>Figures</h2>", *figures.values()]
    return "\n".join([*parts, "</body></html>"]) + "\n"


def _table(table: pd.DataFrame) -> Iterator[str]:
    head = "".join(f"<th>{escape(str(name))}</th>" for name in table.columns)
    yield f"<table><thead><tr>{head}</tr></thead><tbody>"
    for row in table.itertuples(index=False):
        yield "<tr>" + "".join(f"<td>{escape(shown(value))}</td>" for value in row) + "</tr>"
    yield "</tbody></table>"
