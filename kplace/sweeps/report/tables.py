"""Tables of a report: the best, what each axis does, curves, and what cannot be had both."""

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd

from kplace.analysis.measures import HIGH, better_of
from kplace.dtypes import F64, Mask
from kplace.sweeps.report.choices import SEED, axes_in

MOST_LEVELS = 12
"""Levels of an axis of numbers; more are put together."""


def points(runs: pd.DataFrame, axes: Sequence[str], metrics: Sequence[str]) -> pd.DataFrame:
    """Means over all else that varies, one row per point: the axes, ``runs``, and each metric.

    Parameters
    ----------
    runs : DataFrame
        `kplace.sweeps.Results.runs`.
    axes, metrics : sequence of str
    """
    alive = runs[runs["error"].isna()]
    if not axes:
        table = alive[list(metrics)].mean().to_frame().T
        table.insert(0, "runs", len(alive))
        return table
    grouped = alive.groupby(list(axes), dropna=False, sort=False, observed=True)
    table = grouped[list(metrics)].mean().reset_index()
    table.insert(len(axes), "runs", grouped.size().to_numpy())
    return table


def best(runs: pd.DataFrame, axes: Sequence[str], metric: str, others: Sequence[str] = ()) -> pd.DataFrame:
    """Points by a metric, the best first; of equal ones, in the order of the axes.

    Returns
    -------
    DataFrame
        The axes, ``runs``, the metric's mean over them with ``lowest`` and ``highest``, and the means of ``others``.
    """
    rest = [name for name in others if name != metric]
    table = points(runs, axes, [metric, *rest])
    alive = runs[runs["error"].isna()]
    grouped = alive.groupby(list(axes), dropna=False, sort=False, observed=True)[metric] if axes else None
    at = list(table.columns).index(metric) + 1
    for name in ("highest", "lowest"):
        values = getattr(grouped if grouped is not None else alive[metric], "max" if name == "highest" else "min")()
        table.insert(at, name, values if grouped is None else values.to_numpy())
    return table.sort_values(metric, ascending=better_of(metric) != HIGH, kind="stable", ignore_index=True)


def effects(runs: pd.DataFrame, axes: Sequence[str], metrics: Sequence[str]) -> pd.DataFrame:
    """What each axis does to each metric, whatever the others are.

    Returns
    -------
    DataFrame
        One row per metric and axis, the strongest first: ``metric``, ``axis``, ``explained`` (the share of the
        metric's variance that lies between the levels of the axis; NaN if it does not vary), ``lowest`` and
        ``highest`` (means of the levels that have the lowest and the highest one), ``at_lowest`` and ``at_highest``
        (those levels). The seed stands for what is left to chance.
    """
    alive = runs[runs["error"].isna()]
    listed = [*axes, *([SEED] if SEED in axes_in(runs) and len(alive[SEED].unique()) > 1 else [])]
    rows: list[tuple[str, str, float, float, str, float, str]] = []
    for metric in metrics:
        known = alive[alive[metric].notna()]
        found = [_effect(known, axis, metric) for axis in listed] if len(known) else []
        rows += sorted(found, key=lambda row: -1.0 if math.isnan(row[2]) else row[2], reverse=True)
    names = ["metric", "axis", "explained", "lowest", "at_lowest", "highest", "at_highest"]
    return pd.DataFrame(rows, columns=names)


def _effect(runs: pd.DataFrame, axis: str, metric: str) -> tuple[str, str, float, float, str, float, str]:
    values = runs[metric].to_numpy(np.float64)
    grouped = runs.groupby(_levels(runs[axis]), dropna=False, sort=False, observed=True)[metric]
    means, sizes = grouped.mean(), grouped.size()
    mean, total = values.mean(), float(((values - values.mean()) ** 2).sum())
    between = float((sizes * (means - mean) ** 2).sum())
    low, high = means.idxmin(), means.idxmax()
    explained = between / total if total else math.nan
    return (metric, axis, explained, float(means.min()), str(low), float(means.max()), str(high))


def _levels(column: pd.Series) -> pd.Series:
    """Levels of an axis: its values, or ranges of numbers where there are many."""
    if not pd.api.types.is_numeric_dtype(column) or column.nunique() <= MOST_LEVELS:
        return column
    ranges = pd.qcut(column.astype("float64"), MOST_LEVELS, duplicates="drop")
    return ranges.map(lambda part: f"{part.left:.6g} to {part.right:.6g}")


def pareto(runs: pd.DataFrame, axes: Sequence[str], metrics: Sequence[str]) -> pd.DataFrame:
    """Points with the mark ``front``: no other one is as good in all metrics and better in one.

    Points at which one of the metrics is not defined are left out.
    """
    table = points(runs, axes, metrics).dropna(subset=list(metrics)).reset_index(drop=True)
    signs = np.array([1.0 if better_of(name) == HIGH else -1.0 for name in metrics])
    table["front"] = front(table[list(metrics)].to_numpy(np.float64) * signs)
    return table


def front(values: F64) -> Mask:
    """Rows that no other row dominates; more is better in every column.

    Parameters
    ----------
    values : float64 ndarray, shape (n_points, n_metrics)

    Examples
    --------
    >>> front(np.array([[1.0, 3.0], [2.0, 2.0], [1.0, 2.0], [3.0, 1.0], [3.0, 1.0]])).tolist()
    [True, True, False, True, True]
    """
    best_so_far: list[F64] = []
    marks: Mask = np.zeros(len(values), np.bool_)
    # By falling sums: what dominates a row has a larger sum and was there before.
    for row in np.argsort(-values.sum(axis=1), kind="stable").tolist():
        own = values[row]
        if not any((other >= own).all() and (other > own).any() for other in best_so_far):
            marks[row] = True
            best_so_far.append(own)
    return marks
