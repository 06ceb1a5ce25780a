"""What ``kplace score`` prints for people."""

from collections.abc import Hashable
from typing import Any

import pandas as pd
from rich.console import Console
from rich.text import Text

from kplace.api import Scores
from kplace.cli.render import shorten, title
from kplace.cli.text import counted, one_line

MOST_KINDS = 25
"""Kinds of pods that are listed."""


def render_score(console: Console, scores: Scores, decisions: pd.DataFrame) -> None:
    """Print what decided, a line for each kind of pod that has its own scores."""
    kinds = decisions.groupby("kind", sort=True)
    first = kinds.head(1).set_index("kind").assign(pods=kinds.size())
    placed = first[first["node"].notna()]
    failed = first[first["node"].isna()]
    facts = f"{counted(len(decisions), 'pod')} of {counted(len(first), 'kind')} on {scores.axes.n_nodes:,} nodes"
    title(console, "Scores", facts)
    if len(placed):
        _placed(console, placed.head(MOST_KINDS))
        _more(console, len(placed))
    if len(failed):
        title(console, "Nowhere", "no filter lets them pass on any node")
        for row in failed.head(MOST_KINDS).to_dict("records"):
            pod = shorten(f"{row['namespace']}/{row['pod']}", 40)
            console.print(Text(f"  {pod} ({counted(int(row['pods']), 'pod')})", style="bold"))
            console.print(Text(f"    {one_line(row['message'])}"))
        _more(console, len(failed))
    console.print()


def _placed(console: Console, rows: pd.DataFrame) -> None:
    for row in rows.to_dict("records"):
        head = Text(f"  {one_line(row['namespace'])}/{one_line(row['pod'])}", style="bold")
        head.append(f"  {counted(int(row['pods']), 'pod')}, {counted(int(row['feasible']), 'feasible node')}", "dim")
        console.print(head)
        console.print(Text(f"    {_best(row)}"))
        if pd.notna(row["flip_plugin"]):
            weight = int(row["flip_weight"])
            change = (
                f"with a weight of {weight:,} for {row['flip_plugin']}" if weight else f"without {row['flip_plugin']}"
            )
            console.print(Text(f"    {one_line(row['flip_node'])} would win {one_line(change)}"))


def _best(row: dict[Hashable, Any]) -> str:
    """The best node, and what sets it off from the next."""
    words = f"{one_line(row['node'])} {row['total']:,}"
    if row["ties"] > 1:
        return f"{words}, as {counted(int(row['ties']) - 1, 'other node')}"
    if pd.isna(row["margin"]):
        return f"{words}, there is no other"
    return f"{words}, {row['margin']:,} ahead of {one_line(row['runner_up'])} by {one_line(row['decided_by'])}"


def _more(console: Console, n_kinds: int) -> None:
    if n_kinds > MOST_KINDS:
        console.print(Text(f"and {counted(n_kinds - MOST_KINDS, 'more kind')}", style="dim"))
