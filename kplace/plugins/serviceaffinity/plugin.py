"""ServiceAffinity, which v1beta1 and policies have (``plugins/serviceaffinity`` of 1.22)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kplace.columns.cluster import ClusterColumns
from kplace.columns.nodes import NodeColumns
from kplace.columns.selectors import Selector
from kplace.columns.templates import Template
from kplace.dtypes import F64, I32, I64, MAX_NODE_SCORE, NO_VALUE, Mask
from kplace.framework import Cycle, NormalizeScorePlugin, PreFilterPlugin, ScorePlugin
from kplace.framework.events import Action, ClusterEvent, Registration, Resource
from kplace.framework.masks import MaskPlugin
from kplace.objects.core import Service
from kplace.plugins.serviceaffinity.args import ServiceAffinityArgs
from kplace.state import ClusterState

_NO_ROW = -1

REGISTRATIONS = (
    Registration(ClusterEvent(Resource.POD, Action.UPDATE | Action.DELETE)),
    Registration(ClusterEvent(Resource.NODE, Action.ADD | Action.UPDATE_NODE_LABEL)),
)
"""Upstream hears of services, too, which do not change here."""


@dataclass(frozen=True, slots=True)
class _Plan:
    """What follows from a template alone.

    Attributes
    ----------
    wanted : tuple of (str, str)
        Affinity labels that the pod's own node selector sets.
    open_keys : tuple of str
        The others, if the pod has a service: the first pod like it sets them.
    likes : int
        Row of the group counts for pods of the namespace with all of the pod's labels.
    served : int
        Row for the pods of its first service that are not being deleted.
    """

    wanted: tuple[tuple[str, str], ...]
    open_keys: tuple[str, ...]
    likes: int
    served: int


class ServiceAffinity:
    """Keeps the pods of a service on nodes with the same values of labels, and spreads them over those of others.

    Parameters
    ----------
    args : ServiceAffinityArgs, optional

    Notes
    -----
    Pods that already run are taken in the order of their nodes, and only the first one counts, whichever service it
    belongs to: it need only have the labels that the pod has.
    """

    name = "ServiceAffinity"
    reason = "node(s) didn't match service affinity"

    def __init__(self, args: ServiceAffinityArgs | None = None) -> None:
        self._args = args or ServiceAffinityArgs()

    def pre_filter(self, cycle: Cycle) -> None:
        """Let every pod through: what the filter needs is always at hand."""

    def filter(self, cycle: Cycle, nodes: I32) -> Mask:
        """Pass nodes with the labels of the pod's node selector, and for the others those of the first pod's node."""
        plan, columns = self._plan(cycle), cycle.state.columns.nodes
        passes = np.ones(len(nodes), np.bool_)
        for key, value in plan.wanted:
            passes &= _has(columns, key, value)[nodes]
        if plan.likes != _NO_ROW and (running := np.flatnonzero(cycle.state.groups.counts[plan.likes])).size:
            for key in plan.open_keys:
                codes = columns.label_codes(key)
                if codes[running[0]] != NO_VALUE:
                    passes &= codes[nodes] == codes[running[0]]
        return passes

    def couples(self, cycle: Cycle, template: Template) -> bool:
        """Whether pods of a template may set labels for the pod."""
        return self._plan(cycle).likes in cycle.state.groups.rows(template.code, terminating=False)

    def score(self, cycle: Cycle, nodes: I32) -> I64:
        """Pods of the first service of the pod on each of ``nodes``."""
        row = self._plan(cycle).served
        if row == _NO_ROW:
            return np.zeros(len(nodes), np.int64)
        return cycle.state.groups.counts[row, nodes].astype(np.int64)

    def normalize_score(self, cycle: Cycle, nodes: I32, scores: I64) -> None:
        """Mean over the labels to spread over: the fewer pods have a node's value, the better. Modified in place."""
        labels, columns = self._args.anti_affinity_labels_preference, cycle.state.columns.nodes
        total = np.zeros(len(nodes))
        for key in labels:
            total += _apart(columns.label_codes(key)[nodes], scores) / len(labels)
        scores[:] = total.astype(np.int64)

    def events_to_register(self) -> Sequence[Registration]:
        """Events that may help a pod which was rejected here."""
        return REGISTRATIONS if self._args.affinity_labels else ()

    def _plan(self, cycle: Cycle) -> _Plan:
        return cycle.compiled(self, lambda template: self._compile(cycle.state, template))

    def _compile(self, state: ClusterState, template: Template) -> _Plan:
        chosen = template.spec.node_selector or {}
        keys = dict.fromkeys(self._args.affinity_labels)
        services = services_of(state.columns, template)
        missing = tuple(key for key in keys if key not in chosen) if services else ()
        served = Selector.of_map(services[0].spec.selector or {}) if services else Selector()
        return _Plan(
            wanted=tuple((key, chosen[key]) for key in keys if key in chosen),
            open_keys=missing,
            likes=_row(state, template.namespace, Selector.of_map(template.labels)) if missing else _NO_ROW,
            served=_NO_ROW if served.is_empty else _row(state, template.namespace, served, skips_terminating=True),
        )


def services_of(columns: ClusterColumns, template: Template) -> list[Service]:
    """Services that select the pods of a template, in the input's order; an empty selector selects all."""
    return [
        item
        for item in columns.of_kind(Service)
        if (item.metadata.namespace or "default") == template.namespace
        and item.spec.selector is not None
        and item.spec.selector.items() <= template.labels.items()
    ]


def _row(state: ClusterState, namespace: str, selector: Selector, *, skips_terminating: bool = False) -> int:
    return state.group(
        (ServiceAffinity.name, namespace, selector, skips_terminating),
        lambda other: other.namespace == namespace and selector.matches(other.labels),
        skips_terminating=skips_terminating,
    )


def _has(columns: NodeColumns, key: str, value: str) -> Mask:
    """The nodes with a certain value of a label."""
    values = columns.label_values(key)
    return columns.label_codes(key) == values.index(value) if value in values else np.zeros(len(columns), np.bool_)


def _apart(codes: I32, pods: I64) -> F64:
    """Scores by a label: 100 for a value that none of the pods has, 0 for one that all have, and without the label."""
    labelled, score = codes != NO_VALUE, np.zeros(len(codes))
    total = int(pods.sum())
    if total == 0:
        score[labelled] = MAX_NODE_SCORE
    elif labelled.any():
        by_value = np.bincount(codes[labelled], weights=pods[labelled])
        score[labelled] = MAX_NODE_SCORE * ((total - by_value[codes[labelled]]) / total)
    return score


_pre_filter: type[PreFilterPlugin] = ServiceAffinity
_filter: type[MaskPlugin] = ServiceAffinity
_score: type[ScorePlugin] = ServiceAffinity
_normalize: type[NormalizeScorePlugin] = ServiceAffinity
