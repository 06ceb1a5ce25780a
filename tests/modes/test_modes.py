"""The tests of the kernels once more: as plain Python without numba, and compiled with every index checked.

Compiled kernels read what lies beside an array without a word, and wrap integers that are too large; in these modes
both are errors.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conformance.golden import single_cycle_cases

ROOT = Path(__file__).parents[2]
KERNELS = [
    "tests/plugins",
    "--ignore=tests/plugins/contrib",
    "tests/state",
    "tests/preemption",
    "tests/engine/test_sampling.py",
    "tests/engine/test_place.py",
]
BOTH_ENGINES = "test_engines.py::test_both_engines_agree[{}-first]"
READ_OUTSIDE = "import numpy; from tests.modes.canary import read; print(read(numpy.zeros(3, numpy.int64), 3))"
IS_COMPILED = "from tests.modes.canary import read; print(hasattr(read, 'py_func'))"


def run(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run Python in another mode; kernels compiled for this one must not be found there."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("NUMBA_", "PYTEST_"))}
    environment = kept | {"PYTHONPATH": str(ROOT)} | variables
    command = [sys.executable, *arguments]
    return subprocess.run(command, check=False, capture_output=True, text=True, cwd=ROOT, env=environment)


def run_tests(selection: list[str], **variables: str) -> None:
    done = run("-m", "pytest", "-q", "-p", "no:cacheprovider", *selection, **variables)
    assert done.returncode == 0, f"{done.stdout[-10_000:]}\n{done.stderr[-2_000:]}"


def goldens(families: set[str], test: str = "test_place.py::test_every_field_is_kube_schedulers[{}]") -> list[str]:
    """The first and the last golden case of each family, for one of the tests."""
    cases: dict[str, list[str]] = {}
    for case in single_cycle_cases():
        cases.setdefault(case.family, []).append(case.id)
    chosen = [case for family in sorted(families & cases.keys()) for case in (cases[family][0], cases[family][-1])]
    return [f"tests/conformance/{test.format(case)}" for case in chosen]


FAMILIES = {case.family for case in single_cycle_cases()}


def test_without_the_jit():
    assert run("-c", IS_COMPILED, NUMBA_DISABLE_JIT="1").stdout == "False\n"
    # The large cases take minutes there, and have nothing that the others have not.
    small = FAMILIES - {"large"}
    run_tests([*KERNELS, *goldens(small), *goldens(small, BOTH_ENGINES)], NUMBA_DISABLE_JIT="1")


def test_with_every_index_checked():
    done = run("-c", READ_OUTSIDE, NUMBA_BOUNDSCHECK="1")
    assert "IndexError: index is out of bounds" in done.stderr
    run_tests([*KERNELS, "tests/properties/test_engines.py", *goldens(FAMILIES)], NUMBA_BOUNDSCHECK="1")


@pytest.mark.parametrize("variables", [{}, {"NUMBA_BOUNDSCHECK": "1"}])
def test_kernels_of_the_modes_are_kept_apart(variables: dict[str, str], tmp_path: Path):
    program = "from kplace import _jit; import numba; print(numba.config.CACHE_DIR)"
    plain = run("-c", program, KPLACE_CACHE_DIR=str(tmp_path)).stdout
    own = run("-c", program, KPLACE_CACHE_DIR=str(tmp_path), **variables).stdout
    assert (own == plain) is (not variables)
    assert own.startswith(str(tmp_path))
