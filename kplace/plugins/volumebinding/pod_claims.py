"""A pod's claims by what has to be done for them (upstream ``GetPodVolumeClaims``)."""

from typing import NamedTuple

from kplace.columns.storage import Claim
from kplace.columns.storage.claims import LOST
from kplace.framework import Cycle
from kplace.plugins.volumes import NamedClaim, claims_of, missing_claim, not_owner, pod_uid


class PodClaims(NamedTuple):
    """The claims of a pod, each kind in the order of its volumes.

    Attributes
    ----------
    bound : tuple of Claim
    delayed : tuple of Claim
        Bound once the pod is placed.
    immediate : tuple of Claim
        They should have been bound before.
    """

    bound: tuple[Claim, ...]
    delayed: tuple[Claim, ...]
    immediate: tuple[Claim, ...]


def fault_of(cycle: Cycle) -> str:
    """Why a claim of the pod cannot be used at all, in upstream's words; empty if they all can (``podHasPVCs``)."""
    for item in claims_of(cycle):
        reason = _fault(cycle, item)
        if reason:
            return reason
    return ""


def _fault(cycle: Cycle, item: NamedClaim) -> str:
    claim = item.claim
    if claim is None:
        if item.is_ephemeral:
            return f'waiting for ephemeral volume controller to create the persistentvolumeclaim "{item.name}"'
        return missing_claim(item.name)
    if claim.item.status.phase == LOST:
        return f'persistentvolumeclaim "{item.name}" bound to non-existent persistentvolume "{claim.volume_name}"'
    if claim.item.metadata.deletion_timestamp:
        return f'persistentvolumeclaim "{item.name}" is being deleted'
    if item.is_ephemeral and not claim.is_made_for(pod_uid(cycle)):
        return not_owner(claim, cycle.template.namespace, cycle.pod_name)
    return ""


def sorted_claims(cycle: Cycle) -> PodClaims:
    """Sort the claims of a pod that `fault_of` has nothing against.

    A claim that names a volume without being bound to it counts as one of immediate binding, and so does one whose
    class does not exist.
    """
    storage = cycle.state.storage
    kinds = PodClaims((), (), ())
    for item in claims_of(cycle):
        assert item.claim is not None
        if item.claim.is_bound:
            kinds = kinds._replace(bound=(*kinds.bound, item.claim))
        elif storage.waits(item.claim) and not item.claim.volume_name:
            kinds = kinds._replace(delayed=(*kinds.delayed, item.claim))
        else:
            kinds = kinds._replace(immediate=(*kinds.immediate, item.claim))
    return kinds
