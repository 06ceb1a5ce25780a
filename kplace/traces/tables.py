"""What all traces share: tables of files, numbers in columns, and what comes of them."""

import io
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.json as arrow_json

from kplace.dtypes import MIB
from kplace.errors import Fault, InputError
from kplace.io.sources import Source, SourceError

START = pd.Timestamp("2025-01-01T00:00:00Z")
"""When a trace begins."""
GIB = 1024 * MIB
_BLOCK = 16 * MIB
"""Of a file that is read at once."""
RACK = "label:topology.kplace.io/rack"


@dataclass(slots=True)
class Trace:
    """A trace as tables of `kplace.Cluster.from_frames`.

    Attributes
    ----------
    nodes, pods : DataFrame
    notes : list of str
        What was left out.
    """

    nodes: pd.DataFrame
    pods: pd.DataFrame
    notes: list[str] = field(default_factory=list)


class Faults:
    """Collects what is wrong with the files of a trace."""

    def __init__(self) -> None:
        self.found: list[Fault] = []

    def add(self, source: str, subject: str, column: str, message: str) -> None:
        """Remember a fault."""
        self.found.append(Fault(source, subject, column, message))

    def check(self) -> None:
        """Raise if anything is wrong."""
        if self.found:
            raise InputError(self.found)

    def numbers(self, frame: pd.DataFrame, column: str, source: str) -> pd.Series:
        """A column as numbers, NaN where nothing stands; what is no number is a fault."""
        if column not in frame:
            self.add(source, "", column, "there is no such column")
            return pd.Series(0.0, frame.index)
        given = frame[column]
        if given.dtype.kind in "iuf":
            return given.astype("float64")
        numbers = pd.to_numeric(given, errors="coerce")
        wrong = numbers.isna() & given.notna() & (given.astype("str").str.strip() != "")
        for row in frame.index[wrong]:
            self.add(source, f"row {int(row) + 1}", column, f'expected a number, got "{given[row]}"')
        return numbers.astype("float64")


def read_frame(path: str | Path, columns: Sequence[str] | None = None) -> pd.DataFrame:
    """Read a table as texts: CSV, or JSON with an object a line; packed ones as well.

    Parameters
    ----------
    path : str or path
    columns : sequence of str, optional
        Of a CSV file without a header; one whose first cell is the first of them has one all the same.

    Raises
    ------
    InputError
        The file cannot be read, or it is no table.
    """
    name = str(path)
    try:
        data = bytes(Source(name, path=Path(path)).read())
        if data.lstrip()[:1] == b"{":
            return _of_lines(data)
        if columns is None or data.split(b",", 1)[0].strip().strip(b'"').decode() == columns[0]:
            return pd.read_csv(io.BytesIO(data), dtype="str", skipinitialspace=True).astype("object")
        width = data.split(b"\n", 1)[0].count(b",") + 1
        if width != len(columns):
            message = f"expected {len(columns)} columns ({', '.join(columns)}), got {width}"
            raise InputError([Fault(name, "", "", message)])
        return pd.read_csv(io.BytesIO(data), dtype="str", header=None, names=list(columns)).astype("object")
    except (SourceError, ValueError) as error:
        message = str(error) if isinstance(error, SourceError) else f"is no table: {' '.join(str(error).split())}"
        raise InputError([Fault(name, "", "", message)]) from error


def _of_lines(data: bytes) -> pd.DataFrame:
    """A table of objects, one a line; fields of objects inside of them are called ``outer.inner``."""
    found = _of_even_lines(data)
    if found is None:
        lines = [_object(line, number) for number, line in enumerate(data.splitlines(), 1) if line.strip()]
        found = pd.json_normalize(lines).astype("object")
    return found


def _object(line: bytes, number: int) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except ValueError as error:
        msg = f"line {number}: {error}"
        raise ValueError(msg) from error
    if not isinstance(found, dict):
        msg = f"line {number}: expected an object"
        raise ValueError(msg)
    return found


def _of_even_lines(data: bytes) -> pd.DataFrame | None:
    """The same in a fraction of the time; None where a field is of another type now and then, or anything is wrong."""
    try:
        table = arrow_json.read_json(pa.BufferReader(data), arrow_json.ReadOptions(block_size=_BLOCK))
    except pa.ArrowInvalid:
        return None
    while any(pa.types.is_struct(field.type) for field in table.schema):
        table = table.flatten()
    if not all(_is_plain(field.type) for field in table.schema):
        return None
    return table.to_pandas(integer_object_nulls=True)


def _is_plain(kind: pa.DataType) -> bool:
    is_number = pa.types.is_integer(kind) or pa.types.is_floating(kind)
    return bool(is_number or pa.types.is_boolean(kind) or pa.types.is_string(kind) or pa.types.is_null(kind))


def dns(texts: pd.Series) -> pd.Series:
    """Names that Kubernetes takes: lower case, other letters as hyphens."""
    codes, distinct = pd.factorize(texts)
    if len(distinct) < len(texts) and (codes >= 0).all():
        return pd.Series(_dns(pd.Series(distinct)).to_numpy()[codes], texts.index, dtype="str")
    return _dns(texts)


def _dns(texts: pd.Series) -> pd.Series:
    return texts.astype("str").str.lower().str.replace(r"[^a-z0-9.-]+", "-", regex=True).str.strip("-.")


def milli(cores: pd.Series) -> pd.Series:
    """Cores as quantities of cpu, rounded up to a milli-cpu, at least one."""
    return _whole(cores * 1000) + "m"


def mebibytes(numbers: pd.Series) -> pd.Series:
    """Bytes as quantities in MiB, rounded up, at least one."""
    return _whole(numbers / MIB) + "Mi"


def _whole(numbers: pd.Series) -> pd.Series:
    # Binary fractions of decimal numbers are a little too large now and then.
    return pd.Series(np.ceil(numbers.round(6)).clip(lower=1).astype("int64").astype("str"), numbers.index)


def moments(seconds: pd.Series) -> pd.Series:
    """Times of seconds after the start of a trace; what was before it is at its start."""
    return START + pd.to_timedelta(seconds.clip(lower=0).round(6), unit="s")
