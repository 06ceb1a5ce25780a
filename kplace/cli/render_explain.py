"""What ``kplace explain`` prints for people."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
from rich.console import Console
from rich.table import Table
from rich.text import Text

from kplace.api import Cluster
from kplace.api.finding import find_pod
from kplace.cli.render import NARROW, amount, fit, paragraph, plain_table, title, words
from kplace.cli.text import counted, one_line
from kplace.dtypes import NO_NODE

SCORED, OUTSIDE, REJECTED = "scored", "outside sample", "rejected"
"""Verdicts in the table of `kplace.explain`."""

KINDS = ("raw", "normalised", "weighted")
"""What there is of each plugin's score, as the columns of the table are called."""

_WEIGHTED = "weighted_"


@dataclass(frozen=True, slots=True)
class View:
    """What is to be shown of an explanation.

    Attributes
    ----------
    nodes : DataFrame
        `kplace.frames.schema.EXPLAIN`, every node.
    top : int or None
        How many of the best nodes are shown one by one; None for all nodes, the rejected ones included.
    raw : bool
        Whether raw and normalised scores are shown as well.
    """

    nodes: pd.DataFrame
    top: int | None = None
    raw: bool = False

    def of(self, verdict: str) -> pd.DataFrame:
        """The nodes with one verdict."""
        return self.nodes[self.nodes["verdict"] == verdict]

    @property
    def plugins(self) -> list[str]:
        """Names of the plugins that score."""
        return [str(name).removeprefix(_WEIGHTED) for name in self.nodes.columns if str(name).startswith(_WEIGHTED)]

    @property
    def kinds(self) -> tuple[str, ...]:
        """Which of `KINDS` are shown."""
        return KINDS if self.raw else KINDS[-1:]

    def score(self, row: "pd.Series[Any]", plugin: str, separator: str) -> str:
        """A plugin's scores of one node, each kind that is shown."""
        return separator.join(f"{row[f'{kind}_{plugin}']:,}" for kind in self.kinds)


def render_explain(console: Console, cluster: Cluster, view: View) -> None:
    """Print what every node has to say to a pod: the funnel of filters, the scores, the rejections."""
    _head(console, cluster, view)
    _funnel(console, view)
    _error(console, view)
    _best(console, view)
    _scores(console, view)
    _rejections(console, view)
    console.print()


def _head(console: Console, cluster: Cluster, view: View) -> None:
    columns, about = cluster.columns, view.nodes.attrs
    pod = find_pod(columns, about["pod"])
    request = columns.templates[columns.pods.template[pod]].request
    asks = [f"{amount(name, int(much))} {name}" for name, much in zip(columns.resources, request, strict=True) if much]
    facts = [f"priority {int(columns.pods.priority[pod]):,}", f"requests {', '.join(asks) or 'nothing'}"]
    if about["node"]:
        facts.insert(0, f"on {about['node']}, taken off it for the question")
    elif columns.pods.node[pod] == NO_NODE:
        facts.insert(0, "without a node")
    console.print(Text(about["pod"], style="bold"))
    if about["untried"]:
        console.print(Text(f"The scheduler does not try it: {one_line(about['untried'])}", style="yellow"))
    console.print(Text("; ".join(facts), style="dim"))


def _funnel(console: Console, view: View) -> None:
    """How many nodes each filter lets through, in the order in which the filters come to reject."""
    left = len(view.nodes)
    rejected = view.of(REJECTED)
    title(console, "Filters")
    table = plain_table(header=False)
    table.add_column(justify="right", no_wrap=True)
    table.add_column(no_wrap=True, style="yellow", justify="right")
    table.add_column(overflow="fold")
    table.add_row(f"{left:,}", "", "node" if left == 1 else "nodes")
    for plugin, nodes in rejected.groupby("plugin", observed=True, sort=True):
        left -= len(nodes)
        table.add_row(f"{left:,}", f"-{len(nodes):,}", plugin_name(str(plugin)))
    outside = len(view.of(OUTSIDE))
    is_whole = not outside or view.nodes.attrs["error"]
    last = "feasible" if is_whole else f"feasible, of which {left - outside:,} are in the sample that is scored"
    table.add_row(Text(f"{left:,}", style="bold green" if left else "bold red"), "", last)
    console.print(table)


def _error(console: Console, view: View) -> None:
    """What went wrong in the attempt, where no node's reasons say it."""
    error = view.nodes.attrs["error"]
    if error and view.of(REJECTED).empty:
        title(console, "Error")
        console.print(Text(f"  {one_line(error)}", style="red"))


def plugin_name(plugin: str) -> str:
    """A plugin's name; the rejection of nodes that were left out beforehand has none."""
    return plugin or "left out before the filters"


def _best(console: Console, view: View) -> None:
    scored = view.of(SCORED)
    if scored.empty:
        return
    best = scored[scored["rank"] == 1]
    names = [str(name) for name in best["node"]]
    total = int(best["total"].iloc[0])
    title(console, "Scores", "weighted; the sum decides")
    if len(names) == 1:
        text = Text("  best: ").append(names[0], style="bold green").append(f" with {total:,}")
    else:
        shown = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
        text = Text(f"  best: one of {counted(len(names), 'node')} with {total:,}: ").append(shown, style="bold green")
    console.print(text)
    held = view.nodes.attrs["node"]
    if held:
        console.print(Text(f"  its node, {held}: {standing(view, held)}", style="dim"))


def standing(view: View, node: str) -> str:
    """How one node stands among the others, in words."""
    row = view.nodes[view.nodes["node"] == node].iloc[0]
    if row["verdict"] == SCORED:
        return f"rank {row['rank']:,} with {row['total']:,}"
    return str(row["verdict"]) + (f" by {plugin_name(row['plugin'])}" if row["verdict"] == REJECTED else "")


def _scores(console: Console, view: View) -> None:
    scored = view.of(SCORED)
    if scored.empty:
        return
    numbers = {plugin: scored[[f"{kind}_{plugin}" for kind in view.kinds]] for plugin in view.plugins}
    telling = [plugin for plugin in view.plugins if len(numbers[plugin].drop_duplicates()) > 1]
    same = [plugin for plugin in view.plugins if plugin not in telling]
    if same:
        values = [f"{plugin} {view.score(scored.iloc[0], plugin, '/')}" for plugin in same]
        paragraph(console, "the same for all:", values, "dim")
    shown = scored if view.top is None else scored.head(view.top)
    console.print()
    # Where there is no room for all plugins, those go first that tell the nodes apart least.
    spread = {plugin: int(scored[_WEIGHTED + plugin].max() - scored[_WEIGHTED + plugin].min()) for plugin in telling}
    headings = {words(plugin): plugin for plugin in sorted(telling, key=lambda plugin: spread[plugin])}
    tables = [_score_table(view, shown, telling, separator) for separator in ("/", "\n")]
    lost = [fit(console, table, list(headings)) for table in tables]
    best = int(len(lost[1]) < len(lost[0]))  # one below the other, if that saves a plugin
    gone = lost[best]
    console.print(tables[best])
    if view.raw:
        console.print(Text(f"  {', '.join(KINDS)}", style="dim"))
    if gone:
        paragraph(console, "no room for:", [headings[heading] for heading in gone], "dim")
    _more(console, len(scored) - len(shown), "with a lower rank")
    _more(console, len(view.of(OUTSIDE)), "feasible but outside the sample")


def _score_table(view: View, shown: pd.DataFrame, plugins: Sequence[str], separator: str) -> Table:
    """A row per node."""
    table = plain_table()
    table.add_column("rank", justify="right", vertical="bottom", no_wrap=True)
    table.add_column("node", vertical="bottom", overflow="fold")
    table.add_column("total", justify="right", vertical="bottom", no_wrap=True)
    for plugin in plugins:
        table.add_column(words(plugin), justify="right", vertical="bottom", no_wrap=True)
    for _, row in shown.iterrows():
        cells = [view.score(row, plugin, separator) for plugin in plugins]
        style = "bold" if row["rank"] == 1 else ""
        table.add_row(f"{row['rank']:,}", str(row["node"]), f"{row['total']:,}", *cells, style=style)
    return table


def _rejections(console: Console, view: View) -> None:
    rejected = view.of(REJECTED)
    if rejected.empty:
        return
    title(console, "Rejected", "by the first filter that objects; * evicting pods would not help")
    folded = view.top is not None
    if folded:
        keys = ["plugin", "code", "reasons"]
        groups = rejected.groupby(keys, observed=True, sort=True).size().reset_index(name="nodes")
        rows = list(groups[["nodes", *keys]].astype(str).itertuples(index=False, name=None))
    else:
        rows = list(rejected[["node", "plugin", "code", "reasons"]].astype(str).itertuples(index=False, name=None))
    table = plain_table()
    table.add_column("nodes" if folded else "node", justify="right" if folded else "left", overflow="fold")
    table.add_column("filter", overflow="fold")
    table.add_column("reason", overflow="fold", ratio=1)
    for first, plugin, code, reasons in rows:
        mark = "" if code == "Unschedulable" else " *"
        name = words(plugin) if plugin and console.width < NARROW else plugin_name(plugin)
        table.add_row(first, name + mark, one_line(reasons))
    fit(console, table, ())
    console.print(table)


def _more(console: Console, number: int, what: str) -> None:
    if number > 0:
        console.print(Text(f"  and {counted(number, 'more node')} {what}", style="dim"))
