"""Rows given out once for equal arrays or equal keys."""

from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from kplace.dtypes import I32

D = TypeVar("D", bound=np.generic)


class RowTable(Generic[D]):
    """Rows of one length and dtype, each kept once.

    Parameters
    ----------
    width : int
    dtype : dtype
    """

    def __init__(self, width: int, dtype: type[D]) -> None:
        self._width = width
        self._dtype = dtype
        self._rows: list[NDArray[D]] = []
        self._by_key: dict[Hashable, int] = {}
        self._by_bytes: dict[bytes, int] = {}

    def row(self, key: Hashable, make: Callable[[], NDArray[Any]]) -> int:
        """Number of the row that ``make`` gives; it is called once per key, equal rows share a number."""
        number = self._by_key.get(key)
        if number is None:
            number = self._by_key[key] = self.add(make())
        return number

    def add(self, row: NDArray[Any]) -> int:
        """Number of a row, that of an equal one if there is one."""
        made = np.ascontiguousarray(row, self._dtype)
        number = self._by_bytes.setdefault(made.tobytes(), len(self._rows))
        if number == len(self._rows):
            self._rows.append(made)
        return number

    def get(self, number: int) -> NDArray[D]:
        """A row; not to be modified."""
        return self._rows[number]

    def is_constant(self, number: int, value: int) -> bool:
        """Whether a row holds nothing but ``value``."""
        return bool((self._rows[number] == value).all())

    def array(self) -> NDArray[D]:
        """All rows, of shape (n_rows, width); at least one, so that indexing it never reads outside."""
        if not self._rows:
            return np.zeros((1, self._width), self._dtype)
        return np.stack(self._rows)


class Lists:
    """A list of items for each of many owners, as a row of starts and a table of all items.

    Parameters
    ----------
    n_owners, n_columns : int
    """

    def __init__(self, n_owners: int, n_columns: int) -> None:
        self._items: list[list[tuple[int, ...]]] = [[] for _ in range(n_owners)]
        self._n_columns = n_columns

    def append(self, owner: int, *values: int) -> None:
        """Add an item to an owner's list."""
        self._items[owner].append(values)

    def count(self, owner: int) -> int:
        """Number of items that an owner has."""
        return len(self._items[owner])

    def starts(self) -> I32:
        """Where each owner's items begin, and the end; int32 of shape (n_owners + 1,)."""
        starts = np.zeros(len(self._items) + 1, np.int32)
        np.cumsum([len(items) for items in self._items], out=starts[1:])
        return starts

    def table(self, dtype: type[D]) -> NDArray[D]:
        """All items, of shape (n_columns, n_items)."""
        flat = [item for items in self._items for item in items]
        return np.array(flat, dtype).reshape(len(flat), self._n_columns).T.copy()
