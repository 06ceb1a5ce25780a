"""One scheduling attempt on the demo cluster: nodes across, what filters and scores say of them down."""

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import kplace
from drawings.svg import AMBER, BLUE, EDGE, FAINT, GREEN, GREY, RED, box, picture, text, turned
from kplace.plugins.defaults import DEFAULT_ORDER

OWNER = "ingress"
LEFT, CELL, ROW, TOP = 320, 44, 25, 126


def draw(source: str) -> str:
    """The picture of the second attempt at a pod of edge/ingress."""
    nodes, attempt = _attempt(source)
    parts = list(_parts(nodes, attempt))
    height = TOP + ROW * (len(_filters(attempt)) + len(attempt["scores"]) + 3) + 30
    return picture(LEFT + CELL * len(nodes) + 24, height, f"How {attempt['pod']} finds its node", parts)


def _attempt(source: str) -> tuple[list[str], dict[str, Any]]:
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "trace.json"
        kplace.place(kplace.read(source), trace=trace)
        record = json.loads(trace.read_text(encoding="utf-8"))
    attempts = [item for item in record["pods"] if item["pod"].startswith(f"edge/{OWNER}-") and "scores" in item]
    return record["nodeOrder"], attempts[1]


def _filters(attempt: dict[str, Any]) -> list[str]:
    """The plugins that reject nodes, in the order in which filters run."""
    rejecting = {plugin for plugin, _, _ in attempt["rejected"].values()}
    return [name for name, _ in DEFAULT_ORDER if name in rejecting]


def _parts(nodes: list[str], attempt: dict[str, Any]) -> Iterator[str]:
    x = {name: LEFT + CELL * i for i, name in enumerate(nodes)}
    yield text(24, 40, attempt["pod"], bold=True, size=15)
    yield text(24, 62, "one attempt, 14 nodes".replace("14", str(len(nodes))), size=12, fill=FAINT)
    yield text(24, TOP - 12, "nodes in snapshot order", size=12, fill=FAINT)
    for name in nodes:
        yield turned(x[name] + CELL / 2, TOP - 10, name)
    y = float(TOP)
    left = list(nodes)
    for plugin in _filters(attempt):
        yield text(24, y + 17, plugin, size=12.5)
        for name in left:
            out = attempt["rejected"].get(name, [""])[0] == plugin
            yield _cell(x[name], y, RED if out else GREY, "✕" if out else "")
        left = [name for name in left if attempt["rejected"].get(name, [""])[0] != plugin]
        y += ROW
    feasible = attempt["sample"]["feasible"]
    yield text(24, y + 17, "feasible, as they were found", size=12.5, bold=True)
    for name in feasible:
        yield _cell(x[name], y, BLUE, str(feasible.index(name) + 1))
    y += ROW + 10
    weights = dict(DEFAULT_ORDER)
    for plugin, scores in attempt["scores"].items():
        yield text(24, y + 17, plugin, size=12.5)
        yield text(LEFT - 10, y + 17, f"weight {weights[plugin]}", size=11, anchor="end", fill=FAINT)
        for name in feasible:
            yield _cell(x[name], y, GREY, str(scores[name][1]))
        y += ROW
    yield text(24, y + 17, "total", size=12.5, bold=True)
    for name in feasible:
        best, chosen = name in attempt["best"], name == attempt["chosen"]
        yield _cell(x[name], y, GREEN if chosen else AMBER if best else GREY, str(attempt["total"][name]), bold=best)
    y += ROW + 24
    ties = len(attempt["best"])
    drawn = f"one of the {ties} best is drawn" if ties > 1 else "the best one is taken"
    yield text(24, y, f"{drawn}: {attempt['chosen']}", size=12.5)


def _cell(x: float, y: float, fill: str, words: str, *, bold: bool = False) -> str:
    return box(x + 2, y + 2, CELL - 4, ROW - 4, fill, edge=EDGE, radius=3) + text(
        x + CELL / 2, y + 17, words, size=11.5, anchor="middle", bold=bold
    )
