"""Pictures of pods that wait, and of how workloads lie over the cluster."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from kplace.analysis.metrics.pending import funnel as funnel_of
from kplace.analysis.metrics.pending import pending_by_plugin
from kplace.analysis.metrics.spread import domains as domains_of
from kplace.analysis.plots.drawn import distinct, shortened, spaced
from kplace.analysis.plots.figure import blank, graphs, horizontal, panels, said, stacked
from kplace.analysis.plots.style import ADDED, REQUESTED, STRANDED
from kplace.api import Cluster, Placements
from kplace.errors import UsageError

if TYPE_CHECKING:
    from kplace.analysis.plots.figure import Figure

MOST_REASONS = 20
MOST_PANELS = 6
MOST_DOMAINS = 60
_COLUMNS = 2
_NONE = -1
_BAND = "rgba(0,158,115,0.18)"
_FEW = 8
"""Pods up to which each number has a tick."""
_PANEL = 280
"""Height of a picture among others, in pixels."""


def pending(placements: Placements | pd.DataFrame) -> "Figure":
    """Pending pods by the reason for which nodes are ruled out for them; apart those that nothing else keeps out.

    Parameters
    ----------
    placements : Placements or DataFrame
        A table of reasons, as for `metrics.pending_by_plugin`; the first 20 reasons are drawn.
    """
    found = pending_by_plugin(placements)
    rows = found.head(MOST_REASONS)
    about = f"the first {len(rows)} of {len(found):,} reasons" if len(rows) < len(found) else ""
    figure = blank("Pending pods by reason", "pods", about=about)
    names = distinct([shortened(reason) for reason in rows["reason"]])
    only = rows["only"].to_numpy(np.int64)
    parts = (("for nothing else", only, REQUESTED), ("among other reasons", rows["pods"].to_numpy() - only, ADDED))
    hover = "%{{y}} (%{{customdata[0]}}): %{{x:,}} pods, {}; up to %{{customdata[1]:,}} nodes for one".format
    told = np.stack([rows["plugin"].to_numpy(object), rows["nodes"].to_numpy(object)], axis=1)
    stacked(figure, names, parts, hover, customdata=told)
    return figure if len(rows) else said(figure, "no pod is pending")


def funnel(explained: pd.DataFrame) -> "Figure":
    """How the search for a node of one pod narrows down, filter by filter.

    Parameters
    ----------
    explained : DataFrame
        What `kplace.explain` gives.

    Raises
    ------
    UsageError
        It is no such table.
    """
    if not isinstance(explained, pd.DataFrame) or "plugin" not in explained.columns:
        msg = "explained: expected a table as kplace.explain gives, with a column 'plugin'"
        raise UsageError(msg)
    found = funnel_of(explained)
    names = [plugin or "all nodes" for plugin in found["plugin"]]
    figure = blank("Nodes that are left after each filter", "nodes")
    for words, column, colour in (("left", "left", REQUESTED), ("ruled out here", "rejected", STRANDED)):
        figure.add_trace(
            graphs().Bar(
                y=names,
                x=found[column].to_numpy(),
                orientation="h",
                name=words,
                marker_color=colour,
                text=found[column].to_numpy(),
                texttemplate="%{x:,}",
                textposition="inside",
                insidetextanchor="middle",
                hovertemplate=f"%{{y}}: %{{x:,}} {words}<extra></extra>",
            )
        )
    return horizontal(figure, len(names))


def domains(
    subject: Cluster | Placements | pd.DataFrame,
    pods: pd.DataFrame | None = None,
    *,
    keys: Sequence[str] = (),
    workload: str = "",
) -> "Figure":
    """Pods by domain for topology spread constraints, with the band that ``maxSkew`` allows.

    The constraints that are broken most come first, then those with the largest skew; six of them are drawn. Of more
    than 60 domains so many are drawn, the fullest first and evenly spaced.

    Parameters
    ----------
    subject, pods, keys
        As for `metrics.domains`.
    workload : str
        ``NAMESPACE/NAME``: its constraints only.

    Raises
    ------
    UsageError
        The workload has no constraint.
    """
    table = domains_of(subject, pods, keys=keys)
    if workload:
        table = table[table["workload"] == workload]
        if not len(table):
            msg = f"workload: there is no topology spread constraint of {workload!r}"
            raise UsageError(msg)
    blocks = _blocks(table)
    shown = blocks[:MOST_PANELS]
    names = [_title(block) for block in shown]
    about = f"{len(shown)} of {len(blocks):,} constraints, the most broken first" if len(shown) < len(blocks) else ""
    rows = max(-(-len(shown) // _COLUMNS), 1)
    figure = panels(
        "Pods by domain, and what maxSkew allows",
        names,
        min(_COLUMNS, max(len(names), 1)),
        about=about,
        vertical_spacing=0.42 / rows,
    )
    for number, block in enumerate(shown):
        _bars(figure, block, divmod(number, _COLUMNS))
    figure.update_xaxes(type="category")
    figure.update_layout(height=_PANEL * rows + 100, showlegend=False)
    return figure if shown else said(figure, "no topology spread constraint")


def _blocks(table: pd.DataFrame) -> list[pd.DataFrame]:
    """Rows of each constraint, the most broken one first."""
    limits = table[["workload", "topology_key", "max_skew", "enforced", "min", "max"]].astype(
        {"workload": "str", "topology_key": "str"}
    )
    limits["max_skew"] = limits["max_skew"].fillna(_NONE)
    alike = limits.ne(limits.shift()).any(axis=1).cumsum()
    # Two constraints that differ in nothing but their selectors name each domain twice.
    again = table.groupby([alike, table["domain"]]).cumcount()
    found = [block for _, block in table.groupby([alike, again], sort=True)]
    return sorted(found, key=lambda block: (-_excess(block), -int(block["skew"].iloc[0])))


def _excess(block: pd.DataFrame) -> int:
    allowed = block["max_skew"].iloc[0]
    return 0 if pd.isna(allowed) else max(int(block["skew"].iloc[0]) - int(allowed), 0)


def _title(block: pd.DataFrame) -> str:
    first = block.iloc[0]
    key = str(first["topology_key"]).rpartition("/")[2]
    limit = "" if pd.isna(first["max_skew"]) else f", maxSkew {first['max_skew']}"
    soft = "" if first["enforced"] or not limit else ", soft"
    number = f", {len(block):,} domains" if len(block) > MOST_DOMAINS else ""
    return f"{shortened(str(first['workload']), 30)} by {key}{limit}{soft}{number}"


def _bars(figure: "Figure", block: pd.DataFrame, place: tuple[int, int]) -> None:
    row, column = place[0] + 1, place[1] + 1
    is_thinned = len(block) > MOST_DOMAINS
    if is_thinned:
        ordered = block.sort_values("pods", ascending=False, kind="stable")
        block = ordered.iloc[spaced(len(ordered), MOST_DOMAINS)]
    counts, low = block["pods"].to_numpy(np.int64), int(block["min"].iloc[0])
    allowed = block["max_skew"].iloc[0]
    limit = None if pd.isna(allowed) else low + int(allowed)
    figure.add_trace(
        graphs().Bar(
            x=block["domain"].tolist(),
            y=counts,
            marker_color=[STRANDED if limit is not None and number > limit else REQUESTED for number in counts],
            hovertemplate="%{x}: %{y:,} pods<extra></extra>",
        ),
        row=row,
        col=column,
    )
    if limit is not None:
        figure.add_hrect(y0=low, y1=limit, fillcolor=_BAND, line_width=0, layer="below", row=row, col=column)
    figure.update_xaxes(showticklabels=not is_thinned, row=row, col=column)
    few = max(int(counts.max()), limit or 0) <= _FEW
    figure.update_yaxes(rangemode="tozero", dtick=1 if few else None, row=row, col=column)
