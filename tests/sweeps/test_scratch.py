"""The folder of a study is gone in the end, however the study ended."""

import signal
import subprocess
import sys

from kplace.sweeps.scratch import scratch

KILLED = """
import sys, time
from pathlib import Path
from kplace.sweeps.scratch import scratch
with scratch(Path(sys.argv[1])) as folder:
    (folder / "inputs.bundle").touch()
    print(folder, flush=True)
    time.sleep(60)
"""


def test_what_a_killed_study_has_left_goes_with_the_next_one(tmp_path):
    with subprocess.Popen([sys.executable, "-c", KILLED, tmp_path], stdout=subprocess.PIPE, text=True) as process:
        left = process.stdout.readline().strip()
        with scratch(tmp_path) as folder:
            assert {str(path) for path in tmp_path.iterdir()} == {left, str(folder)}
        process.send_signal(signal.SIGKILL)
    assert {str(path) for path in tmp_path.iterdir()} == {left}
    with scratch(tmp_path) as folder:
        assert set(tmp_path.iterdir()) == {folder}
    assert not list(tmp_path.iterdir())


def test_what_is_not_of_a_study_stays(tmp_path):
    mine = tmp_path / "kplace-sweep-mine"
    mine.mkdir()
    with scratch(tmp_path):
        assert mine.exists()
