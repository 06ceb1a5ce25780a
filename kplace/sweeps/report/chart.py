"""Pictures of a report as SVG: curves with bands, and points of which some are a front."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

COLOURS = ("#0969da", "#bc4c00", "#1a7f37", "#8250df", "#cf222e", "#6e7781", "#0a7ea4", "#9a6700")
DASHES = ("", "6 4")
_WIDTH, _HEIGHT = 760, 400
_LEFT, _TOP, _RIGHT, _BOTTOM = 72, 46, 200, 52
_EDGE, _FAINT, _INK = "#d0d7de", "#57606a", "#24292f"
_LONGEST = 24
Numbers = Sequence[float]


@dataclass(frozen=True, slots=True)
class Line:
    """A line with a band around it.

    Attributes
    ----------
    name : str
    x, low, middle, high : sequence of float
    """

    name: str
    x: Numbers
    low: Numbers
    middle: Numbers
    high: Numbers


@dataclass(frozen=True, slots=True)
class Dots:
    """Points of one kind.

    Attributes
    ----------
    name : str
    x, y : sequence of float
    """

    name: str
    x: Numbers
    y: Numbers


@dataclass(frozen=True, slots=True)
class _Axis:
    low: float
    high: float
    ticks: tuple[float, ...]
    start: float
    end: float

    @staticmethod
    def over(values: Numbers, start: float, end: float) -> "_Axis":
        known = [value for value in values if math.isfinite(value)] or [0.0, 1.0]
        low, high = min(known), max(known)
        if low == high:
            low, high = low - (abs(low) or 1) / 2, high + (abs(high) or 1) / 2
        step = _step(high - low)
        first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
        ticks = tuple(float(f"{i * step:.12g}") for i in range(first, last + 1))
        return _Axis(ticks[0], ticks[-1], ticks, start, end)

    def at(self, value: float) -> float:
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)


def _step(span: float) -> float:
    """A step of 1, 2 or 5 times a power of ten, four to nine of which make the span.

    Examples
    --------
    >>> _step(80), _step(0.3)
    (10.0, 0.05)
    """
    power = 10.0 ** math.floor(math.log10(span))
    return next(factor * power / 10 for factor in (1, 2, 5, 10, 20) if span / (factor * power / 10) <= 9)


def draw_lines(title: str, x_name: str, y_name: str, lines: Sequence[Line]) -> str:
    """Draw lines over numbers, each with its band."""
    across = _Axis.over([value for line in lines for value in line.x], _LEFT, _WIDTH - _RIGHT)
    ends = [value for line in lines for values in (line.low, line.high) for value in values]
    up = _Axis.over(ends, _HEIGHT - _BOTTOM, _TOP)
    parts = [*_frame(title, x_name, y_name, across, up)]
    for number, line in enumerate(lines):
        parts += _band(number, line, across, up)
    for number, line in enumerate(lines):
        parts += _line(number, line, across, up)
    return _document(title, parts)


def draw_dots(title: str, x_name: str, y_name: str, all_dots: Dots, front: Dots) -> str:
    """Draw points, and those of the front as a line of larger ones."""
    across = _Axis.over(all_dots.x, _LEFT, _WIDTH - _RIGHT)
    up = _Axis.over(all_dots.y, _HEIGHT - _BOTTOM, _TOP)
    parts = [*_frame(title, x_name, y_name, across, up)]
    parts += [_dot(across.at(x), up.at(y), 2.6, "#8c959f") for x, y in zip(all_dots.x, all_dots.y, strict=True)]
    chosen = sorted(zip(front.x, front.y, strict=True))
    path = " ".join(f"{across.at(x):.1f},{up.at(y):.1f}" for x, y in chosen)
    parts.append(f'<polyline points="{path}" fill="none" stroke="{COLOURS[0]}" stroke-width="1.4"/>')
    parts += [_dot(across.at(x), up.at(y), 4.2, COLOURS[0]) for x, y in chosen]
    begin = _WIDTH - _RIGHT + 16
    for i, (dots, colour) in enumerate(((front, COLOURS[0]), (all_dots, "#8c959f"))):
        parts += [_dot(begin + 12, _TOP + 10 + 22 * i, 3.6, colour)]
        parts.append(_text(begin + 32, _TOP + 14 + 22 * i, dots.name, "start", _INK))
    return _document(title, parts)


def _frame(title: str, x_name: str, y_name: str, across: _Axis, up: _Axis) -> Iterator[str]:
    right, bottom = _WIDTH - _RIGHT, _HEIGHT - _BOTTOM
    yield f'<text x="{_LEFT}" y="26" font-size="15" font-weight="600" fill="{_INK}">{escape(title)}</text>'
    for value in up.ticks:
        y = up.at(value)
        yield f'<line x1="{_LEFT}" y1="{y:.1f}" x2="{right}" y2="{y:.1f}" stroke="{_EDGE}" stroke-width="0.6"/>'
        yield _text(_LEFT - 8, y + 4, shown(value), "end")
    for value in across.ticks:
        x = across.at(value)
        yield f'<line x1="{x:.1f}" y1="{bottom}" x2="{x:.1f}" y2="{bottom + 5}" stroke="{_FAINT}"/>'
        yield _text(x, bottom + 19, shown(value), "middle")
    yield _text((_LEFT + right) / 2, _HEIGHT - 12, x_name, "middle")
    middle = (_TOP + bottom) / 2
    yield (
        f'<text transform="translate(16 {middle:.0f}) rotate(-90)" text-anchor="middle" fill="{_FAINT}">'
        f"{escape(y_name)}</text>"
    )


def _band(number: int, line: Line, across: _Axis, up: _Axis) -> Iterator[str]:
    forth = [f"{across.at(x):.1f},{up.at(y):.1f}" for x, y in zip(line.x, line.high, strict=True)]
    back = [f"{across.at(x):.1f},{up.at(y):.1f}" for x, y in zip(line.x, line.low, strict=True)]
    yield f'<polygon points="{" ".join(forth + back[::-1])}" fill="{_colour(number)}" opacity="0.18"/>'


def _line(number: int, line: Line, across: _Axis, up: _Axis) -> Iterator[str]:
    path = " ".join(f"{across.at(x):.1f},{up.at(y):.1f}" for x, y in zip(line.x, line.middle, strict=True))
    dash = DASHES[number // len(COLOURS) % len(DASHES)]
    style = f'stroke="{_colour(number)}" stroke-width="2"' + (f' stroke-dasharray="{dash}"' if dash else "")
    yield f'<polyline points="{path}" fill="none" {style}/>'
    begin, y = _WIDTH - _RIGHT + 16, _TOP + 10 + 22 * number
    yield f'<line x1="{begin}" y1="{y}" x2="{begin + 24}" y2="{y}" {style}/>'
    short = line.name if len(line.name) <= _LONGEST else line.name[: _LONGEST - 1] + "…"
    yield _text(begin + 32, y + 4, short, "start", _INK)


def _colour(number: int) -> str:
    return COLOURS[number % len(COLOURS)]


def _dot(x: float, y: float, radius: float, colour: str) -> str:
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" fill="{colour}"/>'


def _text(x: float, y: float, words: str, anchor: str, colour: str = _FAINT) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}">{escape(words)}</text>'


def _document(title: str, parts: Sequence[str]) -> str:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" '
        f'height="{_HEIGHT}" font-family="system-ui, sans-serif" font-size="12" role="img" '
        f'aria-label="{escape(title)}">'
    )
    return "\n".join([head, f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#ffffff"/>', *parts, "</svg>"]) + "\n"


def shown(value: object) -> str:
    """A number, or whatever it is, for people.

    Examples
    --------
    >>> shown(0.123456), shown(12345.0), shown(7), shown("a"), shown(float("nan"))
    ('0.1235', '12,345', '7', 'a', '-')
    """
    if isinstance(value, float) and math.isnan(value):
        return "-"
    if isinstance(value, float) and not value.is_integer():
        return f"{value:,.4g}" if abs(value) < 1000 else f"{value:,.0f}"
    return f"{value:,.0f}" if isinstance(value, int | float) and not isinstance(value, bool) else str(value)
