"""Files and folders that are there in full or not at all: written beside their place, then renamed into it."""

import gzip
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, BinaryIO, cast

import zstandard

from kplace.errors import OutputError

Target = str | os.PathLike[str] | IO[bytes]
"""A path, or a binary file that is open for writing."""

_ZSTD_LEVEL = 3
_GZIP_LEVEL = 6


@contextmanager
def writing(target: Target) -> Iterator[BinaryIO]:
    """Open a target for writing; a path is renamed into place only when the block ends without an error.

    Parameters
    ----------
    target : path or binary file
        A name that ends in ``.gz`` or ``.zst`` is compressed. An open file is written to as it is, and not closed.

    Raises
    ------
    OutputError
        The path cannot be written; nothing is left of it then, nor after an error or an interrupt in the block.
    """
    if not isinstance(target, str | os.PathLike):
        yield cast("BinaryIO", target)
        return
    path = Path(target)
    with _reporting(path), ExitStack() as stack:
        bare: BinaryIO
        if _is_special(path):
            bare = stack.enter_context(path.open("wb"))
        else:
            bare = stack.enter_context(_beside(Path(os.path.realpath(path))))
        yield stack.enter_context(_compressed(bare, path.suffix))


@contextmanager
def writing_folder(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Make a folder to write files into; it takes the place of ``path`` when the block ends without an error.

    Raises
    ------
    OutputError
        The path cannot be written, or there is something already: only an empty folder is replaced.
    """
    place = Path(os.path.realpath(path))
    with _reporting(Path(path)):
        if place.exists() and not (place.is_dir() and not any(place.iterdir())):
            msg = f"{path}: expected a new or an empty folder, there is something in its place"
            raise OutputError(msg)
        beside = _name_beside(place)
        beside.mkdir()
        try:
            yield beside
            if place.exists():
                place.rmdir()
            beside.rename(place)
        except BaseException:
            shutil.rmtree(beside, ignore_errors=True)
            raise


@contextmanager
def _beside(place: Path) -> Iterator[BinaryIO]:
    beside = _name_beside(place)
    try:
        with beside.open("xb") as file:
            yield file
        beside.replace(place)
    except BaseException:
        with suppress(FileNotFoundError):
            beside.unlink()
        raise


@contextmanager
def _compressed(file: BinaryIO, suffix: str) -> Iterator[BinaryIO]:
    if suffix == ".gz":
        # Without name and time in its header the same content always gives the same bytes.
        with gzip.GzipFile("", "wb", _GZIP_LEVEL, file, mtime=0) as packed:
            yield cast("BinaryIO", packed)
    elif suffix == ".zst":
        with zstandard.ZstdCompressor(_ZSTD_LEVEL).stream_writer(file, closefd=False) as stream:
            yield cast("BinaryIO", stream)
    else:
        yield file


@contextmanager
def _reporting(path: Path) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        msg = f"{path}: cannot be written: {error.strerror or error}"
        raise OutputError(msg) from error


def _is_special(path: Path) -> bool:
    """Whether there is something that a rename would destroy: a pipe, a terminal, a device."""
    return path.exists() and not path.is_file() and not path.is_dir()


def _name_beside(place: Path) -> Path:
    return place.with_name(f".{place.name}.{secrets.token_hex(4)}.tmp")
