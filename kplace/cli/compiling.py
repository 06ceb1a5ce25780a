"""Saying that kernels are about to be compiled, which happens once for a version and takes its time."""

from kplace.cli.console import note

SECONDS = 40
"""About how long it takes to compile all kernels on an ordinary machine."""


def needs_compiling() -> bool:
    """Whether no earlier run has left compiled kernels; to be asked before any kernel is called."""
    from kplace._jit import JIT_DISABLED, has_compiled_kernels

    return not JIT_DISABLED and not has_compiled_kernels()


def announce_compiling() -> None:
    """Say what the next seconds are spent on, and why it will be so again if kernels cannot be kept."""
    from kplace._jit import KEEPS_KERNELS, cache_directory

    if KEEPS_KERNELS:
        note(f"compiling kernels, once for this version: about {SECONDS} s")
    else:
        note(
            f"compiling kernels, about {SECONDS} s every time: {cache_directory().parent} cannot be written to; "
            "KPLACE_CACHE_DIR names another folder"
        )
