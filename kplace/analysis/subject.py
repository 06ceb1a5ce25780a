"""What metrics are asked of: a cluster, a run, or tables that somebody has already."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from kplace.analysis.words import known_column
from kplace.api import Cluster, Placements
from kplace.errors import UsageError
from kplace.frames.schema import resource_column

Subject = Cluster | Placements | pd.DataFrame
"""A cluster as it stands, a run (what it left), or a table in the documented columns."""
By = str | Sequence[str] | None
"""Names of columns of the table of nodes, or ``label:KEY``."""

LABEL = "label:"
_MARKS = {"nodes": "node", "pods": "pod"}


def nodes_of(subject: Subject) -> pd.DataFrame:
    """Table of nodes: as the cluster stands, as the run left it, or the table itself.

    Raises
    ------
    UsageError
        It is none of these, or a table without the column ``node``.
    """
    if isinstance(subject, Cluster | Placements):
        return subject.nodes
    return _table(subject, "nodes")


def pods_of(subject: Subject) -> pd.DataFrame:
    """Table of pods, each where it is: in the cluster, after the run, or the table itself.

    Raises
    ------
    UsageError
        It is none of these, or a run read from a file, which knows nothing of pods that were there before.
    """
    if isinstance(subject, Placements):
        return subject.cluster.pods
    if isinstance(subject, Cluster):
        return subject.pods
    return _table(subject, "pods")


def _table(subject: object, what: str) -> pd.DataFrame:
    if not isinstance(subject, pd.DataFrame):
        msg = f"{what}: expected a Cluster, Placements or a DataFrame, got {type(subject).__name__}"
        raise UsageError(msg)
    if _MARKS[what] not in subject.columns:
        msg = f"{what}: expected a table with a column {_MARKS[what]!r}, as in Cluster.{what}"
        raise UsageError(msg)
    return subject


def holding(pods: pd.DataFrame) -> pd.DataFrame:
    """Pods that take up room: they are on a node, and have not run to their end."""
    on_node = pods["node"].notna().to_numpy()
    if "phase" in pods.columns:
        on_node = on_node & ~pods["phase"].astype("str").isin(["Succeeded", "Failed"]).to_numpy()
    return pods[on_node]


def endings(nodes: pd.DataFrame, resources: Sequence[str] | None = None) -> list[str]:
    """Endings of the columns of resources; by default of all that any node offers, cpu, memory and pods first.

    Parameters
    ----------
    resources : sequence of str, optional
        Kubernetes' names, or the endings themselves.

    Raises
    ------
    UsageError
        No column is of such a resource.
    """
    prefix = "allocatable_"
    there = [str(name).removeprefix(prefix) for name in nodes.columns if str(name).startswith(prefix)]
    if resources is not None:
        wanted = [resource_column(name) for name in resources]
        for given, ending in zip(resources, wanted, strict=True):
            known_column("resources", ending, there, given)
        return wanted
    first = [name for name in ("cpu_milli", "memory_bytes", "pods") if name in there]
    rest = [name for name in there if name not in first and nodes[prefix + name].gt(0).any()]
    return first + rest


def keys_of(nodes: pd.DataFrame, by: By) -> dict[str, pd.Series]:
    """Columns to group by, each by its name; what a node lacks is NA.

    Raises
    ------
    UsageError
        There is no such column.
    """
    found: dict[str, pd.Series] = {}
    for name in [by] if isinstance(by, str) else list(by or ()):
        if name.startswith(LABEL) and name not in nodes.columns:
            key = name.removeprefix(LABEL)
            values = [(own or {}).get(key) for own in nodes["labels"]]
            found[name] = pd.Series(values, index=nodes.index, dtype="str", name=name)
        else:
            known_column("by", name, [str(column) for column in nodes.columns])
            found[name] = nodes[name]
    return found


def safe_sum(values: pd.Series) -> int:
    """Sum of integers that may be more together than 64 bits hold."""
    array = values.to_numpy(np.int64)
    if len(array) and np.abs(array).max() > np.iinfo(np.int64).max // max(len(array), 1):
        return sum(array.tolist())
    return int(array.sum())
