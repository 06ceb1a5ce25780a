"""Pictures of what changes: pods that move, in a drain or from one run to another."""

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from kplace.analysis.plots.drawn import bands, groups_of, told_apart
from kplace.analysis.plots.figure import blank, graphs, horizontal, percent_axes, said, whole_numbers
from kplace.analysis.plots.style import ADDED, CLOSED, MARKS, OTHERS, REQUESTED, STRANDED, USABLE, colours_of
from kplace.analysis.subject import By

if TYPE_CHECKING:
    from kplace.analysis.plots.figure import Figure

MOST_NODES = 40
MOST_GROUPS = 15
PENDING = "pending"
_OUTCOMES = (
    ("moves", "find another node", REQUESTED),
    ("pending", "stay pending", STRANDED),
    ("daemon", "end with the node", USABLE),
    ("ending", "are being deleted anyway", CLOSED),
)
_FATES = (
    ("can go, with the others of the set", REQUESTED),
    ("can go by itself", ADDED),
    ("pods would stay pending", STRANDED),
    ("a disruption budget blocks", MARKS[4]),
)
_WITH_ITS_PLUGIN = ("filter", "score")


def drained_nodes(table: pd.DataFrame) -> "Figure":
    """What becomes of the pods of each node that goes, in the order of the drain.

    Parameters
    ----------
    table : DataFrame
        `kplace.analysis.schema.DRAIN_NODES`; more than 40 nodes are put together, so many neighbours in a bar.
    """
    parts = bands(len(table), MOST_NODES)
    names = table["node"].astype("str").tolist()
    single = len(parts) == len(table)
    labels = [names[part.start] if single else f"{part.start + 1:,} to {part.stop:,}" for part in parts]
    figure = blank("Pods on the nodes that go", "pods", about="" if single else f"{len(table):,} nodes in order")
    for column, words, colour in _OUTCOMES:
        counts = table[column].to_numpy(np.int64)
        figure.add_trace(
            graphs().Bar(
                y=labels,
                x=[int(counts[part].sum()) for part in parts],
                orientation="h",
                name=words,
                marker_color=colour,
                hovertemplate=f"%{{y}}: %{{x:,}} pods {words}<extra></extra>",
            )
        )
    horizontal(figure, len(labels))
    return figure if labels else said(figure, "no node goes")


def moves(pods: pd.DataFrame, nodes: pd.DataFrame, by: By) -> "Figure":
    """From where to where evicted pods go, and how many stay pending.

    Parameters
    ----------
    pods : DataFrame
        `kplace.analysis.schema.DRAIN_PODS`.
    nodes : DataFrame
        A table of nodes, as they were.
    by : str or sequence of str, optional
        Columns of it; of more than 15 groups the most frequent are told apart.
    """
    evicted = pods[pods["outcome"].isin(["moves", "pending"])]
    group = dict(zip(nodes["node"].astype("str"), groups_of(nodes, by), strict=True))
    ends = {
        name: told_apart(evicted[name].astype("object").map(group).fillna(PENDING).astype("str"), MOST_GROUPS)
        for name in ("from_node", "node")
    }
    counts = pd.crosstab(ends["from_node"].array, ends["node"].array)
    last = (OTHERS, PENDING)
    targets = sorted(counts.columns, key=lambda name: (last.index(name) + 1 if name in last else 0, name))
    counts = counts[targets]
    figure = blank("Where evicted pods go", "to", "from")
    if not len(evicted):
        return said(figure, "no pod has to move")
    figure.add_trace(
        graphs().Heatmap(
            x=targets,
            y=counts.index.tolist(),
            z=counts.to_numpy(),
            zmin=0,
            zmax=int(counts.to_numpy().max()),
            colorscale=[[0, "#ffffff"], [1, REQUESTED]],
            colorbar={"title": {"text": "pods"}, "thickness": 14},
            texttemplate="%{z:,}",
            hovertemplate="%{z:,} pods from %{y} to %{x}<extra></extra>",
            xgap=1,
            ygap=1,
        )
    )
    figure.update_xaxes(type="category", showgrid=False)
    figure.update_yaxes(type="category", showgrid=False, autorange="reversed")
    return figure.update_layout(height=220 + 34 * len(counts))


def spare_nodes(table: pd.DataFrame, by: By) -> "Figure":
    """Which nodes can go, by zone or pool.

    Parameters
    ----------
    table : DataFrame
        `kplace.analysis.schema.DRAIN_EACH`.
    by : str or sequence of str, optional
        Columns of it.
    """
    chosen = [
        table["in_set"],
        table["can_go"] & ~table["in_set"],
        ~table["can_go"] & (table["pending"] > 0),
        ~table["can_go"] & (table["pending"] == 0),
    ]
    groups = told_apart(groups_of(table, by), MOST_NODES)
    names = sorted(dict.fromkeys(groups))
    figure = blank("Nodes that can go", "nodes")
    for (words, colour), mask in zip(_FATES, chosen, strict=True):
        counts = groups[mask.to_numpy()].value_counts()
        figure.add_trace(
            graphs().Bar(
                y=names,
                x=[int(counts.get(name, 0)) for name in names],
                orientation="h",
                name=words,
                marker_color=colour,
                hovertemplate=f"%{{y}}: %{{x:,}} nodes, {words}<extra></extra>",
            )
        )
    horizontal(figure, len(names))
    whole_numbers(figure, int(groups.value_counts().max()) if names else 0, "xaxis")
    return figure if names else said(figure, "no nodes")


def changes(table: pd.DataFrame) -> "Figure":
    """Pods that two runs disagree on, by what happened to them; the colour says what made the difference.

    Parameters
    ----------
    table : DataFrame
        `kplace.analysis.schema.COMPARE`.
    """
    causes = table["cause"].where(table["cause"] != "", "not looked into")
    plugins = causes.where(~causes.isin(_WITH_ITS_PLUGIN), causes + ": " + table["plugin"])
    kinds = told_apart(plugins.astype("str"))
    counts = pd.crosstab(table["change"].astype("str").array, kinds.array)
    order = counts.sum(axis=1).sort_values(ascending=False, kind="stable").index
    figure = blank("Pods that the runs disagree on", "pods")
    for kind, colour in colours_of(sorted(counts.columns, key=lambda name: (name == OTHERS, name))).items():
        figure.add_trace(
            graphs().Bar(
                y=order.tolist(),
                x=counts.loc[order, kind].to_numpy(),
                orientation="h",
                name=kind,
                marker_color=colour,
                hovertemplate=f"%{{y}}: %{{x:,}} by {kind}<extra></extra>",
            )
        )
    horizontal(figure, len(order))
    figure.update_layout(showlegend=True, legend={"title": {"text": "what made it"}})
    return figure if len(order) else said(figure, "both place every pod alike")


def figures(table: pd.DataFrame) -> "Figure":
    """Metrics of two runs that are shares, beside each other.

    Parameters
    ----------
    table : DataFrame
        `Comparison.figures`.
    """
    rows = table[[str(name).startswith(_SHARES) for name in table.index]]
    figure = blank("Shares before and after", about="utilisation, its spread over nodes, and what is stranded")
    for column, colour in (("before", CLOSED), ("after", REQUESTED)):
        figure.add_trace(
            graphs().Bar(
                y=rows.index.tolist(),
                x=rows[column].to_numpy(np.float64),
                orientation="h",
                name=column,
                marker_color=colour,
                hovertemplate=f"%{{y}} {column}: %{{x:.1%}}<extra></extra>",
            )
        )
    horizontal(figure, 2 * len(rows))
    percent_axes(figure, "x", high=float(np.nanmax(rows[["before", "after"]].to_numpy(), initial=0.0)))
    return figure.update_layout(barmode="group")


_SHARES = ("utilisation ", "stddev ", "stranded ")


def versions(table: pd.DataFrame) -> "Figure":
    """What each release of Kubernetes changes: pods that move, and those whose waiting begins or ends.

    Parameters
    ----------
    table : DataFrame
        What `kplace.analysis.compare.compare_versions` gives.
    """
    figure = blank("What each release changes, against the one before", "release", "pods")
    parts = (
        ("moved", "placed elsewhere", MARKS[0]),
        ("now_pending", "now pending", STRANDED),
        ("now_placed", "now placed", MARKS[2]),
    )
    for column, words, colour in parts:
        figure.add_trace(
            graphs().Bar(
                x=table["version"].tolist(),
                y=table[column].to_numpy(),
                name=words,
                marker_color=colour,
                hovertemplate=f"%{{x}}: %{{y:,}} {words}<extra></extra>",
            )
        )
    figure.update_xaxes(type="category")
    return figure.update_layout(bargap=0.4)
