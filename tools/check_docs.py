"""Run the Python examples of the Markdown pages and check the links between files.

Usage: ``python tools/check_docs.py [PAGE ...]`` from the root of the repository; without a page, all of them.

The ``python`` blocks of a page share one namespace, from top to bottom. A block with ``>>>`` is run as a
doctest, any other is just run. A block that begins with the fence ```` ```python no-run ```` is left out.
"""

import doctest
import re
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FENCE = re.compile(r"^(?P<indent> *)(?P<ticks>`{3,})(?P<info>.*)$")
CODE = re.compile(r"`[^`\n]*`")
LINK = re.compile(r"\]\((?P<target>[^)\s]+)\)")
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def pages() -> list[Path]:
    """List every page, the front page first."""
    front = [Path("README.md"), Path("CONTRIBUTING.md"), Path("CHANGELOG.md")]
    return [*front, *sorted(Path("docs").rglob("*.md"))]


def blocks(text: str) -> Iterator[tuple[int, str, str]]:
    """Yield line, info string and text of each fenced block, and of the prose between them (info "-")."""
    closing, indent, info, start = "", 0, "-", 1
    lines: list[str] = []
    for number, line in enumerate(text.splitlines(), start=1):
        match = FENCE.match(line)
        if match and not closing:
            yield start, info, "\n".join(lines)
            closing, indent, info = match["ticks"], len(match["indent"]), match["info"].strip()
        elif match and match["ticks"] == closing and not match["info"].strip():
            yield start, info, "\n".join(lines)
            closing, indent, info = "", 0, "-"
        else:
            lines.append(line[indent:] if line[:indent].isspace() else line)
            continue
        lines, start = [], number + 1
    yield start, info, "\n".join(lines)


def run(code: str, page: Path, line: int, names: dict[str, Any]) -> bool:
    """Run one example; say what is wrong, and whether it went well."""
    if ">>>" in code:
        test = doctest.DocTestParser().get_doctest(code + "\n", names, str(page), str(page), line - 1)
        runner = doctest.DocTestRunner(optionflags=OPTIONS)
        failed = runner.run(test, clear_globs=False).failed
        names.update(test.globs)
        return not failed
    try:
        exec(compile("\n" * (line - 1) + code, str(page), "exec"), names)
    except Exception:
        traceback.print_exc()
        return False
    return True


def check(page: Path) -> tuple[int, int]:
    """Check one page and return how many examples and links there are, and how many are wrong."""
    names: dict[str, Any] = {"__name__": "__main__"}
    count = wrong = 0
    for line, info, text in blocks(page.read_text(encoding="utf-8")):
        if info == "-":
            prose = CODE.sub("", text)
            for match in LINK.finditer(prose):
                target = match["target"].partition("#")[0]
                if not target or re.match(r"[a-z]+:", target):
                    continue
                count += 1
                if not (page.parent / target).exists():
                    wrong += 1
                    place = line + prose.count("\n", 0, match.start())
                    print(f"{page}:{place}: no such file: {target}", file=sys.stderr)
        elif info.split() == ["python"]:
            count += 1
            wrong += not run(text, page, line, names)
    return count, wrong


def main(arguments: list[str]) -> int:
    """Check the pages and return the exit code."""
    results = [check(page) for page in ([Path(name) for name in arguments] or pages())]
    count, wrong = (sum(column) for column in zip(*results, strict=True))
    print(f"{len(results)} pages, {count} examples and links, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
