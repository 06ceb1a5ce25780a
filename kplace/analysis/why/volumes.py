"""Changes of claims and volumes that might let a pod in."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from msgspec import structs

from kplace.analysis.why.changes import Change
from kplace.columns import ClusterColumns
from kplace.columns.storage import Claim, claims_of_spec, ephemeral_claim_name
from kplace.columns.storage.claims import BIND_COMPLETED, SELECTED_NODE
from kplace.objects.meta import ObjectMeta, ResourceRequirements
from kplace.objects.storage import (
    ClaimStatus,
    PersistentVolume,
    PersistentVolumeClaim,
    PersistentVolumeClaimSpec,
    PersistentVolumeSpec,
    StorageClass,
    TypedReference,
)
from kplace.plugins import names

ABOUT_VOLUMES = (names.VOLUME_RESTRICTIONS, names.NODE_VOLUME_LIMITS, names.VOLUME_BINDING, names.VOLUME_ZONE)
MOST_CLASSES = 3
_MODES = ("ReadWriteOnce",)
_SIZE = "1Gi"
"""Of a claim that is not there: what it would ask for is not known."""


def volume_changes(columns: ClusterColumns, pod: int, says: Mapping[int, str]) -> Iterator[Change]:
    """A claim that lacks made, a fresh one in the place of one that is bound or promised, a volume for one without."""
    if not any(plugin in ABOUT_VOLUMES for plugin in says.values()):
        return
    claims = {(item.metadata.namespace or "default", item.metadata.name): item for item in _claims(columns)}
    template = columns.templates[columns.pods.template[pod]]
    for volume in claims_of_spec(template.spec):
        name = volume.claim or ephemeral_claim_name(columns.pods.names[pod], volume.ephemeral)
        item = claims.get((template.namespace, name))
        if item is None:
            yield from _missing(columns, pod, template.namespace, name)
        else:
            yield from _of_claim(columns, pod, Claim((template.namespace, name), item))


def _missing(columns: ClusterColumns, pod: int, namespace: str, name: str) -> Iterator[Change]:
    for storage_class in columns.of_kind(StorageClass)[:MOST_CLASSES]:
        claim = PersistentVolumeClaim(
            metadata=ObjectMeta(name=name, namespace=namespace),
            spec=PersistentVolumeClaimSpec(
                access_modes=_MODES,
                storage_class_name=storage_class.metadata.name,
                resources=ResourceRequirements(requests={"storage": _SIZE}),
            ),
        )
        text = f"make the claim {namespace}/{name}, of the class {storage_class.metadata.name}"
        yield Change("volume", text, 1, partial(_with_claims, columns, [*_claims(columns), claim]), pod)


def _of_claim(columns: ClusterColumns, pod: int, claim: Claim) -> Iterator[Change]:
    if claim.volume_name or claim.selected_node is not None:
        held = f"is bound to {claim.volume_name}" if claim.volume_name else f"waits for one on {claim.selected_node}"
        text = f"a fresh claim in the place of {claim.full_name}, which {held}"
        yield Change("volume", text, 1, partial(_with_claim, columns, _fresh(claim.item)), pod)
    if not claim.is_bound:
        size = f" of {claim.bytes // 2**20:,}Mi" if claim.bytes else ""
        of_class = f", class {claim.class_name}," if claim.class_name else ""
        text = f"make a volume{size}{of_class} that all nodes reach, for the claim {claim.full_name}"
        yield Change("volume", text, 2, partial(_with_volume, columns, claim), pod)


def _fresh(item: PersistentVolumeClaim) -> PersistentVolumeClaim:
    """A claim as it was before anybody had found a volume for it."""
    notes = {
        key: own for key, own in (item.metadata.annotations or {}).items() if key not in (BIND_COMPLETED, SELECTED_NODE)
    }
    meta = structs.replace(item.metadata, annotations=notes or None)
    return structs.replace(item, metadata=meta, spec=structs.replace(item.spec, volume_name=""), status=ClaimStatus())


def _with_volume(columns: ClusterColumns, claim: Claim) -> ClusterColumns:
    """The cluster with a claim bound to a volume of its own."""
    name, item = f"{claim.key[1]}-more", claim.item
    requests = (item.spec.resources or ResourceRequirements()).requests or {}
    volume = PersistentVolume(
        metadata=ObjectMeta(name=name),
        spec=PersistentVolumeSpec(
            capacity={"storage": requests.get("storage", 0)},
            access_modes=item.spec.access_modes,
            storage_class_name=claim.class_name,
            volume_mode=item.spec.volume_mode,
            claim_ref=TypedReference("PersistentVolumeClaim", *claim.key, item.metadata.uid),
        ),
    )
    meta = structs.replace(item.metadata, annotations={**(item.metadata.annotations or {}), BIND_COMPLETED: "yes"})
    bound = structs.replace(item, metadata=meta, spec=structs.replace(item.spec, volume_name=name))
    volumes = [*columns.objects.get("PersistentVolume", ()), volume]
    return _with_claim(replace(columns, objects={**columns.objects, "PersistentVolume": volumes}), bound)


def _with_claim(columns: ClusterColumns, changed: PersistentVolumeClaim) -> ClusterColumns:
    own = changed.metadata
    same = [(item.metadata.namespace or "default", item.metadata.name) for item in _claims(columns)]
    key = (own.namespace or "default", own.name)
    listed = [changed if at == key else item for at, item in zip(same, _claims(columns), strict=True)]
    return _with_claims(columns, listed)


def _with_claims(columns: ClusterColumns, claims: Sequence[PersistentVolumeClaim]) -> ClusterColumns:
    return replace(columns, objects={**columns.objects, "PersistentVolumeClaim": list(claims)})


def _claims(columns: ClusterColumns) -> list[PersistentVolumeClaim]:
    return columns.of_kind(PersistentVolumeClaim)
