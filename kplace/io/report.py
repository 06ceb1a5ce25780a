"""What a user should know about an input before trusting a result: what was left out, and what is missing."""

from collections import Counter
from collections.abc import Iterable, Iterator

import numpy as np

from kplace.columns import ClusterColumns, Note, Template
from kplace.columns.pods import UNKNOWN_NODE
from kplace.dtypes import I64, NO_NODE
from kplace.io.storage_report import storage_notes
from kplace.objects.core import Affinity, PodAffinityTerm
from kplace.objects.defaulting import BUILT_IN_PRIORITIES

_SHOWN = 3
OWNER_KINDS = ("ReplicationController", "ReplicaSet", "StatefulSet")


def input_notes(columns: ClusterColumns, schedulers: Iterable[str]) -> list[Note]:
    """Notes about pods that are not placed and about objects that rules would need but the input lacks.

    Parameters
    ----------
    columns : ClusterColumns
    schedulers : iterable of str
        The scheduler names that pods are placed for.
    """
    return [*_left_out(columns, set(schedulers)), *_missing(columns), *storage_notes(columns)]


def _left_out(columns: ClusterColumns, schedulers: set[str]) -> Iterator[Note]:
    pods = columns.pods
    finished = np.flatnonzero(pods.finished)
    if len(finished):
        yield Note(
            "finished-pods", f"{_count(len(finished), 'pod')} ran to the end (Succeeded or Failed): they hold nothing"
        )
    yield from foreign_notes(columns, schedulers)
    lost = np.flatnonzero((pods.node == UNKNOWN_NODE) & ~pods.finished)
    if len(lost):
        yield Note(
            "unknown-nodes",
            f"{_count(len(lost), 'pod')} bound to a node that is not in the input: {_some(columns, lost)} "
            "(they take up no room on the nodes that are)",
        )
    leaving = np.flatnonzero((pods.node == NO_NODE) & pods.terminating & ~pods.finished)
    if len(leaving):
        yield Note(
            "terminating-pods",
            f"{_count(len(leaving), 'waiting pod')} being deleted and not placed: {_some(columns, leaving)}",
        )


def foreign_notes(columns: ClusterColumns, schedulers: Iterable[str]) -> Iterator[Note]:
    """Notes about waiting pods of schedulers that are not among ``schedulers``."""
    pods, known = columns.pods, set(schedulers)
    foreign = Counter(pods.schedulers[code] for code in pods.scheduler[np.flatnonzero(pods.waiting)].tolist())
    for name, number in sorted(foreign.items()):
        if name not in known:
            yield Note("other-schedulers", f'{_count(number, "waiting pod")} left to the scheduler "{name}"')


def _missing(columns: ClusterColumns) -> Iterator[Note]:
    if not len(columns.nodes):
        yield Note("no-nodes", "the input has no Node objects: nothing can be placed")
    elif not columns.nodes.allowed_pods.all():
        number = int((columns.nodes.allowed_pods == 0).sum())
        yield Note(
            "no-pod-limit", f'{_count(number, "node")} without allocatable "pods": to the scheduler they are full'
        )
    waiting = _waiting_templates(columns)
    if any(template.spec.resource_claims for template in waiting):
        yield Note(
            "resource-claims", "some waiting pods have resource claims (DRA): they are not looked at, any node will do"
        )
    spread_by_default = any(not template.spec.topology_spread_constraints for template in waiting)
    if spread_by_default and not columns.objects.get("Service") and not any(map(columns.objects.get, OWNER_KINDS)):
        yield Note(
            "no-default-spreading",
            "no Services, ReplicaSets, StatefulSets or ReplicationControllers in the input: "
            "default topology spreading cannot apply",
        )
    if not columns.objects.get("Namespace") and any(map(_selects_namespaces, waiting)):
        yield Note(
            "no-namespaces",
            "namespaceSelectors are used, but there are no Namespaces in the input: only their names are known",
        )
    yield from _missing_classes(columns, waiting)


def _missing_classes(columns: ClusterColumns, waiting: list[Template]) -> Iterator[Note]:
    known = _names(columns, "PriorityClass") | BUILT_IN_PRIORITIES.keys()
    unknown = {template.spec.priority_class_name for template in waiting if not template.priority} - known - {""}
    if unknown:
        yield Note(
            "no-priority-class", f"PriorityClasses that are not in the input count as 0: {', '.join(sorted(unknown))}"
        )
    runtimes = {template.spec.runtime_class_name for template in waiting if template.spec.overhead is None}
    absent = {name for name in runtimes if name} - _names(columns, "RuntimeClass")
    if absent:
        yield Note(
            "no-runtime-class", f"RuntimeClasses that are not in the input add no overhead: {', '.join(sorted(absent))}"
        )


def _waiting_templates(columns: ClusterColumns) -> list[Template]:
    waiting = np.unique(columns.pods.template[columns.pods.waiting])
    return [columns.templates[code] for code in waiting.tolist()]


def _names(columns: ClusterColumns, kind: str) -> set[str]:
    return {item.metadata.name for item in columns.objects.get(kind, ())}  # type: ignore[attr-defined]


def _selects_namespaces(template: Template) -> bool:
    affinity = template.spec.affinity or Affinity()
    terms: list[PodAffinityTerm] = []
    for side in (affinity.pod_affinity, affinity.pod_anti_affinity):
        if side is not None:
            terms += side.required or ()
            terms += [item.pod_affinity_term for item in side.preferred or () if item.pod_affinity_term]
    return any(term.namespace_selector is not None for term in terms)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _some(columns: ClusterColumns, pods: I64) -> str:
    names = [columns.pods.key(pod) for pod in pods[:_SHOWN].tolist()]
    rest = len(pods) - len(names)
    return ", ".join(names) + (f" and {rest:,} more" if rest else "")
