"""Which events may help a pod that InterPodAffinity rejected.

Quirks of upstream that these hints share: terms are read without the labels of namespaces, and only a pod that *all*
terms of a kind mean counts, although one term is enough to reject. A pod that an existing pod's anti-affinity keeps
away is not woken when that pod leaves.
"""

from collections.abc import Sequence

from kplace.columns.selectors import compile_selector
from kplace.columns.templates import Template
from kplace.framework.events import Action, ClusterEvent, Happening, PodImage, Registration, Resource
from kplace.objects.core import PodAffinity, PodAffinityTerm
from kplace.plugins.interpodaffinity.terms import Scope


def after_pod_change(waiting: PodImage, happening: Happening) -> bool:
    """A pod on a node came that all affinity terms mean, or one left that all anti-affinity terms mean."""
    old, new = happening.pods
    if any(image is not None and not image.node for image in (old, new)):
        return False
    near, far = _required(waiting.template)
    if old is not None and new is not None:
        began = not _means(near, waiting, old) and _means(near, waiting, new)
        return began or (_means(far, waiting, old) and not _means(far, waiting, new))
    if new is not None:
        return _means(near, waiting, new)
    return old is not None and _means(far, waiting, old)


def after_node_change(waiting: PodImage, happening: Happening) -> bool:
    """A node has a new value of a key that affinity asks for, or lost the one that anti-affinity divides by."""
    old, new = happening.nodes
    if new is None:
        return False
    near, far = _required(waiting.template)
    after = new.node.metadata.labels or {}
    if old is None:
        return bool(far) or any(term.topology_key in after for term in near)
    before = old.node.metadata.labels or {}
    gained = any(
        term.topology_key in after and after[term.topology_key] != before.get(term.topology_key) for term in near
    )
    return gained or any(
        term.topology_key in before and before[term.topology_key] != after.get(term.topology_key) for term in far
    )


def _required(template: Template) -> tuple[Sequence[PodAffinityTerm], Sequence[PodAffinityTerm]]:
    """Required affinity and anti-affinity terms of a template."""
    affinity = template.spec.affinity
    if affinity is None:
        return (), ()
    near, far = affinity.pod_affinity or PodAffinity(), affinity.pod_anti_affinity or PodAffinity()
    return near.required or (), far.required or ()


def _means(terms: Sequence[PodAffinityTerm], waiting: PodImage, other: PodImage) -> bool:
    """Whether there are terms and all of them mean the other pod."""
    return bool(terms) and all(_scope(term, waiting.template).covers(other.template) for term in terms)


def _scope(term: PodAffinityTerm, template: Template) -> Scope:
    """What a term means if no namespace had labels."""
    selector = compile_selector(term.label_selector)
    if term.namespace_selector is None:
        return Scope(frozenset(term.namespaces or (template.namespace,)), selector)
    anywhere = compile_selector(term.namespace_selector).matches({})
    return Scope(None if anywhere else frozenset(term.namespaces or ()), selector)


REGISTRATIONS = (
    Registration(ClusterEvent(Resource.POD, Action.ADD | Action.UPDATE_POD_LABEL | Action.DELETE), after_pod_change),
    Registration(ClusterEvent(Resource.NODE, Action.ADD | Action.UPDATE_NODE_LABEL), after_node_change),
)
