"""Pieces that the rendered summaries share: bars, numbers with units, names that wrap where they should."""

import re
from math import isnan

from rich.console import Console
from rich.table import Table
from rich.text import Text

BAR_WIDTH = 16

_BINARY_UNITS = ("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^A-Z]+")


def plain_table(*, header: bool = True) -> Table:
    """A table without lines, two blanks between columns and before the first."""
    return Table(box=None, show_header=header, padding=(0, 0, 0, 2), header_style="dim")


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
