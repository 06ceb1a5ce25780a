"""Where results go: ``--out`` and ``--format``, checked before the work starts and written when it is done."""

import io
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
    """Decide what each ``--out`` means, and refuse at once what could not be written when the work is done.

    Parameters
    ----------
    names : sequence of str
        As given.
    form : str
        ``--format``.
    inputs : sequence of str
        What is read: it is not written over.

    Raises
    ------
    click.BadParameter
    """
    targets = [target_of(name) for name in names]
    for target in targets:
        check_writable(target.path, "--out", inputs)
        if target.form == "folder" and target.path.exists() and any(target.path.iterdir()):
            raise _refuse(target.path, "is not empty; what it holds would be read together with the result")
    if form == "parquet" and not takes_rows(targets, form) and sys.stdout.isatty():
        msg = "parquet is binary: name a file with --out, or redirect standard output"
        raise click.BadParameter(msg, param_hint="'--format'")
    return targets


def target_of(name: str) -> Target:
    """What one ``--out`` means.

    Examples
    --------
    >>> target_of("rows.csv").kind, target_of("after.yaml.gz").kind, target_of("after/").form
    (<Kind.ROWS: 'result rows'>, <Kind.CLUSTER: 'the cluster after the run'>, 'folder')
    """
    path = Path(name)
    if name == "-":
        raise _refuse(path, "is no file; --format json, csv or parquet writes to standard output")
    bare = path.name.lower().removesuffix(".gz").removesuffix(".zst")
    if name.endswith(("/", os.sep)) or path.is_dir() or "." not in bare.strip("."):
        return Target(path, Kind.CLUSTER, "folder")
    if bare.endswith(_DUMP_ENDINGS):
        return Target(path, Kind.CLUSTER, "json" if bare.endswith(".json") else "yaml")
    form = bare.rpartition(".")[2]
    if form not in ROWS or (form == "parquet" and bare != path.name.lower()):
        known = ", ".join(f".{form}" for form in ROWS)
        raise _refuse(path, f"the ending says nothing; known are {known}, {', '.join(_DUMP_ENDINGS)} and DIR/")
    return Target(path, Kind.ROWS, form)


def check_writable(path: Path, option: str, inputs: Sequence[str]) -> None:
    """Refuse a path that cannot be written, or that is an input.

    Raises
    ------
    click.BadParameter
    """
    if not path.parent.is_dir():
        raise _refuse(path, f"cannot be written: there is no folder {path.parent}", option)
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise _refuse(path, "is not writable", option)
    if path.exists() and any(Path(name).exists() and path.samefile(name) for name in inputs):
        raise _refuse(path, "is an input", option)


def takes_rows(targets: Sequence[Target], form: str) -> bool:
    """Whether a file takes the rows that would otherwise go to standard output."""
    return any(target.kind is Kind.ROWS and target.form == form for target in targets)


def _refuse(path: Path, why: str, option: str = "--out") -> click.BadParameter:
    return click.BadParameter(f"{path}: {why}", param_hint=f"'{option}'")


def write_target(placements: "Placements", target: Target) -> None:
    """Write one file or folder: whole, or not at all."""
    if target.kind is Kind.ROWS:
        write_rows(placements, target.form, target.path)
    else:
        placements.cluster.to_manifests(target.path, form=target.form)


def rows_to_stdout(placements: "Placements", form: str) -> None:
    """Write result rows to standard output."""
    # Not straight into it: a writer that meets a closed pipe may close the stream it was given.
    rows = io.BytesIO()
    write_rows(placements, form, rows)
    sys.stdout.buffer.write(rows.getbuffer())


def write_rows(placements: "Placements", form: str, file: Path | IO[bytes]) -> None:
    """Write result rows in one of the forms `ROWS`."""
    writers = {"json": placements.to_json, "csv": placements.to_csv, "parquet": placements.to_parquet}
    writers[form](file)
