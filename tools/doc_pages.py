"""Markdown pages as fenced blocks and prose, and the anchors of their headings."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FENCE = re.compile(r"^(?P<indent> *)(?P<ticks>`{3,})(?P<info>.*)$")
HEADING = re.compile(r"^#{1,6} +(?P<text>.*?)\s*#*$", re.MULTILINE)
LINKED = re.compile(r"\[([^\]]*)\]\([^)]*\)")
PROSE = "-"
"""The info string of what is outside fences."""


@dataclass(frozen=True)
class Block:
    """A fenced block, or the prose between two of them.

    Attributes
    ----------
    line : int
        Number of its first line, from 1; the fence stands above.
    indent : str
        Taken off each of its lines.
    info : str
        What stands behind the opening fence, or `PROSE`.
    text : str
    """

    line: int
    indent: str
    info: str
    text: str


def pages(root: Path) -> list[Path]:
    """List every page, the front page first."""
    front = [root / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "data/README.md")]
    return [*front, *sorted((root / "docs").rglob("*.md"))]


def blocks(text: str) -> Iterator[Block]:
    """Split a page into its blocks, in order."""
    closing, indent, info, start = "", "", PROSE, 1
    lines: list[str] = []
    for number, line in enumerate(text.splitlines(), start=1):
        match = FENCE.match(line)
        if match and not closing:
            yield Block(start, indent, info, "\n".join(lines))
            closing, indent, info = match["ticks"], match["indent"], match["info"].strip()
        elif match and match["ticks"] == closing and not match["info"].strip():
            yield Block(start, indent, info, "\n".join(lines))
            closing, indent, info = "", "", PROSE
        else:
            lines.append(line.removeprefix(indent))
            continue
        lines, start = [], number + 1
    yield Block(start, indent, info, "\n".join(lines))


def replaced(text: str, changes: dict[Block, str]) -> str:
    """Put new texts in the place of some blocks of a page."""
    lines = text.splitlines()
    for block, new in sorted(changes.items(), key=lambda change: -change[0].line):
        first = block.line - 1
        length = len(block.text.splitlines())
        lines[first : first + length] = [f"{block.indent}{line}".rstrip() for line in new.splitlines()]
    return "\n".join(lines) + "\n"


def anchors(text: str) -> set[str]:
    """Names by which the headings of a page can be linked to, as GitHub makes them."""
    found: set[str] = set()
    for block in blocks(text):
        if block.info == PROSE:
            for match in HEADING.finditer(block.text):
                plain = LINKED.sub(r"\1", match["text"]).replace("`", "").lower()
                slug = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
                number = 0
                while (name := f"{slug}-{number}" if number else slug) in found:
                    number += 1
                found.add(name)
    return found
