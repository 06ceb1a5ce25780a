"""The process: exit codes, interrupts, closed pipes, and what is not imported."""

import os
import signal
import subprocess
import sys

import pytest

from kplace.cli import main
from kplace.cli.app import COMMANDS
from tests.cli.clusters import environment

INTERRUPT = """
import os, signal
def interrupt(*_):
    os.kill(os.getpid(), signal.SIGINT)
"""
"""Code that sends SIGINT to its own process."""


@pytest.mark.parametrize(
    "arguments", [["--help"], ["--version"], ["completion", "bash"], *([c, "-h"] for c in COMMANDS)]
)
def test_help_imports_nothing_heavy(kplace_process, arguments):
    code = "import atexit, sys; atexit.register(lambda: print(*sys.modules, file=sys.stderr))"
    done = kplace_process(*arguments, code=code)
    assert done.returncode == 0
    assert done.stdout
    loaded = {name.partition(".")[0] for name in done.stderr.split()}
    assert "click" in loaded
    assert not loaded & {"numba", "numpy", "pandas", "rich", "pyarrow", "msgspec", "yaml"}


def test_help_names_every_exit_code(kplace):
    codes = {value for name, value in vars(main).items() if name.isupper() and isinstance(value, int)}
    assert len(codes) == 5
    text = kplace("--help").stdout
    listed = text[text.index("Exit codes:") :].removeprefix("Exit codes:").split(";")
    assert {int(part.split()[0]) for part in listed} == codes


def test_python_m_kplace_is_the_command(tmp_path):
    command = [sys.executable, "-m", "kplace", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path, env=environment())
    assert done.stdout.startswith("kplace 0.")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "Usage: kplace"),
        (["plase"], "Did you mean 'place'?"),
        (["frobnicate"], "No such command 'frobnicate'"),
        (["--nope"], "No such option"),
        (["place"], "Missing argument 'INPUT...'"),
        (["place", "x", "--nope"], "No such option"),
        (["place", "x", "--seed", "-1"], "-1 is not in the range"),
        (["place", "x", "--seed", "one"], "is not a valid integer"),
        (["place", "x", "--tie-break", "last"], "'last' is not one of"),
        (["place", "x", "--percentage-of-nodes-to-score", "101"], "101 is not in the range"),
        (["place", "x", "--format", "xml"], "'xml' is not one of"),
        (["place", "x", "--trace-detail", "counts"], "there is no --trace"),
        (["explain", "x"], "Missing option '--pod'"),
        (["explain", "x", "--pod", "a/b", "--top", "0"], "0 is not in the range"),
        (["completion", "tcsh"], "'tcsh' is not one of"),
        (["warmup", "x"], "unexpected extra argument"),
    ],
)
def test_usage_errors_have_code_2(kplace, arguments, words):
    result = kplace(*arguments)
    assert result.exit_code == 2
    assert words in result.stderr
    assert not result.stdout


def test_missing_file_is_refused_without_traceback(kplace_process):
    done = kplace_process("place", "no-such-folder")
    assert done.returncode == 2
    assert done.stderr.splitlines() == ["no-such-folder: does not exist", "Error: 1 fault in 1 input; nothing was done"]
    assert done.stdout == ""


def test_bug_shows_its_traceback_and_is_not_mistaken_for_pending_pods(kplace_process, cluster):
    code = "import kplace.api as api\ndef place(*a, **k): raise ZeroDivisionError\napi.place = place"
    done = kplace_process("place", cluster, code=code)
    assert done.returncode == 70
    assert "ZeroDivisionError" in done.stderr
    assert "please report it" in done.stderr


IMPORTING = """
import sys
class Finder:
    def find_spec(self, name, *_):
        if name == MODULE:
            interrupt()
sys.meta_path.insert(0, Finder())
"""
INTERRUPTED_WHILE = {
    **{f"importing {name}": IMPORTING.replace("MODULE", repr(name)) for name in ("click", "numba", "pandas")},
    "reading": "import kplace.api as api; api.read = interrupt",
    "placing": """
from kplace.cli.progress import Work
advance = Work.advance
def interrupted_advance(self, done, total):
    if done == 2:
        interrupt()
    advance(self, done, total)
Work.advance = interrupted_advance
""",
    "writing": "from kplace.io import results; results.write_csv.__globals__['writing'] = interrupt",
    "placing, and the exception gets lost": """
from kplace.cli.progress import Work
advance = Work.advance
def interrupted_advance(self, done, total):
    try:
        interrupt()
    except KeyboardInterrupt:
        pass
    advance(self, done, total)
Work.advance = interrupted_advance
""",
    "the very end, and the exception gets lost": """
from kplace.cli import place
def interrupted_takes_rows(*_):
    try:
        interrupt()
    except KeyboardInterrupt:
        return False
place.takes_rows = interrupted_takes_rows
""",
}


@pytest.mark.parametrize("phase", INTERRUPTED_WHILE)
def test_interrupt_ends_with_130_and_leaves_nothing(kplace_process, cluster, tmp_path, phase):
    before = sorted(tmp_path.rglob("*"))
    # A trace is complete before --out is written, and the end comes after both.
    outputs = {"writing": ["--out", "rows.csv"], "the very end, and the exception gets lost": []}
    arguments = outputs.get(phase, ["--out", "rows.csv", "--trace", "trace.json"])
    done = kplace_process("place", cluster, "--format", "json", *arguments, code=INTERRUPT + INTERRUPTED_WHILE[phase])
    assert done.returncode == 130
    assert "Traceback" not in done.stderr
    assert "KeyboardInterrupt" not in done.stderr
    assert sorted(tmp_path.rglob("*")) == before


def test_interrupt_while_waiting_for_standard_input(tmp_path):
    code = """
from kplace.io.sources import Source
read = Source.read
def announced_read(self):
    print("ready", flush=True)
    return read(self)
Source.read = announced_read
from kplace.cli.main import main
main()
"""
    command = [sys.executable, "-c", code, "place", "-"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, cwd=tmp_path, text=True, env=environment(), **pipes) as process:
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 130
        assert "Traceback" not in process.stderr.read()


def test_interrupt_that_the_caller_ignores_is_ignored(kplace_process, cluster):
    code = INTERRUPT + "signal.signal(signal.SIGINT, signal.SIG_IGN)\n" + INTERRUPTED_WHILE["placing"]
    assert kplace_process("place", cluster, "--quiet", code=code).returncode == 0


@pytest.mark.parametrize(
    "arguments",
    [["--help"], ["completion", "zsh"], ["place", "CLUSTER"], ["place", "CLUSTER", "--format", "csv"]],
)
def test_reader_that_goes_away_is_no_error(kplace_process, cluster, arguments):
    read_end, write_end = os.pipe()
    os.close(read_end)
    arguments = [cluster if argument == "CLUSTER" else argument for argument in arguments]
    done = kplace_process(*arguments, stdout=write_end, stderr=subprocess.PIPE)
    os.close(write_end)
    assert done.returncode == 0
    assert "Broken" not in done.stderr
    assert "Traceback" not in done.stderr


def test_reader_of_messages_that_goes_away_changes_no_exit_code(kplace_process, cluster):
    read_end, write_end = os.pipe()
    os.close(read_end)
    assert kplace_process("place", cluster, stdout=subprocess.DEVNULL, stderr=write_end).returncode == 0
    assert kplace_process("place", "nowhere", stdout=subprocess.DEVNULL, stderr=write_end).returncode == 2
    os.close(write_end)


@pytest.mark.parametrize("closed", ["sys.stdout", "sys.stderr", "sys.stdout = sys.stderr"])
def test_closed_streams_are_no_error(kplace_process, cluster, closed):
    done = kplace_process("place", cluster, code=f"import sys; {closed} = None")
    assert done.returncode == 0
    assert "Traceback" not in done.stderr
    assert ("2 placed" in done.stdout) == ("stdout" not in closed)
