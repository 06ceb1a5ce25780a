"""What kplace raises on purpose, as a click exception: clear text on standard error, exit code 2."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import IO, Any

import click

from kplace.cli.console import complain
from kplace.cli.option_names import in_options, option_names
from kplace.cli.text import counted, one_line
from kplace.errors import Fault, InputError, KplaceError, UsageError


class Refused(click.ClickException):
    """A refusal.

    Parameters
    ----------
    message : str
        What it comes to, in one line.
    details : sequence of str
        Printed before it, a line each: every fault.
    """

    exit_code = 2

    def __init__(self, message: str, details: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.details = details

    def show(self, file: IO[Any] | None = None) -> None:
        """Print it on standard error."""
        complain(self.details, self.message, file)


@contextmanager
def refusals(command: Callable[[], click.Command | None] = lambda: None) -> Iterator[None]:
    """Within it, a `KplaceError` becomes `Refused`, and so does a file that cannot be read or written.

    Parameters
    ----------
    command : callable
        Says which command is run: a message about an argument names the option that it was given by.
    """
    try:
        yield
    except InputError as error:
        names = option_names(command())
        raise Refused(count_faults(error), [one_line(_by_option(fault, names)) for fault in error.faults]) from error
    except UsageError as error:
        names = option_names(command())
        *details, message = (in_options(one_line(line), names) for line in str(error).splitlines() or ["UsageError"])
        raise Refused(message, details) from error
    except KplaceError as error:
        *details, message = map(one_line, str(error).splitlines() or [type(error).__name__])
        raise Refused(message, details) from error
    except (BrokenPipeError, InterruptedError):
        raise
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        raise Refused(one_line(f"{where}{error.strerror or error}")) from error


def _by_option(fault: Fault, names: dict[str, str]) -> Fault:
    """A fault of an argument, which names no object and no field, by the option that it was given by."""
    if fault.subject or fault.path or fault.source not in names:
        return fault
    return replace(fault, source=names[fault.source])


def count_faults(error: InputError) -> str:
    """Say how many faults there are in how many files."""
    sources = {fault.source for fault in error.faults}
    return f"{counted(len(error.faults), 'fault')} in {counted(len(sources), 'input')}; nothing was done"
