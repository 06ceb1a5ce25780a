"""The line that shows progress, on a real terminal."""

import os
import pty
import subprocess
import sys

import pytest

from tests.cli.clusters import environment

AT_ONCE = """
import time
import kplace.cli.progress as progress
progress.DELAY = 0.0
advance = progress.Work.advance
def slow_advance(self, done, total):
    time.sleep(0.5)
    advance(self, done, total)
progress.Work.advance = slow_advance
from kplace.cli.main import main
main()
"""


def run_on_terminal(*arguments: object, **variables: str) -> tuple[str, str, int]:
    """Output, what the terminal on standard error has received, and the exit code."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-c", AT_ONCE, *map(str, arguments)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=theirs, env=environment(**variables)) as process:
        os.close(theirs)
        received = []
        try:
            while chunk := os.read(ours, 1 << 16):
                received.append(chunk)
        except OSError:  # how Linux says that the other end is closed
            pass
        output = process.stdout.read()
        code = process.wait(timeout=60)
    os.close(ours)
    return output.decode(), b"".join(received).decode(), code


def test_shown_on_a_terminal_and_removed(cluster):
    output, terminal, code = run_on_terminal("place", cluster, "--format", "csv", TERM="xterm")
    assert code == 0
    assert "placing" in terminal
    # What is said meanwhile stands above the line, in one piece.
    assert "default topology spreading cannot apply" in " ".join(terminal.split())
    assert output.startswith("namespace,")
    # The last thing is to erase the line and to show the cursor again.
    assert terminal.rstrip().endswith("\x1b[2K")
    assert "\x1b[?25h" in terminal


@pytest.mark.parametrize(("arguments", "term"), [(["--quiet"], "xterm"), ([], "dumb")])
def test_not_shown(cluster, arguments, term):
    _, terminal, code = run_on_terminal("place", cluster, "--format", "csv", *arguments, TERM=term)
    assert code == 0
    assert "placing" not in terminal


def test_no_colour(cluster):
    _, terminal, _ = run_on_terminal("place", cluster, TERM="xterm", NO_COLOR="1")
    assert "placing" in terminal
    assert "\x1b[3" not in terminal
    assert "\x1b[1" not in terminal.replace("\x1b[1A", "")
