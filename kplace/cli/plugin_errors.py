"""What out-of-tree plugins do wrong, told apart from what kplace does wrong."""

import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager

import click

from kplace.cli.errors import Refused
from kplace.errors import KplaceError


@contextmanager
def plugin_refusals() -> Iterator[None]:
    """Within it, whatever a plugin's code raises becomes `Refused`; what kplace raises on purpose passes."""
    try:
        yield
    except (KplaceError, click.ClickException, click.exceptions.Exit, click.Abort):
        raise
    except (Exception, SystemExit) as error:
        refusal = as_refusal(error)
        if refusal is None:
            raise
        raise refusal from error


def as_refusal(error: BaseException) -> Refused | None:
    """The refusal for an exception that came out of a plugin's code; None if it did not.

    It shows the calls from the plugin's own on, which are those that its author can mend.
    """
    loading = sys.modules.get("kplace.framework.loading")
    if loading is None:
        return None
    frames = traceback.extract_tb(error.__traceback__)
    own = [position for position, frame in enumerate(frames) if loading.is_plugin_file(frame.filename)]
    if not own:
        return None
    lines = "".join(traceback.format_list(frames[own[0] :])).splitlines()
    last = frames[own[-1]]
    where = f"{last.filename}:{last.lineno}, in {last.name}"
    return Refused(f"plugin: {type(error).__name__}: {error} ({where})", lines)
