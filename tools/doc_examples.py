"""The examples of a page: Python blocks and console sessions, run and compared with what the page says."""

import contextlib
import doctest
import io
import os
import re
import subprocess
import sys
import traceback
from pathlib import Path
from typing import Any

from doc_pages import Block

OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
WIDTH = 100
"""Columns of the terminal that console sessions believe to have."""
SECONDS = 300


class _Collecting(doctest.DocTestRunner):
    """Keeps what the examples came to instead of printing a report."""

    def __init__(self) -> None:
        super().__init__(optionflags=OPTIONS, verbose=False)
        self.got: dict[int, str] = {}

    def report_failure(self, _out: object, _test: doctest.DocTest, example: doctest.Example, got: str) -> None:
        self.got[example.lineno] = got

    def report_unexpected_exception(
        self, _out: object, _test: doctest.DocTest, example: doctest.Example, exc_info: object
    ) -> None:
        self.got[example.lineno] = "".join(traceback.format_exception(*exc_info))  # type: ignore[misc]


def run_python(block: Block, page: str, names: dict[str, Any]) -> str | None:
    """Run a Python block in a namespace.

    Returns
    -------
    str or None
        None if it went well; else what the block should say, or what went wrong in a comment.
    """
    if ">>>" not in block.text:
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile("\n" * (block.line - 1) + block.text, page, "exec"), names)
        except Exception:
            return "# " + traceback.format_exc().replace("\n", "\n# ")
        return None
    test = doctest.DocTestParser().get_doctest(block.text + "\n", names, page, page, block.line - 1)
    runner = _Collecting()
    runner.run(test, clear_globs=False)
    names.update(test.globs)
    if not runner.got:
        return None
    lines = block.text.splitlines()
    for example in sorted(test.examples, key=lambda item: -item.lineno):
        if example.lineno in runner.got:
            first = example.lineno + example.source.count("\n")
            got = re.sub(r"(?m)^[ \t]*$", "<BLANKLINE>", runner.got[example.lineno].rstrip("\n"))
            lines[first : first + example.want.count("\n")] = got.splitlines()
    return "\n".join(lines)


def run_console(block: Block, folder: Path) -> str | None:
    """Run the commands of a console block (lines that begin with ``$``, continued by ``>``) in one shell after another.

    Standard error is shown with standard output. A line ``...`` stands for any number of lines.

    Returns
    -------
    str or None
        None if the commands print what the block says; else what it should say.
    """
    sessions = _sessions(block.text)
    outputs = _outputs(["\n".join(_stripped(command)) for command, _ in sessions], folder)
    if all(_matches(want, got) for (_, want), got in zip(sessions, outputs, strict=True)):
        return None
    return "\n".join(
        line for (command, _), got in zip(sessions, outputs, strict=True) for line in [*command, *got.splitlines()]
    )


def _sessions(text: str) -> list[tuple[list[str], str]]:
    """Commands with the output that is expected of each."""
    found: list[tuple[list[str], list[str]]] = []
    for line in text.splitlines():
        if line.startswith("$ "):
            found.append(([line], []))
        elif found and line.startswith("> ") and not found[-1][1]:
            found[-1][0].append(line)
        elif found:
            found[-1][1].append(line)
        else:
            msg = f"a console block begins with a command, not with {line!r}"
            raise ValueError(msg)
    return [(command, "\n".join(want).rstrip()) for command, want in found]


def _stripped(command: list[str]) -> list[str]:
    return [line[2:] for line in command]


def _outputs(commands: list[str], folder: Path) -> list[str]:
    """What each of some commands prints; they share a folder and the last exit code."""
    mark = "-- end of output --"
    script = "\n".join(f"{command}\nstatus=$?; printf '\\n%s\\n' '{mark}'; (exit $status)" for command in commands)
    environment = os.environ | {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "COLUMNS": str(WIDTH),
        "LC_ALL": "C.UTF-8",
    }
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=SECONDS,
        check=False,
    )
    outputs = done.stdout.decode().split(f"\n{mark}\n")[:-1]
    return ["\n".join(line.rstrip() for line in output.splitlines()).strip("\n") for output in outputs]


def _matches(want: str, got: str) -> bool:
    parts = re.split(r"(?m)^\.\.\.$\n?", want)
    pattern = r"(?:.*\n)*".join(map(re.escape, parts))
    return re.fullmatch(pattern, got + "\n" if got else "") is not None or re.fullmatch(pattern, got) is not None
