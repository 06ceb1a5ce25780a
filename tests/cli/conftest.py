"""A small cluster on disk, and ways to run the command line: in this process and in one of its own."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from kplace.cli.main import cli
from tests.cli.clusters import environment, node, pod, write_list


@pytest.fixture
def cluster(tmp_path) -> Path:
    """Two nodes, one of them cordoned; a pod that runs, two that fit, one that does not and one that is gated."""
    folder = tmp_path / "cluster"
    folder.mkdir()
    write_list(folder / "nodes.json", node("one"), node("two", unschedulable=True))
    write_list(
        folder / "pods.json",
        pod("running", nodeName="one"),
        pod("web"),
        pod("api"),
        pod("large", cpu="64"),
        pod("held", schedulingGates=[{"name": "example.com/hold"}]),
    )
    return folder


@pytest.fixture
def kplace() -> Callable[..., Result]:
    """Runs a command in this process, 80 columns wide."""

    def run(*arguments: object, **variables: str) -> Result:
        environment = {"COLUMNS": "80", "NO_COLOR": None, "FORCE_COLOR": None, **variables}
        return CliRunner(env=environment).invoke(cli, [str(argument) for argument in arguments])

    return run


@pytest.fixture
def kplace_process(tmp_path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs a command in a process of its own; ``code`` is run there first, and may bend kplace for a test."""

    def run(*arguments: object, code: str = "", **options: object) -> subprocess.CompletedProcess[str]:
        program = f"{code}\nfrom kplace.cli.main import main\nmain()"
        command = [sys.executable, "-c", program, *map(str, arguments)]
        settings: dict[str, object] = {"cwd": tmp_path, "text": True, "timeout": 120, "env": environment(), **options}
        if "stdout" not in settings:
            settings["capture_output"] = True
        return subprocess.run(command, check=False, **settings)

    return run
