"""Studies on processes that really run, and really die: everything comes out once, and as it does without them."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from kplace.sweeps import read_sweep, sweep
from tests.cli.clusters import environment, node, pod, write_list
from tests.sweeps.conftest import N_RUNS

SWEEP = "from kplace.cli.main import main\nif __name__ == '__main__': main()"
AT_ONCE = f"import kplace.sweeps.dataset as d\nd.SOON = d.PATIENCE = 0\n{SWEEP}"
"""The command, but for writing each part as it comes."""


def same(results, expected) -> None:
    assert not len(results.failed)
    assert results.runs["run"].is_unique
    assert len(results.runs) == N_RUNS
    assert len(results.metrics) == N_RUNS * 4
    assert results.study_hash == expected.study_hash
    reasons = results.frame("reasons")
    assert reasons.equals(expected.frame("reasons")[reasons.columns])


@contextmanager
def processes(folder: Path) -> Iterator[tuple[str, list[subprocess.Popen]]]:
    """A scheduler and two workers, started one by one as on machines of their own."""
    file = folder / "scheduler.json"
    common = ["--scheduler-file", str(file), "--no-dashboard", "--host", "127.0.0.1"]
    commands = [["dask_scheduler", "--port", "0"]] + [["dask_worker", "--no-nanny", "--nthreads", "1"]] * 2
    started = []
    try:
        for module, *options in commands:
            program = [sys.executable, "-m", f"distributed.cli.{module}", *options, *common]
            started.append(
                subprocess.Popen(
                    program, cwd=folder, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
                )
            )
            wait_until(file.exists)
        yield str(file), started[1:]
    finally:
        for process in started[::-1]:
            process.kill()
            process.wait()


def wait_until(condition: Callable[[], object], seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.01)


def test_all_study_is_done_sequentially(expected):
    assert len(expected.runs) == N_RUNS
    # The study can tell its runs apart.
    assert expected.runs["result_hash"].nunique() > N_RUNS * 0.9
    used = expected.runs.groupby("configuration")["nodes_used"].mean()
    assert used["packed"] < used["default"] * 0.6


def test_a_scheduler_one_of_whose_workers_is_killed(study, expected, tmp_path):
    with processes(tmp_path) as (scheduler, workers):
        killed = []

        def kill_one(done: int, total: int) -> None:
            if done > total // 3 and not killed:
                workers[0].kill()
                killed.append(done)

        # First as it is, then with a death in the middle: the second time nothing is there yet.
        same(sweep(study, out=tmp_path / "both", scheduler=scheduler), expected)
        same(sweep(study, out=tmp_path / "one", scheduler=scheduler, progress=kill_one), expected)
        assert killed[0] < N_RUNS
        assert workers[0].wait(10) == -signal.SIGKILL
        assert workers[1].poll() is None


def test_the_command_is_interrupted_and_killed_and_goes_on(study, expected, tmp_path):
    command = [sys.executable, "-c", AT_ONCE, "sweep", str(study), "--workers", "2", "--out", str(tmp_path)]
    parts = tmp_path / "metrics" / "study=loads"

    def stopped_by(number: int) -> tuple[int, str]:
        before = len(list(parts.glob("part-*")))
        process = subprocess.Popen(
            command, env=environment(), stderr=subprocess.PIPE, text=True, start_new_session=True
        )
        wait_until(lambda: len(list(parts.glob("part-*.parquet"))) > before + 2)
        os.killpg(process.pid, number)
        _, errors = process.communicate(timeout=60)
        return process.returncode, errors

    code, errors = stopped_by(signal.SIGINT)
    assert code == 130
    assert "Traceback" not in errors
    kept = len(read_sweep(tmp_path).runs)
    assert 0 < kept < N_RUNS
    command[command.index("2")] = "1"  # starts the sooner, and how many there are makes no difference
    code, _ = stopped_by(signal.SIGKILL)
    assert code == -signal.SIGKILL
    assert kept < len(read_sweep(tmp_path).runs) < N_RUNS
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, check=True)
    assert f"200 runs, 0 of them failed, result {expected.study_hash[:12]}" in done.stdout
    same(read_sweep(tmp_path), expected)


def test_a_run_that_kills_its_workers_fails_alone(tmp_path):
    for name in ("good", "bad"):
        write_list(tmp_path / f"{name}.json", node("one"), pod("web", labels={}), pod(name))
    (tmp_path / "deadly.py").write_text(
        "import os, signal, numpy, kplace\n"
        "class Deadly:\n"
        "    reason = 'never'\n"
        "    def filter(self, cycle, nodes):\n"
        "        if cycle.template.labels['app'] == 'bad':\n"
        "            os.kill(os.getpid(), signal.SIGKILL)\n"
        "        return numpy.ones(len(nodes), numpy.bool_)\n"
    )
    study = tmp_path / "deadly.toml"
    study.write_text(
        f'plugins = ["{tmp_path}/deadly.py:Deadly"]\n'
        'inputs = { good = "good.json", bad = "bad.json" }\n'
        'run = [{ input = "good", seed = 100 }]\n'
    )
    command = [sys.executable, "-c", SWEEP, "sweep", str(study), "--workers", "1", "--out", str(tmp_path / "out")]
    variables = environment(DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES="0")
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=False, timeout=100)
    assert done.returncode == 0, done.stderr
    results = read_sweep(tmp_path / "out")
    assert results.failed["input"].tolist() == ["bad"]
    assert results.failed["error"].tolist() == ["the workers that did it died each time, perhaps for want of memory"]
    good = results.runs[results.runs["input"] == "good"]
    assert good["scheduled"].tolist() == [2.0, 2.0]
    assert "1 run failed: the workers that did it died each time" in done.stderr


with suppress(ImportError):
    import distributed  # noqa: F401 - pays its second before the tests are timed

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")
