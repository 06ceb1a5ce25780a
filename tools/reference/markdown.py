"""Pieces of Markdown."""

import re
from collections.abc import Iterable, Sequence

MARK = "<!-- Written by tools/make_reference.py from the code: `make redoc` writes it anew. -->"


def page(title: str, *parts: str) -> str:
    """A page that says where it comes from."""
    return "\n\n".join([MARK, f"# {title}", *(part.strip("\n") for part in parts if part)]) + "\n"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; cells are one line each."""
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    lines += [f"| {' | '.join(map(cell, row))} |" for row in rows]
    return "\n".join(lines)


def cell(text: str) -> str:
    """Text that can stand in a table."""
    return " ".join(text.split()).replace("|", "\\|")


def plain(text: str) -> str:
    """Text in which no letter marks anything."""
    return re.sub(r"([*_])", r"\\\1", text)


def code(text: str) -> str:
    """Text as code in a line; it may hold backticks."""
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def fenced(text: str, info: str = "") -> str:
    """A fenced block."""
    return f"```{info}\n{text.strip(chr(10))}\n```"


def from_docstring(text: str) -> str:
    """Prose of a docstring as Markdown: double backticks become single ones."""
    return re.sub(r"``(.+?)``", r"`\1`", text)
