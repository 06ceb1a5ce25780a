"""Charts as SVG and HTML: no library, colours that everybody can tell apart, every number also as text."""

from collections.abc import Callable, Mapping, Sequence
from html import escape

import numpy as np
import pandas as pd

from kplace.analysis.plots.drawn import cells, kinds_in, told_apart
from kplace.analysis.plots.style import BINS, MOST_DOTS, REQUESTED, colours_of, depth
from kplace.dtypes import F64, I64

_SIDE, _LEFT, _BOTTOM = 360, 46, 40
Shown = Callable[[float], str]
"""How a number is written."""


def percent(share: float) -> str:
    """A share as a percentage; a dash for NaN."""
    return "-" if np.isnan(share) else f"{share:.1%}"


def cards(shown: Mapping[str, str]) -> str:
    """Numbers that stand out, each below its name."""
    items = "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(text)}</dd></div>" for name, text in shown.items())
    return f'<dl class="cards">{items}</dl>'


def stacked(parts: Sequence[tuple[str, float, str]], label: str) -> str:
    """One bar of several parts.

    Parameters
    ----------
    parts : sequence of (str, float, str)
        What each is, its share of the bar, its colour.
    label : str
        What the bar is about, for those who do not see it.
    """
    said = ", ".join(f"{name} {percent(share)}" for name, share, _ in parts if share > 0)
    spans = "".join(
        f'<span style="width:{100 * share:.3f}%;background:{colour}" title="{escape(name)} {percent(share)}"></span>'
        for name, share, colour in parts
        if share > 0
    )
    return f'<div class="bar" role="img" aria-label="{escape(f"{label}: {said}")}">{spans}</div>'


def legend(parts: Sequence[tuple[str, str]]) -> str:
    """Names with their colours."""
    items = "".join(f'<li><i style="background:{colour}"></i>{escape(name)}</li>' for name, colour in parts)
    return f'<ul class="legend">{items}</ul>'


def scatter(points: pd.DataFrame) -> str:
    """Cpu against memory of every node; of many nodes how many there are in each cell of a grid.

    Parameters
    ----------
    points : DataFrame
        What `kplace.analysis.plots.drawn.node_points` gives; what lies beyond 1 is drawn at the edge.
    """
    left, down = (np.clip(points[name].to_numpy(), 0, 1) for name in ("x", "y"))
    if len(points) > MOST_DOTS:
        marks, key = _cells(left, down), ""
    else:
        groups = told_apart(points["group"])
        colours = colours_of(kinds_in(groups))
        marks = "".join(
            f'<circle cx="{_x(a):.1f}" cy="{_y(b):.1f}" r="4" fill="{colours[group]}">'
            f"<title>{escape(f'{name}: cpu {percent(a)}, memory {percent(b)}')}</title></circle>"
            for name, group, a, b in zip(points["node"], groups, left.tolist(), down.tolist(), strict=True)
        )
        key = legend(list(colours.items()))
    label = f"cpu against memory requested, {len(points):,} nodes"
    return f'<svg viewBox="0 0 {_SIDE + 80} {_SIDE + 60}" role="img" aria-label="{label}">{_axes()}{marks}</svg>{key}'


def _cells(x: F64, y: F64) -> str:
    counts, most = cells(x, y)
    size = _SIDE / BINS
    rows, columns = np.nonzero(counts)
    return "".join(
        f'<rect x="{_x(i / BINS):.1f}" y="{_y((j + 1) / BINS):.1f}" width="{size:.1f}" height="{size:.1f}" '
        f'fill="{REQUESTED}" fill-opacity="{depth(counts[i, j] / most):.2f}">'
        f"<title>{int(counts[i, j]):,} nodes at cpu {i / BINS:.0%}, memory {j / BINS:.0%}</title></rect>"
        for i, j in zip(rows.tolist(), columns.tolist(), strict=True)
    )


def _axes() -> str:
    lines = []
    for share in (0, 0.25, 0.5, 0.75, 1):
        lines.append(f'<line x1="{_x(share)}" x2="{_x(share)}" y1="{_y(0)}" y2="{_y(1)}" class="grid"/>')
        lines.append(f'<line x1="{_x(0)}" x2="{_x(1)}" y1="{_y(share)}" y2="{_y(share)}" class="grid"/>')
        lines.append(f'<text x="{_x(share)}" y="{_y(0) + 16}" text-anchor="middle">{share:.0%}</text>')
        lines.append(f'<text x="{_x(0) - 6}" y="{_y(share) + 4}" text-anchor="end">{share:.0%}</text>')
    lines.append(f'<text x="{_x(0.5)}" y="{_y(0) + 34}" text-anchor="middle">cpu requested</text>')
    lines.append(f'<text transform="translate(12 {_y(0.5)}) rotate(-90)" text-anchor="middle">memory requested</text>')
    lines.append(f'<line x1="{_x(0)}" x2="{_x(1)}" y1="{_y(0)}" y2="{_y(1)}" class="even"/>')
    return "".join(lines)


def _x(share: float) -> float:
    return _LEFT + 6 + share * _SIDE


def _y(share: float) -> float:
    return 10 + (1 - share) * _SIDE


def columns(values: I64, names: Sequence[str], label: str) -> str:
    """A column for each value, with the value above it."""
    most = max(int(values.max()), 1) if len(values) else 1
    width, height = max(28, min(60, 640 // max(len(values), 1))), 160
    bars = []
    for number, (value, name) in enumerate(zip(values.tolist(), names, strict=True)):
        tall = height * value / most
        left = number * width
        bars.append(
            f'<rect x="{left + 3}" y="{height - tall + 20:.1f}" width="{width - 6}" height="{tall:.1f}" '
            f'fill="{REQUESTED}"/>'
            f'<text x="{left + width / 2}" y="{height - tall + 15:.1f}" text-anchor="middle">{value:,}</text>'
            f'<text x="{left + width / 2}" y="{height + 36}" text-anchor="middle">{escape(name)}</text>'
        )
    total = max(width * len(values), 1)
    return (
        f'<svg viewBox="0 0 {total} {height + 44}" style="max-width:{total}px" role="img" aria-label="{escape(label)}">'
        f"{''.join(bars)}</svg>"
    )
