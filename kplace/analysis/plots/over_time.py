"""Pictures over time, and over anything else that is a number."""

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from kplace.analysis.curves import curves as curves_of
from kplace.analysis.plots.drawn import groups_of, kinds_in, named, spaced, time_unit, told_apart, unit_of
from kplace.analysis.plots.figure import blank, graphs, panels, percent_axes, said
from kplace.analysis.plots.style import MARKS, QUEUE, colours_of
from kplace.analysis.subject import By, Subject, pods_of
from kplace.analysis.words import known_column
from kplace.api import History
from kplace.dtypes import F64, I64
from kplace.errors import UsageError
from kplace.frames.schema import resource_column, resource_of

if TYPE_CHECKING:
    from kplace.analysis.plots.figure import Figure

MOST_TIMES = 500
_DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")


def timeline(history: History | pd.DataFrame) -> "Figure":
    """A simulation over time: what is requested, and the pods in the queue.

    More than 500 times are drawn by 500 of them, evenly spaced.

    Parameters
    ----------
    history : History or DataFrame
        A table as `History.timeline`.

    Raises
    ------
    UsageError
        It is neither.
    """
    table = history.timeline if isinstance(history, History) else history
    if not isinstance(table, pd.DataFrame) or "at" not in table.columns:
        msg = "history: expected a History, or a table as its timeline, with a column 'at'"
        raise UsageError(msg)
    table = table.iloc[spaced(len(table), MOST_TIMES)]
    divisor, unit = time_unit(table["at"].to_numpy(np.float64))
    at = table["at"].to_numpy() / divisor
    names = ["requested of allocatable", "pods that wait"]
    figure = panels("The cluster over time", names, 1, shared_xaxes=True, vertical_spacing=0.12)
    shares = [str(name) for name in table.columns if str(name).startswith("utilisation_") and table[name].gt(0).any()]
    for number, name in enumerate(shares):
        resource = resource_of(name.removeprefix("utilisation_"))
        figure.add_trace(
            graphs().Scatter(
                x=at,
                y=table[name].to_numpy(),
                name=resource,
                mode="lines",
                line={"color": MARKS[number % len(MARKS)], "dash": _DASHES[number % len(_DASHES)], "shape": "hv"},
                legend="legend",
                hovertemplate=f"{resource} %{{y:.1%}} after %{{x:.4g}} {unit}<extra></extra>",
            ),
            row=1,
            col=1,
        )
    for name, words, colour in QUEUE:
        figure.add_trace(
            graphs().Scatter(
                x=at,
                y=table[name].to_numpy(),
                name=words,
                mode="lines",
                stackgroup="queue",
                line={"color": colour, "width": 1, "shape": "hv"},
                legend="legend2",
                hovertemplate=f"%{{y:,}} {words} after %{{x:.4g}} {unit}<extra></extra>",
            ),
            row=2,
            col=1,
        )
    figure.update_xaxes(title_text=unit, row=2, col=1)
    high = float(np.nanmax(table[shares].to_numpy(np.float64), initial=1.0)) if shares else 1.0
    percent_axes(figure, "y", high=high)
    figure.update_layout(height=520, legend={"y": 1, "yanchor": "top"}, legend2={"y": 0.42, "yanchor": "top"})
    return figure if len(table) else said(figure, "nothing was sampled")


def occupancy(subject: Subject, *, resource: str = "cpu", by: By = "namespace") -> "Figure":
    """What pods request from their creation until they have run, over time: the demand of a trace, whatever its nodes.

    Pods that have no time of creation are left out; those without a duration stay to the end. The values are those at
    500 times, evenly spaced.

    Parameters
    ----------
    subject : Cluster, Placements or DataFrame
        A table of pods with ``created`` and ``lasts``.
    resource : str
        Kubernetes' name.
    by : str or sequence of str, optional
        Columns of the table of pods; the six most frequent groups are told apart.

    Raises
    ------
    UsageError
        There is no such column.
    """
    table = pods_of(subject)
    column = f"requested_{resource_column(resource)}"
    for name in ("created", "lasts", column):
        known_column("resource" if name == column else "pods", name, [str(item) for item in table.columns])
    table = table[table["created"].notna()]
    created = (table["created"] - table["created"].min()).dt.total_seconds().to_numpy(np.float64)
    ends = created + table["lasts"].fillna(np.inf).to_numpy(np.float64)
    finite = ends[np.isfinite(ends)]
    last = max(float(created.max(initial=0.0)), float(finite.max(initial=0.0)))
    times: F64 = np.linspace(0.0, last, MOST_TIMES) if last else np.zeros(1)
    divisor, unit = time_unit(times)
    size, _ = unit_of(resource)
    figure = blank("What the pods there are request", unit, named(resource))
    groups = told_apart(groups_of(table, by))
    amounts = table[column].to_numpy(np.int64)
    for kind, colour in colours_of(kinds_in(groups)).items():
        own = (groups == kind).to_numpy()
        figure.add_trace(
            graphs().Scatter(
                x=times / divisor,
                y=(_reached(times, created[own], amounts[own]) - _reached(times, ends[own], amounts[own])) / size,
                name=kind,
                mode="lines",
                stackgroup="all",
                line={"color": colour, "width": 1, "shape": "hv"},
                hovertemplate=f"{kind}: %{{y:,.1f}} after %{{x:.4g}} {unit}<extra></extra>",
            )
        )
    return figure if len(table) else said(figure, "no pod has a time of creation")


def _reached(times: F64, at: F64, amounts: I64) -> I64:
    """Sum of the amounts whose time has come by each of some times."""
    order = np.argsort(at, kind="stable")
    sums = np.concatenate([[0], np.cumsum(amounts[order])])
    return sums[np.searchsorted(at[order], times, side="right")]


def curves(runs: pd.DataFrame, metric: str, *, x: str = "load", by: str = "") -> "Figure":
    """A metric of many runs over an axis of numbers, such as demand: the median, and the range over seeds as a band.

    Parameters
    ----------
    runs : DataFrame
        One row per run, such as `kplace.sweeps.Results.runs`.
    metric, x, by : str
        Columns of it; a line for each value of ``by``.

    Raises
    ------
    UsageError
        There is no such column.
    """
    for argument, name in (("metric", metric), ("x", x), ("by", by)):
        if name or argument != "by":
            known_column(argument, name, [str(column) for column in runs.columns])
    table = curves_of(runs, metric, x, by)
    figure = blank(f"{metric} over {x}", "load, % of capacity" if x == "load" else x, metric)
    parts = table.groupby(by, observed=True, sort=False, dropna=False) if by else [(metric, table)]
    for number, (key, part) in enumerate(parts):
        kind, colour = str(key), MARKS[number % len(MARKS)]
        at, low, high = (part[name].to_numpy(np.float64) for name in (x, "low", "high"))
        figure.add_trace(
            graphs().Scatter(
                x=np.concatenate([at, at[::-1]]),
                y=np.concatenate([high, low[::-1]]),
                fill="toself",
                fillcolor=colour,
                opacity=0.2,
                line={"width": 0},
                mode="lines",
                hoverinfo="skip",
                showlegend=False,
                legendgroup=kind,
            )
        )
        figure.add_trace(
            graphs().Scatter(
                x=at,
                y=part["median"].to_numpy(np.float64),
                name=kind,
                legendgroup=kind,
                mode="lines+markers",
                line={"color": colour, "width": 2, "dash": _DASHES[number // len(MARKS) % len(_DASHES)]},
                customdata=np.stack([low, high], axis=1),
                hovertemplate=(
                    f"{kind} at %{{x}}: %{{y:.4g}} (%{{customdata[0]:.4g}} to %{{customdata[1]:.4g}})<extra></extra>"
                ),
            )
        )
    figure.update_layout(showlegend=bool(by))
    return figure if len(table) else said(figure, "no run has that metric")
