"""A cluster whose pods leave their nodes, and whose nodes take no more pods."""

import itertools
from dataclasses import replace
from typing import Any

import msgspec
import numpy as np

from kplace.columns.cluster import ClusterColumns, SourceObject
from kplace.dtypes import I32, NO_NODE, NO_TIME, Phase
from kplace.objects.core import Taint

CORDON = Taint(key="node.kubernetes.io/unschedulable", effect="NoSchedule")
"""The taint that the node lifecycle controller puts on a cordoned node."""


def released(columns: ClusterColumns, pods: I32) -> ClusterColumns:
    """Build the same cluster with some pods off their nodes, waiting, as their controllers would make them anew.

    They were made after all others, hence come last in the queue among those of their priority, and hold no object of
    the input any more.

    Parameters
    ----------
    pods : int32 ndarray
        Indexes of the pods.
    """
    if not len(pods):
        return columns
    old = columns.pods
    known = old.created_ns[old.created_ns != NO_TIME]
    changes: dict[str, object] = {}
    for name, value in (
        ("node", NO_NODE),
        ("nominated", NO_NODE),
        ("created_ns", int(known.max()) + 1 if len(known) else NO_TIME),
        ("started_ns", NO_TIME),
        ("terminating", False),
        ("preempted", False),
        ("phase", Phase.PENDING),
        ("made", True),
    ):
        column = getattr(old, name).copy()
        column[pods] = value
        changes[name] = column
    gone = np.zeros(len(old), np.bool_)
    gone[pods] = True
    sources = [item for item in columns.sources if item.pod < 0 or not gone[item.pod]]
    return replace(columns, pods=replace(old, **changes), sources=sources)  # type: ignore[arg-type]


def cordoned(columns: ClusterColumns, nodes: I32) -> ClusterColumns:
    """Build the same cluster with some nodes cordoned, with the taint that comes with it.

    Parameters
    ----------
    nodes : int32 ndarray
        Indexes of the nodes; one that is cordoned already stays as it is.
    """
    fresh = nodes[~columns.nodes.unschedulable[nodes]]
    if not len(fresh):
        return columns
    old = columns.nodes
    unschedulable = old.unschedulable.copy()
    unschedulable[fresh] = True
    sets = {taints: code for code, taints in enumerate(old.taint_sets)}
    taint_set = old.taint_set.copy()
    for n in fresh.tolist():
        taints = old.taint_sets[old.taint_set[n]]
        wanted = taints if CORDON in taints else (*taints, CORDON)
        taint_set[n] = sets.setdefault(wanted, len(sets))
    changed = replace(old, unschedulable=unschedulable, taint_set=taint_set, taint_sets=tuple(sets))
    return replace(columns, nodes=changed, sources=_cordoned_sources(columns, fresh))


def _cordoned_sources(columns: ClusterColumns, fresh: I32) -> list[SourceObject]:
    """Objects of the input, those of the cordoned nodes changed; nodes stand there in order of addition."""
    arrivals = set(columns.nodes.arrival[fresh].tolist())
    number = itertools.count()
    return [
        replace(item, raw=_cordoned_object(item.raw)) if item.kind == "Node" and next(number) in arrivals else item
        for item in columns.sources
    ]


def _cordoned_object(raw: bytes | memoryview) -> bytes:
    node: dict[str, Any] = msgspec.json.decode(raw)
    spec = node.get("spec") or {}
    taints = spec.get("taints") or []
    if not any(item.get("key") == CORDON.key and item.get("effect") == CORDON.effect for item in taints):
        taints = [*taints, {"key": CORDON.key, "effect": CORDON.effect}]
    return msgspec.json.encode(node | {"spec": spec | {"unschedulable": True, "taints": taints}})
