"""Where results go: ``--out`` and ``--format``, checked before the work starts and written when it is done."""

import io
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import combinations
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


@dataclass(frozen=True, slots=True)
class Output:
    """Something that an option has written.

    Attributes
    ----------
    option : str
        As it is spelt: ``--out``.
    path : Path
    is_folder : bool
        A folder, which must be new or empty.
    """

    option: str
    path: Path
    is_folder: bool = False


def plan_targets(names: Sequence[str], form: str, inputs: Sequence[str], others: Sequence[Output] = ()) -> list[Target]:
    """Decide what each ``--out`` means, and refuse at once what could not be written when the work is done.

    Parameters
    ----------
    names : sequence of str
        As given.
    form : str
        ``--format``.
    inputs : sequence of str
        What is read: it is not written over.
    others : sequence of Output
        What other options of the command write.

    Raises
    ------
    click.BadParameter
    """
    targets = [target_of(name) for name in names]
    outs = [Output("--out", target.path, is_folder=target.form == "folder") for target in targets]
    check_outputs([*outs, *others], inputs)
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


def check_outputs(outputs: Sequence[Output], inputs: Sequence[str]) -> None:
    """Refuse what cannot be written, what would take the place of an input, and two outputs in one place.

    Parameters
    ----------
    outputs : sequence of Output
        All that one command writes.
    inputs : sequence of str
        Files, folders and globs, as `kplace.read` takes them; every file that they stand for is an input.

    Raises
    ------
    click.BadParameter
    """
    for output in outputs:
        _check_writable(output)
        if output.path.exists() and _is_read(output.path, inputs):
            raise _refuse(output.path, "is an input", output.option)
        if output.is_folder:
            _check_empty(output)
    check_apart(outputs)


def check_apart(outputs: Sequence[Output]) -> None:
    """Refuse outputs of which one would take the place of another, however their paths are spelt.

    Raises
    ------
    click.BadParameter
    """
    for first, second in combinations(outputs, 2):
        if _is_device(first.path):
            continue
        places = [Path(os.path.realpath(output.path)) for output in (first, second)]
        if places[0] == places[1]:
            raise _refuse_both(first, second, "both would be written to one place; give each a path of its own")
        for folder, place in ((first, places[1]), (second, places[0])):
            if folder.is_folder and place.is_relative_to(os.path.realpath(folder.path)):
                raise _refuse_both(first, second, f"one is in the folder {folder.path}, which is written as a whole")


def _check_writable(output: Output) -> None:
    path, option = output.path, output.option
    if not path.parent.is_dir():
        raise _refuse(path, f"cannot be written: there is no folder {path.parent}", option)
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise _refuse(path, "is not writable", option)
    if path.is_dir() and not output.is_folder:
        raise _refuse(path, "cannot be written: it is a folder; expected the name of a file", option)


def _check_empty(output: Output) -> None:
    path = output.path
    if path.exists() and not path.is_dir():
        raise _refuse(path, "expected a new or an empty folder, it is a file", output.option)
    if path.exists() and any(path.iterdir()):
        raise _refuse(path, "expected a new or an empty folder, it is not empty", output.option)


def _is_read(path: Path, inputs: Sequence[str]) -> bool:
    """Whether a path that exists is an input or one of the files that inputs stand for."""
    if any(Path(name).exists() and path.samefile(name) for name in inputs):
        return True
    from kplace.io.snapshot import is_snapshot
    from kplace.io.sources import find_sources

    if any(is_snapshot(name) and path.resolve().is_relative_to(Path(name).resolve()) for name in inputs):
        return True
    files = [source.path for source in find_sources(inputs).sources if source.path is not None]
    return any(file.exists() and path.samefile(file) for file in files)


def _is_device(path: Path) -> bool:
    """Whether it is a terminal, a pipe or the like, which takes any number of outputs."""
    return path.exists() and not path.is_file() and not path.is_dir()


def takes_rows(targets: Sequence[Target], form: str) -> bool:
    """Whether a file takes the rows that would otherwise go to standard output."""
    return any(target.kind is Kind.ROWS and target.form == form for target in targets)


def _refuse(path: Path, why: str, option: str = "--out") -> click.BadParameter:
    return click.BadParameter(f"{path}: {why}", param_hint=f"'{option}'")


def _refuse_both(first: Output, second: Output, why: str) -> click.BadParameter:
    options = dict.fromkeys(output.option for output in (first, second))
    paths = dict.fromkeys(str(output.path) for output in (first, second))
    return click.BadParameter(f"{' and '.join(paths)}: {why}", param_hint=list(options))


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
