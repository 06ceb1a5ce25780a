"""A cluster with more pods or nodes than it has."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import msgspec
import numpy as np

from kplace.columns.cluster import ClusterColumns, SourceObject
from kplace.columns.nodes import LabelColumn, NodeColumns
from kplace.columns.pods import PodColumns
from kplace.columns.rebuilt import NodeObjects
from kplace.columns.removal import in_snapshot_order, rearranged, taken
from kplace.columns.resources import BASE_RESOURCES
from kplace.columns.templates import Template
from kplace.columns.vocab import Vocabulary
from kplace.dtypes import I8, I32, I64, NO_NODE, NO_TIME, NO_VALUE, Mask, Phase

HOSTNAME = "kubernetes.io/hostname"
ADDED = "<added>"
"""What stands in the place of a file for what was added."""


def with_templates(columns: ClusterColumns, added: ClusterColumns) -> tuple[ClusterColumns, list[int]]:
    """Let a cluster know the templates of another one, and the resources that they name.

    Parameters
    ----------
    added : ClusterColumns
        Its templates and the labels of their namespaces are taken over; labels that are known already stay.

    Returns
    -------
    columns : ClusterColumns
    codes : list of int
        What the templates of ``added`` are now.
    """
    columns = with_resources(columns, added.resources)
    positions = [columns.resources.find(name) for name in added.resources]
    first, shape = len(columns.templates), 1 + max((item.shape for item in columns.templates), default=-1)
    templates = [
        replace(
            item,
            code=first + item.code,
            shape=shape + item.shape,
            request=_moved(item.request, positions, len(columns.resources)),
            scored_request=_moved(item.scored_request, positions, len(columns.resources)),
        )
        for item in added.templates
    ]
    together = replace(
        columns,
        templates=[*columns.templates, *templates],
        namespace_labels=dict(added.namespace_labels) | dict(columns.namespace_labels),
    )
    return together, list(range(first, first + len(templates)))


def with_template(columns: ClusterColumns, template: Template) -> tuple[ClusterColumns, int]:
    """Let a cluster know one more template, of its own resources; also returns its code."""
    code, shape = len(columns.templates), 1 + max((item.shape for item in columns.templates), default=-1)
    return replace(columns, templates=[*columns.templates, replace(template, code=code, shape=shape)]), code


def with_resources(columns: ClusterColumns, more: Vocabulary) -> ClusterColumns:
    """Let a cluster know further resources, which its nodes do not offer and its pods do not request."""
    extra = {*columns.resources, *more}.difference(BASE_RESOURCES)
    if len(extra) + len(BASE_RESOURCES) == len(columns.resources):
        return columns
    resources = Vocabulary([*BASE_RESOURCES, *sorted(extra)])
    positions = [resources.find(name) for name in columns.resources]
    allocatable = np.zeros((len(resources), len(columns.nodes)), np.int64)
    allocatable[positions] = columns.nodes.allocatable
    templates = [
        replace(
            item,
            request=_moved(item.request, positions, len(resources)),
            scored_request=_moved(item.scored_request, positions, len(resources)),
        )
        for item in columns.templates
    ]
    return replace(
        columns, resources=resources, templates=templates, nodes=replace(columns.nodes, allocatable=allocatable)
    )


def _moved(vector: I64, positions: Sequence[int], length: int) -> I64:
    longer = np.zeros(length, np.int64)
    longer[list(positions)] = vector
    return longer


def with_pods(
    columns: ClusterColumns, templates: Sequence[int], names: Sequence[str], nodes: Sequence[int] | None = None
) -> ClusterColumns:
    """Build the same cluster with more pods, after all others.

    Parameters
    ----------
    templates : sequence of int
        Codes of the new pods' templates, one for each pod.
    names : sequence of str
    nodes : sequence of int, optional
        Where they run; by default they wait.
    """
    old, number = columns.pods, len(names)
    template = np.array(templates, np.int32)
    namespaces, schedulers = Vocabulary(old.namespaces), Vocabulary(old.schedulers)
    node: I32 = np.full(number, NO_NODE, np.int32) if nodes is None else np.array(nodes, np.int32)
    phase: I8 = np.where(node >= 0, Phase.RUNNING, Phase.PENDING).astype(np.int8)
    nothing: Mask = np.zeros(number, np.bool_)
    never: I64 = np.full(number, NO_TIME, np.int64)
    of_template = np.zeros((3, len(columns.templates)), np.int64)
    for code in dict.fromkeys(template.tolist()):
        item = columns.templates[code]
        of_template[:, code] = namespaces.code(item.namespace), schedulers.code(item.spec.scheduler_name), item.priority
    namespace, scheduler, priority = of_template[:, template]
    pods = PodColumns(
        names=[*old.names, *names],
        uids=[*old.uids, *[""] * number],
        namespace=_joined(old.namespace, namespace),
        namespaces=namespaces,
        template=_joined(old.template, template),
        node=_joined(old.node, node),
        nominated=_joined(old.nominated, np.full(number, NO_NODE)),
        priority=np.concatenate([old.priority, priority]),
        created_ns=np.concatenate([old.created_ns, never]),
        started_ns=np.concatenate([old.started_ns, never]),
        lasts_ns=np.concatenate([old.lasts_ns, never]),
        terminating=np.concatenate([old.terminating, nothing]),
        preempted=np.concatenate([old.preempted, nothing]),
        phase=np.concatenate([old.phase, phase]),
        scheduler=_joined(old.scheduler, scheduler),
        schedulers=schedulers,
        made=np.concatenate([old.made, ~nothing]),
    )
    return replace(columns, pods=pods)


def _joined(old: I32, new: Sequence[int] | I32 | I64) -> I32:
    return np.concatenate([old, np.asarray(new, np.int32)]).astype(np.int32)


def free_names(columns: ClusterColumns, namespace: str, stem: str, number: int) -> list[str]:
    """Names for pods that are made up, none of which a pod of the namespace has.

    Examples
    --------
    >>> from kplace.columns import ClusterBuilder
    >>> free_names(ClusterBuilder().finish(), "default", "web", 2)
    ['web-00000', 'web-00001']
    """
    code = columns.pods.namespaces.find(namespace)
    own = (columns.pods.namespace == code).nonzero()[0].tolist() if code >= 0 else ()
    used = {columns.pods.names[pod] for pod in own}
    names: list[str] = []
    position = 0
    while len(names) < number:
        name = f"{stem}-{position:05d}"
        if name not in used:
            names.append(name)
        position += 1
    return names


def with_nodes(
    columns: ClusterColumns, others: ClusterColumns, like: Sequence[int], names: Sequence[str]
) -> ClusterColumns:
    """Build the same cluster with more nodes, added after all others.

    Parameters
    ----------
    others : ClusterColumns
        Where the nodes are that the new ones are made after; it may be ``columns`` itself.
    like : sequence of int
        For each new node, the index in ``others`` of the one that it is like in all but its name and its label
        ``kubernetes.io/hostname``. What is on that node is not taken over.
    names : sequence of str
        What the new nodes are called; none of them is there yet.
    """
    if not len(names):
        return columns
    columns, others = with_resources(columns, others.resources), with_resources(others, columns.resources)
    joined = _joined_nodes(columns.nodes, others.nodes, np.array(like, np.int32), list(names))
    listed = in_snapshot_order(joined, np.arange(len(joined)))
    was = np.where(listed < len(columns.nodes), listed, -1).astype(np.int32)
    sources = list(columns.sources)
    if not len(columns.nodes) or any(item.kind == "Node" for item in sources):
        sources += _node_sources(others, like, names)
    return rearranged(columns, taken(joined, listed), was, sources)


def _joined_nodes(old: NodeColumns, others: NodeColumns, like: I32, names: list[str]) -> NodeColumns:
    """Nodes with others behind them, not yet in snapshot order."""
    sets = {taints: code for code, taints in enumerate(old.taint_sets)}
    taints = [sets.setdefault(others.taint_sets[code], len(sets)) for code in others.taint_set[like].tolist()]
    labels = {
        key: _with_hosts(old, others.label_codes(key)[like], names)
        if key == HOSTNAME
        else _joined_label(old, others, like, key)
        for key in dict.fromkeys([*old.labels, *others.labels])
    }
    together = [*old.names, *names]
    return NodeColumns(
        names=together,
        index={name: n for n, name in enumerate(together)},
        arrival=_joined(old.arrival, np.arange(len(old), len(together))),
        labels=labels,
        annotations=(*old.annotations, *(others.annotations[n] for n in like.tolist())),
        taint_sets=tuple(sets),
        taint_set=_joined(old.taint_set, taints),
        unschedulable=np.concatenate([old.unschedulable, others.unschedulable[like]]),
        allocatable=np.concatenate([old.allocatable, others.allocatable[:, like]], axis=1),
        allowed_pods=np.concatenate([old.allowed_pods, others.allowed_pods[like]]),
        images=old.images,
    )


def _joined_label(old: NodeColumns, others: NodeColumns, like: I32, key: str) -> LabelColumn:
    values = Vocabulary(old.label_values(key))
    table = np.array([*(values.code(value) for value in others.label_values(key)), NO_VALUE], np.int32)
    return LabelColumn(_joined(old.label_codes(key), table[others.label_codes(key)[like]]), tuple(values))


def _with_hosts(old: NodeColumns, codes: I32, names: Sequence[str]) -> LabelColumn:
    """The label of the host's name: a new node that is like one with the label has its own name there."""
    values = Vocabulary(old.label_values(HOSTNAME))
    own = [
        values.code(name) if code != NO_VALUE else NO_VALUE for name, code in zip(names, codes.tolist(), strict=True)
    ]
    return LabelColumn(_joined(old.label_codes(HOSTNAME), own), tuple(values))


_NODE = b'{"apiVersion":"v1","kind":"Node",%b'


def _node_sources(others: ClusterColumns, like: Sequence[int], names: Sequence[str]) -> Iterator[SourceObject]:
    """Objects of the new nodes; those of the others stand in order of addition, or have to be made."""
    raw = [item.raw for item in others.sources if item.kind == "Node"]
    made = NodeObjects(others)
    for n, name in zip(like, names, strict=True):
        text = raw[others.nodes.arrival[n]] if raw else _NODE % msgspec.json.encode(made[n])[1:]
        node: dict[str, Any] = msgspec.json.decode(text)
        meta, status = node.get("metadata") or {}, node.get("status") or {}
        labels = dict(meta.get("labels") or {})
        if HOSTNAME in labels:
            labels[HOSTNAME] = name
        node["metadata"] = {"name": name, "labels": labels, "annotations": meta.get("annotations") or {}}
        node["status"] = {key: value for key, value in status.items() if key != "images"}
        yield SourceObject("Node", ADDED, msgspec.json.encode(node))
