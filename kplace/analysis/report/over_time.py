"""Charts over time as SVG: lines that differ in colour and in dashes, areas on each other, columns."""

import math
from collections.abc import Callable, Sequence
from html import escape
from typing import NamedTuple

import numpy as np

from kplace.analysis.plots.drawn import time_unit
from kplace.dtypes import F64, I64

DASHES = ("", "7 4", "2 3", "9 3 2 3", "12 4", "4 2")
"""As SVG has them, one for each of the six colours: lines can be told apart without any."""
_LEFT, _TOP, _WIDTH, _HEIGHT = 64, 10, 680, 190
_STEPS = (0.0, 0.25, 0.5, 0.75, 1.0)


class Series(NamedTuple):
    """Values over time.

    Attributes
    ----------
    name : str
    values : float64 ndarray
        NaN where there is none.
    colour : str
    dash : str
        One of `DASHES`; of no concern to areas and columns.
    """

    name: str
    values: F64
    colour: str
    dash: str = ""


def lines(at: F64, series: Sequence[Series], shown: Callable[[float], str], label: str) -> str:
    """A line for each series; the axis goes to 1, or higher where a value does.

    Parameters
    ----------
    at : float64 ndarray
        Seconds.
    shown : callable
        How a value is written on the axis.
    label : str
        What the chart says, for those who do not see it.
    """
    most = max((float(np.nanmax(item.values, initial=1.0)) for item in series), default=1.0)
    drawn = "".join(
        f'<path d="{_path(at, item.values / most)}" fill="none" stroke="{item.colour}" stroke-width="2" '
        f'stroke-dasharray="{item.dash}"><title>{escape(item.name)}</title></path>'
        for item in series
    )
    key = "".join(
        f'<li><svg viewBox="0 0 30 8" aria-hidden="true"><path d="M0 4H30" stroke="{item.colour}" stroke-width="3" '
        f'stroke-dasharray="{item.dash}"/></svg>{escape(item.name)}</li>'
        for item in series
    )
    return f'{_framed(_axes(at, most, shown) + drawn, label)}<ul class="legend lines">{key}</ul>'


def areas(at: F64, series: Sequence[Series], label: str) -> str:
    """Areas on each other, the first at the bottom: numbers that add up to a whole; see `lines`."""
    below = np.zeros(len(at))
    most = _round_above(float(np.sum([item.values for item in series], axis=0).max(initial=0.0)))
    drawn = []
    for item in series:
        above = below + item.values
        edge = [*_points(at, above / most), *reversed(_points(at, below / most))]
        drawn.append(
            f'<polygon points="{" ".join(edge)}" fill="{item.colour}"><title>{escape(item.name)}</title></polygon>'
        )
        below = above
    return _framed(_axes(at, most, _count) + "".join(drawn), label)


def counts(edges: F64, series: Sequence[Series], label: str) -> str:
    """Columns on each other, one for each stretch of time.

    Parameters
    ----------
    edges : float64 ndarray, shape (k + 1,)
        Seconds at which the stretches begin, and the end.
    """
    heights = np.sum([item.values for item in series], axis=0)
    most = _round_above(float(heights.max(initial=0.0)))
    left, (divisor, unit) = _x(edges, edges), time_unit(edges)
    drawn, below = [], np.zeros(len(heights))
    for item in series:
        above = below + item.values
        for k in np.flatnonzero(item.values > 0).tolist():
            top, bottom = _y(above[k] / most), _y(below[k] / most)
            when = f"{edges[k] / divisor:.4g} to {edges[k + 1] / divisor:.4g} {unit}"
            about = f"{item.values[k]:,.0f} {item.name}, {when}"
            drawn.append(
                f'<rect x="{left[k]:.1f}" y="{top:.1f}" width="{max(left[k + 1] - left[k] - 1, 0.5):.1f}" '
                f'height="{bottom - top:.1f}" fill="{item.colour}"><title>{escape(about)}</title></rect>'
            )
        below = above
    return _framed(_axes(edges, most, _count) + "".join(drawn), label)


def binned(times: F64, edges: F64) -> I64:
    """How many times lie in each stretch; the last one has its end in it."""
    return np.histogram(times, bins=edges)[0].astype(np.int64)


def _round_above(value: float) -> float:
    """The end of an axis of whole numbers, such that its four steps are whole as well.

    Examples
    --------
    >>> [_round_above(value) for value in (0, 3, 10, 463, 2001)]
    [4.0, 4.0, 12.0, 480.0, 2400.0]
    """
    step = 4.0
    while value > 12 * step:
        step *= 10
    return max(math.ceil(value / step), 1) * step


def _count(value: float) -> str:
    return f"{value:,.0f}"


def _framed(inner: str, label: str) -> str:
    box = f"0 0 {_LEFT + _WIDTH + 16} {_TOP + _HEIGHT + 44}"
    return f'<svg class="time" viewBox="{box}" role="img" aria-label="{escape(label)}">{inner}</svg>'


def _axes(at: F64, most: float, shown: Callable[[float], str]) -> str:
    divisor, unit = time_unit(at)
    first, last = (float(at[0]), float(at[-1])) if len(at) else (0.0, 0.0)
    found = []
    for share in _STEPS:
        x, y = _LEFT + share * _WIDTH, _y(share)
        found.append(f'<line x1="{_LEFT}" x2="{_LEFT + _WIDTH}" y1="{y:.1f}" y2="{y:.1f}" class="grid"/>')
        found.append(f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{escape(shown(share * most))}</text>')
        when = (first + share * (last - first)) / divisor
        found.append(f'<text x="{x:.1f}" y="{_TOP + _HEIGHT + 16}" text-anchor="middle">{when:.4g}</text>')
    found.append(f'<text x="{_LEFT + _WIDTH / 2}" y="{_TOP + _HEIGHT + 34}" text-anchor="middle">{unit}</text>')
    return "".join(found)


def _x(at: F64, whole: F64) -> F64:
    length = float(whole[-1] - whole[0]) if len(whole) else 0.0
    found: F64 = _LEFT + _WIDTH * ((at - whole[0]) / length if length else np.zeros(len(at)))
    return found


def _y(share: float) -> float:
    return _TOP + (1 - share) * _HEIGHT


def _points(at: F64, shares: F64) -> list[str]:
    return [f"{x:.1f},{_y(share):.1f}" for x, share in zip(_x(at, at).tolist(), shares.tolist(), strict=True)]


def _path(at: F64, shares: F64) -> str:
    """Points joined by lines; where there is no value, the line has a gap."""
    known = ~np.isnan(shares)
    begins = known & ~np.concatenate([[False], known[:-1]])
    points = _points(at, np.where(known, shares, 0.0))
    return "".join(f"{'M' if begins[k] else 'L'}{points[k]}" for k in np.flatnonzero(known).tolist())
