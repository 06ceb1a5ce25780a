"""A change that may let a pod in, and the cluster with it."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from msgspec import structs

from kplace.columns import ClusterColumns, Template
from kplace.columns.addition import with_template
from kplace.columns.nodes import LabelColumn
from kplace.columns.release import CORDON
from kplace.columns.vocab import Vocabulary
from kplace.dtypes import I64
from kplace.objects.core import PodSpec

KINDS = (
    "request",
    "toleration",
    "node selector",
    "node affinity",
    "spread",
    "pod affinity",
    "pod anti-affinity",
    "host port",
    "volume",
    "priority",
    "uncordon",
    "label",
    "eviction",
    "node",
)
"""Kinds of changes, in the order in which they are told: first those of the pod, then those of the cluster."""


@dataclass(frozen=True, slots=True)
class Change:
    """A single change.

    Attributes
    ----------
    kind : str
        One of `KINDS`.
    text : str
        The change, for people.
    size : float
        How much it takes; of one kind the smaller is the better.
    apply : callable
        Gives the cluster with it: only what is tried has to be made.
    pod : int
        The pod's index there.
    """

    kind: str
    text: str
    size: float
    apply: Callable[[], ClusterColumns]
    pod: int


def with_own_template(columns: ClusterColumns, pod: int, template: Template) -> ClusterColumns:
    """The cluster with another template for one pod."""
    columns, code = with_template(columns, template)
    codes = columns.pods.template.copy()
    codes[pod] = code
    return replace(columns, pods=replace(columns.pods, template=codes))


def with_spec(columns: ClusterColumns, pod: int, spec: PodSpec) -> ClusterColumns:
    """The cluster with another spec for one pod; what it requests stays."""
    template = columns.templates[columns.pods.template[pod]]
    return with_own_template(columns, pod, replace(template, spec=spec))


def with_priority(columns: ClusterColumns, pod: int, priority: int) -> ClusterColumns:
    """The cluster with another priority of one pod, which may push others out."""
    template = columns.templates[columns.pods.template[pod]]
    spec = structs.replace(template.spec, priority=priority, preemption_policy=None)
    changed = with_own_template(columns, pod, replace(template, spec=spec, priority=priority))
    priorities = changed.pods.priority.copy()
    priorities[pod] = priority
    return replace(changed, pods=replace(changed.pods, priority=priorities))


def with_request(columns: ClusterColumns, pod: int, request: I64) -> ClusterColumns:
    """The cluster with another request of one pod, in filters and scores."""
    template = columns.templates[columns.pods.template[pod]]
    lower = np.minimum(template.scored_request, np.where(request < template.request, request, template.scored_request))
    non_zero = np.minimum(template.non_zero_request, np.maximum(request[:2], 1))
    changed = replace(template, request=request, scored_request=lower, non_zero_request=non_zero)
    return with_own_template(columns, pod, changed)


def uncordoned(columns: ClusterColumns, node: int) -> ClusterColumns:
    """The cluster with a node that takes pods again."""
    nodes = columns.nodes
    unschedulable = nodes.unschedulable.copy()
    unschedulable[node] = False
    wanted = tuple(taint for taint in nodes.taint_sets[nodes.taint_set[node]] if taint != CORDON)
    sets = {taints: code for code, taints in enumerate(nodes.taint_sets)}
    taint_set = nodes.taint_set.copy()
    taint_set[node] = sets.setdefault(wanted, len(sets))
    changed = replace(nodes, unschedulable=unschedulable, taint_set=taint_set, taint_sets=tuple(sets))
    return replace(columns, nodes=changed)


def with_label(columns: ClusterColumns, node: int, key: str, value: str) -> ClusterColumns:
    """The cluster with a label on a node."""
    nodes = columns.nodes
    codes, values = nodes.label_codes(key).copy(), Vocabulary(nodes.label_values(key))
    codes[node] = values.code(value)
    labels = dict(nodes.labels) | {key: LabelColumn(codes, tuple(values))}
    return replace(columns, nodes=replace(nodes, labels=labels))
