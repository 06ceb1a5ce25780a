"""Columns of a DataFrame out of codes and names, without a loop over rows."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from kplace.columns.nodes import NodeColumns
from kplace.dtypes import I32, I64, NO_TIME

Values = Any
"""What a DataFrame takes for a column."""


def category(codes: NDArray[np.integer[Any]], names: Sequence[str]) -> Values:
    """Categorical of codes into ``names``; negative codes are NA."""
    dtype = pd.CategoricalDtype(pd.Index(list(names), dtype="str"))
    return pd.Categorical.from_codes(np.maximum(codes, -1).astype(np.int32), dtype=dtype)


def category_of(texts: Sequence[str | None]) -> Values:
    """Categorical of texts, with the distinct ones in order of first appearance; None is NA."""
    codes: dict[str, int] = {}
    column = np.array([-1 if text is None else codes.setdefault(text, len(codes)) for text in texts], np.int32)
    return category(column, list(codes))


def node_category(nodes: NodeColumns, codes: I32) -> Values:
    """Nodes by name; every table has the same categories, all nodes in snapshot order."""
    return category(codes, nodes.names)


def texts(values: Sequence[str | None]) -> Values:
    """Column of texts; None is NA."""
    return pd.Series(list(values), dtype="str").array


def objects(values: Sequence[object]) -> NDArray[np.object_]:
    """Object array with one entry per value, also where the values are dicts or lists."""
    column = np.empty(len(values), np.object_)
    column[:] = values
    return column


def nullable(values: I64, missing: int) -> Values:
    """Int64 column in which the number ``missing`` is NA."""
    return pd.arrays.IntegerArray(values.astype(np.int64), values == missing)


def times(nanoseconds: I64) -> Values:
    """Times in UTC; `NO_TIME` is NaT."""
    stamps = np.where(nanoseconds == NO_TIME, np.iinfo(np.int64).min, nanoseconds).view("datetime64[ns]")
    return pd.DatetimeIndex(stamps).tz_localize("UTC")


def frame(columns: dict[str, Values], n_rows: int) -> pd.DataFrame:
    """DataFrame of columns, which all have ``n_rows`` rows."""
    return pd.DataFrame(columns, index=pd.RangeIndex(n_rows))
