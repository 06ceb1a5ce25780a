"""How much of what nodes offer is requested, and how evenly."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from kplace.analysis.subject import By, Subject, endings, keys_of, nodes_of, safe_sum
from kplace.dtypes import F64
from kplace.frames.schema import resource_of

_SUMS = ("allocatable", "requested", "free")


def utilisation(subject: Subject, by: By = None, *, resources: Sequence[str] | None = None) -> pd.DataFrame:
    """Requested as a share of allocatable: ``sum(requested) / sum(allocatable)``.

    Parameters
    ----------
    subject : Cluster, Placements or DataFrame
        A table of nodes.
    by : str or sequence of str, optional
        Columns of the table of nodes, such as ``"zone"``, ``"instance_type"``, ``"taints"``, or ``"label:KEY"``. By
        default all nodes are one group.
    resources : sequence of str, optional
        Kubernetes' names; by default all that any node offers.

    Returns
    -------
    DataFrame
        One row per group and resource: the columns of ``by``, ``resource``, ``nodes``, ``allocatable``, ``requested``,
        ``free`` and ``utilisation`` (NaN where nothing is offered).

    Examples
    --------
    >>> nodes = pd.DataFrame(
    ...     {
    ...         "node": ["a", "b"],
    ...         "zone": ["x", "y"],
    ...         "allocatable_cpu_milli": [4000, 8000],
    ...         "requested_cpu_milli": [1000, 4000],
    ...     }
    ... )
    >>> utilisation(nodes, "zone", resources=["cpu"])["utilisation"].tolist()
    [0.25, 0.5]
    """
    nodes = nodes_of(subject)
    keys = keys_of(nodes, by)
    wanted = endings(nodes, resources)
    if not keys:
        return _whole(nodes, wanted)
    parts = [_sums(nodes, keys, ending) for ending in wanted]
    table = pd.concat(parts, ignore_index=True) if parts else _sums(nodes, keys, "")
    return table.sort_values(list(keys), kind="stable", ignore_index=True)


def _whole(nodes: pd.DataFrame, wanted: Sequence[str]) -> pd.DataFrame:
    """All nodes as one group: sums of plain numbers, since studies ask for them thousands of times."""
    rows = []
    for ending in wanted:
        allocatable, requested = (safe_sum(nodes[f"{kind}_{ending}"]) for kind in ("allocatable", "requested"))
        share = requested / allocatable if allocatable > 0 else np.nan
        rows.append((resource_of(ending), len(nodes), allocatable, requested, allocatable - requested, share))
    return pd.DataFrame(rows, columns=["resource", "nodes", *_SUMS, "utilisation"])


def _sums(nodes: pd.DataFrame, keys: dict[str, pd.Series], ending: str) -> pd.DataFrame:
    allocatable, requested = nodes[f"allocatable_{ending}"], nodes[f"requested_{ending}"]
    columns = pd.DataFrame({"allocatable": allocatable, "requested": requested, "nodes": 1})
    by = [pd.Series(key, index=nodes.index) for key in keys.values()]
    sums = columns.groupby(by, observed=True, dropna=False, sort=False).sum()
    sums.index.names = list(keys)
    table = sums.reset_index()
    table["free"] = table["allocatable"] - table["requested"]
    table["resource"] = resource_of(ending)
    share = table["requested"].astype("float64") / table["allocatable"].astype("float64").where(
        table["allocatable"] > 0
    )
    table["utilisation"] = share
    return table[[*keys, "resource", "nodes", *_SUMS, "utilisation"]]


def imbalance(subject: Subject, by: By = None, *, resources: Sequence[str] | None = None) -> pd.DataFrame:
    """How unevenly nodes are used: the spread of their utilisations, each node counting once.

    Parameters
    ----------
    subject, by, resources
        As for `utilisation`.

    Returns
    -------
    DataFrame
        One row per group and resource: ``nodes`` (those that offer the resource), ``min``, ``max``, ``range`` (max -
        min), ``mean``, ``stddev`` (of the population), ``cv`` (stddev / mean; NaN for 0) and ``gini`` (0: all alike;
        towards 1: one node has it all; NaN for mean 0).
    """
    nodes = nodes_of(subject)
    keys = keys_of(nodes, by)
    shares = {ending: share_of(nodes, ending) for ending in endings(nodes, resources)}
    if keys:
        by_key = nodes.groupby(
            [pd.Series(key, index=nodes.index) for key in keys.values()], observed=True, dropna=False
        )
        groups = {(key if isinstance(key, tuple) else (key,)): rows for key, rows in by_key.indices.items()}
    else:
        groups = {(): np.arange(len(nodes))}
    rows = [
        (*key, resource_of(ending), *_spread(share[where]))
        for key, where in groups.items()
        for ending, share in shares.items()
    ]
    names = [*keys, "resource", "nodes", "min", "max", "range", "mean", "stddev", "cv", "gini"]
    return pd.DataFrame(rows, columns=names)


def lopsided(subject: Subject, one: str = "cpu", other: str = "memory") -> pd.Series:
    """Distance of two resources' utilisations on each node, ``|u(one) - u(other)|``: 0 is well balanced.

    Parameters
    ----------
    subject : Cluster, Placements or DataFrame
        A table of nodes.
    one, other : str
        Kubernetes' names of resources.

    Returns
    -------
    Series
        By name of the node; NaN where a node does not offer both.
    """
    nodes = nodes_of(subject)
    left, right = (share_of(nodes, ending) for ending in endings(nodes, [one, other]))
    return pd.Series(np.abs(left - right), index=nodes["node"].astype("str"), name="lopsided")


def share_of(nodes: pd.DataFrame, ending: str) -> F64:
    """Requested as a share of allocatable on each node of a table; NaN where nothing is offered."""
    allocatable = nodes[f"allocatable_{ending}"].to_numpy(np.float64)
    requested = nodes[f"requested_{ending}"].to_numpy(np.float64)
    return np.divide(requested, allocatable, out=np.full(len(nodes), np.nan), where=allocatable > 0)


def _spread(shares: F64) -> tuple[float, ...]:
    known = np.sort(shares[~np.isnan(shares)])
    if not len(known):
        return (0, *[np.nan] * 7)
    mean, deviation = float(known.mean()), float(known.std())
    ranks = np.arange(1, len(known) + 1)
    total = float(known.sum())
    gini = float((2 * ranks - len(known) - 1) @ known / (len(known) * total)) if total else np.nan
    low, high = float(known[0]), float(known[-1])
    return (len(known), low, high, high - low, mean, deviation, deviation / mean if mean else np.nan, gini)
