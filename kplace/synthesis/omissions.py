"""What a fitted description does not carry over, by name."""

from collections.abc import Callable, Iterator

import numpy as np

from kplace.columns import ClusterColumns, Note, Template
from kplace.columns.selectors import compile_selector
from kplace.objects.core import Affinity, PodAffinity, PodAffinityTerm
from kplace.synthesis.like_workloads import Targets, is_on_itself

_MOST_NAMES = 3


def omissions(columns: ClusterColumns) -> list[Note]:
    """Say what `kplace.synthesis.fitted` leaves out of a cluster: a note for each kind of thing, with whose it is.

    Parameters
    ----------
    columns : ClusterColumns
        Pods that have ended or are being deleted are passed over.

    Returns
    -------
    list of Note
    """
    pods = columns.pods
    living = pods.template[~pods.finished & ~pods.terminating]
    number = np.bincount(living, minlength=len(columns.templates))
    templates = [(item, int(many)) for item, many in zip(columns.templates, number.tolist(), strict=True) if many]
    targets = Targets(columns)
    kinds: dict[str, Callable[[Template], bool]] = {
        "affinity to pods of no other workload of the namespace": lambda item: _has_lost_terms(item, targets),
        "spread constraints on pods of other workloads": _has_spread_of_others,
        "volumes other than claims of StatefulSets": _has_volumes,
    }
    return [note for what, has in kinds.items() for note in _note(what, has, templates)]


def _note(what: str, has: Callable[[Template], bool], templates: list[tuple[Template, int]]) -> Iterator[Note]:
    found = [(template, many) for template, many in templates if has(template)]
    if found:
        names = list(dict.fromkeys(_name(template) for template, _ in found))
        rest = f" and {len(names) - _MOST_NAMES:,} more" if len(names) > _MOST_NAMES else ""
        many = sum(many for _, many in found)
        pods = "1 pod" if many == 1 else f"{many:,} pods"
        yield Note("not-fitted", f"not fitted: {what}, of {pods} ({', '.join(names[:_MOST_NAMES])}{rest})")


def _name(template: Template) -> str:
    owner = template.owner
    return f"{template.namespace}/{owner.name}" if owner is not None else f"a pod in {template.namespace}"


def _terms(side: PodAffinity | None) -> Iterator[PodAffinityTerm]:
    if side is not None:
        yield from side.required or ()
        yield from (item.pod_affinity_term for item in side.preferred or () if item.pod_affinity_term is not None)


def _has_lost_terms(template: Template, targets: Targets) -> bool:
    """Whether there are terms on pods of others which no workload could be found for, or which a DaemonSet has."""
    affinity = template.spec.affinity or Affinity()
    terms = [*_terms(affinity.pod_affinity), *_terms(affinity.pod_anti_affinity)]
    elsewhere = [term for term in terms if not is_on_itself(term, template)]
    if template.owner is not None and template.owner.kind == "DaemonSet":
        return bool(elsewhere)
    return any(not targets.of(term, template) for term in elsewhere)


def _has_spread_of_others(template: Template) -> bool:
    constraints = template.spec.topology_spread_constraints or ()
    return any(not compile_selector(item.label_selector).matches(template.labels) for item in constraints)


def _has_volumes(template: Template) -> bool:
    is_stateful = template.owner is not None and template.owner.kind == "StatefulSet"
    volumes = template.spec.volumes or ()
    return any(not is_stateful or volume.persistent_volume_claim is None for volume in volumes)
