"""Pictures of what still fits."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from kplace.analysis.metrics.room import fits_on
from kplace.analysis.plots.drawn import groups_of, kinds_in, largest, shortened, told_apart
from kplace.analysis.plots.figure import blank, graphs, horizontal, said, stacked
from kplace.analysis.plots.style import CLOSED, REQUESTED, STRANDED, colours_of
from kplace.analysis.subject import By, Subject, nodes_of
from kplace.errors import UsageError

if TYPE_CHECKING:
    from kplace.analysis.plots.figure import Figure

MOST_BARS = 30
_FIRST_CPU, _FIRST_MEMORY = 250, 2**28
_MEBI, _GIBI = 2**20, 2**30
_NONE_FITS = -0.5
"""On a scale of powers of ten, below a single pod."""


def schedulable(subject: Subject, *, cpu: Sequence[int] | None = None, memory: Sequence[int] | None = None) -> "Figure":
    """How many more pods of each shape fit by resources alone, over a grid of shapes.

    Parameters
    ----------
    subject : Cluster, Placements or DataFrame
        A table of nodes.
    cpu, memory : sequence of int, optional
        Requests, in milli-cpu and bytes. By default 250m and 256 MiB, doubled until no node offers as much.
    """
    table = nodes_of(subject)
    across = list(cpu) if cpu is not None else _doubled(_FIRST_CPU, table["allocatable_cpu_milli"])
    up = list(memory) if memory is not None else _doubled(_FIRST_MEMORY, table["allocatable_memory_bytes"])
    counts = np.array(
        [[int(fits_on(table, {"cpu": one, "memory": other})[0].sum()) for one in across] for other in up], np.int64
    ).reshape(len(up), len(across))
    figure = blank("More pods of a shape that fit, by resources alone", "cpu of a pod", "memory of a pod")
    if not counts.size:
        return said(figure, "no nodes")
    powers = range(int(np.ceil(np.log10(max(counts.max(), 10)))) + 1)
    figure.add_trace(
        graphs().Heatmap(
            x=[f"{one}m" if one % 1000 else f"{one // 1000}" for one in across],
            y=[f"{other // _MEBI} MiB" if other % _GIBI else f"{other // _GIBI} GiB" for other in up],
            z=np.where(counts > 0, np.log10(np.maximum(counts, 1)), _NONE_FITS),
            zmin=_NONE_FITS,
            zmax=max(powers),
            customdata=counts,
            text=[[f"{number:,}" for number in row] for row in counts.tolist()],
            texttemplate="%{text}",
            colorscale=[[0, "#ffffff"], [1, REQUESTED]],
            colorbar={
                "title": {"text": "pods"},
                "tickvals": list(powers),
                "ticktext": [f"{10**power:,}" for power in powers],
                "thickness": 14,
            },
            hovertemplate="%{customdata:,} pods of %{x} cpu and %{y}<extra></extra>",
            xgap=1,
            ygap=1,
        )
    )
    figure.update_xaxes(type="category", showgrid=False)
    figure.update_yaxes(type="category", showgrid=False)
    return figure.update_layout(height=190 + 32 * len(up))


def _doubled(first: int, allocatable: pd.Series) -> list[int]:
    most = int(allocatable.max()) if len(allocatable) else 0
    found = []
    while first <= most:
        found.append(first)
        first *= 2
    return found


def frontier(table: pd.DataFrame) -> "Figure":
    """How two kinds of pods trade for each other: so many of the one, and how many of the other still fit.

    Parameters
    ----------
    table : DataFrame
        What `kplace.analysis.capacity.frontier` gives: two columns of numbers, named after the kinds.

    Raises
    ------
    UsageError
        It has more columns or fewer.
    """
    if not isinstance(table, pd.DataFrame) or table.shape[1] != 2:
        msg = "table: expected the two columns of kplace.analysis.capacity.frontier"
        raise UsageError(msg)
    one, other = map(str, table.columns)
    figure = blank(f"{one} or {other}", f"more of {one}", f"more of {other}")
    figure.add_trace(
        graphs().Scatter(
            x=table.iloc[:, 0].to_numpy(),
            y=table.iloc[:, 1].to_numpy(),
            mode="lines+markers",
            fill="tozeroy",
            fillcolor="rgba(0,114,178,0.12)",
            line={"color": REQUESTED, "width": 2},
            hovertemplate=f"%{{x:,}} of {one} and %{{y:,}} of {other}<extra></extra>",
        )
    )
    figure.update_xaxes(rangemode="tozero")
    return figure.update_yaxes(rangemode="tozero")


def headroom(table: pd.DataFrame) -> "Figure":
    """How many more pods of each kind fit; the colour says which plugin keeps the next one out.

    Parameters
    ----------
    table : DataFrame
        `kplace.analysis.schema.CAPACITY`; the first 30 rows are drawn.
    """
    rows = table.head(MOST_BARS)
    about = f"the first {len(rows)} of {len(table):,} kinds" if len(rows) < len(table) else ""
    figure = blank("More pods that fit, by kind", "pods", about=about)
    limits = rows["plugin"].fillna("the limit asked for").astype("str")
    for plugin, colour in colours_of(kinds_in(limits)).items():
        own = rows[limits == plugin]
        figure.add_trace(
            graphs().Bar(
                y=own["spec"].tolist(),
                x=own["capacity"].to_numpy(),
                orientation="h",
                name=plugin,
                marker_color=colour,
                text=own["capacity"].to_numpy(),
                texttemplate="%{x:,}",
                textposition="outside",
                cliponaxis=False,
                customdata=own["binding"].fillna("").tolist(),
                hovertemplate="%{y}: %{x:,} more; %{customdata}<extra></extra>",
            )
        )
    horizontal(figure, len(rows))
    figure.update_yaxes(categoryorder="array", categoryarray=rows["spec"].tolist())
    figure.update_layout(legend={"title": {"text": "what binds"}}, showlegend=True)
    return figure if len(rows) else said(figure, "nothing was asked about")


def copies(table: pd.DataFrame, by: By) -> "Figure":
    """Where the copies go: by zone, pool or node.

    Parameters
    ----------
    table : DataFrame
        What `Capacity.by` gives for ``by``; of more than 30 groups the largest are drawn, and the sum of all others.
    """
    flat = pd.DataFrame(
        {
            "group": groups_of(table, by).array,
            "spec": told_apart(table["spec"].astype("str")).array,
            "copies": table["copies"].array,
        }
    )
    kinds = kinds_in(flat["spec"])
    wide = flat.pivot_table(index="group", columns="spec", values="copies", aggfunc="sum", fill_value=0)
    wide = largest(wide.assign(**{_ALL: wide.sum(axis=1)}), _ALL, MOST_BARS).sort_values(
        _ALL, ascending=False, kind="stable"
    )
    figure = blank("Where the copies go", "pods")
    for kind, colour in colours_of(kinds).items():
        figure.add_trace(
            graphs().Bar(
                y=wide.index.tolist(),
                x=wide[kind].to_numpy(),
                orientation="h",
                name=kind,
                marker_color=colour,
                texttemplate="%{x:,}" if len(kinds) == 1 else None,
                hovertemplate=f"%{{y}}: %{{x:,}} of {kind}<extra></extra>",
            )
        )
    horizontal(figure, len(wide))
    figure.update_layout(showlegend=len(kinds) > 1)
    return figure if len(wide) else said(figure, "no copy fits")


_ALL = "\0all"
"""The sum over all kinds: no workload has such a name."""


def binding(table: pd.DataFrame) -> "Figure":
    """Why no node takes one more: nodes by reason, those apart that could take the first copy.

    Parameters
    ----------
    table : DataFrame
        One of `Capacity.binding`.
    """
    figure = blank("Why not one more", "nodes")
    names = [shortened(str(reason)) for reason in table["reason"]]
    could = table["binding"].to_numpy(np.int64)
    parts = (("could take the first copy", could, STRANDED), ("never could", table["nodes"].to_numpy() - could, CLOSED))
    stacked(figure, names, parts, "%{{y}}: %{{x:,}} nodes that {}".format)
    return figure if names else said(figure, "the limit asked for was reached")


def plans(table: pd.DataFrame) -> "Figure":
    """What each plan costs, with a mark where no nodes that let the same pods in could cost less.

    Parameters
    ----------
    table : DataFrame
        `kplace.analysis.schema.PROVISION_PLANS`; the first 30 rows are drawn.
    """
    rows = table.head(MOST_BARS)
    figure = blank("Plans, the best first", "cost")
    names = [f"{row['plan']}: {row['made_of']}" for row in rows.to_dict("records")]
    figure.add_trace(
        graphs().Bar(
            y=names,
            x=rows["cost"].to_numpy(np.float64),
            orientation="h",
            name="cost",
            marker_color=REQUESTED,
            text=[
                f" {placed:,} of {placed + left:,} pods in"
                for placed, left in zip(rows["placed"], rows["pending"], strict=True)
            ],
            textposition="outside",
            cliponaxis=False,
            customdata=rows["add"].tolist(),
            hovertemplate="%{y}: %{x:,.4g} for %{customdata}<extra></extra>",
        )
    )
    figure.add_trace(
        graphs().Scatter(
            y=names,
            x=rows["at_least"].to_numpy(np.float64),
            name="at least",
            mode="markers",
            marker={"symbol": "line-ns", "size": 16, "line": {"color": STRANDED, "width": 3}},
            hovertemplate="%{y}: no less than %{x:,.4g}<extra></extra>",
        )
    )
    horizontal(figure, len(names))
    figure.update_xaxes(rangemode="tozero")
    return figure if names else said(figure, "there is no plan")
