"""Pictures of nodes: how full they are, how evenly, and what is left."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from kplace.analysis.metrics.gpu import NVIDIA
from kplace.analysis.metrics.gpu import gpu_histogram as free_gpus
from kplace.analysis.metrics.room import Shape
from kplace.analysis.metrics.room import stranded as stranded_of
from kplace.analysis.metrics.use import share_of
from kplace.analysis.plots.drawn import (
    bands,
    cells,
    groups_of,
    kinds_in,
    largest,
    named,
    node_points,
    spaced,
    told_apart,
    unit_of,
)
from kplace.analysis.plots.figure import blank, graphs, panels, percent_axes, said, whole_numbers
from kplace.analysis.plots.style import (
    BINS,
    CLOSED,
    MARKS,
    MOST_DOTS,
    PARTS,
    REQUESTED,
    colours_of,
    depth,
)
from kplace.analysis.subject import By, Subject, endings, nodes_of
from kplace.api import Placements
from kplace.dtypes import F64
from kplace.frames.schema import resource_of

if TYPE_CHECKING:
    from kplace.analysis.plots.figure import Figure

MOST_ROWS = 50
MOST_GROUPS = 30
MOST_POINTS = 500
_SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross", "x", "circle-open")
_WRITTEN = 16
"""Rows of a heatmap up to which each cell has its number written into it."""
_DOT = 22
"""Diameter of the largest node's dot, in pixels."""


def nodes(subject: Subject, *, x: str = "cpu", y: str = "memory", by: By = "instance_type") -> "Figure":
    """Nodes by what is requested of two resources: far from the dashed line, one runs out long before the other.

    Up to 1,500 nodes have a dot each, its area by how much of ``x`` the node offers, its colour and shape by pool. Of
    more nodes the picture shows how many there are in each cell of a grid.

    Parameters
    ----------
    subject : Cluster, Placements or DataFrame
        A table of nodes.
    x, y : str
        Kubernetes' names of resources.
    by : str or sequence of str, optional
        What makes a pool, as for `metrics.utilisation`; the six largest are told apart.

    Returns
    -------
    plotly.graph_objects.Figure

    Raises
    ------
    UsageError
        There is no such column, or plotly is not installed.

    Examples
    --------
    >>> table = pd.DataFrame(
    ...     {
    ...         "node": ["a", "b"],
    ...         "allocatable_cpu_milli": [4000, 8000],
    ...         "requested_cpu_milli": [1000, 4000],
    ...         "allocatable_memory_bytes": [2**30, 2**30],
    ...         "requested_memory_bytes": [2**29, 0],
    ...     }
    ... )
    >>> [float(share) for share in nodes(table, by=None).data[0].x]
    [0.25, 0.5]
    """
    points = node_points(subject, x, y, by)
    figure = blank(f"{x} against {y}, {len(points):,} nodes", f"{x} requested", f"{y} requested")
    if len(points) > MOST_DOTS:
        _cells(figure, points)
    elif len(points):
        _dots(figure, points, x, y)
    else:
        said(figure, f"no node offers both {x} and {y}")
    high = float(points[["x", "y"]].to_numpy().max(initial=1.0)) if len(points) <= MOST_DOTS else 1.0
    percent_axes(figure, "x", "y", high=high)
    line = {"color": CLOSED, "dash": "dash", "width": 1}
    figure.add_shape(type="line", x0=0, y0=0, x1=1, y1=1, line=line, layer="below")
    return figure.update_layout(height=480)


def _dots(figure: "Figure", points: pd.DataFrame, x: str, y: str) -> None:
    groups = told_apart(points["group"])
    most = int(points["size"].max())
    for number, (kind, colour) in enumerate(colours_of(kinds_in(groups)).items()):
        own = points[groups == kind]
        figure.add_trace(
            graphs().Scatter(
                x=own["x"].to_numpy(),
                y=own["y"].to_numpy(),
                name=kind,
                mode="markers",
                marker={
                    "color": colour,
                    "symbol": _SYMBOLS[number % len(_SYMBOLS)],
                    "size": own["size"].to_numpy(),
                    "sizemode": "area",
                    "sizeref": most / _DOT**2 if most else 1,
                    "sizemin": 4,
                    "line": {"color": "white", "width": 1},
                    "opacity": 0.85,
                },
                text=own["node"].tolist(),
                customdata=own["group"].tolist(),
                hovertemplate=f"%{{text}} (%{{customdata}})<br>{x} %{{x:.1%}}, {y} %{{y:.1%}}<extra></extra>",
            )
        )


def _cells(figure: "Figure", points: pd.DataFrame) -> None:
    counts, most = cells(points["x"].to_numpy(), points["y"].to_numpy())
    middles = (np.arange(BINS) + 0.5) / BINS
    steps = np.linspace(0, 1, 11)
    figure.add_trace(
        graphs().Heatmap(
            x=middles,
            y=middles,
            z=np.where(counts > 0, counts, np.nan).T,
            zmin=0,
            zmax=most,
            colorscale=[[float(step), _faded(REQUESTED, depth(float(step)))] for step in steps],
            colorbar={"title": {"text": "nodes"}, "thickness": 14},
            hovertemplate="%{z:,} nodes around %{x:.0%}, %{y:.0%}<extra></extra>",
        )
    )


def _faded(colour: str, opacity: float) -> str:
    """A colour on white."""
    parts = [int(colour[at : at + 2], 16) for at in (1, 3, 5)]
    return f"rgb({','.join(str(round(255 + (part - 255) * opacity)) for part in parts)})"


def heatmap(subject: Subject, *, resources: Sequence[str] | None = None) -> "Figure":
    """Requested share of each resource on each node, the fullest node at the top.

    More than 50 nodes are put together in rows of as many neighbours each, with their mean.

    Parameters
    ----------
    subject : Cluster, Placements or DataFrame
        A table of nodes.
    resources : sequence of str, optional
        Kubernetes' names; by default all that any node offers.
    """
    table = nodes_of(subject)
    wanted = endings(table, resources)
    shares = np.stack([share_of(table, ending) for ending in wanted], axis=1) if wanted else np.zeros((len(table), 0))
    fullest = np.nan_to_num(shares, nan=-1.0).max(axis=1, initial=-1.0)
    order = np.argsort(-fullest, kind="stable")
    rows = bands(len(order), MOST_ROWS)
    names = table["node"].astype("str").to_numpy(object)[order].tolist()
    single = len(rows) == len(order)
    labels = [names[part.start] if single else f"{part.start + 1:,} to {part.stop:,}" for part in rows]
    values = _means([shares[order[part]] for part in rows], len(wanted))
    about = "" if single else f"{len(order):,} nodes, the fullest first; each row is the mean of its nodes"
    figure = blank("Requested of allocatable, by node and resource", about=about)
    if not len(order):
        return said(figure, "no nodes")
    figure.add_trace(
        graphs().Heatmap(
            x=[resource_of(ending) for ending in wanted],
            y=labels,
            z=values,
            zmin=0,
            zmax=1,
            colorscale=[[0, "#ffffff"], [1, REQUESTED]],
            colorbar={"tickformat": ".0%", "thickness": 14},
            texttemplate="%{z:.0%}" if len(rows) <= _WRITTEN else None,
            hovertemplate="%{y}, %{x}: %{z:.1%}<extra></extra>",
            xgap=1,
            ygap=1,
        )
    )
    figure.update_yaxes(type="category", autorange="reversed", showgrid=False)
    figure.update_xaxes(type="category", side="top", showgrid=False)
    return figure.update_layout(height=150 + max(14, min(26, 600 // len(rows))) * len(rows), margin={"t": 110})


def _means(parts: Sequence[F64], width: int) -> F64:
    """Means by column, of what is known; NaN where nothing is."""
    found: F64 = np.full((len(parts), width), np.nan)
    for row, part in enumerate(parts):
        known = ~np.isnan(part)
        number = known.sum(axis=0)
        np.divide(np.where(known, part, 0).sum(axis=0), number, out=found[row], where=number > 0)
    return found


def utilisation_curve(subject: Subject | Mapping[str, Subject], *, resource: str = "cpu") -> "Figure":
    """Requested shares of all nodes, the fullest first: how evenly a cluster is used, before and after.

    A run has two curves, of what there was and of what it left. More than 500 nodes are drawn by 500 of them, evenly
    spaced.

    Parameters
    ----------
    subject : Cluster, Placements, DataFrame, or mapping of str to these
        Tables of nodes; of a mapping each is a curve by its name.
    resource : str
        Kubernetes' name.
    """
    curves = {name: np.sort(share[~np.isnan(share)])[::-1] for name, share in _shares(subject, resource).items()}
    figure = blank(f"{resource} requested, by node", "nodes, the fullest first", "requested of allocatable")
    dashes = ("dot", "solid", "dash", "dashdot", "longdash")
    for number, (name, values) in enumerate(curves.items()):
        at = spaced(len(values), MOST_POINTS)
        figure.add_trace(
            graphs().Scatter(
                x=at + 1,
                y=values[at],
                name=name,
                mode="lines+markers" if len(values) <= MOST_ROWS else "lines",
                line={
                    "color": MARKS[number % len(MARKS)],
                    "width": 2,
                    "dash": dashes[number % len(dashes)] if len(curves) > 1 else "solid",
                },
                hovertemplate=f"{name}: node %{{x:,}} at %{{y:.1%}}<extra></extra>",
            )
        )
    high = max((float(values[0]) for values in curves.values() if len(values)), default=1.0)
    percent_axes(figure, "y", high=high)
    return figure if any(len(values) for values in curves.values()) else said(figure, f"no node offers {resource}")


def _shares(subject: Subject | Mapping[str, Subject], resource: str) -> dict[str, F64]:
    if isinstance(subject, Mapping):
        return {name: found for name, item in subject.items() for found in [_share(nodes_of(item), resource)]}
    table = nodes_of(subject)
    (ending,) = endings(table, [resource])
    after = share_of(table, ending)
    if not isinstance(subject, Placements):
        return {"nodes": after}
    before = table.assign(**{f"requested_{ending}": table[f"requested_before_{ending}"]})
    return {"before": share_of(before, ending), "after": after}


def _share(table: pd.DataFrame, resource: str) -> F64:
    (ending,) = endings(table, [resource])
    return share_of(table, ending)


def stranded(
    subject: Subject, needs: Shape | None = None, by: By = "zone", *, resources: Sequence[str] = ("cpu", "memory")
) -> "Figure":
    """What nodes offer, taken apart: requested, free and usable, stranded, on cordoned nodes; by zone or pool.

    More than 30 groups are drawn by the largest and the sum of all others.

    Parameters
    ----------
    subject, needs, by
        As for `metrics.stranded`.
    resources : sequence of str
        Kubernetes' names, each in a picture of its own.
    """
    endings(nodes_of(subject), resources)
    found = stranded_of(subject, needs, by)
    found.index = pd.Index(groups_of(found, by))
    figure = panels("What nodes offer", [named(resource) for resource in resources], len(resources))
    for place, resource in enumerate(resources, 1):
        own = found.loc[found["resource"] == resource, ["allocatable", *(name for name, _, _ in PARTS)]]
        own = largest(own, "allocatable", MOST_GROUPS)
        divisor, unit = unit_of(resource)
        for name, words, colour in PARTS:
            figure.add_trace(
                graphs().Bar(
                    x=own.index.tolist(),
                    y=own[name].to_numpy() / divisor,
                    name=words,
                    marker_color=colour,
                    legendgroup=name,
                    showlegend=place == 1,
                    hovertemplate=f"%{{x}}: {words} %{{y:,.1f}} {unit}<extra></extra>",
                ),
                row=1,
                col=place,
            )
    figure.update_xaxes(type="category")
    return figure if len(nodes_of(subject)) else said(figure, "no nodes")


def gpu_histogram(subject: Subject, resource: str = NVIDIA) -> "Figure":
    """Number of nodes by how many GPUs are free on them; cordoned nodes are left out.

    Parameters
    ----------
    subject, resource
        As for `metrics.gpu_histogram`.
    """
    counts = free_gpus(subject, resource)
    figure = blank(f"Free {resource} by node", "free on the node", "nodes")
    figure.add_trace(
        graphs().Bar(
            x=counts.index.tolist(),
            y=counts.to_numpy(),
            marker_color=REQUESTED,
            text=counts.to_numpy(),
            texttemplate="%{y:,}",
            textposition="outside",
            cliponaxis=False,
            hovertemplate="%{x} free: %{y:,} nodes<extra></extra>",
        )
    )
    figure.update_xaxes(type="category")
    whole_numbers(figure, int(counts.max()))
    return figure if counts.sum() else said(figure, f"no schedulable node has {resource}")
