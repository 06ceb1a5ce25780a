"""A cluster as it was read, as the start of a simulation in which nothing comes from outside."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from msgspec import Struct

from kplace.columns.cluster import ClusterColumns
from kplace.columns.pods import PodColumns
from kplace.dtypes import I32, NO_NODE, NO_TIME
from kplace.engine.simulate.scenario import Change, PodVersion, Scenario, Verb
from kplace.engine.simulate.settings import EPOCH_NS, grace_of
from kplace.objects.core import Node
from kplace.objects.meta import ObjectMeta
from kplace.queue import SECOND

UNKNOWN = "(not in the input)"
"""Stands for all nodes that pods are bound to and that are not in the input."""


def standing_scenario(columns: ClusterColumns, nodes: Sequence[Node], placed: I32, on: I32, queue: I32) -> Scenario:
    """Build the scenario.

    Pods that are being preempted already leave after their grace; what else is being deleted stays.

    Parameters
    ----------
    columns : ClusterColumns
        Not modified.
    nodes : sequence of Node
        Its nodes, in the order of the input.
    placed, on : int32 ndarrays
        Pods that have found their nodes since, in that order, and these nodes.
    queue : int32 ndarray
        The waiting pods that are to be tried, in the order of the queue; the others are left out.
    """
    pods = _copy(columns.pods)
    bound = np.flatnonzero((pods.node != NO_NODE) & ~pods.finished)
    names = columns.nodes.names
    initial = [*_others(columns), *(_added("Node", "", node.metadata.name, node) for node in nodes)]
    leaving: list[tuple[int, Change]] = []
    for pod in bound.tolist():
        row = int(pods.node[pod])
        version = _version(columns, pod, names[row] if row >= 0 else UNKNOWN)
        change = _pod_added(columns, version)
        initial.append(change)
        if version.is_preempted:
            when = grace_of(columns.templates[pods.template[pod]].spec)
            leaving.append((when, replace(change, when=when, verb=Verb.DELETE, version=None)))
    pods.started_ns[placed] = epoch_of(columns)
    for pod, row in zip(placed.tolist(), on.tolist(), strict=True):
        initial.append(_pod_added(columns, _version(columns, pod, names[row], started_ns=int(pods.started_ns[pod]))))
    initial += [_pod_added(columns, _version(columns, pod, "")) for pod in queue.tolist()]
    leaving.sort(key=lambda item: item[0])
    changes = tuple(change for _, change in leaving)
    return Scenario(replace(columns, pods=pods), tuple(initial), changes, {})


def epoch_of(columns: ClusterColumns) -> int:
    """When a cluster was read at the earliest: no pod has started, nor was created, later."""
    pods = columns.pods
    known = [times[times != NO_TIME] for times in (pods.started_ns, pods.created_ns)]
    latest = max((int(times.max()) for times in known if len(times)), default=EPOCH_NS)
    return max(EPOCH_NS, -(-latest // SECOND) * SECOND)


def _others(columns: ClusterColumns) -> Iterator[Change]:
    for kind, items in columns.objects.items():
        for obj in items:
            meta = getattr(obj, "metadata", ObjectMeta())
            yield _added(kind, meta.namespace or "default", meta.name, obj)


def _added(kind: str, namespace: str, name: str, version: PodVersion | Struct) -> Change:
    return Change(0, Verb.ADD, kind, namespace, name, version)


def _pod_added(columns: ClusterColumns, version: PodVersion) -> Change:
    pods = columns.pods
    return _added("Pod", pods.namespaces[pods.namespace[version.row]], pods.names[version.row], version)


def _version(columns: ClusterColumns, pod: int, node: str, *, started_ns: int | None = None) -> PodVersion:
    pods = columns.pods
    nominated = int(pods.nominated[pod])
    return PodVersion(
        row=pod,
        key=pods.key(pod),
        scheduler=pods.schedulers[pods.scheduler[pod]],
        node=node,
        nominated=columns.nodes.names[nominated] if nominated >= 0 else "",
        phase=int(pods.phase[pod]),
        started_ns=int(pods.started_ns[pod]) if started_ns is None else started_ns,
        is_terminating=bool(pods.terminating[pod]),
        is_preempted=bool(pods.preempted[pod]),
        has_status=True,
    )


def _copy(pods: PodColumns) -> PodColumns:
    """Columns of which those may be changed that a simulation changes."""
    return replace(
        pods,
        template=pods.template.copy(),
        node=pods.node.copy(),
        nominated=pods.nominated.copy(),
        started_ns=pods.started_ns.copy(),
        terminating=pods.terminating.copy(),
        preempted=pods.preempted.copy(),
    )
