"""``kplace warmup``: after it, nothing is left to compile."""

import pytest

from kplace import _jit
from tests.cli.clusters import environment

REPORT = """
import atexit, sys
def report():
    from numba.core.dispatcher import Dispatcher
    modules = [module for name, module in sys.modules.items() if name.startswith("kplace")]
    found = {id(item): item for module in modules for item in vars(module).values() if isinstance(item, Dispatcher)}
    kernels = {kernel.py_func.__qualname__: kernel for kernel in found.values()}
    print("kernels", len(kernels), file=sys.stderr)
    # One that another kernel calls is compiled, and kept, as a part of that one.
    inner = {name for kernel in kernels.values() for name in kernel.py_func.__code__.co_names}
    for name, kernel in kernels.items():
        if not kernel.signatures and name not in inner:
            print("not called", name, file=sys.stderr)
        if MISSES and kernel.stats.cache_misses:
            print("compiled", name, *kernel.stats.cache_misses, file=sys.stderr)
atexit.register(report)
"""

pytestmark = pytest.mark.skipif(_jit.JIT_DISABLED, reason="there is nothing to compile")


def test_every_kernel_is_called(kplace_process):
    done = kplace_process("warmup", code=REPORT.replace("MISSES", "False"))
    assert done.returncode == 0
    assert done.stdout.startswith("kernels ")
    assert done.stdout.rstrip().endswith(" s")
    first, *faults = done.stderr.splitlines()
    assert first.startswith("kernels ")
    assert not faults


def test_nothing_is_compiled_after_it(kplace_process, request):
    kplace_process("warmup")
    demo = request.config.rootpath / "data" / "demo"
    done = kplace_process("place", demo, "--quiet", code=REPORT.replace("MISSES", "True"))
    assert done.returncode == 0
    assert not [line for line in done.stderr.splitlines() if line.startswith("compiled")]


def test_quiet(kplace):
    result = kplace("warmup", "--quiet")
    assert (result.exit_code, result.output) == (0, "")


def test_first_run_says_that_it_compiles(kplace_process, cluster, tmp_path):
    empty = environment(KPLACE_CACHE_DIR=str(tmp_path / "empty"), NUMBA_CACHE_DIR="")
    # Compiling itself would take its time: the run ends when it is announced.
    code = "import kplace.api as api\ndef stop(*a, **k): raise SystemExit\napi.place = stop"
    done = kplace_process("place", cluster, code=code, env=empty)
    assert "note: compiling kernels, once for this version: about " in done.stderr
    done = kplace_process("place", cluster, "--quiet", code=code, env=empty)
    assert done.stderr == ""


def test_kernels_that_cannot_be_kept(kplace_process, cluster, tmp_path):
    (tmp_path / "file").touch()
    nowhere = environment(KPLACE_CACHE_DIR=str(tmp_path / "file"))
    code = "import kplace.api as api\ndef stop(*a, **k): raise SystemExit\napi.place = stop"
    done = kplace_process("place", cluster, code=code, env=nowhere)
    assert done.returncode == 0
    assert f"s every time: {tmp_path / 'file'} cannot be written to; KPLACE_CACHE_DIR names another" in done.stderr
    cache = "from kplace.state.groups import add_to_rows; print(type(add_to_rows._cache).__name__); raise SystemExit"
    assert kplace_process(code=cache, env=nowhere).stdout == "NullCache\n"
    done = kplace_process("warmup", env=nowhere)
    assert done.returncode == 2
    assert done.stderr.startswith(f"Error: {tmp_path / 'file'}: cannot be written to")
