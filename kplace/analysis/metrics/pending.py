"""Why pods stay pending, over all of them."""

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


def reasons_wide(placements: Placements | pd.DataFrame) -> pd.DataFrame:
    """Nodes ruled out for each pending pod, one column per plugin.

    Parameters
    ----------
    placements : Placements or DataFrame
        As for `pending_by_plugin`.

    Returns
    -------
    DataFrame
        One row per pending pod with ``namespace``, ``pod`` and the number of nodes by plugin; 0 where it rules
        none out.
    """
    reasons = _reasons(placements).astype({"plugin": "str", "namespace": "str"})
    wide = reasons.pivot_table(
        index=["row", "namespace", "pod"], columns="plugin", values="nodes", aggfunc="sum", fill_value=0, observed=True
    )
    wide.columns.name = None
    return wide.astype("int64").reset_index().drop(columns="row")


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
