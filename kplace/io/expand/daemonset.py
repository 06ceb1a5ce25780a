"""DaemonSets: one pod on each node that one may run on."""

from collections.abc import Iterator, Sequence

import numpy as np
from msgspec import structs

from kplace.columns.node_selectors import NAME_FIELD, required_node_affinity_mask
from kplace.columns.nodes import NodeColumns
from kplace.dtypes import Mask
from kplace.io.expand.naming import template_hash
from kplace.io.expand.owners import OwnedPod, is_finished, latest_label, namespace_of
from kplace.io.expand.work import REVISION_LABEL, Expansion, made_pod, reference_to
from kplace.objects.core import Affinity, NodeAffinity, Pod, PodSpec, PodTemplateSpec, Toleration
from kplace.objects.meta import NodeSelector, NodeSelectorTerm, ObjectMeta, SelectorRequirement
from kplace.objects.workloads import DaemonSet
from kplace.plugins.tolerations import NO_EXECUTE, NO_SCHEDULE, first_untolerated

GENERATION_LABEL = "pod-template-generation"
GENERATION_ANNOTATION = "deprecated.daemonset.template.generation"

_TOLERATED = (
    ("node.kubernetes.io/not-ready", NO_EXECUTE),
    ("node.kubernetes.io/unreachable", NO_EXECUTE),
    ("node.kubernetes.io/disk-pressure", NO_SCHEDULE),
    ("node.kubernetes.io/memory-pressure", NO_SCHEDULE),
    ("node.kubernetes.io/pid-pressure", NO_SCHEDULE),
    ("node.kubernetes.io/unschedulable", NO_SCHEDULE),
)
_TOLERATED_ON_HOST_NETWORK = (("node.kubernetes.io/network-unavailable", NO_SCHEDULE),)


def expand_daemon_set(item: DaemonSet, source: str, work: Expansion) -> None:
    """Make a pod for each node on which a DaemonSet may run and has none (upstream ``podsShouldBeOnNode``).

    Notes
    -----
    A pod that is being deleted still has its node, as upstream has it; one that has ended is replaced.
    """
    meta = item.metadata
    owned = work.owned.of("DaemonSet", meta)
    covered = {target_node(pod) for pod in owned if not is_finished(pod)}
    spec = with_daemon_tolerations(item.spec.template.spec if item.spec.template else PodSpec())
    nodes = work.nodes
    allowed, in_input_order = may_run(nodes, spec), np.argsort(nodes.arrival)
    names = [nodes.names[n] for n in in_input_order[allowed[in_input_order]].tolist()]
    lacking = [name for name in names if name not in covered]
    template = work.usable("DaemonSet", meta, item.spec.template, len(lacking))
    if template is not None:
        labels = _revision_labels(meta, template, owned)
        work.add("DaemonSet", _pods(meta, structs.replace(template, spec=spec), lacking, labels, work), source)


def may_run(nodes: NodeColumns, spec: PodSpec) -> Mask:
    """Nodes on which a DaemonSet's pod should run (upstream ``NodeShouldRunDaemonPod``).

    Parameters
    ----------
    nodes : NodeColumns
    spec : PodSpec
        With the tolerations of `with_daemon_tolerations`.

    Returns
    -------
    bool ndarray, shape (n_nodes,)
        Where node selector and required node affinity match and no NoSchedule or NoExecute taint is left untolerated.
    """
    tolerations = spec.tolerations or ()
    untainted = np.array([first_untolerated(taints, tolerations) < 0 for taints in nodes.taint_sets], np.bool_)
    mask = required_node_affinity_mask(nodes, spec) & untainted[nodes.taint_set]
    if spec.node_name:
        mask &= np.array([name == spec.node_name for name in nodes.names], np.bool_)
    return mask


def with_daemon_tolerations(spec: PodSpec) -> PodSpec:
    """Add the tolerations that the controller gives to all its pods (upstream ``AddOrUpdateDaemonPodTolerations``)."""
    tolerations = list(spec.tolerations or ())
    for key, effect in _TOLERATED + (_TOLERATED_ON_HOST_NETWORK if spec.host_network else ()):
        added = Toleration(key=key, operator="Exists", effect=effect)
        same = [index for index, old in enumerate(tolerations) if _identity(old) == _identity(added)]
        for index in same:
            tolerations[index] = added
        if not same:
            tolerations.append(added)
    return structs.replace(spec, tolerations=tuple(tolerations))


def pinned(spec: PodSpec, node: str) -> PodSpec:
    """Require the node by its name (upstream ``ReplaceDaemonSetPodNodeNameNodeAffinity``).

    The one term takes the place of all required terms of the template, which the node is known to match.
    """
    term = NodeSelectorTerm(match_fields=(SelectorRequirement(NAME_FIELD, "In", (node,)),))
    affinity = spec.affinity or Affinity()
    preferred = affinity.node_affinity.preferred if affinity.node_affinity else None
    node_affinity = NodeAffinity(required=NodeSelector((term,)), preferred=preferred)
    return structs.replace(spec, affinity=structs.replace(affinity, node_affinity=node_affinity))


def unpinned(spec: PodSpec) -> PodSpec:
    """Require no node by its name: `pinned` taken back, but for the terms that it took the place of.

    Examples
    --------
    >>> unpinned(pinned(PodSpec(), "a")) == PodSpec()
    True
    """
    affinity = spec.affinity
    required = affinity.node_affinity.required if affinity and affinity.node_affinity else None
    if affinity is None or affinity.node_affinity is None or required is None:
        return spec
    terms = tuple(term for term in required.node_selector_terms or () if not _names_a_node(term))
    kept = structs.replace(affinity.node_affinity, required=NodeSelector(terms) if terms else None)
    left = structs.replace(affinity, node_affinity=None if kept == NodeAffinity() else kept)
    return structs.replace(spec, affinity=None if left == Affinity() else left)


def _names_a_node(term: NodeSelectorTerm) -> bool:
    return any(item.key == NAME_FIELD for item in term.match_fields or ())


def target_node(pod: OwnedPod) -> str:
    """The node that a pod is bound to or else pinned to; empty if neither (upstream ``GetTargetNodeName``)."""
    row, key = pod
    affinity = key.spec.affinity.node_affinity if key.spec.affinity else None
    terms = (affinity.required.node_selector_terms if affinity and affinity.required else None) or ()
    names = [
        field.values[0]
        for term in terms
        for field in term.match_fields or ()
        if field.key == NAME_FIELD and field.operator == "In" and field.values
    ]
    return row.node or next(iter(names), "")


def _identity(toleration: Toleration) -> tuple[str, str, str, str]:
    """What makes two tolerations the same one (upstream ``MatchToleration``): all but the seconds."""
    return toleration.key, toleration.operator, toleration.value, toleration.effect


def _revision_labels(meta: ObjectMeta, template: PodTemplateSpec, owned: Sequence[OwnedPod]) -> dict[str, str]:
    labels = {REVISION_LABEL: latest_label(owned, REVISION_LABEL) or template_hash(template)}
    generation = (meta.annotations or {}).get(GENERATION_ANNOTATION)
    return labels | {GENERATION_LABEL: generation} if generation else labels


def _pods(
    meta: ObjectMeta, template: PodTemplateSpec, nodes: Sequence[str], labels: dict[str, str], work: Expansion
) -> Iterator[Pod]:
    namespace, owner = namespace_of(meta), reference_to("DaemonSet", meta)
    for node in nodes:
        name = f"{meta.name}-{node}"
        if not work.names.take(namespace, name):
            (name,) = work.names.numbered(namespace, name, 1)
        yield made_pod(template, name, namespace, owner, labels=labels, spec=pinned(template.spec, node))
