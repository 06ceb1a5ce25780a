"""Where results go: ``--out`` and ``--format``, checked before the work starts and written when it is done."""

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import IO, TYPE_CHECKING

import click

if TYPE_CHECKING:
    from kplace.api import Placements

TABLE = "table"
ROWS = ("json", "csv", "parquet")
"""Formats of result rows; as endings of file names they mean the same."""
FORMATS = (TABLE, *ROWS)

_DUMP_ENDINGS = (".dump.json", ".yaml", ".yml")


class Kind(Enum):
    """What a file given by ``--out`` holds."""

    ROWS = "result rows"
    CLUSTER = "the cluster after the run"


@dataclass(frozen=True, slots=True)
class Target:
    """A place to write to.

    Attributes
    ----------
    path : Path
    kind : Kind
    form : str
        Of rows: one of `ROWS`; of a cluster: ``folder``, ``yaml`` or ``json``.
    """

    path: Path
    kind: Kind
    form: str


def plan_targets(names: Sequence[str], form: str, inputs: Sequence[str]) -> list[Target]:
    """Decide what each ``--out`` means, and refuse what could not be written.

    Parameters
    ----------
    names : sequence of str
        As given.
    form : str
        ``--format``: it decides for names without a known ending.
    inputs : sequence of str
        What is read: it is not written over.

    Raises
    ------
    click.BadParameter
    """
    targets = [target_of(name, form) for name in names]
    for target in targets:
        _check_writable(target)
        if target.path.exists() and any(Path(name).exists() and target.path.samefile(name) for name in inputs):
            raise _refuse(target.path, "is an input as well")
    if form == "parquet" and not _taken(targets, form) and sys.stdout.isatty():
        msg = "parquet is binary: name a file with --out, or redirect standard output"
        raise click.BadParameter(msg, param_hint="'--format'")
    return targets


def target_of(name: str, form: str = TABLE) -> Target:
    """What one ``--out`` means.

    Examples
    --------
    >>> target_of("rows.csv").kind, target_of("after.yaml.gz").kind, target_of("after/").form
    (<Kind.ROWS: 'result rows'>, <Kind.CLUSTER: 'the cluster after the run'>, 'folder')
    """
    path = Path(name)
    if name.endswith(("/", os.sep)) or path.is_dir():
        return Target(path, Kind.CLUSTER, "folder")
    bare = name.lower().removesuffix(".gz").removesuffix(".zst")
    if bare.endswith(_DUMP_ENDINGS):
        return Target(path, Kind.CLUSTER, "json" if bare.endswith(".json") else "yaml")
    ending = name.lower().rpartition(".")[2]
    for candidate in (ending, form):
        if candidate in ROWS:
            return Target(path, Kind.ROWS, candidate)
    raise _refuse(path, f"its ending says nothing: one of .{', .'.join(ROWS)}, {', '.join(_DUMP_ENDINGS)} or a folder with /")


def _check_writable(target: Target) -> None:
    """Refuse at once what would fail after the work is done."""
    path = target.path
    if not path.parent.is_dir():
        raise _refuse(path, f"there is no folder {path.parent}")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise _refuse(path, "is not writable")
    if target.form == "folder" and path.exists():
        if not path.is_dir():
            raise _refuse(path, "is a file")
        if any(path.iterdir()):
            raise _refuse(path, "is not empty: what it holds would be read together with the result")


def _refuse(path: Path, why: str) -> click.BadParameter:
    return click.BadParameter(f"{path}: {why}", param_hint="'--out'")


def _taken(targets: Sequence[Target], form: str) -> bool:
    return any(target.kind is Kind.ROWS and target.form == form for target in targets)


def write_target(placements: "Placements", target: Target) -> None:
    """Write one file or folder: whole, or not at all."""
    if target.kind is Kind.ROWS:
        write_rows(placements, target.form, target.path)
    else:
        raise NotImplementedError


def rows_to_stdout(placements: "Placements", form: str) -> None:
    """Write result rows to standard output."""
    write_rows(placements, form, sys.stdout.buffer)


def write_rows(placements: "Placements", form: str, file: Path | IO[bytes]) -> None:
    """Write result rows in one of the forms `ROWS`."""
    writers = {"json": placements.to_json, "csv": placements.to_csv, "parquet": placements.to_parquet}
    writers[form](file)
