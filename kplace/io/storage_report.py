"""What a user should know about the storage objects of an input: references that lead nowhere, or elsewhere."""

from collections.abc import Iterator

import numpy as np

from kplace.columns import ClusterColumns, Note
from kplace.columns.storage import Claim, Storage, claims_of_spec, ephemeral_claim_name

_SHOWN = 3


def storage_notes(columns: ClusterColumns) -> Iterator[Note]:
    """Notes about the claims of waiting pods.

    kube-scheduler has a message for most of it, or none at all; the notes say where to look.

    Parameters
    ----------
    columns : ClusterColumns
    """
    having = np.array([any(claims_of_spec(template.spec)) for template in columns.templates], np.bool_)
    waiting = np.flatnonzero(columns.pods.waiting)
    waiting = waiting[having[columns.pods.template[waiting]]]
    if not len(waiting):
        return
    storage = Storage(columns)
    claims = list({claim.key: claim for pod in waiting.tolist() for claim in _claims(columns, storage, pod)}.values())
    classless = [
        f"{claim.full_name}: spec.storageClassName {claim.class_name}"
        for claim in claims
        if not claim.is_bound and claim.class_name and claim.class_name not in storage.classes
    ]
    if classless:
        what = "of a storage class that is not in the input: it counts as unbound, to be bound before its pod is placed"
        yield Note("missing-classes", _listed(classless, what))
    foreign = [text for claim in claims for text in _foreign(storage, claim)]
    if foreign:
        what = "bound to a volume whose claimRef names another claim: it is taken for bound"
        yield Note("foreign-volumes", _listed(foreign, what))
    yield from _without_csi_nodes(columns, storage, claims)


def _claims(columns: ClusterColumns, storage: Storage, pod: int) -> Iterator[Claim]:
    template = columns.templates[columns.pods.template[pod]]
    for volume in claims_of_spec(template.spec):
        name = ephemeral_claim_name(columns.pods.names[pod], volume.ephemeral) if volume.ephemeral else volume.claim
        claim = storage.claims.get((template.namespace, name))
        if claim is not None:
            yield claim


def _foreign(storage: Storage, claim: Claim) -> Iterator[str]:
    volume = storage.volumes.get(claim.volume_name) if claim.is_bound else None
    if volume is None or volume.item.spec.claim_ref is None or volume.is_promised_to(claim):
        return
    reference = volume.item.spec.claim_ref
    owner = f"{reference.namespace}/{reference.name}" + (f" (uid {reference.uid})" if reference.uid else "")
    yield f"{claim.full_name}: spec.volumeName {volume.name}, spec.claimRef there {owner}"


def _without_csi_nodes(columns: ClusterColumns, storage: Storage, claims: list[Claim]) -> Iterator[Note]:
    """A note on drivers that no CSINode knows: nothing limits how many of their volumes a node attaches."""
    found = (storage.attachment_of_claim(claim) for claim in claims)
    drivers = sorted({item.driver for item in found if item is not None})
    known = {driver.name for item in storage.csi_nodes.values() for driver in item.spec.drivers or ()}
    lacking = [driver for driver in drivers if driver not in known and storage.csi_drivers.get(driver) is not None]
    if lacking and len(columns.nodes):
        text = f"no CSINode has {', '.join(lacking)}: nothing limits how many of its volumes a node attaches"
        yield Note("no-csi-nodes", text)


def _listed(texts: list[str], what: str) -> str:
    more = f" and {len(texts) - _SHOWN:,} more" if len(texts) > _SHOWN else ""
    noun = "claim" if len(texts) == 1 else "claims"
    return f"{len(texts):,} {noun} {what} ({'; '.join(texts[:_SHOWN])}{more})"
