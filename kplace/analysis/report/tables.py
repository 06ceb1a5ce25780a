"""DataFrames as HTML tables that can be filtered and sorted with the keyboard."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from typing import Any

import numpy as np
import pandas as pd

Shown = Callable[[Any], str]

MOST_ROWS = 1000


def table(frame: pd.DataFrame, name: str, shown: Mapping[str, Shown] | None = None, *, filtered: bool = True) -> str:
    """Table of the first `MOST_ROWS` rows of a frame.

    Parameters
    ----------
    name : str
        What the rows are, in the plural.
    shown : mapping of str to callable, optional
        How columns are written; numbers get separators by default.
    filtered : bool
        With a field to filter by.
    """
    rows = frame.head(MOST_ROWS)
    head = "".join(
        f'<th scope="col" data-name="{escape(_words(column))}"{_side(rows[column])}>'
        f'<button type="button">{escape(_words(column))}</button></th>'
        for column in rows.columns
    )
    body = "".join(_row(values, list(rows.columns), shown or {}) for values in rows.itertuples(index=False, name=None))
    rest = len(frame) - len(rows)
    note = f'<p class="note">The first {len(rows):,} of {len(frame):,} {escape(name)}.</p>' if rest > 0 else ""
    field = (
        f'<label class="filter">Filter {escape(name)} <input type="search" autocomplete="off"></label>'
        if filtered and len(rows) > 5
        else ""
    )
    return (
        f'<div class="table">{field}<div class="scroll" tabindex="0" role="region" aria-label="{escape(name)}">'
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>{note}</div>"
    )


def plain(headings: Sequence[str], rows: Iterable[Sequence[str]], numbers: Sequence[str]) -> str:
    """Table that is neither sorted nor filtered; its cells are HTML.

    Parameters
    ----------
    headings : sequence of str
        Empty for a column of bars.
    numbers : sequence of str
        Those that stand above numbers.
    """
    sides = [" class=number" if name in numbers else "" if name else " class=wide" for name in headings]
    head = "".join(
        f"<th scope=col{side}>{escape(_words(name))}</th>" for name, side in zip(headings, sides, strict=True)
    )
    body = "".join(
        f"<tr>{''.join(f'<td{side}>{cell}</td>' for cell, side in zip(row, sides, strict=True))}</tr>" for row in rows
    )
    return f"<table class=plain><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _words(name: object) -> str:
    return str(name).replace("_", " ")


def _side(column: pd.Series) -> str:
    is_number = pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column)
    return " class=number" if is_number else ""


def _row(values: tuple[Any, ...], columns: list[str], shown: Mapping[str, Shown]) -> str:
    cells = []
    for column, value in zip(columns, values, strict=True):
        missing = not isinstance(value, str) and pd.isna(value)
        is_number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
        if missing:
            text = "-"
        elif column in shown:
            text = shown[column](value)
        elif is_number:
            text = f"{value:,.4g}" if isinstance(value, float | np.floating) else f"{value:,}"
        elif isinstance(value, bool | np.bool_):
            text = "yes" if value else "no"
        else:
            text = str(value)
        key = f' data-key="{value}"' if is_number and not missing else ""
        cells.append(f"<td{key}{' class=number' if is_number else ''}>{escape(text)}</td>")
    return f"<tr>{''.join(cells)}</tr>"


def amount(resource: str) -> Shown:
    """How amounts of a resource are written: cpu in cores, bytes with a binary unit."""

    def shown(value: float) -> str:
        if resource == "cpu":
            return f"{value / 1000:,.1f}"
        if resource in ("memory", "ephemeral-storage") or resource.startswith("hugepages-"):
            return f"{value / 2**20:,.0f} MiB" if abs(value) < 2**30 else f"{value / 2**30:,.1f} GiB"
        return f"{value:,.0f}"

    return shown
