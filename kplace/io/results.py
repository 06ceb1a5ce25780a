"""The tables of a run as files: Parquet and JSON hold all of them and can be read back, CSV holds the pods only.

A Parquet file's rows are the pods, so that any tool reads them; the other tables are kept in its metadata.
A JSON file is one object: ``{"kplace": {...}, "pods": [...], "nodes": [...], ...}``, one row a line.
"""

import base64
import gzip
import json
import os
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import zstandard

from kplace.errors import Fault, InputError
from kplace.io.atomic import Target, writing

About = dict[str, Any]
"""What holds for the run as a whole: plain data."""

MARK = "kplace"
_EMBEDDED = ("nodes", "reasons", "preemptions", "volumes")
_LATER = ("volumes",)
"""Tables that files of earlier versions lack."""
_TABLES = ("pods", *_EMBEDDED)
_MAGIC = b"PAR1"
_CHUNK = 10_000


@dataclass(frozen=True, slots=True)
class Tables:
    """What a run left, as it is written and read.

    Attributes
    ----------
    pods, nodes, reasons, preemptions, volumes : DataFrame
        ``volumes`` has no columns if the file is of a version that had no such table.
    about : dict
    """

    pods: pd.DataFrame
    nodes: pd.DataFrame
    reasons: pd.DataFrame
    preemptions: pd.DataFrame
    volumes: pd.DataFrame
    about: About


class _JsonResult(msgspec.Struct):
    kplace: About
    pods: list[dict[str, Any]]
    nodes: list[dict[str, Any]]
    reasons: list[dict[str, Any]]
    preemptions: list[dict[str, Any]]
    volumes: list[dict[str, Any]] = []


def write_parquet(tables: Tables, target: Target) -> None:
    """Write all tables as one Parquet file.

    Raises
    ------
    OutputError
        It cannot be written.
    """
    table = _arrow(tables.pods)
    metadata = dict(table.schema.metadata or {})
    metadata[MARK.encode()] = json.dumps(tables.about).encode()
    for name in _EMBEDDED:
        metadata[f"{MARK}.{name}".encode()] = _packed(_arrow(getattr(tables, name)))
    with writing(target) as file:
        pq.write_table(table.replace_schema_metadata(metadata), file, compression="zstd")


def write_json(tables: Tables, target: Target) -> None:
    """Write all tables as one JSON object, a row on each line.

    Raises
    ------
    OutputError
        It cannot be written.
    """
    encoder = msgspec.json.Encoder()
    with writing(target) as file:
        # An empty table would otherwise not say what columns it has.
        columns = {name: [str(column) for column in getattr(tables, name).columns] for name in _TABLES}
        file.write(b'{"%b":%b' % (MARK.encode(), encoder.encode(tables.about | {"columns": columns})))
        for name in _TABLES:
            file.write(b',\n"%b":[' % name.encode())
            separator = b"\n"
            for row in _rows(getattr(tables, name)):
                file.write(separator + encoder.encode(row))
                separator = b",\n"
            file.write(b"\n]")
        file.write(b"}\n")


def write_csv(frame: pd.DataFrame, target: Target) -> None:
    """Write one table as CSV.

    Raises
    ------
    OutputError
        It cannot be written.
    """
    with writing(target) as file:
        frame.to_csv(file, index=False, lineterminator="\n")


def read_tables(path: str | os.PathLike[str]) -> Tables:
    """Read what `write_parquet` or `write_json` wrote.

    The columns of the frames are as Parquet or JSON have them; `kplace.frames.schema` brings them back to their dtypes.

    Raises
    ------
    InputError
        There is no such file, or it holds something else.
    """
    source = Path(path)
    try:
        data = _unpacked(source.read_bytes())
    except (OSError, EOFError, zlib.error, zstandard.ZstdError) as error:
        raise _unreadable(source, f"cannot be read: {getattr(error, 'strerror', None) or error}") from error
    try:
        return _from_parquet(data) if data.startswith(_MAGIC) else _from_json(data)
    except (ValueError, KeyError, TypeError, msgspec.MsgspecError, pa.ArrowException) as error:
        raise _unreadable(source, "holds no result of kplace in Parquet or JSON") from error


def read_table(path: Path) -> pd.DataFrame:
    """Read a Parquet file as a table.

    Raises
    ------
    InputError
        There is no such file, or it holds something else.
    """
    try:
        return pq.read_table(path).to_pandas()
    except (pa.ArrowException, ValueError) as error:
        raise _unreadable(path, "holds no table in Parquet") from error
    except OSError as error:
        raise _unreadable(path, f"cannot be read: {error.strerror or error}") from error


def _unreadable(source: Path, message: str) -> InputError:
    return InputError([Fault(str(source), "", "", message)])


def _unpacked(data: bytes) -> bytes:
    if data.startswith(b"\x1f\x8b"):
        return gzip.decompress(data)
    if data.startswith(b"\x28\xb5\x2f\xfd"):
        return zstandard.ZstdDecompressor().decompressobj().decompress(data)
    return data


def _arrow(frame: pd.DataFrame) -> pa.Table:
    """Arrow table of a frame; dicts become maps, whose keys need not be the same in every row."""
    maps = {str(name): _map_type(frame[name]) for name in frame.columns if frame[name].dtype == object}
    plain = frame.copy(deep=False)
    plain.attrs = {}
    for name in maps:
        plain[name] = pd.Series([list(item.items()) for item in frame[name]], frame.index, dtype=object)
    schema = pa.Schema.from_pandas(plain.drop(columns=list(maps)), preserve_index=False)
    for position, name in enumerate(plain.columns):
        if name in maps:
            schema = schema.insert(position, pa.field(str(name), maps[str(name)]))
    return pa.Table.from_pandas(plain, schema, preserve_index=False)


def _map_type(column: "pd.Series[Any]") -> pa.DataType:
    numbers = any(isinstance(value, int) for item in column for value in item.values())
    return pa.map_(pa.string(), pa.int64() if numbers else pa.string())


def _packed(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as writer:
        writer.write_table(table)
    return base64.b64encode(sink.getvalue())


def _pandas(table: pa.Table) -> pd.DataFrame:
    frame = table.to_pandas()
    for field in table.schema:
        if pa.types.is_map(field.type):
            frame[field.name] = pd.Series([dict(item) for item in frame[field.name]], frame.index, dtype=object)
    return frame


def _from_parquet(data: bytes) -> Tables:
    table = pq.read_table(pa.BufferReader(data))
    metadata = table.schema.metadata or {}
    keys = {name: f"{MARK}.{name}".encode() for name in _EMBEDDED}
    embedded = {
        name: pd.DataFrame()
        if name in _LATER and key not in metadata
        else _pandas(pa.ipc.open_stream(base64.b64decode(metadata[key])).read_all())
        for name, key in keys.items()
    }
    return Tables(pods=_pandas(table), **embedded, about=json.loads(metadata[MARK.encode()]))


def _from_json(data: bytes) -> Tables:
    found = msgspec.json.decode(data, type=_JsonResult)
    columns = found.kplace.pop("columns")
    frames = {name: pd.DataFrame(getattr(found, name), columns=columns.get(name, [])) for name in _TABLES}
    return Tables(**frames, about=found.kplace)


def _rows(frame: pd.DataFrame) -> Iterator[dict[str, object]]:
    names = [str(name) for name in frame.columns]
    for start in range(0, len(frame), _CHUNK):
        part = frame.iloc[start : start + _CHUNK]
        columns = [_plain(part[name]) for name in part.columns]
        for values in zip(*columns, strict=True):
            yield dict(zip(names, values, strict=True))


def _plain(column: "pd.Series[Any]") -> list[object]:
    """Values as Python has them; NA and NaN become None."""
    values = column.astype(object)
    listed: list[object] = values.where(column.notna(), None).tolist()
    return listed
