"""Line charts as SVG."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tools.drawings.svg import EDGE, FAINT, picture, text, turned

WIDTH, HEIGHT = 760, 400
LEFT, TOP, RIGHT, BOTTOM = 62, 46, 190, 52


@dataclass(frozen=True)
class Line:
    """A line, or points if it has ``dots``.

    Attributes
    ----------
    x, y : sequences of float
    low, high : sequences of float, optional
        A band around it.
    """

    name: str
    colour: str
    x: Sequence[float]
    y: Sequence[float]
    dash: str = ""
    dots: bool = False
    low: Sequence[float] = ()
    high: Sequence[float] = ()


@dataclass(frozen=True)
class Axis:
    """From where to where, and at which steps there is a number."""

    name: str
    low: float
    high: float
    step: float

    def ticks(self) -> list[float]:
        """The numbers."""
        return [self.low + i * self.step for i in range(round((self.high - self.low) / self.step) + 1)]

    def share(self, value: float) -> float:
        """Where a value lies between the ends, which are 0 and 1."""
        return (value - self.low) / (self.high - self.low)

    def holds(self, value: float) -> bool:
        """Whether a value lies between the ends."""
        return self.low <= value <= self.high


def draw(title: str, x: Axis, y: Axis, lines: Iterable[Line]) -> str:
    """A chart with a legend on its right."""
    listed = list(lines)
    parts = [text(LEFT, 26, title, size=15, bold=True), *_frame(x, y), _CLIP, '<g clip-path="url(#frame)">']
    for line in listed:
        parts += _band(line, x, y)
    parts += [_path(line, x, y) for line in listed if not line.dots]
    parts.append("</g>")
    for i, line in enumerate(listed):
        parts += [*_dots(line, x, y), *_legend(line, TOP + 14 + 22 * i)]
    return picture(WIDTH, HEIGHT, title, parts)


_CLIP = (
    f'<clipPath id="frame"><rect x="{LEFT}" y="{TOP - 2}" width="{WIDTH - LEFT - RIGHT}" '
    f'height="{HEIGHT - TOP - BOTTOM + 4}"/></clipPath>'
)
"""Cuts lines off where they leave the axes; one along an edge keeps its width."""


def _at(x: Axis, y: Axis, place: tuple[float, float]) -> tuple[float, float]:
    width, height = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
    return LEFT + width * x.share(place[0]), TOP + height * (1 - y.share(place[1]))


def _frame(x: Axis, y: Axis) -> list[str]:
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    parts = []
    for value in y.ticks():
        _, at = _at(x, y, (x.low, value))
        parts.append(f'<line x1="{LEFT}" y1="{at:.1f}" x2="{right}" y2="{at:.1f}" stroke="{EDGE}" stroke-width="0.6"/>')
        parts.append(text(LEFT - 8, at + 4, f"{value:g}", size=12, anchor="end", fill=FAINT))
    for value in x.ticks():
        at, _ = _at(x, y, (value, y.low))
        parts.append(f'<line x1="{at:.1f}" y1="{bottom}" x2="{at:.1f}" y2="{bottom + 5}" stroke="{FAINT}"/>')
        parts.append(text(at, bottom + 19, f"{value:g}", size=12, anchor="middle", fill=FAINT))
    parts.append(text((LEFT + right) / 2, HEIGHT - 12, x.name, size=12, anchor="middle", fill=FAINT))
    parts.append(turned(18, bottom - 10, y.name, angle=-90, fill=FAINT))
    return parts


def _points(line: Line, values: Sequence[float], x: Axis, y: Axis) -> list[tuple[float, float]]:
    return [_at(x, y, place) for place in zip(line.x, values, strict=True) if x.holds(place[0])]


def _joined(points: Iterable[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)


def _band(line: Line, x: Axis, y: Axis) -> list[str]:
    if not line.low:
        return []
    edge = [*_points(line, line.low, x, y), *reversed(_points(line, line.high, x, y))]
    return [f'<polygon points="{_joined(edge)}" fill="{line.colour}" opacity="0.18"/>']


def _path(line: Line, x: Axis, y: Axis) -> str:
    return _stroke(_joined(_points(line, line.y, x, y)), line)


def _dots(line: Line, x: Axis, y: Axis) -> list[str]:
    if not line.dots:
        return []
    inside = [place for place in zip(line.x, line.y, strict=True) if x.holds(place[0]) and y.holds(place[1])]
    return [_dot(*_at(x, y, place), line.colour) for place in inside]


def _dot(x: float, y: float, colour: str) -> str:
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.4" fill="none" stroke="{colour}" stroke-width="1.6"/>'


def _stroke(points: str, line: Line) -> str:
    dash = f' stroke-dasharray="{line.dash}"' if line.dash else ""
    return f'<polyline points="{points}" fill="none" stroke="{line.colour}" stroke-width="2"{dash}/>'


def _legend(line: Line, y: float) -> list[str]:
    begin = WIDTH - RIGHT + 16
    mark = _dot(begin + 12, y - 4, line.colour) if line.dots else _stroke(f"{begin},{y - 4} {begin + 24},{y - 4}", line)
    return [mark, text(begin + 32, y, line.name, size=12)]
