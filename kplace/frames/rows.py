"""Reads a user's DataFrame column by column and collects what is wrong with it, row by row."""

from collections.abc import Callable, Hashable, Mapping
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from kplace.columns.quantity import QuantityError, parse
from kplace.errors import Fault
from kplace.objects.meta import Quantity

T = TypeVar("T")
_LONGEST = 60
_NUMBERS = (int, float, bool)


class Refused(ValueError):
    """A value cannot be used; the message says what was expected."""


class RowReader:
    """The columns of a DataFrame as lists in which None stands for NA.

    Parameters
    ----------
    frame : DataFrame
    source : str
        What the frame is called in faults.

    Attributes
    ----------
    faults : list of Fault
        A value with a fault is read as None.
    """

    def __init__(self, frame: pd.DataFrame, source: str) -> None:
        self.source = source
        self.faults: list[Fault] = []
        self._labels = frame.index
        self._columns = {str(name): frame.iloc[:, position] for position, name in enumerate(frame.columns)}
        self._unread = set(self._columns)
        self._find_repeated(frame)

    def __len__(self) -> int:
        return len(self._labels)

    def __contains__(self, column: str) -> bool:
        return column in self._columns

    @property
    def columns(self) -> list[str]:
        """Names of all columns, in order."""
        return list(self._columns)

    @property
    def unread(self) -> list[str]:
        """Names of the columns that nothing has asked for, in order."""
        return [name for name in self._columns if name in self._unread]

    def ignore(self, *columns: str, prefixes: tuple[str, ...] = ()) -> None:
        """Count columns as read: they say nothing that the others do not say."""
        self._unread -= {name for name in self._unread if name in columns or name.startswith(prefixes)}

    def label(self, row: int) -> object:
        """What the frame's index calls a row."""
        return self._labels[row]

    def fault(self, row: int | None, column: str, message: str) -> None:
        """Remember what is wrong with a value, or with a column as a whole."""
        subject = "" if row is None else f"row {self.label(row)}"
        self.faults.append(Fault(self.source, subject, column, message))

    def values(self, column: str) -> list[Any]:
        """Whatever the column holds; all None if there is no such column."""
        series = self._columns.get(column)
        if series is None:
            return [None] * len(self)
        self._unread.discard(column)
        listed: list[Any] = series.astype(object).where(series.notna(), None).tolist()
        return listed

    def read(self, column: str, convert: Callable[[Any], T]) -> list[T | None]:
        """Converted values; ``convert`` is called once for each distinct one and raises `Refused` for a fault."""
        known: dict[Hashable, T | None] = {None: None}
        converted: list[T | None] = []
        for row, value in enumerate(self.values(column)):
            # 1, 1.0 and True are equal, but not the same; of dicts and lists only the same object is known again.
            kind = type(value)
            key = value if kind is str or value is None else (kind, value if kind in _NUMBERS else id(value))
            if key not in known:
                try:
                    known[key] = convert(value)
                except Refused as error:
                    self.fault(row, column, str(error))
                    converted.append(None)
                    continue
            converted.append(known[key])
        return converted

    def texts(self, column: str) -> list[str | None]:
        """Texts."""
        return self.read(column, text)

    def flags(self, column: str) -> list[bool | None]:
        """Booleans."""
        return self.read(column, flag)

    def labels(self) -> list[dict[str, str]]:
        """Labels of each row: the dicts in the column ``labels``, and the columns ``label:KEY`` on top."""
        rows = [{} if value is None else value for value in self.read("labels", text_map)]
        for column in self.columns:
            if column.startswith("label:"):
                key = column.removeprefix("label:")
                rows = [
                    labels if value is None else labels | {key: value}
                    for labels, value in zip(rows, self.texts(column), strict=True)
                ]
        return rows

    def times(self, column: str) -> list[str | None]:
        """Times as RFC 3339 has them, in UTC."""
        series = self._columns.get(column)
        if series is None:
            return [None] * len(self)
        self._unread.discard(column)
        stamps = pd.to_datetime(series, utc=True, errors="coerce", format="ISO8601")
        for row in np.flatnonzero(stamps.isna() & series.notna()).tolist():
            self.fault(row, column, f"expected a time such as 2026-01-31T12:00:00Z, got {shown(series.iloc[row])}")
        written = np.datetime_as_string(stamps.dt.tz_localize(None).to_numpy("datetime64[ns]"), unit="ns")
        return [None if stamp == "NaT" else f"{stamp}Z" for stamp in written.tolist()]

    def _find_repeated(self, frame: pd.DataFrame) -> None:
        names = frame.columns.astype(str)
        for name in dict.fromkeys(names[names.duplicated()]):
            self.fault(None, name, "is there more than once")


def text(value: object) -> str:
    """Check that a value is a text."""
    if not isinstance(value, str):
        msg = f"expected a text, got {shown(value)}"
        raise Refused(msg)
    return value


def flag(value: object) -> bool:
    """Check that a value is true or false."""
    if not isinstance(value, bool | np.bool_):
        msg = f"expected true or false, got {shown(value)}"
        raise Refused(msg)
    return bool(value)


def integer(value: object) -> int:
    """Check that a value is a whole number."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer) or value != int(value):
        msg = f"expected a whole number, got {shown(value)}"
        raise Refused(msg)
    return int(value)


def quantity(value: object) -> Quantity:
    """Check that a value is a quantity of zero or more; whole floats, which NA makes of integers, become integers."""
    if isinstance(value, bool) or not isinstance(value, str | int | float | np.integer | np.floating):
        msg = f"expected a quantity, got {shown(value)}"
        raise Refused(msg)
    plain: Quantity = value if isinstance(value, str) else value.item() if isinstance(value, np.generic) else value
    if isinstance(plain, float) and plain.is_integer():
        plain = int(plain)
    try:
        if parse(plain) < 0:
            msg = f"expected zero or more, got {shown(value)}"
            raise Refused(msg)
    except QuantityError as error:
        raise Refused(str(error)) from error
    return plain


def text_map(value: object) -> dict[str, str]:
    """Check that a value is a dict of texts."""
    if not isinstance(value, Mapping) or not all(isinstance(item, str) for pair in value.items() for item in pair):
        msg = f"expected a dict of texts, got {shown(value)}"
        raise Refused(msg)
    return value if isinstance(value, dict) else dict(value)


def shown(value: object) -> str:
    """A value for a message, cut short.

    Examples
    --------
    >>> shown("web"), shown(2.5)
    ("'web'", '2.5')
    """
    written = repr(value)
    return written if len(written) <= _LONGEST else f"{written[:_LONGEST]}..."
