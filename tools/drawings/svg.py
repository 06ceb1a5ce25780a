"""Shapes and texts as SVG."""

from collections.abc import Iterable
from xml.sax.saxutils import escape

INK, FAINT, PAPER = "#24292f", "#6e7781", "#ffffff"
BLUE, GREEN, RED, AMBER, GREY = "#ddf0ff", "#dafbe1", "#ffdcd7", "#fff3c4", "#eef1f4"
EDGE = "#c4ccd4"


def picture(width: float, height: float, title: str, parts: Iterable[str]) -> str:
    """A picture on white paper, so that it can be read on dark pages too."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" role="img" '
        'font-family="DejaVu Sans, Verdana, Helvetica, Arial, sans-serif">\n'
        f"<title>{escape(title)}</title>\n"
        f'<rect width="{width:g}" height="{height:g}" rx="8" fill="{PAPER}"/>\n' + "\n".join(parts) + "\n</svg>\n"
    )


def box(x: float, y: float, width: float, height: float, fill: str, *, edge: str = EDGE, radius: float = 5) -> str:
    """A rectangle with round corners."""
    place = f'x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{radius:g}"'
    return f'<rect {place} fill="{fill}" stroke="{edge}"/>'


def text(
    x: float, y: float, words: str, *, size: float = 13, anchor: str = "start", fill: str = INK, bold: bool = False
) -> str:
    """A line of text; ``y`` is its base line."""
    weight = ' font-weight="bold"' if bold else ""
    style = f'font-size="{size:g}" text-anchor="{anchor}" fill="{fill}"{weight}'
    return f'<text x="{x:g}" y="{y:g}" {style}>{escape(words)}</text>'


def turned(x: float, y: float, words: str, *, size: float = 12, angle: float = -60, fill: str = INK) -> str:
    """A line of text turned around its beginning."""
    turn = f'transform="rotate({angle:g} {x:g} {y:g})"'
    return f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" fill="{fill}" {turn}>{escape(words)}</text>'


def arrow(points: Iterable[tuple[float, float]], *, fill: str = FAINT) -> str:
    """A line through some points with a head at its end."""
    path = list(points)
    (x0, y0), (x1, y1) = path[-2:]
    length = max(((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5, 1e-9)
    dx, dy = (x1 - x0) / length, (y1 - y0) / length
    left = (x1 - 7 * dx - 4 * dy, y1 - 7 * dy + 4 * dx)
    right = (x1 - 7 * dx + 4 * dy, y1 - 7 * dy - 4 * dx)
    line = " ".join(f"{x:g},{y:g}" for x, y in path)
    head = " ".join(f"{x:.1f},{y:.1f}" for x, y in ((x1, y1), left, right))
    shaft = f'<polyline points="{line}" fill="none" stroke="{fill}" stroke-width="1.4"/>'
    return f'{shaft}<polygon points="{head}" fill="{fill}"/>'
