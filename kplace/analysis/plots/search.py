"""Pictures of what a search costs that stops before it has seen all nodes."""

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from kplace.analysis.plots.figure import blank, graphs, said
from kplace.analysis.plots.style import ADDED, CLOSED, REQUESTED, STRANDED

if TYPE_CHECKING:
    from kplace.analysis.plots.figure import Figure

_MARKED = (
    ("recommended", "recommended", STRANDED, "circle", 11),
    ("current", "set now", REQUESTED, "circle-open", 15),
)
"""What is marked: column of the table, words, colour, symbol and its size."""


def losses(table: pd.DataFrame, tolerance: float) -> "Figure":
    """Mean loss of score, with its standard error, by the number of feasible nodes that are looked for.

    Each point bears its percentages.

    Parameters
    ----------
    table : DataFrame
        `kplace.analysis.schema_runs.SAMPLING`.
    tolerance : float
        The mean loss that is put up with, in points of the weighted total.
    """
    about = "by percentageOfNodesToScore, in points of the weighted total; ± standard error"
    figure = blank("Score lost by looking at fewer nodes", "feasible nodes looked for", "mean loss", about=about)
    if not table["recommended"].any():
        return said(figure, "sampling does not happen: there are fewer than 100 nodes")
    rows = table[table["loss_mean"].notna()]
    if not len(rows):
        return said(figure, "no pod found a node")
    wanted = rows["nodes_wanted"].to_numpy(np.int64)
    figure.add_trace(
        graphs().Scatter(
            x=wanted,
            y=rows["loss_mean"].to_numpy(np.float64),
            error_y={"type": "data", "array": rows["loss_stderr"].to_numpy(np.float64), "color": ADDED},
            customdata=rows["percentage"].to_numpy(np.int64),
            text=_labels(rows),
            textposition="top right",
            name="mean loss",
            mode="lines+markers+text",
            line={"color": ADDED, "width": 2},
            cliponaxis=False,
            hovertemplate="%{customdata}: mean loss %{y:.3g}, at least %{x:,} nodes<extra></extra>",
        )
    )
    for column, words, colour, symbol, size in _MARKED:
        own = rows[rows[column]]
        if not len(own):
            continue
        figure.add_trace(
            graphs().Scatter(
                x=own["nodes_wanted"].to_numpy(np.int64),
                y=own["loss_mean"].to_numpy(np.float64),
                name=f"{words}: {own['percentage'].iloc[0]}",
                mode="markers",
                marker={"color": colour, "symbol": symbol, "size": size, "line": {"color": colour, "width": 2}},
                cliponaxis=False,
                hoverinfo="skip",
            )
        )
    figure.add_trace(
        graphs().Scatter(
            x=[wanted.min(), wanted.max()],
            y=[tolerance, tolerance],
            name=f"tolerance: {tolerance:g}",
            mode="lines",
            line={"color": CLOSED, "dash": "dash"},
            hoverinfo="skip",
        )
    )
    return figure.update_yaxes(rangemode="tozero")


def _labels(rows: pd.DataFrame) -> list[str]:
    """The percentages that look for equally many nodes, at the first row of each."""
    together = rows.groupby("nodes_wanted")["percentage"].agg(lambda own: ", ".join(map(str, own)))
    first = ~rows["nodes_wanted"].duplicated()
    return rows["nodes_wanted"].map(together).where(first, "").tolist()
