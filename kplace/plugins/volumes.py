"""What a pod's volumes are, for the storage plugins."""

from collections.abc import Iterator
from typing import NamedTuple

from kplace.columns.storage import Claim, claims_of_spec, ephemeral_claim_name
from kplace.columns.templates import Template
from kplace.dtypes import Code
from kplace.framework import Cycle, PreFilterResult
from kplace.framework.events import Happening, PodImage
from kplace.objects.core import PodSpec, Volume
from kplace.objects.storage import PersistentVolumeClaim


class NamedClaim(NamedTuple):
    """A volume of a pod that is a claim.

    Attributes
    ----------
    name : str
        The claim's name.
    is_ephemeral : bool
        The claim is made for the pod, and named after it.
    claim : Claim or None
        None if there is no such claim.
    """

    name: str
    is_ephemeral: bool
    claim: Claim | None


def has_claim(spec: PodSpec) -> bool:
    """Whether the pod names a claim or has a generic ephemeral volume."""
    return any(volume.persistent_volume_claim or volume.ephemeral for volume in spec.volumes or ())


def is_attachable(volume: Volume) -> bool:
    """Whether a volume may have to be attached through a CSI driver."""
    is_claim = volume.persistent_volume_claim is not None or volume.ephemeral is not None
    return is_claim or bool(
        volume.gce_persistent_disk or volume.aws_elastic_block_store or volume.azure_disk or volume.cinder
    )


def claims_of(cycle: Cycle) -> Iterator[NamedClaim]:
    """The claims of the cycle's pod, in the order of its volumes."""
    claims, namespace = cycle.state.storage.claims, cycle.template.namespace
    for volume in claims_of_spec(cycle.template.spec):
        name = ephemeral_claim_name(cycle.pod_name, volume.ephemeral) if volume.ephemeral else volume.claim
        yield NamedClaim(name, bool(volume.ephemeral), claims.get((namespace, name)))


def pod_uid(cycle: Cycle) -> str:
    """Uid of the cycle's pod."""
    return cycle.state.columns.pods.uids[cycle.pod]


def missing_claim(name: str) -> str:
    """What upstream says of a claim that does not exist.

    Examples
    --------
    >>> missing_claim("data")
    'persistentvolumeclaim "data" not found'
    """
    return f'persistentvolumeclaim "{name}" not found'


def not_owner(claim: Claim, namespace: str, pod: str) -> str:
    """What upstream says of an ephemeral volume's claim that belongs to somebody else."""
    return f"PVC {claim.full_name} was not created for pod {namespace}/{pod} (pod is not owner)"


def unresolvable(reason: str) -> PreFilterResult:
    """Reject a pod for good."""
    return PreFilterResult(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, (reason,))


def concerns_claim(waiting: PodImage, happening: Happening, *, ephemeral: bool) -> bool:
    """Whether an event is about a claim that a waiting pod has.

    Parameters
    ----------
    ephemeral : bool
        Claims of ephemeral volumes count too.
    """
    image = happening.new or happening.old
    if not isinstance(image, PersistentVolumeClaim):
        return False
    template = waiting.template
    if (image.metadata.namespace or "default") != template.namespace:
        return False
    names = _claim_names(template, happening.columns.pods.names[waiting.pod], ephemeral=ephemeral)
    return image.metadata.name in names


def _claim_names(template: Template, pod: str, *, ephemeral: bool) -> set[str]:
    found = claims_of_spec(template.spec)
    if not ephemeral:
        return {volume.claim for volume in found if not volume.ephemeral}
    return {ephemeral_claim_name(pod, volume.ephemeral) if volume.ephemeral else volume.claim for volume in found}
