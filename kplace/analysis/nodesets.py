"""Which nodes are meant: by name, by zone, by pool."""

from collections.abc import Iterable

import numpy as np

from kplace.analysis.subject import keys_of
from kplace.api import Cluster
from kplace.api.finding import find_nodes
from kplace.api.hints import close_names, did_you_mean, listed
from kplace.dtypes import I32
from kplace.errors import UsageError

COLUMNS = ("zone", "region", "instance_type", "taints")
"""What a condition may name beside labels."""


def chosen_nodes(cluster: Cluster, nodes: Iterable[str] = (), where: Iterable[str] = ()) -> I32:
    """Indexes of nodes, in snapshot order.

    Parameters
    ----------
    nodes : iterable of str
        Names.
    where : iterable of str
        ``COLUMN=VALUE``: ``zone=a``, ``instance_type=m5.large``, or any label, ``KEY=VALUE``. A node must fit all.

    Raises
    ------
    UsageError
        There is no such node, or nothing is named at all.
    """
    named = [nodes] if isinstance(nodes, str) else list(nodes)
    found = find_nodes(cluster.columns, named)
    conditions = [where] if isinstance(where, str) else list(where)
    if conditions:
        mask = np.ones(len(cluster.columns.nodes), np.bool_)
        for condition in conditions:
            mask &= _fits(cluster, condition)
        if not mask.any():
            msg = f"where: no node fits {', '.join(map(repr, conditions))} together"
            raise UsageError(msg)
        found = np.union1d(found, np.flatnonzero(mask)).astype(np.int32)
    if not len(found):
        msg = "nodes: name at least one node, or say where they are (where='zone=a')"
        raise UsageError(msg)
    return found


def _fits(cluster: Cluster, condition: str) -> np.ndarray:
    key, sign, value = condition.partition("=")
    if not sign:
        msg = f"where: expected KEY=VALUE such as zone=a or a label, got {condition!r}"
        raise UsageError(msg)
    table = cluster.nodes
    name = key if key in COLUMNS else f"label:{key}"
    column = keys_of(table, name)[name].astype("str")
    matches = (column == value).to_numpy(np.bool_, na_value=False)
    if not matches.any():
        values = sorted(set(column.dropna()))
        if values:
            meant = did_you_mean(close_names(value, values)) or f"; there are {listed(values)}"
        else:
            meant = _known_keys(cluster, key)
        msg = f"where: no node has {condition!r}{meant}"
        raise UsageError(msg)
    mask = np.zeros(len(table), np.bool_)
    mask[table["position"].to_numpy()[matches]] = True
    return mask


def _known_keys(cluster: Cluster, key: str) -> str:
    """Say by what nodes can be told apart, the nearest to a key that none has."""
    keys = sorted(cluster.columns.nodes.labels)
    known = ", ".join(COLUMNS) + (f" and the labels {listed(keys)}" if keys else "")
    return did_you_mean(close_names(key, [*COLUMNS, *keys])) or f"; there are {known}"
