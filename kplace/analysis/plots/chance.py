"""Pictures of what is chance, and of what moves would gain."""

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from kplace.analysis.plots.figure import blank, graphs, horizontal, percent_axes, said
from kplace.analysis.plots.style import REQUESTED, STRANDED

if TYPE_CHECKING:
    from kplace.analysis.plots.figure import Figure

MOST_PODS = 30


def chance(pods: pd.DataFrame) -> "Figure":
    """Pods that find a node in some runs only: the share of the runs in which each is pending.

    Parameters
    ----------
    pods : DataFrame
        `kplace.analysis.schema_runs.STABILITY_PODS`; the 30 unluckiest are drawn.
    """
    some = pods[pods["p_pending"].between(0, 1, "neither")]
    rows = some.sort_values("p_pending", ascending=False, kind="stable").head(MOST_PODS)
    always = int((pods["p_pending"] == 1).sum())
    about = f"{len(some):,} pods, and {always:,} more that are pending in every run"
    figure = blank("Runs in which a pod is pending", "share of the runs", about=about)
    figure.add_trace(
        graphs().Bar(
            y=[f"{space}/{pod}" for space, pod in zip(rows["namespace"], rows["pod"], strict=True)],
            x=rows["p_pending"].to_numpy(np.float64),
            orientation="h",
            marker_color=STRANDED,
            texttemplate="%{x:.0%}",
            hovertemplate="%{y}: pending in %{x:.0%} of the runs<extra></extra>",
        )
    )
    horizontal(figure, len(rows))
    percent_axes(figure, "x")
    return figure if len(rows) else said(figure, "no pod depends on chance")


def regret(moves: pd.DataFrame, before: int) -> "Figure":
    """What is left of the regret after each round of moves.

    Parameters
    ----------
    moves : DataFrame
        `kplace.analysis.schema.RESCORE_MOVES`.
    before : int
        The regret before any.
    """
    ends = moves[moves["regret"].notna()]
    figure = blank("Regret that is left", "moves", "regret")
    figure.add_trace(
        graphs().Scatter(
            x=[0, *ends["step"].tolist()],
            y=[before, *ends["regret"].astype("int64").tolist()],
            mode="lines+markers",
            line={"color": REQUESTED, "width": 2, "shape": "hv"},
            hovertemplate="%{y:,} after %{x:,} moves<extra></extra>",
        )
    )
    figure.update_xaxes(dtick=1 if len(moves) <= MOST_PODS else None)
    figure.update_yaxes(rangemode="tozero")
    return figure if before else said(figure, "every pod is where it scores best")
