"""Where input comes from: files, folders, patterns and standard input as a fixed sequence of named byte sources."""

import glob
import gzip
import io
import os
import sys
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import zstandard

from kplace.errors import Fault

STDIN = "<stdin>"
SUFFIXES = (".json", ".yaml", ".yml")
"""Files in folders that are read, also with one of `COMPRESSED` after it."""
TABLE = ".csv"
"""Files that are read if they are named, or by a pattern that says so: a folder may hold several of one cluster."""
COMPRESSED = (".gz", ".zst")

_GZIP, _ZSTD, _ZIP = b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PK\x03\x04"
_UTF8_MARK, _UTF16_MARKS = b"\xef\xbb\xbf", (b"\xff\xfe", b"\xfe\xff")
_CHUNK = 1 << 20
_ZSTD_CHUNK = 1 << 16

Argument = str | os.PathLike[str]


class SourceError(Exception):
    """A source cannot be read; the message says why."""


@dataclass(frozen=True, slots=True)
class Source:
    """One file, or standard input.

    Attributes
    ----------
    name : str
        As it is called in messages.
    path : Path or None
        None for standard input.
    named : bool
        The user named this very file; others were found in a folder or by a pattern, and may well hold no objects.
    """

    name: str
    path: Path | None = None
    named: bool = True

    @property
    def is_yaml(self) -> bool:
        """Whether the name says YAML."""
        return _bare(self.name).endswith((".yaml", ".yml"))

    def read(self) -> bytes | bytearray:
        """Read all of it: decompressed, as UTF-8, without a byte order mark.

        Raises
        ------
        SourceError
            It cannot be opened, is damaged or is of a format that cannot be read.
        """
        try:
            if self.path is None:
                data: bytes | bytearray = sys.stdin.buffer.read()
            else:
                # Unbuffered: the file is read in one go into a buffer of its size.
                with self.path.open("rb", buffering=0) as file:
                    data = file.readall()
            return _as_utf8(_decompressed(data))
        except OSError as error:
            msg = f"cannot be read: {error.strerror or error}"
            if self.path is not None and self.path.is_symlink() and not self.path.exists():
                msg = f"is a link to {self.path.readlink()}, which leads nowhere"
            raise SourceError(msg) from error


@dataclass(slots=True)
class FoundSources:
    """What the arguments stand for.

    Attributes
    ----------
    sources : list of Source
        In the order of the arguments, within a folder or pattern by name; each file once.
    faults : list of Fault
        Arguments that stand for nothing.
    skipped : list of str
        Files in folders whose names do not say JSON or YAML.
    """

    sources: list[Source] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)


def find_sources(arguments: Iterable[Argument]) -> FoundSources:
    """Find what to read.

    Parameters
    ----------
    arguments : iterable of str or path
        Files, folders (read recursively: ``*.json``, ``*.yaml``, ``*.yml``, also with ``.gz`` or ``.zst``; hidden ones
        are left out), patterns such as ``dumps/**/*.json``, or ``-`` for standard input.

    Returns
    -------
    FoundSources
        What cannot be found is among its faults; nothing is opened yet.
    """
    return _Finder().find(arguments)


class _Finder:
    """Collects sources, each real file once, each real folder once."""

    def __init__(self) -> None:
        self._found = FoundSources()
        self._seen: set[tuple[int, int] | str] = set()
        self._met_again = False  # a folder that was read before: the argument stands for something after all

    def find(self, arguments: Iterable[Argument]) -> FoundSources:
        for argument in arguments:
            self._add_argument(os.fspath(argument))
        return self._found

    def _add_argument(self, argument: str) -> None:
        path = Path(argument)
        if argument == "-":
            self._add_file(Source(STDIN))
        elif path.is_dir():
            self._add_folder(argument, [path])
        elif os.path.lexists(path):
            self._add_file(Source(argument, path))
        elif glob.has_magic(argument):
            matches = sorted(glob.glob(argument, recursive=True))
            if matches and _bare(argument).endswith(TABLE):
                for match in matches:
                    self._add_file(Source(match, Path(match)))
            elif matches:
                self._add_folder(argument, map(Path, matches))
            else:
                self._fault(argument, "matches no file")
        else:
            self._fault(argument, "does not exist")

    def _add_folder(self, argument: str, paths: Iterable[Path]) -> None:
        files = readable = 0
        faults_before = len(self._found.faults)
        self._met_again = False
        for path in paths:
            for file in self._walk(path) if path.is_dir() else [path]:
                files += 1
                if _is_readable(file.name):
                    readable += 1
                    self._add_file(Source(str(file), file, named=False))
                elif self._is_new(file):
                    self._found.skipped.append(str(file))
        if readable or self._met_again or len(self._found.faults) > faults_before:
            return
        known = f"(*{', *'.join(SUFFIXES)}, also .gz or .zst)"
        self._fault(
            argument, f"holds no file that can be read {known}" if files else "holds no files, hidden ones aside"
        )

    def _walk(self, folder: Path) -> Iterator[Path]:
        """All files of a folder that are not hidden, by name; links are followed, but no folder is entered twice."""
        if not self._is_new(folder):
            self._met_again = True
            return
        try:
            entries = sorted(folder.iterdir())
        except OSError as error:
            self._fault(str(folder), f"cannot be read: {error.strerror}")
            return
        for entry in entries:
            if entry.name.startswith("."):
                continue
            if entry.is_dir():
                yield from self._walk(entry)
            else:
                yield entry

    def _add_file(self, source: Source) -> None:
        if self._is_new(source.path):
            self._found.sources.append(source)

    def _is_new(self, path: Path | None) -> bool:
        try:
            key = STDIN if path is None else _identity(path)
        except OSError:
            return True  # a dangling link: opening it will say so
        if key in self._seen:
            return False
        self._seen.add(key)
        return True

    def _fault(self, name: str, message: str) -> None:
        self._found.faults.append(Fault(name, "", "", message))


def _identity(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_dev, status.st_ino


def _is_readable(name: str) -> bool:
    return _bare(name).endswith(SUFFIXES)


def _bare(name: str) -> str:
    """A name in lower case, without what says how the file is compressed."""
    bare = name.lower()
    for suffix in COMPRESSED:
        bare = bare.removesuffix(suffix)
    return bare


def _decompressed(data: bytes | bytearray) -> bytes | bytearray:
    """Unpack by what the first bytes say, whatever the name says; several members count as one file."""
    if data.startswith(_GZIP):
        data = _joined(_gzip_chunks(data), "gzip")
    elif data.startswith(_ZSTD):
        data = _joined(_zstd_chunks(data), "zstd")
    if data.startswith(_ZIP):
        msg = "is a zip archive: unpack it and give the folder"
        raise SourceError(msg)
    if data[257:262] == b"ustar":
        msg = "is a tar archive: unpack it and give the folder"
        raise SourceError(msg)
    return data


def _joined(chunks: Iterable[bytes], form: str) -> bytearray:
    # A growing bytearray moves its pages; joining chunks would hold everything twice.
    data = bytearray()
    try:
        for chunk in chunks:
            data += chunk
    except (EOFError, zlib.error, gzip.BadGzipFile, zstandard.ZstdError) as error:
        msg = f"is damaged {form} data: {error}"
        raise SourceError(msg) from error
    return data


def _gzip_chunks(data: bytes | bytearray) -> Iterator[bytes]:
    with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
        while chunk := file.read(_CHUNK):
            yield chunk


def _zstd_chunks(data: bytes | bytearray) -> Iterator[bytes]:
    # The stream reader of the library takes a frame that is cut off for the end of the file.
    frame = zstandard.ZstdDecompressor().decompressobj()
    for start in range(0, len(data), _ZSTD_CHUNK):
        chunk = bytes(data[start : start + _ZSTD_CHUNK])
        while chunk:
            if frame.eof:
                frame = zstandard.ZstdDecompressor().decompressobj()
            yield frame.decompress(chunk)
            chunk = frame.unused_data if frame.eof else b""
    if not frame.eof:
        msg = "it ends in the middle of a frame"
        raise EOFError(msg)


def _as_utf8(data: bytes | bytearray) -> bytes | bytearray:
    if data.startswith(_UTF8_MARK):
        return data[len(_UTF8_MARK) :]
    if data.startswith(_UTF16_MARKS):
        # What PowerShell's > writes.
        try:
            return data.decode("utf-16").encode()
        except UnicodeDecodeError as error:
            msg = "begins as UTF-16 text but is not"
            raise SourceError(msg) from error
    return data
