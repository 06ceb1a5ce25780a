"""Any other table: a file in TOML says which of its columns means what."""

import tomllib
from pathlib import Path

import pandas as pd
from msgspec import Struct

from kplace.columns.quantity import QuantityError, parse
from kplace.errors import Fault, InputError
from kplace.io.shape import key_step
from kplace.io.sources import Source, SourceError
from kplace.synthesis.strict import read_struct
from kplace.traces.tables import Faults, Trace, dns, moments, read_frame

_TIMES = ("created",)
_DURATIONS = ("lasts",)
_AMOUNTS = ("cpu", "memory", "ephemeral-storage", "pods")


class MappedColumn(Struct, frozen=True, forbid_unknown_fields=True):
    """A column, and what one of it is worth.

    Attributes
    ----------
    column : text
        Of the file.
    unit : text
        A quantity: amounts are multiplied by it, such as ``"1Gi"`` or ``"10m"``. For times and durations seconds.
    """

    column: str
    unit: str = "1"


class MappedTable(Struct, frozen=True, forbid_unknown_fields=True):
    """A file of nodes or of pods.

    Attributes
    ----------
    file : text
        CSV, or JSON with an object a line; beside the mapping.
    columns : table
        By column of `kplace.Cluster.from_frames` (and ``lasts``) the file's own: a name, or a table with a unit.
    values : table
        Columns that are the same in all rows.
    header : list of text, optional
        Names of the columns, if the file does not say.
    """

    file: str
    columns: dict[str, str | MappedColumn]
    values: dict[str, str | int | float] = {}
    header: tuple[str, ...] | None = None


class Mapping(Struct, frozen=True, forbid_unknown_fields=True):
    """What the tables of a trace mean."""

    nodes: MappedTable
    pods: MappedTable | None = None


def read_mapped(path: str | Path) -> Trace:
    """Read the tables that a mapping names.

    Raises
    ------
    InputError
        With every fault of the mapping or of the tables.
    """
    name = str(path)
    try:
        value = tomllib.loads(Source(name, path=Path(path)).read().decode(errors="replace"))
    except SourceError as error:
        raise InputError([Fault(name, "", "", str(error))]) from error
    except tomllib.TOMLDecodeError as error:
        raise InputError([Fault(name, "", "", f"not valid TOML: {error}")]) from error
    mapping, problems = read_struct(value, Mapping)
    if mapping is None:
        raise InputError(Fault(name, "", where, message) for where, message in problems)
    faults = Faults()
    nodes = _table(mapping.nodes, "nodes", "node", path, faults)
    pods = pd.DataFrame({"pod": []}) if mapping.pods is None else _table(mapping.pods, "pods", "pod", path, faults)
    faults.check()
    return Trace(nodes, pods)


def _table(mapped: MappedTable, what: str, key: str, path: str | Path, faults: Faults) -> pd.DataFrame:
    file = str(Path(path).parent / mapped.file)
    frame = read_frame(file, mapped.header)
    table: dict[str, object] = {}
    if key not in mapped.columns:
        faults.add(str(path), "", f"{what}.columns.{key}", "is missing")
    for target, given in mapped.columns.items():
        own = MappedColumn(given) if isinstance(given, str) else given
        where = f"{what}.columns.{key_step(target)}"
        if own.column not in frame:
            faults.add(str(path), "", where, f'{mapped.file} has no column "{own.column}"')
            continue
        try:
            unit = parse(own.unit)
        except QuantityError as error:
            faults.add(str(path), "", where, str(error))
            continue
        table[target] = _column(frame, own.column, target, float(unit), file, faults)
    return pd.DataFrame({**table, **mapped.values}, index=frame.index)


def _column(frame: pd.DataFrame, column: str, target: str, unit: float, file: str, faults: Faults) -> pd.Series:
    if target in _TIMES:
        return moments(faults.numbers(frame, column, file).fillna(0) * unit)
    if target in _DURATIONS:
        return faults.numbers(frame, column, file) * unit
    if target in _AMOUNTS or (unit != 1 and not target.startswith("label:")):
        amounts = faults.numbers(frame, column, file) * unit
        return (amounts * 1000).round().astype("Int64").astype("str") + "m" if target == "cpu" else amounts.round()
    if target in ("node", "pod", "namespace"):
        return dns(frame[column])
    return frame[column]
