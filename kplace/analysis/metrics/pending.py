"""Why pods stay pending, over all of them."""

import numpy as np
import pandas as pd

from kplace.api import Placements
from kplace.errors import UsageError


def pending_by_plugin(placements: Placements | pd.DataFrame) -> pd.DataFrame:
    """Pending pods by the plugin that rules nodes out for them.

    Parameters
    ----------
    placements : Placements or DataFrame
        A table of reasons, `kplace.frames.schema.REASONS`.

    Returns
    -------
    DataFrame
        One row per plugin and reason, most pods first: ``plugin``, ``reason``, ``pods`` (with at least one node ruled
        out by it), ``only`` (pods that nothing else rules a node out for) and ``nodes`` (the most for one pod).
    """
    reasons = _reasons(placements)
    keys = ["plugin", "reason"]
    table = reasons.astype({"plugin": "str", "reason": "str"})
    alone = table.groupby("row")["nodes"].transform("size") == 1
    grouped = table.assign(alone=alone).groupby(keys, sort=False)
    found = grouped.agg(pods=("row", "nunique"), only=("alone", "sum"), nodes=("nodes", "max")).reset_index()
    return found.sort_values(["pods", "nodes", *keys], ascending=[False, False, True, True], ignore_index=True)


def reasons_wide(placements: Placements | pd.DataFrame, *, n_nodes: int | None = None) -> pd.DataFrame:
    """Nodes ruled out for each pending pod, one column per plugin.

    Each node is ruled out by one plugin, which may have several reasons, as NodeResourcesFit does where both cpu and
    memory are short; it counts once. A table of reasons has the numbers of nodes by reason alone: what these exceed the
    number of nodes by has been counted several times, and is taken from NodeResourcesFit first, then VolumeBinding,
    then others, as far as their reasons can have been those of the same nodes.

    Parameters
    ----------
    placements : Placements or DataFrame
        As for `pending_by_plugin`.
    n_nodes : int, optional
        How many nodes there were; to be told with a table. Otherwise a node counts for each of its reasons there.

    Returns
    -------
    DataFrame
        One row per pending pod with ``namespace``, ``pod`` and the number of nodes by plugin; 0 where it rules
        none out.
    """
    reasons = _reasons(placements).astype({"plugin": "str", "namespace": "str"})
    if isinstance(placements, Placements):
        n_nodes = len(placements.nodes)
    keys = ["row", "namespace", "pod", "plugin"]
    counted = reasons.groupby(keys, observed=True)["nodes"].agg(["sum", "max"]).reset_index()
    counted["nodes"] = counted["sum"] if n_nodes is None else counted["sum"] - _several_times(counted, n_nodes)
    wide = counted.pivot_table(index=keys[:-1], columns="plugin", values="nodes", aggfunc="sum", fill_value=0)
    wide.columns.name = None
    return wide.astype("int64").reset_index().drop(columns="row")


_SEVERAL = ("NodeResourcesFit", "VolumeBinding")
"""Plugins that can have several reasons on one node."""


def _several_times(counted: pd.DataFrame, n_nodes: int) -> "pd.Series[int]":
    """Of each pod and plugin, how often a node was counted once more, as far as numbers by reason can tell."""
    rank = counted["plugin"].map({name: place for place, name in enumerate(_SEVERAL)}).fillna(len(_SEVERAL))
    ordered = counted.iloc[np.lexsort((rank, counted["row"]))]
    by_pod = ordered.groupby("row")
    over = (by_pod["sum"].transform("sum") - n_nodes).clip(lower=0)
    can_be = ordered["sum"] - ordered["max"]
    before = can_be.groupby(ordered["row"]).cumsum() - can_be
    return (over - before).clip(lower=0, upper=can_be).reindex(counted.index)


def funnel(explained: pd.DataFrame) -> pd.DataFrame:
    """How the search for a node of one pod narrows down, filter by filter.

    Parameters
    ----------
    explained : DataFrame
        What `kplace.explain` gives.

    Returns
    -------
    DataFrame
        One row per filter that rules nodes out, in the order of the filters: ``plugin``, ``rejected``, ``left``. The
        first row, without a plugin, has all nodes.
    """
    counts = explained["plugin"].value_counts(sort=False)
    counts = counts[counts > 0]
    if isinstance(explained["plugin"].dtype, pd.CategoricalDtype):
        counts = counts.reindex([name for name in explained["plugin"].cat.categories if name in counts.index])
    rejected = [0, *counts.tolist()]
    left, rows = len(explained), []
    for plugin, number in zip(["", *map(str, counts.index)], rejected, strict=True):
        left -= number
        rows.append((plugin, number, left))
    return pd.DataFrame(rows, columns=["plugin", "rejected", "left"])


def _reasons(placements: Placements | pd.DataFrame) -> pd.DataFrame:
    if isinstance(placements, Placements):
        return placements.reasons
    if not isinstance(placements, pd.DataFrame) or "reason" not in placements.columns:
        msg = "expected Placements or a table of reasons, as in Placements.reasons"
        raise UsageError(msg)
    return placements
