"""messages.md: errors, notes, and what is said about the bad inputs under data/bad."""

import inspect
import os
from collections.abc import Iterator
from pathlib import Path

import kplace
from kplace import errors
from reference.complete import insist
from reference.markdown import code, from_docstring, page, table
from reference.notes import TOPICS, check_topics

ERRORS = """
All exceptions that kplace raises on purpose are `kplace.KplaceError`. On the command line they become a message on
standard error and exit code 2, and nothing is written. `InputError.faults` holds every fault of the input, each
with `source`, `subject`, `path` and `message`; printed, a fault reads `FILE: KIND NAMESPACE/NAME: FIELD: WHAT IS
WRONG`.
"""

NOTES = """
A note is about something that real clusters contain and that kube-scheduler lives with, but that you should know
before you trust a result. Notes go to standard error (not with `--quiet`) and to `Cluster.notes`, as pairs of
`topic` and `message`. [Bad input and how to mend it](../howto/bad-input.md) says when something is a fault instead.
"""

BAD = """
What kplace says about the files in [data/bad](../../data/bad/README.md), one kind of fault a file.
"""


def make() -> str:
    """The page."""
    check_topics()
    topics = ((code(topic), meaning, advice) for topic, (meaning, advice) in sorted(TOPICS.items()))
    return page(
        "Errors and notes",
        "## Errors",
        ERRORS,
        table(("exception", "meaning"), _errors()),
        "## Notes",
        NOTES,
        table(("topic", "what it says", "what to do"), topics),
        "## Faults, by example",
        BAD,
        table(("file", "what is said"), _faults()),
    )


def _errors() -> Iterator[tuple[str, str]]:
    for name, item in inspect.getmembers(errors, inspect.isclass):
        if issubclass(item, Exception) and item.__module__ == errors.__name__:
            yield code(name), from_docstring((item.__doc__ or "").split("\n\n")[0])


def _faults() -> Iterator[tuple[str, str]]:
    """File names and messages; paths are shown as they are under data/bad."""
    folder = Path(__file__).resolve().parents[2] / "data" / "bad"
    here = Path.cwd()
    os.chdir(folder)
    try:
        for name in sorted(path.name for path in folder.iterdir() if path.suffix in {".yaml", ".json"}):
            try:
                kplace.read(name)
            except kplace.InputError as error:
                said = (str(fault).removeprefix(f"{name}: ").replace("`", "'") for fault in error.faults)
                yield code(name), "<br>".join(f"`{text}`" for text in said)
            else:
                insist([name], "messages.py", "finds no fault in data/bad/")
    finally:
        os.chdir(here)
