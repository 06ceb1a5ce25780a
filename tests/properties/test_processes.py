"""The same input, settings and seed give the same result in any process."""

import os
import subprocess
import sys

import pytest

import kplace

PROGRAM = """
import sys
import kplace
run = kplace.place(kplace.read(sys.argv[1]), seed=int(sys.argv[2]))
print(run.result_hash)
print(run.pods.to_csv(index=False), end="")
"""


def outcome(data: str, seed: int, **variables: str) -> str:
    command = [sys.executable, "-c", PROGRAM, data, str(seed)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env={**os.environ, **variables})
    return done.stdout


def test_hash_seeds_and_threads_make_no_difference(request: pytest.FixtureRequest):
    demo = str(request.config.rootpath / "data" / "demo")
    run = kplace.place(kplace.read(demo), seed=11)
    own = f"{run.result_hash}\n{run.pods.to_csv(index=False)}"
    assert outcome(demo, 11, PYTHONHASHSEED="1", NUMBA_NUM_THREADS="1") == own
    assert outcome(demo, 11, PYTHONHASHSEED="12345", NUMBA_NUM_THREADS="2", TZ="Asia/Tokyo", LC_ALL="C") == own


def test_another_seed_is_another_draw(request: pytest.FixtureRequest):
    cluster = kplace.read(request.config.rootpath / "data" / "demo")
    hashes = {kplace.place(cluster, seed=seed).result_hash for seed in range(8)}
    assert len(hashes) > 1
