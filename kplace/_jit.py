"""The only importer of numba: the `kernel` decorator and where compiled kernels are kept.

numba's on-disk cache looks only at the file that holds a kernel, not at the helpers it calls in other files. The cache
directory is therefore named after a hash of every source that defines kernels: an edit anywhere starts an empty one.
"""

import hashlib
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

_PACKAGE = Path(__file__).parent
FOLDERS = ("engine", "framework", "plugins", "preemption", "state")
"""Where there are kernels: reading all other sources too would take a good part of the start."""
_MARKS = (b"@kernel", b"@bare_kernel", b"@inner_kernel")


def _source_hash() -> str:
    """Hash of all sources that define kernels or the numbers they share."""
    digest = hashlib.sha256(sys.version.encode())
    shared = [_PACKAGE / "dtypes.py", _PACKAGE / "_jit.py"]
    for path in [*shared, *sorted(path for folder in FOLDERS for path in (_PACKAGE / folder).rglob("*.py"))]:
        text = path.read_bytes()
        if path in shared or any(mark in text for mark in _MARKS):
            digest.update(str(path.relative_to(_PACKAGE)).encode())
            digest.update(text)
    return digest.hexdigest()[:16]


def cache_directory() -> Path:
    """Directory that holds the compiled kernels of exactly these sources.

    ``KPLACE_CACHE_DIR`` names its parent; otherwise it is the user's cache folder.
    """
    parent = os.environ.get("KPLACE_CACHE_DIR")
    base = Path(parent) if parent else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "kplace"
    flavour = "bounds" if os.environ.get("NUMBA_BOUNDSCHECK") == "1" else "plain"
    return base / f"{_source_hash()}-{flavour}"


def has_compiled_kernels() -> bool:
    """Whether an earlier run has left compiled kernels, so that none need compiling now."""
    return KEEPS_KERNELS and any(cache_directory().rglob("*.nbc"))


def _is_writable(directory: Path) -> bool:
    """Whether there is such a folder, made for the purpose if need be, that can be written to."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(directory, os.W_OK | os.X_OK)


os.environ.setdefault("NUMBA_CACHE_DIR", str(cache_directory()))
KEEPS_KERNELS = _is_writable(cache_directory())
"""Whether compiled kernels can be kept: there are accounts without a folder that they may write to."""

import numba  # noqa: E402 - the cache directory must be named before numba reads its settings

JIT_DISABLED = os.environ.get("NUMBA_DISABLE_JIT") == "1"


# numba keeps the option _nrt private, which is why the project bounds its version from above.
_BARE: dict[str, Any] = {"error_model": "numpy", "fastmath": False, "nogil": True, "_nrt": False}


def bare_kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function like `kernel` does, without reference counting, and so that other threads may run meanwhile.

    For loops that slice arrays a few times per pod: counting references takes most of their time there. Such a function
    may not allocate, and its caller must keep every array alive.
    """
    compiled: Callable[P, R] = numba.njit(cache=KEEPS_KERNELS, **_BARE)(function)
    return compiled


def inner_kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function like `bare_kernel` does, for other kernels only: Python cannot call it.

    What Python needs to call a function, code that takes each argument apart, was a third of all compiling. Nor is it
    kept on disk: those who call it are, with all that they call.
    """
    options: dict[str, Any] = {**_BARE, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    compiled: Callable[P, R] = numba.njit(**options)(function)
    return compiled


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a module-level function: cached on disk if that can be, no fast-math, IEEE-754 in source order.

    Other threads may run meanwhile: what a kernel writes to must not be shared with them.
    Division by zero does not raise inside a kernel (numba's ``error_model="numpy"``): guard it as upstream does.
    """
    compiled: Callable[P, R] = numba.njit(cache=KEEPS_KERNELS, error_model="numpy", fastmath=False, nogil=True)(
        function
    )
    return compiled
