"""What is free, and what of it can be used: by resources alone, without the scheduler's rules."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from kplace.analysis.subject import By, Subject, endings, keys_of, nodes_of, pods_of, safe_sum
from kplace.api import Cluster, Placements
from kplace.dtypes import F64, I64
from kplace.errors import UsageError
from kplace.frames.schema import resource_column, resource_of

Shape = Mapping[str, int]
"""What a pod requests, by Kubernetes' names of resources: milli-cpu, bytes, pieces."""


def smallest_needs(pods: pd.DataFrame, quantile: float = 0.0) -> dict[str, int]:
    """What the smallest workload requests of cpu and memory, each for itself; other resources are not asked.

    Parameters
    ----------
    pods : DataFrame
        A table of pods.
    quantile : float
        0 for the smallest, 0.5 for the median pod. Pods that do not request a resource do not count for it.
    """
    needs: dict[str, int] = {}
    for resource in ("cpu", "memory"):
        column = f"requested_{resource_column(resource)}"
        amounts = pods[column].to_numpy(np.int64) if column in pods.columns else np.zeros(0, np.int64)
        amounts = amounts[amounts > 0]
        if len(amounts):
            needs[resource] = int(np.quantile(amounts, quantile, method="lower"))
    return needs


def stranded(subject: Subject, needs: Shape | None = None, by: By = None) -> pd.DataFrame:
    """What is free but cannot be used, because the same node has too little left of something else.

    The free amount of a resource on a node is stranded if another resource of ``needs``, or the number of pods, has
    less free there than the smallest pod needs. What is free on cordoned nodes counts apart.

    Parameters
    ----------
    subject : Cluster, Placements or DataFrame
        A table of nodes.
    needs : mapping, optional
        What the smallest pod worth counting requests. By default the smallest request of cpu and of memory of any pod
        in the cluster; a plain table needs it given.
    by : str or sequence of str, optional
        As for `utilisation`.

    Returns
    -------
    DataFrame
        One row per group and resource: ``allocatable``, ``requested``, ``cordoned`` (free on cordoned nodes),
        ``stranded``, ``usable`` (the rest of what is free), and ``share`` (stranded of allocatable).
    """
    nodes = nodes_of(subject)
    wanted = _needs(subject, needs)
    free = _free(nodes, list(wanted))
    short = {resource: free[resource] < amount for resource, amount in wanted.items()}
    no_slot = nodes["free_pods"].to_numpy(np.int64) < 1 if "free_pods" in nodes else np.zeros(len(nodes), np.bool_)
    closed = _cordoned(nodes)
    keys = keys_of(nodes, by)
    parts = []
    for ending in endings(nodes):
        resource = resource_of(ending)
        if resource == "pods":
            continue
        others = [mark for other, mark in short.items() if other != resource]
        blocked = np.logical_or.reduce([no_slot, *others]) & ~closed
        left = np.maximum(_column(nodes, "free", ending), 0)
        table = pd.DataFrame(
            {
                **{name: key.array for name, key in keys.items()},
                "allocatable": nodes[f"allocatable_{ending}"].to_numpy(),
                "requested": nodes[f"requested_{ending}"].to_numpy(),
                "cordoned": np.where(closed, left, 0),
                "stranded": np.where(blocked, left, 0),
                "usable": np.where(blocked | closed, 0, left),
            }
        )
        sums = (
            table.groupby(list(keys), observed=True, dropna=False, sort=False).sum().reset_index()
            if keys
            else table.sum().to_frame().T.astype("int64")
        )
        sums.insert(len(keys), "resource", resource)
        parts.append(sums)
    found = pd.concat(parts, ignore_index=True)
    found["share"] = found["stranded"] / found["allocatable"].where(found["allocatable"] > 0)
    return found.sort_values(list(keys), kind="stable", ignore_index=True) if keys else found


def _needs(subject: Subject, needs: Shape | None) -> dict[str, int]:
    if needs is not None:
        return dict(needs)
    if not isinstance(subject, Cluster | Placements):
        msg = "needs: a plain table does not say what the smallest pod requests, such as {'cpu': 100, 'memory': 2**27}"
        raise UsageError(msg)
    return smallest_needs(pods_of(subject))


def schedulable(subject: Subject, shape: Shape, by: By = None) -> pd.DataFrame:
    """How many more pods of a shape fit by resources alone: ``sum over nodes of min over r of floor(free / request)``.

    Cordoned nodes take none, and each node no more than the pods it still allows. Taints, affinity and all other rules
    are left out: `kplace.capacity` asks the scheduler.

    Parameters
    ----------
    subject : Cluster, Placements or DataFrame
        A table of nodes.
    shape : mapping
        What the pod requests, such as ``{"cpu": 500, "memory": 2**30}``.
    by : str or sequence of str, optional
        As for `utilisation`.

    Returns
    -------
    DataFrame
        One row per group: ``nodes``, ``schedulable``, and ``binding``: the resource (or ``pods``) that keeps another
        one out of most nodes; NA without nodes.
    """
    nodes = nodes_of(subject)
    fits, binding = fits_on(nodes, shape)
    keys = keys_of(nodes, by)
    table = pd.DataFrame(
        {**{name: key.array for name, key in keys.items()}, "schedulable": fits, "binding": binding, "nodes": 1}
    )
    if not keys:
        return pd.DataFrame(
            {"nodes": [len(nodes)], "schedulable": [int(fits.sum())], "binding": [_most(table["binding"])]}
        )
    grouped = table.groupby(list(keys), observed=True, dropna=False)
    found = grouped.agg(nodes=("nodes", "sum"), schedulable=("schedulable", "sum"), binding=("binding", _most))
    return found.reset_index()


def _most(column: pd.Series) -> object:
    """The most frequent text; NA without any."""
    return column.value_counts().idxmax() if column.notna().any() else pd.NA


def fits_on(nodes: pd.DataFrame, shape: Shape) -> tuple[I64, pd.Series]:
    """How many pods of a shape fit on each node by resources, and which one runs out first; ``cordoned`` where that is.

    Parameters
    ----------
    nodes : DataFrame
        A table of nodes.
    """
    room = np.maximum(_column(nodes, "free", "pods"), 0)
    names = ["pods", *(name for name, amount in shape.items() if amount > 0)]
    counts = [room]
    for name in names[1:]:
        endings(nodes, [name])
        counts.append(np.maximum(_column(nodes, "free", resource_column(name)), 0) // shape[name])
    stacked = np.stack(counts)
    closed = _cordoned(nodes)
    binding = np.array(names, dtype=object)[stacked.argmin(axis=0)] if len(nodes) else np.zeros(0, object)
    binding[closed] = "cordoned"
    return np.where(closed, 0, stacked.min(axis=0)), pd.Series(binding, index=nodes.index, dtype="str")


def effective_fullness(subject: Subject, shape: Shape) -> pd.Series:
    """Fragmentation for a shape: ``1 - schedulable(s) * request(s) / free in sum``, for each resource it requests.

    0: all that is free can be used by such pods. 1: none of it. NaN: nothing is free.

    Parameters
    ----------
    subject, shape
        As for `schedulable`.

    Returns
    -------
    Series
        By name of the resource.
    """
    nodes = nodes_of(subject)
    number = int(fits_on(nodes, shape)[0].sum())
    found = {}
    for name, amount in shape.items():
        free = safe_sum(nodes[f"free_{resource_column(name)}"].clip(lower=0))
        if amount > 0:
            found[name] = 1 - number * amount / free if free else float("nan")
    return pd.Series(found, dtype="float64", name="effective_fullness")


def largest_free(subject: Subject, by: By = None, *, resources: Sequence[str] | None = None) -> pd.DataFrame:
    """Largest free block of each resource on one schedulable node: nothing larger fits, however much is free in sum.

    Parameters
    ----------
    subject, by, resources
        As for `utilisation`.

    Returns
    -------
    DataFrame
        One row per group and resource: ``largest``, the ``node`` that has it (NA if all are cordoned), ``free`` in sum,
        and ``share`` (largest of free).
    """
    nodes = nodes_of(subject)
    open_nodes = nodes[~_cordoned(nodes)]
    keys = keys_of(open_nodes, by)
    rows: list[tuple[object, ...]] = []
    grouped = (
        open_nodes.groupby(
            [pd.Series(key, index=open_nodes.index) for key in keys.values()], observed=True, dropna=False
        )
        if keys
        else [((), open_nodes)]
    )
    for key, group in grouped:
        for ending in endings(nodes, resources):
            free = group[f"free_{ending}"].clip(lower=0)
            total = safe_sum(free)
            best = None if not len(free) else free.to_numpy().argmax()
            largest = 0 if best is None else int(free.iloc[best])
            node = pd.NA if best is None else str(group["node"].iloc[best])
            rows.append((*key, resource_of(ending), largest, node, total, largest / total if total else np.nan))
    return pd.DataFrame(rows, columns=[*keys, "resource", "largest", "node", "free", "share"])


def largest_pods(subject: Subject, resources: Sequence[str] = ("cpu", "memory")) -> pd.DataFrame:
    """Largest pods that would fit: what is free on nodes than which no other has more of everything.

    Parameters
    ----------
    subject : Cluster, Placements or DataFrame
        A table of nodes.
    resources : sequence of str
        What the pod requests.

    Returns
    -------
    DataFrame
        One row per such schedulable node: ``node`` and ``free_*``; the one with the most of the first resource first.
    """
    nodes = nodes_of(subject)
    columns = [f"free_{ending}" for ending in endings(nodes, resources)]
    open_nodes = nodes[~_cordoned(nodes) & (nodes["free_pods"] > 0)]
    distinct = open_nodes.sort_values(columns, ascending=False, kind="stable").drop_duplicates(columns)
    values = distinct[columns].to_numpy(np.int64)
    kept = [row for row in range(len(values)) if not ((values[:row] >= values[row]).all(axis=1)).any()]
    return distinct.iloc[kept][["node", *columns]].reset_index(drop=True)


def _free(nodes: pd.DataFrame, resources: Sequence[str]) -> dict[str, I64]:
    return {
        name: _column(nodes, "free", ending) for name, ending in zip(resources, endings(nodes, resources), strict=True)
    }


def _column(nodes: pd.DataFrame, prefix: str, ending: str) -> I64:
    name = f"{prefix}_{ending}"
    if name in nodes.columns:
        return nodes[name].to_numpy(np.int64)
    return nodes[f"allocatable_{ending}"].to_numpy(np.int64) - nodes[f"requested_{ending}"].to_numpy(np.int64)


def _cordoned(nodes: pd.DataFrame) -> np.ndarray:
    return nodes["unschedulable"].to_numpy(np.bool_) if "unschedulable" in nodes else np.zeros(len(nodes), np.bool_)


def cost(
    subject: Subject, prices: Mapping[str, float], by: By = "instance_type", needs: Shape | None = None
) -> pd.DataFrame:
    """What nodes cost, and what of it is for nothing.

    Parameters
    ----------
    subject : Cluster, Placements or DataFrame
        A table of nodes.
    prices : mapping of str to float
        Price of a node by its instance type, in any unit of money per time.
    by : str or sequence of str
        As for `utilisation`.
    needs : mapping, optional
        As for `stranded`.

    Returns
    -------
    DataFrame
        One row per group: ``nodes``, ``cost``, ``idle`` (the part of each node's price that its fullest resource leaves
        free), ``stranded`` (the part of the price on nodes that take no pod of ``needs`` any more, as far as they are
        idle). Nodes without a price count as NaN.
    """
    nodes = nodes_of(subject)
    keys = keys_of(nodes, by)
    price = nodes["instance_type"].astype("str").map(dict(prices)).to_numpy(np.float64)
    wanted = _needs(subject, needs)
    fullest: F64 = np.nanmax(
        np.stack(
            [
                nodes[f"requested_{ending}"].to_numpy(np.float64)
                / np.maximum(nodes[f"allocatable_{ending}"].to_numpy(), 1)
                for ending in endings(nodes, ["cpu", "memory"])
            ]
        ),
        axis=0,
    )
    idle = price * (1 - np.minimum(fullest, 1))
    table = pd.DataFrame(
        {
            **{name: key.array for name, key in keys.items()},
            "nodes": 1,
            "cost": price,
            "idle": idle,
            "stranded": np.where(fits_on(nodes, wanted)[0] == 0, idle, 0.0),
        }
    )
    if not keys:
        return table.sum(skipna=False).to_frame().T
    return table.groupby(list(keys), observed=True, dropna=False).sum(min_count=1).reset_index()
