"""Very many pods in a table: what most of them share is read once for each kind, and what each has alone as columns."""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from kplace.columns import ClusterColumns
from kplace.columns.pods import PodColumns
from kplace.dtypes import I64, NO_TIME, Mask
from kplace.errors import InputError
from kplace.frames.from_frames import Rules, columns_from_frames

if TYPE_CHECKING:
    from collections.abc import Hashable

_LONGEST = 10**9
"""Seconds that a pod may last."""
_NUMBERS = (int, float, bool)


def columns_by_kind(
    nodes: pd.DataFrame, pods: pd.DataFrame, rules: Rules, *, others: ClusterColumns | None = None
) -> ClusterColumns:
    """Columns of the cluster that two tables describe: those of `columns_from_frames`, but without the pods' sources.

    Pods of a kind agree in every column but their names, when they were created and how long they last. The first one
    of each kind is read as if it stood in a table alone with the others; the cluster holds no pod as an object.

    Parameters
    ----------
    nodes, pods : DataFrame
    rules : Rules
    others : ClusterColumns, optional

    Raises
    ------
    InputError
        With every fault of both tables.
    """
    own = _own_columns(pods)
    if own is None:
        return columns_from_frames(nodes, pods, rules, others=others)
    kind, firsts = _kinds(pods.drop(columns=own.named), own.created == NO_TIME)
    try:
        columns = columns_from_frames(nodes, pods.iloc[firsts], rules, others=others)
    except InputError:
        # Every row with a fault has to be named.
        return columns_from_frames(nodes, pods, rules, others=others)
    sources = [source for source in columns.sources if source.pod < 0]
    return replace(columns, pods=_of_all(columns.pods, kind, own), sources=sources)


class _Own:
    """What each pod has alone.

    Attributes
    ----------
    named : list of str
        The columns that say so.
    names : list of str
    created, lasts : int64 ndarray, shape (n_pods,)
        Nanoseconds, `NO_TIME` where nothing stands.
    """

    def __init__(self, named: list[str], names: list[str], created: I64, lasts: I64) -> None:
        self.named = named
        self.names = names
        self.created = created
        self.lasts = lasts


def _own_columns(pods: pd.DataFrame) -> _Own | None:
    """What each pod has alone; None where anything is not plainly right, or too few pods are there to be worth it."""
    key = "pod" if "pod" in pods else "name"
    if key not in pods or not pods.columns.is_unique or pods.columns.dtype.kind not in "OTU":
        return None
    names = pods[key].tolist()
    if not all(type(name) is str and name for name in names):
        return None
    if len(set(names)) < len(names):
        spaces = pods["namespace"].fillna("").tolist() if "namespace" in pods else [""] * len(names)
        if len({(space or "default", name) for space, name in zip(spaces, names, strict=True)}) < len(names):
            return None
    created, lasts = _created(pods), _lasts(pods)
    if created is None or lasts is None:
        return None
    return _Own([name for name in (key, "created", "lasts") if name in pods], names, created, lasts)


def _created(pods: pd.DataFrame) -> I64 | None:
    if "created" not in pods:
        return np.full(len(pods), NO_TIME, np.int64)
    series = pods["created"]
    if not isinstance(series.dtype, pd.DatetimeTZDtype):
        return None
    stamps = series.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy("datetime64[ns]")
    return np.where(np.isnat(stamps), NO_TIME, stamps.astype(np.int64))


def _lasts(pods: pd.DataFrame) -> I64 | None:
    if "lasts" not in pods:
        return np.full(len(pods), NO_TIME, np.int64)
    if pods["lasts"].dtype.kind != "f":
        return None
    seconds = pods["lasts"].to_numpy(np.float64)
    known = ~np.isnan(seconds)
    if not ((seconds[known] >= 0) & (seconds[known] < _LONGEST)).all():
        return None
    # As an annotation has them: written in whole nanoseconds, and read again.
    rounded = np.rint(seconds[known] * 1e9)
    lasts = np.full(len(pods), NO_TIME, np.int64)
    lasts[known] = np.rint(rounded / 1e9 * 1e9).astype(np.int64)
    return lasts


def _kinds(shared: pd.DataFrame, timeless: Mask) -> tuple[I64, I64]:
    """Number of each row's kind, in the order in which they come, and each kind's first row."""
    codes = timeless.astype(np.int64)
    for position in range(shared.shape[1]):
        own = _codes(shared.iloc[:, position])
        codes = pd.factorize(codes * (own.max(initial=-1) + 1) + own)[0]
    codes = pd.factorize(codes)[0].astype(np.int64)
    firsts = np.full(codes.max(initial=-1) + 1, len(codes), np.int64)
    firsts[codes[::-1]] = np.arange(len(codes))[::-1]
    return codes, firsts


def _codes(series: pd.Series) -> I64:
    """A number from 0 on for each value of a column; equal values that a reader tells apart have different ones."""
    if series.dtype != np.object_:
        return pd.factorize(series)[0].astype(np.int64) + 1
    numbers: dict[Hashable, int] = {}
    found = []
    for value, is_there in zip(series.tolist(), series.notna().tolist(), strict=True):
        kind = type(value)
        key: Hashable = value if kind is str else (kind, value if kind in _NUMBERS else id(value)) if is_there else None
        found.append(numbers.setdefault(key, len(numbers)))
    return np.array(found, np.int64)


def _of_all(firsts: PodColumns, kind: I64, own: _Own) -> PodColumns:
    """Columns of all pods from those of the first ones of each kind."""
    number = len(kind)
    arrays = ("namespace", "template", "node", "nominated", "priority", "started_ns", "terminating", "preempted")
    taken = {name: getattr(firsts, name)[kind] for name in (*arrays, "phase", "scheduler", "made")}
    return replace(firsts, names=own.names, uids=[""] * number, created_ns=own.created, lasts_ns=own.lasts, **taken)
