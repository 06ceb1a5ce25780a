"""The layers of the package, as the import contract in pyproject.toml has them."""

import tomllib
from pathlib import Path

from drawings.svg import BLUE, FAINT, GREEN, GREY, arrow, box, picture, text

WORDS = {
    "cli": "one module per command; the only place that prints",
    "sweeps": "many runs, on many processes",
    "analysis": "questions about results",
    "api": "the public functions and classes",
    "traces": "published traces, read as tables",
    "synthesis": "clusters that are made up",
    "io": "files to objects, results to files",
    "frames": "columns to DataFrames and back",
    "engine": "a pod's way through the plugins, all pods in turn",
    "queue": "which pod is next, on a simulated clock",
    "preemption": "which pods would have to leave",
    "plugins": "one folder for each in-tree plugin",
    "framework": "extension points, codes, weights, messages",
    "config": "KubeSchedulerConfiguration, checked",
    "state": "what changes: room on nodes, counts of pods",
    "columns": "what a cluster is: arrays, templates, selectors",
    "objects": "Kubernetes kinds as typed structs",
    "_jit": "the kernel decorator",
    "dtypes": "numbers that all share",
    "errors": "one tree of exceptions",
    "version": "which release this is",
}
AT_THE_EDGE = {"cli", "sweeps", "analysis", "api", "traces", "synthesis", "io", "frames"}
OTHERS = {"objects": "objects", "_jit": "jit", "dtypes": "base", "errors": "base", "version": "base"}
FILLS = {"edge": BLUE, "core": GREEN, "objects": BLUE, "jit": GREY, "base": GREY}
ASIDE = {
    "edge": ("pandas,", "names and texts"),
    "core": ("integers and arrays,", "no texts on the way"),
    "objects": ("texts, as read",),
    "jit": ("alone imports numba",),
}
WIDTH, ROW, GAP, LEFT, RIGHT = 860, 36, 6, 120, 180


def draw(pyproject: Path) -> str:
    """The picture."""
    rows = [row for row in _rows(pyproject) if row]
    if missing := {name for row in rows for name in row} - WORDS.keys():
        message = f"tools/drawings/layers.py has no words for: {', '.join(sorted(missing))}"
        raise SystemExit(message)
    top, inner = 26.0, WIDTH - LEFT - RIGHT
    parts, y = [], top
    spans: dict[str, list[float]] = {}
    for row in rows:
        width = (inner - GAP * (len(row) - 1)) / len(row)
        for i, name in enumerate(row):
            x = LEFT + i * (width + GAP)
            kind = _kind(name)
            parts.append(box(x, y, width, ROW, FILLS[kind]))
            parts += _label(x, y, width, name)
            spans.setdefault(kind, []).append(y)
        y += ROW + GAP
    parts.append(arrow([(LEFT - 22, top), (LEFT - 22, y - GAP)]))
    parts += [
        text(LEFT - 32, top + 60 + 17 * i, w, size=12, anchor="end", fill=FAINT)
        for i, w in enumerate(("imports", "go down", "only"))
    ]
    for kind, words in ASIDE.items():
        parts += _aside(min(spans[kind]), max(spans[kind]) + ROW, words)
    return picture(WIDTH, y + 20, "The layers of kplace: imports go down only", parts)


def _rows(pyproject: Path) -> list[list[str]]:
    contracts = tomllib.loads(pyproject.read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
    layers = next(contract for contract in contracts if contract["id"] == "layers")["layers"]
    present = {path.name.removesuffix(".py") for path in (pyproject.parent / "kplace").iterdir()}
    names = [[name.strip(" ()") for name in layer.split("|")] for layer in layers]
    return [[name for name in row if name in present] for row in names]


def _kind(name: str) -> str:
    return "edge" if name in AT_THE_EDGE else OTHERS.get(name, "core")


def _label(x: float, y: float, width: float, name: str) -> list[str]:
    """A name and what it is for, beside each other where there is room."""
    if width > 400:
        return [text(x + 14, y + 23, name, bold=True), text(x + 110, y + 23, WORDS[name], size=12.5)]
    return [text(x + 14, y + 16, name, bold=True, size=12.5), text(x + 14, y + 30, WORDS[name], size=11)]


def _aside(first: float, last: float, words: tuple[str, ...]) -> list[str]:
    """A bracket on the right, with what holds for the layers beside it."""
    x = WIDTH - RIGHT + 12
    bracket = f'<path d="M{x:g} {first:g} h6 v{last - first:g} h-6" fill="none" stroke="{FAINT}" stroke-width="1.4"/>'
    middle = (first + last) / 2 + 4 - 8.5 * (len(words) - 1)
    return [bracket, *(text(x + 16, middle + 17 * i, line, size=12, fill=FAINT) for i, line in enumerate(words))]
