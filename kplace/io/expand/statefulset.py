"""StatefulSets: pods by ordinal, each with its own claims."""

from collections.abc import Iterator, Sequence

from msgspec import structs

from kplace.io.expand.naming import template_hash
from kplace.io.expand.owners import active_count, is_active, latest_label, namespace_of
from kplace.io.expand.replicas import replicas_of
from kplace.io.expand.work import REVISION_LABEL, Expansion, made_pod, reference_to
from kplace.objects.core import Pod, PodSpec, PodTemplateSpec, Volume
from kplace.objects.meta import LabelSelector
from kplace.objects.storage import ClaimVolumeSource
from kplace.objects.workloads import StatefulSet

POD_NAME_LABEL = "statefulset.kubernetes.io/pod-name"
POD_INDEX_LABEL = "apps.kubernetes.io/pod-index"


def expand_stateful_set(item: StatefulSet, source: str, work: Expansion) -> None:
    """Make the pods of a StatefulSet whose ordinals are missing.

    Notes
    -----
    A pod that has ended or is being deleted keeps its name until its object is gone, and the real controller waits
    for that. So no second pod of the name is made here either, nor one whose name a stranger has; a note says so.
    """
    meta = item.metadata
    owned = work.owned.of("StatefulSet", meta)
    wanted = replicas_of(item.spec.replicas)
    work.say_surplus("StatefulSet", meta, active_count(owned), wanted)
    start = item.spec.ordinals.start if item.spec.ordinals else 0
    present = {row.name for row, _ in filter(is_active, owned)}
    missing = [ordinal for ordinal in range(start, start + wanted) if f"{meta.name}-{ordinal}" not in present]
    template = work.usable("StatefulSet", meta, item.spec.template, len(missing))
    if template is not None:
        revision = latest_label(owned, REVISION_LABEL) or f"{meta.name}-{template_hash(template)}"
        work.add("StatefulSet", _pods(item, template, missing, revision, work), source)


def _pods(
    item: StatefulSet, template: PodTemplateSpec, ordinals: Sequence[int], revision: str, work: Expansion
) -> Iterator[Pod]:
    namespace = namespace_of(item.metadata)
    owner = reference_to("StatefulSet", item.metadata)
    for ordinal in ordinals:
        name = f"{item.metadata.name}-{ordinal}"
        if not work.names.take(namespace, name):
            work.say_held("StatefulSet", item.metadata, name)
            continue
        labels = {POD_NAME_LABEL: name, POD_INDEX_LABEL: str(ordinal), REVISION_LABEL: revision}
        spec = _with_claims(template.spec, item, name)
        _make_claims(item, name, namespace, work)
        yield made_pod(template, name, namespace, owner, labels=labels, spec=spec)


def _make_claims(item: StatefulSet, pod: str, namespace: str, work: Expansion) -> None:
    """Make a pod's claims; they carry the labels that the set selects by (``getPersistentVolumeClaims``)."""
    selector = item.spec.selector
    selected = selector.match_labels if isinstance(selector, LabelSelector) else selector
    for template in item.spec.volume_claim_templates or ():
        meta = structs.replace(
            template.metadata,
            name=f"{template.metadata.name}-{pod}",
            namespace=namespace,
            labels={**(template.metadata.labels or {}), **(selected or {})} or None,
        )
        work.claims.make(template, meta)


def _with_claims(spec: PodSpec, item: StatefulSet, pod: str) -> PodSpec:
    """Volumes of the claim templates come first and hide the pod template's of the same name (``updateStorage``)."""
    claims = [claim.metadata.name for claim in item.spec.volume_claim_templates or ()]
    if not claims:
        return spec
    own = [Volume(name=name, persistent_volume_claim=ClaimVolumeSource(claim_name=f"{name}-{pod}")) for name in claims]
    rest = [volume for volume in spec.volumes or () if volume.name not in claims]
    return structs.replace(spec, volumes=(*own, *rest))
