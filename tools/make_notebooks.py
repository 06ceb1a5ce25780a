"""Make the notebooks under docs/notebooks from their sources, and run them.

Usage: ``python tools/make_notebooks.py [--check] [NAME ...]`` from anywhere; without a name, all of them.

A source is a Python file in percent format: ``# %%`` begins a cell of code, ``# %% [markdown]`` one of prose. It is run
in a kernel, in its own folder, and written with its outputs as ``NAME.ipynb``. Figures are kept as PNG, which every
viewer shows, beside a line with their title and a fingerprint of the numbers they hold.

With ``--check`` nothing is written: a cell that prints something else, or a figure with other numbers, is an error.
That takes neither kaleido nor a browser; drawing a figure that has changed takes both.
"""

import argparse
import base64
import difflib
import hashlib
import json
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
from doc_pages import anchors
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from traitlets.config import Config

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs" / "notebooks"
CELL = re.compile(r"^# %%(?P<prose> \[markdown\])?$", re.MULTILINE)
LINK = re.compile(r"\]\((?P<target>[^)\s]+)\)")
PLOTLY, PNG, TEXT = "application/vnd.plotly.v1+json", "image/png", "text/plain"
WIDTH, HEIGHT = 800, 420
"""Pixels of a picture; the height of one that does not say its own."""
JOBS, SECONDS = 2, 300
"""Notebooks that are run at a time, and for how long a cell may run."""
DIGITS = 9
"""Of a number in a fingerprint: sums may differ in the last ones from machine to machine."""


class NotebookError(Exception):
    """A notebook cannot be made; the message says why."""


def cells(source: str) -> Iterator[tuple[str, str]]:
    """Kind and text of each cell of a source."""
    marks = list(CELL.finditer(source))
    ends = [mark.start() for mark in marks[1:]] + [len(source)]
    for mark, end in zip(marks, ends, strict=True):
        text = source[mark.end() : end].strip("\n")
        if mark["prose"]:
            yield "markdown", "\n".join(line.removeprefix("#").removeprefix(" ") for line in text.splitlines())
        else:
            yield "code", text


def run(name: str) -> nbformat.NotebookNode:
    """A notebook with what its cells give, each figure as plotly's own object.

    Raises
    ------
    NotebookError
        A cell fails.
    """
    source = (FOLDER / f"{name}.py").read_text(encoding="utf-8")
    made = {"markdown": nbformat.v4.new_markdown_cell, "code": nbformat.v4.new_code_cell}
    notebook = nbformat.v4.new_notebook()
    notebook.cells = [made[kind](text, id=f"cell-{number}") for number, (kind, text) in enumerate(cells(source))]
    # Kernels speak through sockets that are files, not ports that others may listen at.
    with tempfile.TemporaryDirectory(prefix="kplace-") as sockets:
        client = NotebookClient(
            notebook,
            timeout=SECONDS,
            kernel_name="python3",
            resources={"metadata": {"path": str(FOLDER)}},
            config=Config({"KernelManager": {"transport": "ipc", "ip": f"{sockets}/kernel"}}),
        )
        try:
            client.execute(env=os.environ | {"PLOTLY_RENDERER": "plotly_mimetype"})
        except CellExecutionError as error:
            message = f"docs/notebooks/{name}.py: a cell fails:\n{error}"
            raise NotebookError(message) from None
    notebook.metadata = nbformat.NotebookNode(
        kernelspec={"display_name": "Python 3", "language": "python", "name": "python3"},
        language_info={"name": "python", "file_extension": ".py", "mimetype": "text/x-python"},
    )
    for cell in notebook.cells:
        cell.metadata = nbformat.NotebookNode()
        for output in cell.get("outputs", ()):
            if PLOTLY in output.get("data", {}):
                output.data[TEXT] = told(output.data[PLOTLY])
    return notebook


def told(figure: dict[str, Any]) -> str:
    """A line that stands for a figure: its title, and a fingerprint of what is on it."""
    layout = {key: value for key, value in figure["layout"].items() if key != "template"}
    canonical = json.dumps(_plain({"data": figure["data"], "layout": layout}), sort_keys=True)
    title = layout.get("title", {}).get("text", "")
    return f"[picture: {title}; numbers {hashlib.sha256(canonical.encode()).hexdigest()[:12]}]"


def _plain(value: Any) -> Any:  # noqa: ANN401 - anything that JSON holds
    """The same with packed arrays spelt out, and no more digits than count."""
    if isinstance(value, dict) and "bdata" in value:
        packed = np.frombuffer(base64.b64decode(value["bdata"]), dtype=value["dtype"])
        return _plain([value.get("shape"), packed.tolist()])
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return f"{value:.{DIGITS}g}" if isinstance(value, float) else value


def spoken(notebook: nbformat.NotebookNode) -> list[str]:
    """What a notebook says, as lines: sources and outputs as text."""
    lines: list[str] = []
    for cell in notebook.cells:
        lines += [f"--- {cell.cell_type}", *cell.source.splitlines()]
        for output in cell.get("outputs", ()):
            text = output.get("text", "") or output.get("data", {}).get(TEXT, "")
            lines += [f"> {line.rstrip()}" for line in text.splitlines()]
    return lines


def draw(notebook: nbformat.NotebookNode, old: nbformat.NotebookNode | None) -> int:
    """Put PNGs in the place of figures, those of the old notebook where the numbers are the same; how many are new."""
    known = {}
    for cell in old.cells if old is not None else ():
        for output in cell.get("outputs", ()):
            if PNG in output.get("data", {}):
                known[output.data[TEXT]] = output.data[PNG]
    wanted = [
        output.data for cell in notebook.cells for output in cell.get("outputs", ()) if PLOTLY in output.get("data", {})
    ]
    new = [data for data in wanted if data[TEXT] not in known]
    for data, picture in zip(new, _pictures([data[PLOTLY] for data in new]), strict=True):
        known[data[TEXT]] = picture
    for data in wanted:
        text = data[TEXT]
        data.clear()
        data.update({PNG: known[text], TEXT: text})
    return len(new)


def _pictures(figures: list[dict[str, Any]]) -> list[str]:
    """Figures as PNGs, in base64.

    Raises
    ------
    NotebookError
        There is no kaleido.
    """
    if not figures:
        return []
    try:
        import kaleido  # noqa: F401 - plotly says less clearly that it is missing
    except ImportError as error:
        message = "figures have changed: drawing them needs kaleido (pip install kaleido) and Chromium"
        raise NotebookError(message) from error
    import plotly.io

    made = [plotly.io.from_json(json.dumps(figure), skip_invalid=False) for figure in figures]
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{number}.png" for number in range(len(made))]
        heights = [int(figure.layout.height or HEIGHT) for figure in made]
        plotly.io.write_images(made, paths, width=[WIDTH] * len(made), height=heights)
        return [base64.b64encode(path.read_bytes()).decode() for path in paths]


def broken_links(name: str, notebook: nbformat.NotebookNode) -> list[str]:
    """Links of a notebook that lead nowhere."""
    found = []
    for cell in notebook.cells:
        for match in LINK.finditer(cell.source) if cell.cell_type == "markdown" else ():
            file, _, anchor = match["target"].partition("#")
            target = FOLDER / file
            if re.match(r"[a-z]+:", match["target"]):
                continue
            if not target.exists() or (anchor and anchor not in anchors(target.read_text(encoding="utf-8"))):
                found.append(f"docs/notebooks/{name}.py: no such file or heading: {match['target']}")
    return found


def settle(name: str, notebook: nbformat.NotebookNode, *, check: bool) -> list[str]:
    """Compare a notebook with the file that is there, or write it; what is wrong, a line each."""
    path = FOLDER / f"{name}.ipynb"
    old = nbformat.read(path, as_version=4) if path.exists() else None
    before, after = spoken(old) if old is not None else [], spoken(notebook)
    if before == after:
        return []
    if check:
        ends = f"{name}.ipynb as it is", "as it is run"
        return list(difflib.unified_diff(before, after, *ends, n=1, lineterm=""))
    number = draw(notebook, old)
    path.write_text(nbformat.writes(notebook) + "\n", encoding="utf-8")
    print(f"docs/notebooks/{name}.ipynb written, {number} pictures drawn, {path.stat().st_size / 1000:.0f} kB")
    return []


def main() -> int:
    """Write or check the notebooks and return the exit code."""
    parser = argparse.ArgumentParser(description="Make the notebooks under docs/notebooks.")
    parser.add_argument("--check", action="store_true", help="write nothing, complain about what is out of date")
    parser.add_argument("names", nargs="*", metavar="NAME")
    arguments = parser.parse_args()
    names = arguments.names or sorted(path.stem for path in FOLDER.glob("*.py"))
    wrong = []
    try:
        with ThreadPoolExecutor(JOBS) as pool:
            notebooks = dict(zip(names, pool.map(run, names), strict=True))
        for name, notebook in notebooks.items():
            wrong += settle(name, notebook, check=arguments.check)
        for name, notebook in notebooks.items():
            wrong += broken_links(name, notebook)
    except NotebookError as error:
        wrong.append(str(error))
    for line in wrong:
        print(line, file=sys.stderr)
    if wrong and arguments.check:
        print("docs/notebooks: run `make redoc`", file=sys.stderr)
    else:
        print(f"{len(names)} notebooks")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
