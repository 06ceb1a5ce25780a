"""Zones and pools: one row for each, with what it has, what is used, and what still fits."""

from collections.abc import Sequence

import pandas as pd

from kplace.analysis.metrics.room import Shape, fits_on
from kplace.analysis.subject import Subject, endings, keys_of, nodes_of

POOL = ("zone", "instance_type")


def pools(subject: Subject, by: str | Sequence[str] = POOL, *, shape: Shape | None = None) -> pd.DataFrame:
    """Table of pools: what is allocatable, requested, free, and the largest free block, by zone and instance type.

    Parameters
    ----------
    subject : Cluster, Placements or DataFrame
        A table of nodes.
    by : str or sequence of str
        As for `utilisation`: ``("zone", "label:eks.amazonaws.com/nodegroup")`` for another idea of a pool.
    shape : mapping, optional
        A pod's request: ``schedulable`` is then how many such fit, by resources alone.

    Returns
    -------
    DataFrame
        `kplace.analysis.schema.POOLS`, with the columns of ``by`` in front.
    """
    nodes = nodes_of(subject)
    keys = keys_of(nodes, by)
    closed = nodes["unschedulable"].to_numpy() if "unschedulable" in nodes else False
    columns: dict[str, object] = {name: key.array for name, key in keys.items()}
    columns |= {"nodes": 1, "cordoned": pd.Series(closed, index=nodes.index).astype("int64").array}
    aggregates: dict[str, str] = {"nodes": "sum", "cordoned": "sum"}
    for ending in endings(nodes):
        for prefix in ("allocatable", "requested", "free"):
            columns[f"{prefix}_{ending}"] = nodes[f"{prefix}_{ending}"].array
            aggregates[f"{prefix}_{ending}"] = "sum"
        columns[f"largest_{ending}"] = (
            nodes[f"free_{ending}"].clip(lower=0).where(~pd.Series(closed, index=nodes.index), 0).array
        )
        aggregates[f"largest_{ending}"] = "max"
    if shape is not None:
        columns["schedulable"] = fits_on(nodes, shape)[0]
        aggregates["schedulable"] = "sum"
    table = pd.DataFrame(columns)
    return table.groupby(list(keys), observed=True, dropna=False, sort=True).agg(aggregates).reset_index()
