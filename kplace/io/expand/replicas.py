"""ReplicationControllers, ReplicaSets and Deployments: as many equal pods as there are replicas."""

from collections.abc import Iterator, Sequence

from msgspec import structs

from kplace.columns.builder import ClusterBuilder
from kplace.io.expand.naming import template_hash
from kplace.io.expand.owners import (
    POD_TEMPLATE_HASH,
    OwnedPod,
    active_count,
    namespace_of,
)
from kplace.io.expand.work import Expansion, made_pod, reference_to
from kplace.objects.core import Pod, PodTemplateSpec, ReplicationController
from kplace.objects.meta import LabelSelector, ObjectMeta, OwnerReference
from kplace.objects.workloads import ControllerSpec, Deployment, ReplicaSet, StatefulSet

REVISION = "deployment.kubernetes.io/revision"


def expand_replicas(item: ReplicaSet | ReplicationController, source: str, work: Expansion) -> None:
    """Make the pods that a ReplicaSet or a ReplicationController lacks."""
    kind = type(item).__name__
    wanted = replicas_of(item.spec.replicas)
    present = active_count(work.owned.of(kind, item.metadata))
    work.say_surplus(kind, item.metadata, present, wanted)
    template = work.usable(kind, item.metadata, item.spec.template, wanted - present)
    if template is not None:
        work.add(
            kind, _pods(template, reference_to(kind, item.metadata), item.metadata, wanted - present, work), source
        )


def expand_deployment(item: Deployment, owned: Sequence[ReplicaSet], source: str, work: Expansion) -> None:
    """Make the pods that a Deployment lacks, under its current ReplicaSet or one made up for it.

    Parameters
    ----------
    owned : sequence of ReplicaSet
        The Deployment's ReplicaSets in the input: their pods count, and they are not expanded by themselves.
    """
    meta = item.metadata
    wanted = replicas_of(item.spec.replicas)
    present = active_count(_pods_of_deployment(meta, owned, work))
    work.say_surplus("Deployment", meta, present, wanted)
    current = _current(owned)
    template = current.spec.template if current else None
    if template is None or not template.spec.containers:
        template = item.spec.template
    template = work.usable("Deployment", meta, template, wanted - present)
    if template is None:
        return
    if current is None:
        current = _made_replica_set(item, template, work.owned.replica_sets_of(meta))
        work.builder.objects.setdefault("ReplicaSet", []).append(current)
    owner = reference_to("ReplicaSet", current.metadata)
    pods = _pods(_with_hash_of(template, current), owner, meta, wanted - present, work)
    work.add("Deployment", pods, source)


def default_selectors(builder: ClusterBuilder) -> None:
    """Give controllers without a selector that of their template's labels, as the API server used to.

    It still does so for a ReplicationController; manifests of the first days of the others lean on it as well.
    """
    for kind in ("ReplicationController", "ReplicaSet", "StatefulSet"):
        items = builder.objects.get(kind, [])
        for index, item in enumerate(items):
            if not isinstance(item, ReplicationController | ReplicaSet | StatefulSet):
                continue
            labels = item.spec.template.metadata.labels if item.spec.template else None
            if item.spec.selector is None and labels:
                selector = labels if isinstance(item, ReplicationController) else LabelSelector(match_labels=labels)
                items[index] = structs.replace(item, spec=structs.replace(item.spec, selector=selector))


def replicas_of(replicas: int | None) -> int:
    """How many replicas are wanted: one where the field is not set, as the API server has it."""
    return 1 if replicas is None else replicas


def _pods(
    template: PodTemplateSpec, owner: OwnerReference, meta: ObjectMeta, lacking: int, work: Expansion
) -> Iterator[Pod]:
    namespace = namespace_of(meta)
    for name in work.names.numbered(namespace, owner.name, lacking):
        yield made_pod(template, name, namespace, owner)


def _pods_of_deployment(meta: ObjectMeta, owned: Sequence[ReplicaSet], work: Expansion) -> list[OwnedPod]:
    """Pods of all its ReplicaSets, in the input or only named by pods, and those that name the Deployment itself."""
    pods = work.owned.of("Deployment", meta)
    for item in owned:
        pods += work.owned.of("ReplicaSet", item.metadata)
    known = {item.metadata.name for item in owned}
    for owner in work.owned.replica_sets_of(meta):
        if owner.name not in known:
            pods += work.owned.of("ReplicaSet", ObjectMeta(name=owner.name, namespace=meta.namespace))
    return pods


def _current(owned: Sequence[ReplicaSet]) -> ReplicaSet | None:
    """The ReplicaSet that new pods belong to: of the highest revision, else the newest, else the last in the input."""
    ranked = [(_revision(item), item.metadata.creation_timestamp or "", index) for index, item in enumerate(owned)]
    return owned[max(ranked)[2]] if ranked else None


def _revision(item: ReplicaSet) -> int:
    text = (item.metadata.annotations or {}).get(REVISION, "")
    return int(text) if text.isdecimal() else 0


def _made_replica_set(item: Deployment, template: PodTemplateSpec, named: Sequence[OwnerReference]) -> ReplicaSet:
    """Make up the ReplicaSet of a Deployment that has none in the input; pods may name one that is not there."""
    meta = item.metadata
    name = named[-1].name if named else f"{meta.name}-{template_hash(template)}"
    label = {POD_TEMPLATE_HASH: name.removeprefix(f"{meta.name}-")}
    labels = (template.metadata.labels or {}) | label
    selector = item.spec.selector or LabelSelector(match_labels=template.metadata.labels)
    return ReplicaSet(
        metadata=ObjectMeta(
            name=name,
            namespace=namespace_of(meta),
            uid=named[-1].uid if named else "",
            labels=labels,
            owner_references=(reference_to("Deployment", meta),),
        ),
        spec=ControllerSpec(
            replicas=item.spec.replicas,
            selector=structs.replace(selector, match_labels=(selector.match_labels or {}) | label),
            template=_labelled(template, label),
        ),
    )


def _with_hash_of(template: PodTemplateSpec, replica_set: ReplicaSet) -> PodTemplateSpec:
    """Return the template with the hash label of its ReplicaSet, which a Deployment's own template does not have."""
    selector = replica_set.spec.selector
    known = (selector.match_labels if selector else None) or replica_set.metadata.labels or {}
    value = known.get(POD_TEMPLATE_HASH)
    return _labelled(template, {POD_TEMPLATE_HASH: value}) if value else template


def _labelled(template: PodTemplateSpec, labels: dict[str, str]) -> PodTemplateSpec:
    meta = template.metadata
    return structs.replace(template, metadata=structs.replace(meta, labels={**(meta.labels or {}), **labels}))
