"""A study's clusters as one file that every process on a machine maps instead of reading: see decision 0010.

Each part of the file is a pickle whose arrays lie beside it, aligned, so that unpickling takes them as they are. The
mapping is private: pages are shared until somebody writes to them.
"""

import mmap
import pickle
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from kplace.errors import KplaceError
from kplace.io.atomic import writing

ALIGNMENT = 64
"""Bytes that every array begins at a multiple of: kernels are compiled for arrays that are aligned."""
_MARK = b"kplace.bundle.1\n"
_TAIL = 16

Place = tuple[int, int, tuple[tuple[int, int], ...]]
"""Where a part lies: begin and length of its pickle, and of each of its arrays."""


class BundleError(KplaceError):
    """A worker cannot get at the clusters of a study."""


class BundleWriter:
    """Writes parts one after the other; see `writing_bundle`."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._at = 0
        self.places: dict[str, Place] = {}
        self._write(_MARK)

    def add(self, name: str, value: object) -> None:
        """Add a part."""
        buffers: list[pickle.PickleBuffer] = []
        head = pickle.dumps(value, protocol=5, buffer_callback=buffers.append)
        begin, length = self._write(head)
        arrays = tuple(self._write(buffer.raw()) for buffer in buffers)
        self.places[name] = (begin, length, arrays)

    def close(self) -> None:
        """Write where everything lies."""
        index = pickle.dumps(self.places)
        begin, length = self._write(index)
        self._file.write(begin.to_bytes(8, "little") + length.to_bytes(8, "little"))

    def _write(self, data: bytes | memoryview) -> tuple[int, int]:
        padding = -self._at % ALIGNMENT
        self._file.write(b"\0" * padding)
        begin = self._at + padding
        self._file.write(data)
        self._at = begin + len(data)
        return begin, len(data)


@contextmanager
def writing_bundle(path: Path) -> Iterator[BundleWriter]:
    """Write a file that is there in full or not at all."""
    with writing(path) as file:
        writer = BundleWriter(file)
        yield writer
        writer.close()


class Bundle:
    """A file of parts, mapped.

    Parameters
    ----------
    path : Path

    Raises
    ------
    BundleError
        There is no such file, or it is no bundle.
    """

    def __init__(self, path: Path) -> None:
        try:
            with path.open("rb") as file:
                self._view = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY))
        except (OSError, ValueError) as error:
            msg = f"{path}: the clusters of the study cannot be read on this machine: {error}"
            raise BundleError(msg) from error
        if bytes(self._view[: len(_MARK)]) != _MARK:
            msg = f"{path}: holds no clusters of a study"
            raise BundleError(msg)
        begin = int.from_bytes(self._view[-_TAIL:-8], "little")
        length = int.from_bytes(self._view[-8:], "little")
        self._places: dict[str, Place] = pickle.loads(self._view[begin : begin + length])

    def part(self, name: str) -> Any:  # noqa: ANN401 - whatever was put in
        """A part; its arrays lie in the file."""
        begin, length, arrays = self._places[name]
        buffers = [self._view[at : at + size] for at, size in arrays]
        return pickle.loads(self._view[begin : begin + length], buffers=buffers)
