"""Run the examples of the Markdown pages and check the links between files.

Usage: ``python tools/check_docs.py [--write] [PAGE ...]`` from the root of the repository; without a page, all of them.

A block that begins with ```` ```python NAME.py ```` or ```` ```yaml NAME.yaml ```` is a file, written where the other
blocks find it.
The ``python`` blocks of a page share one namespace, from top to bottom: one with ``>>>`` is run as a doctest, any other
is just run. The commands of ``console`` blocks are run by bash, and have to print what the block says. Both work in an
empty folder of the page's own, in which ``data`` is the repository's. A block whose fence says more, such as
```` ```python no-run ````, is left out.

``--write`` mends the pages: what the examples print takes the place of what they say, except where a page leaves some
of it out (``...``) or an example ends in a traceback.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from doc_examples import run_console, run_python
from doc_pages import PROSE, Block, anchors, blocks, pages, replaced

ROOT = Path(__file__).resolve().parent.parent
FILE = re.compile(r"(python|yaml) (?P<name>\w+\.(py|yaml))")
CODE = re.compile(r"`[^`\n]*`")
TRACEBACK = "Traceback (most recent call last)"
JOBS = 2
"""Pages that are tried at a time."""
LINK = re.compile(r"\]\((?P<target>[^)\s]+)\)")


@dataclass
class Findings:
    """What became of a page.

    Attributes
    ----------
    examples, links : int
        How many were looked at.
    wrong : list of str
        What is wrong, a line each.
    changes, reports : dict
        By block: what it should say, and the line about it in ``wrong``.
    """

    examples: int = 0
    links: int = 0
    wrong: list[str] = field(default_factory=list)
    changes: dict[Block, str] = field(default_factory=dict)
    reports: dict[Block, str] = field(default_factory=dict)


def check(page: Path) -> Findings:
    """Run the examples of a page and follow its links."""
    findings = Findings()
    text = page.read_text(encoding="utf-8")
    name = str(page.relative_to(ROOT))
    names: dict[str, Any] = {"__name__": "__main__"}
    folder = Path(tempfile.mkdtemp(prefix="kplace-docs-"))
    try:
        (folder / "data").symlink_to(ROOT / "data")
        os.chdir(folder)
        sys.path.insert(0, str(folder))
        for block in blocks(text):
            if block.info == PROSE:
                _check_links(page, name, block, findings)
                continue
            if file := FILE.fullmatch(block.info):
                (folder / file["name"]).write_text(block.text + "\n", encoding="utf-8")
            if block.info not in ("python", "console"):
                continue
            findings.examples += 1
            found = run_python(block, name, names) if block.info == "python" else run_console(block, folder)
            if found is not None:
                findings.changes[block] = found
                findings.reports[block] = f"{name}:{block.line}: the example gives something else:\n{found}"
                findings.wrong.append(findings.reports[block])
    finally:
        sys.path.remove(str(folder))
        os.chdir(ROOT)
        shutil.rmtree(folder)
    return findings


def _check_links(page: Path, name: str, block: Block, findings: Findings) -> None:
    prose = CODE.sub("", block.text)
    for match in LINK.finditer(prose):
        if re.match(r"[a-z]+:", match["target"]):
            continue
        findings.links += 1
        file, _, anchor = match["target"].partition("#")
        target = page.parent / file if file else page
        where = f"{name}:{block.line + prose.count(chr(10), 0, match.start())}"
        if not target.exists():
            findings.wrong.append(f"{where}: no such file: {match['target']}")
        elif anchor and target.suffix == ".md" and anchor not in anchors(target.read_text(encoding="utf-8")):
            findings.wrong.append(f"{where}: no such heading: {match['target']}")


def _mend(page: Path, findings: Findings) -> None:
    """Write what the examples give into the page, where that needs no person's judgement; what is left stays wrong."""
    changes = {block: new for block, new in findings.changes.items() if _is_mendable(block, new)}
    if changes:
        page.write_text(replaced(page.read_text(encoding="utf-8"), changes), encoding="utf-8")
        print(f"{page.relative_to(ROOT)}: {len(changes)} examples written anew")
    for block in changes:
        findings.wrong.remove(findings.reports[block])


def _is_mendable(block: Block, new: str) -> bool:
    is_shortened = re.search(r"(?m)^\.\.\.$", block.text) is not None
    is_broken = TRACEBACK in new and TRACEBACK not in block.text
    return not is_shortened and not is_broken and (block.info == "console" or ">>>" in block.text)


def main() -> int:
    """Check the pages and return the exit code."""
    parser = argparse.ArgumentParser(description="Run the examples of the documentation and check its links.")
    parser.add_argument("--write", action="store_true", help="write what the examples print into the pages")
    parser.add_argument("pages", nargs="*", type=Path, metavar="PAGE")
    arguments = parser.parse_args()
    if code := subprocess.run([Path(sys.executable).parent / "kplace", "warmup", "--quiet"], check=False).returncode:
        return code
    chosen = [page.resolve() for page in arguments.pages] or pages(ROOT)
    results = []
    # Each page is a small world of its own: several at a time are done sooner, and none sees what another imported.
    with ProcessPoolExecutor(JOBS, max_tasks_per_child=1, mp_context=get_context("spawn")) as pool:
        for page, findings in zip(chosen, pool.map(check, chosen), strict=True):
            results.append(findings)
            if arguments.write:
                _mend(page, findings)
            for line in findings.wrong:
                print(line, file=sys.stderr)
    examples, links = sum(item.examples for item in results), sum(item.links for item in results)
    wrong = sum(len(item.wrong) for item in results)
    print(f"{len(results)} pages, {examples} examples, {links} links, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
