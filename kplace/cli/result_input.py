"""Inputs that are results of kplace rather than clusters: which they are, and reading them."""

import gzip
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from kplace.api import HistoryTables, Placements
    from kplace.sweeps.results import Results

PARQUET = ".parquet"
_HEAD = 1 << 12
_ZSTD = b"\x28\xb5\x2f\xfd"
_GZIP = b"\x1f\x8b"
_RUN = b'{"kplace":'
_RECORD = b'{"attempts":['
_CHECKPOINT = b"kplace checkpoint"


def read_result(name: str) -> "Placements | HistoryTables | Results | None":
    """The run, the simulation or the study that an input holds; None if it is no result.

    Raises
    ------
    click.BadParameter
        It is a result that lacks what a page is made of.
    InputError
        It is damaged.
    """
    path = Path(name)
    if path.is_dir():
        from kplace.api import read_history
        from kplace.api.history import holds_history

        return read_history(path) if holds_history(path) else _study(path)
    if not path.is_file():
        return None
    head = _head(path)
    if path.suffix != PARQUET and not head.startswith(_RUN):
        _refuse_others(path, head)
        return None
    _refuse_parts(path)
    from kplace.api import read_placements

    return read_placements(path)


def _study(path: Path) -> "Results | None":
    """The study that a folder holds results of, as ``sweep run --out`` writes them; None if it holds none."""
    if not (path / "metrics").is_dir() and not path.name.startswith("study="):
        return None
    from kplace.sweeps.results import read_sweep, studies_in, study_of

    own = study_of(path)
    if own is not None:
        return read_sweep(*own)
    names = studies_in(path)
    if len(names) > 1:
        folders = " or ".join(str(path / "metrics" / f"study={name}") for name in names)
        _refuse(path, f"holds several studies; give the folder of one: {folders}")
    return read_sweep(path) if names else None


def _refuse_others(path: Path, head: bytes) -> None:
    """Refuse what kplace has written but no page can be made of."""
    from kplace.io.foreign import ROWS, what_else

    whole = "FILE.parquet or FILE.json (place --out), and the folder of a simulation (simulate --out)"
    if head.startswith(_RECORD):
        _refuse(path, "holds the record of a simulation (--log); report takes the folder that simulate --out writes")
    if head.startswith(_CHECKPOINT):
        _refuse(path, "holds a checkpoint of a simulation; report takes the folder that simulate --out writes")
    if what_else(head) == ROWS:
        _refuse(path, f"holds rows of a result alone, without the nodes; report takes {whole}")


def _refuse_parts(path: Path) -> None:
    from kplace.api.history import TABLES, holds_history

    if path.stem in TABLES and holds_history(path.parent):
        _refuse(path, f"is one table of a simulation; give the folder: {path.parent}")


def _refuse(path: Path, message: str) -> None:
    msg = f"{path}: {message}"
    raise click.BadParameter(msg, param_hint="'INPUT...'")


def _head(path: Path) -> bytes:
    """The first bytes of what a file holds, compressed or not; empty if they cannot be read."""
    with path.open("rb") as file:
        head = file.read(_HEAD)
        file.seek(0)
        if head.startswith(_ZSTD):
            import zstandard

            return zstandard.ZstdDecompressor().stream_reader(file).read(_HEAD)
        if head.startswith(_GZIP):
            return gzip.GzipFile(fileobj=file).read(_HEAD)
    return head
