"""A picture of cost against size: one line per plugin and extension point, both axes by powers of ten."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from kplace.analysis.bench.report import BenchReport, Cost

MOST_LINES = 12
"""Lines that are drawn: those of what costs the most at the largest size."""

_WIDTH, _HEIGHT = 860, 480
_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 290, 46, 48
_COLOURS = ("#1f77b4", "#d62728", "#2ca02c", "#ff7f0e", "#9467bd", "#8c564b", "#17becf", "#e377c2")
_DASHES = ("", "5 3")


@dataclass(frozen=True, slots=True)
class _Axis:
    """A range of numbers on so many pixels, by powers of ten."""

    low: float
    high: float
    start: float
    end: float

    @staticmethod
    def over(values: Sequence[float], start: float, end: float) -> "_Axis":
        low = math.floor(math.log10(min(values)) + 1e-9)
        high = math.ceil(math.log10(max(values)) - 1e-9)
        return _Axis(low, max(high, low + 1), start, end)

    def at(self, value: float) -> float:
        share = (math.log10(value) - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self) -> list[float]:
        return [10.0**power for power in range(int(self.low), int(self.high) + 1)]


def picture(report: BenchReport) -> str:
    """Draw a report as SVG.

    Each point is the median of the rounds; the bar through it spans the middle half of them. A call that costs nothing
    that could be measured is left out.
    """
    lines = _lines(report)
    if not lines:
        return _document([_text(_WIDTH / 2, _HEIGHT / 2, "nothing was measured", "middle")])
    shown = [cost for line in lines for cost in line]
    across = _Axis.over([cost.nodes for cost in shown], _LEFT, _WIDTH - _RIGHT)
    up = _Axis.over([end for cost in shown for end in cost.quartiles], _HEIGHT - _BOTTOM, _TOP)
    parts = [*_frame(across, up), *_title(report)]
    for number, line in enumerate(lines):
        parts += _line(number, line, across, up)
    return _document(parts)


def _lines(report: BenchReport) -> list[list[Cost]]:
    """The costs of each plugin and point by size, the most expensive at the largest size first."""
    by_name: dict[tuple[str, str], list[Cost]] = {}
    for cost in sorted(report.costs, key=lambda item: item.nodes):
        if min(cost.ns) > 0:
            by_name.setdefault((cost.plugin, cost.point), []).append(cost)
    return sorted(by_name.values(), key=lambda line: -line[-1].median_ns)[:MOST_LINES]


def _document(parts: Sequence[str]) -> str:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" height="{_HEIGHT}" '
        'font-family="system-ui, sans-serif" font-size="12">'
    )
    return "\n".join([head, f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#ffffff"/>', *parts, "</svg>"]) + "\n"


def _title(report: BenchReport) -> list[str]:
    words = f"{report.scheduler}: time of one call against the number of nodes"
    return [f'<text x="{_LEFT}" y="26" font-size="15" fill="#222222">{escape(words)}</text>']


def _frame(across: _Axis, up: _Axis) -> Iterator[str]:
    for value in across.ticks():
        x = across.at(value)
        yield _stroke(x, _TOP, x, _HEIGHT - _BOTTOM, "#dddddd")
        yield _text(x, _HEIGHT - _BOTTOM + 18, f"{value:,.0f}", "middle")
    for value in up.ticks():
        y = up.at(value)
        yield _stroke(_LEFT, y, _WIDTH - _RIGHT, y, "#dddddd")
        yield _text(_LEFT - 8, y + 4, duration(value), "end")
    yield _text((across.start + across.end) / 2, _HEIGHT - 8, "nodes", "middle")


def _line(number: int, line: Sequence[Cost], across: _Axis, up: _Axis) -> Iterator[str]:
    colour = _COLOURS[number % len(_COLOURS)]
    dash = _DASHES[number // len(_COLOURS) % len(_DASHES)]
    style = f'stroke="{colour}" stroke-width="1.8"' + (f' stroke-dasharray="{dash}"' if dash else "")
    points = " ".join(f"{across.at(cost.nodes):.1f},{up.at(cost.median_ns):.1f}" for cost in line)
    yield f'<polyline points="{points}" fill="none" {style}/>'
    for cost in line:
        x = across.at(cost.nodes)
        low, high = (up.at(end) for end in cost.quartiles)
        yield _stroke(x, low, x, high, colour)
        yield f'<circle cx="{x:.1f}" cy="{up.at(cost.median_ns):.1f}" r="2.6" fill="{colour}"/>'
    y = _TOP + 10 + 18 * number
    x = _WIDTH - _RIGHT + 18
    yield f'<line x1="{x}" y1="{y}" x2="{x + 24}" y2="{y}" {style}/>'
    yield _text(x + 30, y + 4, f"{line[0].plugin}, {line[0].point}", "start")


def _stroke(x1: float, y1: float, x2: float, y2: float, colour: str) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}"/>'


def _text(x: float, y: float, words: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="#444444">{escape(words)}</text>'


def duration(ns: float) -> str:
    """A time of a call for people.

    Examples
    --------
    >>> duration(850.0), duration(12_340.0), duration(5_600_000.0)
    ('850 ns', '12.3 µs', '5.60 ms')
    """
    for size, unit in ((1e9, "s"), (1e6, "ms"), (1e3, "µs")):
        if ns >= size:
            return f"{ns / size:.3g} {unit}" if ns / size < 1 or ns / size >= 100 else f"{ns / size:#.3g} {unit}"
    return f"{ns:.0f} ns"
