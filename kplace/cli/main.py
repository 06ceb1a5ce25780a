"""The process around the commands: interrupts, broken pipes and exit codes.

It imports next to nothing, so that even an interrupt during the imports ends without a traceback; ``cli``, the group of
all commands, is imported when it is asked for.
"""

import gc
import os
import signal
import sys
from types import FrameType
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

DONE = 0
"""Done, pods without a node included."""
PENDING = 1
"""``--fail-on-pending`` was given and a pod found no node."""
REFUSED = 2
"""The input, a setting or the command line is at fault."""
BUG = 70
"""An exception that kplace did not raise on purpose (``EX_SOFTWARE``); its traceback is shown."""
INTERRUPTED = 130
"""Interrupted by SIGINT."""


class Interrupts:
    """Turns SIGINT into `KeyboardInterrupt`, and remembers it.

    An exception raised while C code calls back into Python is lost: the run would go on. So whoever works for long
    asks `check` from time to time, and the exit code says what happened in any case.
    """

    def __init__(self) -> None:
        self.seen = False

    def install(self) -> None:
        """Listen, unless the caller had SIGINT ignored (as shells do for jobs in the background)."""
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, self._handle)
            sys.unraisablehook = self._unraisable

    def check(self) -> None:
        """Raise `KeyboardInterrupt` if there was an interrupt."""
        if self.seen:
            raise KeyboardInterrupt

    def done(self) -> None:
        """Let the interpreter shut down undisturbed."""
        if signal.getsignal(signal.SIGINT) == self._handle:
            signal.signal(signal.SIGINT, signal.SIG_IGN)

    def _handle(self, _signal: int, _frame: FrameType | None) -> NoReturn:
        self.seen = True
        raise KeyboardInterrupt

    def _unraisable(self, args: "UnraisableHookArgs", /) -> None:
        if not issubclass(args.exc_type, KeyboardInterrupt):
            sys.__unraisablehook__(args)


INTERRUPTS = Interrupts()
"""Those of this process."""


def main() -> NoReturn:
    """Run the command line and exit: the console entry ``kplace``."""
    # Imports and kernels make hundreds of thousands of objects, which all stay: Python would look them through for
    # garbage again and again.
    gc.set_threshold(500_000)
    INTERRUPTS.install()
    # A caller may have closed them, and not only redirected.
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - until the end
    sys.stderr = sys.stderr or sys.stdout
    sys.stdin = sys.stdin or open(os.devnull, encoding="utf-8")  # noqa: SIM115 - until the end
    try:
        code = run(sys.argv[1:])
        sys.stdout.flush()
    except KeyboardInterrupt:
        code = INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has had enough; what is still buffered must not raise again at shutdown.
        drop_output()
        code = DONE
    INTERRUPTS.done()
    sys.exit(INTERRUPTED if INTERRUPTS.seen else code)


def run(arguments: list[str]) -> int:
    """Run one command.

    Parameters
    ----------
    arguments : list of str
        Without the program's name.

    Returns
    -------
    int
        The exit code.
    """
    import click

    from kplace.cli.app import cli

    try:
        result = cli.main(arguments, prog_name="kplace", standalone_mode=False)
    except click.Abort:
        return INTERRUPTED
    except click.ClickException as error:
        error.show()
        return REFUSED
    except SystemExit:
        return DONE  # so click ends shell completion, and a run whose reader has gone away
    except (KeyboardInterrupt, BrokenPipeError):
        raise
    except Exception:
        import traceback

        traceback.print_exc()
        click.echo("Error: this is a bug in kplace; please report it with the lines above.", err=True)
        return BUG
    return result if isinstance(result, int) else DONE


def drop_output() -> None:
    """Send what is still written to standard output nowhere."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, sys.stdout.fileno())
    os.close(null)


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a module attribute may be anything
    if name == "cli":
        from kplace.cli.app import cli

        return cli
    msg = f"module 'kplace.cli.main' has no attribute {name!r}"
    raise AttributeError(msg)
