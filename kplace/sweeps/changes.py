"""Clusters that a study makes of its inputs: scaled, changed, loaded."""

from collections.abc import Iterable
from fnmatch import fnmatchcase
from random import Random

import numpy as np

from kplace.api import Cluster
from kplace.columns import ClusterColumns
from kplace.columns.addition import with_pods
from kplace.columns.removal import without_pods
from kplace.dtypes import I32, I64, NO_VALUE
from kplace.errors import UsageError
from kplace.sweeps.description import Load, WhatIf


def changed(cluster: Cluster, what_if: WhatIf) -> Cluster:
    """Make the changes of a what-if.

    Raises
    ------
    UsageError
        A pattern meets no node or no pod.
    """
    cluster = cluster.without_pods(_pods(cluster, what_if.remove_pods))
    cluster = cluster.without_nodes(_nodes(cluster, what_if.remove_nodes))
    drained = set(_nodes(cluster, what_if.drain))
    if drained:
        cluster = cluster.cordoned(drained).released(_evicted(cluster.columns, drained))
    cluster = cluster.cordoned(_nodes(cluster, what_if.cordon))
    cluster = cluster.released(_pods(cluster, what_if.release_pods))
    return cluster if what_if.copies == 1 else cluster.with_pods(cluster, copies=what_if.copies - 1)


def scaled(cluster: Cluster, scale: float) -> Cluster:
    """Give a cluster so many times the nodes, to the nearest whole number and at least one."""
    columns = cluster.columns
    here = len(columns.nodes)
    wanted = max(round(here * scale), 1)
    added = np.argsort(columns.nodes.arrival, kind="stable").tolist()
    names = [columns.nodes.names[n] for n in added]
    if wanted < here:
        return cluster.without_nodes(
            name for i, name in enumerate(names) if (i + 1) * wanted // here == i * wanted // here
        )
    like: dict[str, str] = {}
    for i in range(wanted - here):
        name = f"{names[i % here]}-more-{i // here + 1}"
        while name in columns.nodes.index or name in like:
            name += "x"
        like[name] = names[i % here]
    return cluster.with_nodes(like) if like else cluster


def loaded(cluster: Cluster, percent: float, rule: Load, seed: int) -> Cluster:
    """Choose the pods that wait such that all pods request so many percent of a resource: see `Load`.

    Raises
    ------
    UsageError
        No node offers the resource, or no waiting pod requests it.
    """
    columns = cluster.columns
    row = columns.resources.find(rule.resource)
    offered = int(columns.nodes.allocatable[row].sum()) if row >= 0 else 0
    demands = np.array([item.request[row] for item in columns.templates], np.int64)
    pods = columns.pods
    waiting = np.flatnonzero(pods.waiting)
    waiting = waiting[np.argsort(pods.created_ns[waiting], kind="stable")]
    if not offered or not len(waiting) or not demands[pods.template[waiting]].any():
        lacks = "no waiting pod requests" if offered else "no node offers"
        msg = f"load: {lacks} {rule.resource}"
        raise UsageError(msg)
    room = int(offered * percent / 100) - int(demands[pods.template[np.flatnonzero(pods.holding)]].sum())
    chosen = _chosen(waiting, demands[pods.template[waiting]], room, rule, Random(f"{seed}/load"))
    names = _numbered(columns, chosen)
    templates = pods.template[chosen].tolist()
    return Cluster(with_pods(without_pods(columns, waiting.astype(np.int32)), templates, names), cluster.case)


def _chosen(waiting: I64, demands: I64, room: int, rule: Load, random: Random) -> I64:
    order = list(range(len(waiting)))
    if rule.order == "drawn":
        random.shuffle(order)
    total = 0
    taken: list[int] = []
    for i in order:
        if total + demands[i] > room:
            return waiting[taken]
        total += int(demands[i])
        taken.append(i)
    while True:
        i = random.randrange(len(waiting))
        if total + demands[i] > room:
            return waiting[taken]
        total += int(demands[i])
        taken.append(i)


def _numbered(columns: ClusterColumns, chosen: I64) -> list[str]:
    """Names of the chosen pods; one that comes again is numbered, unless another pod is called so."""
    pods = columns.pods
    stays = ~pods.waiting
    used = {(int(pods.namespace[pod]), pods.names[pod]) for pod in np.flatnonzero(stays).tolist()}
    names = []
    for i, pod in enumerate(chosen.tolist()):
        space, name = int(pods.namespace[pod]), pods.names[pod]
        number = i
        while (space, name) in used:
            name = f"{pods.names[pod]}-{number}"
            number += len(chosen)
        used.add((space, name))
        names.append(name)
    return names


def _nodes(cluster: Cluster, patterns: Iterable[str]) -> list[str]:
    nodes = cluster.columns.nodes
    found: dict[str, None] = {}
    for pattern in patterns:
        key, equals, value = pattern.partition("=")
        if equals:
            codes, values = nodes.label_codes(key), nodes.label_values(key)
            meant = [nodes.names[n] for n in np.flatnonzero(codes != NO_VALUE).tolist() if values[codes[n]] == value]
        else:
            meant = [name for name in nodes.names if fnmatchcase(name, pattern)]
        if not meant:
            msg = f"what_if: no node is meant by {pattern!r}"
            raise UsageError(msg)
        found |= dict.fromkeys(meant)
    return list(found)


def _pods(cluster: Cluster, patterns: Iterable[str]) -> list[str]:
    listed = list(patterns)
    if not listed:
        return []
    pods = cluster.columns.pods
    keys = [pods.key(pod) for pod in range(len(pods))]
    found: dict[str, None] = {}
    for pattern in listed:
        meant = [key for key in keys if fnmatchcase(key, pattern)]
        if not meant:
            msg = f"what_if: no pod is meant by {pattern!r}"
            raise UsageError(msg)
        found |= dict.fromkeys(meant)
    return list(found)


def _evicted(columns: ClusterColumns, nodes: Iterable[str]) -> list[str]:
    """Pods that leave when nodes are drained: all that run there but those of DaemonSets."""
    numbers: I32 = np.array([columns.nodes.index[name] for name in nodes], np.int32)
    pods = columns.pods
    there = np.flatnonzero(pods.holding & np.isin(pods.node, numbers)).tolist()
    owners = {pod: columns.templates[pods.template[pod]].owner for pod in there}
    return [pods.key(pod) for pod, owner in owners.items() if owner is None or owner.kind != "DaemonSet"]
