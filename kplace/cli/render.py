"""Pieces that the rendered summaries share: bars, numbers with units, names that wrap where they should."""

import re
from collections.abc import Sequence
from math import isnan

from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

BAR_WIDTH = 16
NARROW = 80
"""Below this many columns, tables leave things out."""
LEAST = 24
"""Columns within which the words of a column that wraps are not broken."""
GAP = 2
"""Columns between two columns of a table."""

_ANY_WIDTH = 10_000
"""Wider than any table."""
_BINARY_UNITS = ("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^A-Z]+")


def plain_table(*, header: bool = True) -> Table:
    """A table without lines, two blanks between columns and before the first."""
    return Table(box=None, show_header=header, padding=(0, 0, 0, GAP), header_style="dim")


def needed(console: Console, table: Table) -> int:
    """Columns of text that a table needs to be readable: its words are broken only where they are longer than `LEAST`.

    The columns that wrap get their share of it as the least width.
    """
    return sum(GAP + _least_width(console, column) for column in table.columns)


def _least_width(console: Console, column: Column) -> int:
    wide = console.options.update(width=_ANY_WIDTH)
    measures = [console.measure(cell, options=wide) for cell in (column.header, *column.cells)]
    if column.no_wrap:
        return max(measure.maximum for measure in measures)
    column.min_width = min(max(measure.minimum for measure in measures), LEAST)
    return column.min_width


def fit(console: Console, table: Table, spare: Sequence[str]) -> list[str]:
    """Take columns out of a table until it is readable in the console's width.

    Parameters
    ----------
    spare : sequence of str
        Headings of the columns that may go, in this order.

    Returns
    -------
    list of str
        Those that went.
    """
    gone = []
    for heading in spare:
        if needed(console, table) <= console.width:
            break
        table.columns = [column for column in table.columns if column.header != heading]
        gone.append(heading)
    if needed(console, table) > console.width:
        for column in table.columns:
            column.min_width = None  # a word that is broken can be read, one that is cut off cannot
    return gone


def paragraph(console: Console, lead: str, parts: Sequence[str], style: str = "") -> None:
    """A line of parts with commas between them; where it has to be broken, it goes on further to the right."""
    line, indent = f"  {lead}", " " * 4
    for number, part in enumerate(parts):
        text = part + ("," if number < len(parts) - 1 else "")
        if len(line) + 1 + len(text) > console.width and line.strip():
            console.print(Text(line, style=style))
            line = indent + text
        else:
            line += f" {text}"
    console.print(Text(line, style=style))


def title(console: Console, text: str, aside: str = "") -> None:
    """A heading after an empty line, with a remark."""
    console.print()
    console.print(Text.assemble((text, "bold"), (f"  {aside}" if aside else "", "dim")))


def bar(console: Console, before: float, after: float, width: int = BAR_WIDTH) -> Text:
    """A bar of two parts: what was used before, and what came on top of it.

    Parameters
    ----------
    before, after : float
        Shares, 0 to 1; what lies beyond is cut off. NaN gives an empty bar.
    """
    used, added, free = ("#", "+", ".") if console.options.ascii_only else ("█", "▓", "░")
    first, second = (0 if isnan(share) else round(width * min(max(share, 0.0), 1.0)) for share in (before, after))
    second = max(first, second)
    parts = ((used * first, "blue"), (added * (second - first), "green"), (free * (width - second), "dim"))
    return Text.assemble(*parts)


def percent(share: float) -> str:
    """A share as a percentage of four figures at most.

    Examples
    --------
    >>> percent(0.4567), percent(1.0), percent(float("nan"))
    ('45.7 %', '100.0 %', '-')
    """
    return "-" if isnan(share) else f"{share:.1%}".replace("%", " %")


def amount(resource: str, value: int) -> str:
    """An amount of a resource with its unit.

    Parameters
    ----------
    value : int
        In milli-cpu for ``cpu``, in bytes for memory, storage and huge pages, in pieces for others.

    Examples
    --------
    >>> amount("cpu", 2500), amount("cpu", 64000), amount("memory", 3 << 29), amount("nvidia.com/gpu", 8)
    ('2.5', '64', '1.5 GiB', '8')
    """
    if resource == "cpu":
        return f"{value / 1000:,.3f}".rstrip("0").rstrip(".")
    if resource in {"memory", "ephemeral-storage"} or resource.startswith("hugepages-"):
        return binary(value)
    return f"{value:,}"


def binary(value: int) -> str:
    """Bytes with a binary unit.

    Examples
    --------
    >>> binary(512), binary(1536), binary(200 << 20), binary(-(1 << 30))
    ('512 B', '1.5 KiB', '200 MiB', '-1 GiB')
    """
    scaled, unit = float(value), 0
    while abs(scaled) >= 1024 and unit < len(_BINARY_UNITS) - 1:
        scaled /= 1024
        unit += 1
    figures = f"{scaled:,.1f}".removesuffix(".0")
    return f"{figures} {_BINARY_UNITS[unit]}"


def words(name: str) -> str:
    """A plugin's name, broken into lines between its words.

    Examples
    --------
    >>> words("NodeResourcesFit").splitlines(), words("ImageLocality").splitlines()
    (['Node', 'Resources', 'Fit'], ['Image', 'Locality'])
    """
    return "\n".join(_WORD.findall(name))


def shorten(text: str, width: int) -> str:
    """Cut text that is too long, and show that it was.

    Examples
    --------
    >>> shorten("gen-a1", 6), shorten("gen-a1-long", 6)
    ('gen-a1', 'gen...')
    """
    return text if len(text) <= width else text[: max(width - 3, 0)] + "..."
