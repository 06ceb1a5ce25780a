"""``kplace warmup``: compile the kernels ahead of the first run."""

import time

import click

from kplace.cli.console import is_quiet
from kplace.cli.options import quiet_option
from kplace.cli.progress import Work


@click.command(short_help="Compile all kernels ahead of the first run.")
@quiet_option
def warmup() -> None:
    """Compile all kernels and keep them, so that later runs start at once.

    They are kept in the user's cache folder, or in $KPLACE_CACHE_DIR. Run this once before several processes that
    would otherwise compile the same kernels at the same time.
    """
    began = time.perf_counter()
    with Work() as work:
        work.stage("compiling kernels")
        from kplace._jit import KEEPS_KERNELS, cache_directory
        from kplace.api.warming import call_kernels
        from kplace.cli.compiling import needs_compiling
        from kplace.errors import OutputError

        if not KEEPS_KERNELS:
            msg = f"{cache_directory().parent}: cannot be written to; KPLACE_CACHE_DIR names another folder"
            raise OutputError(msg)
        compiling = needs_compiling()
        call_kernels()
    if not is_quiet():
        seconds = time.perf_counter() - began
        click.echo(f"kernels {'compiled' if compiling else 'loaded'} in {seconds:.1f} s")
