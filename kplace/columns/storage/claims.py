"""Claims: whose they are, what they ask for, and whether they are bound."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from kplace.columns.quantity import Amount, parse, value
from kplace.columns.selectors import Selector, compile_selector
from kplace.objects.core import PodSpec
from kplace.objects.meta import ObjectMeta, Quantity, ResourceRequirements
from kplace.objects.storage import PersistentVolumeClaim

BIND_COMPLETED = "pv.kubernetes.io/bind-completed"
"""Annotation of a claim that has gone through its first binding."""
SELECTED_NODE = "volume.kubernetes.io/selected-node"
"""Annotation of a claim that is to be provisioned: the node that the scheduler chose."""
BETA_CLASS = "volume.beta.kubernetes.io/storage-class"
"""Annotation of claims and volumes that takes precedence over ``spec.storageClassName``."""

DEFAULT_MODE = "Filesystem"
READ_WRITE_ONCE_POD = "ReadWriteOncePod"
LOST = "Lost"

ClaimKey = tuple[str, str]
"""Namespace and name."""


class PodVolume(NamedTuple):
    """A pod's volume that is a claim.

    Attributes
    ----------
    claim : str
        The claim's name; empty for an ephemeral volume, whose claim is named after the pod.
    ephemeral : str
        Name of the ephemeral volume; empty for a claim by name.
    """

    claim: str
    ephemeral: str


def claims_of_spec(spec: PodSpec) -> Iterator[PodVolume]:
    """The volumes of a pod that are claims, in order."""
    for volume in spec.volumes or ():
        if volume.persistent_volume_claim is not None:
            yield PodVolume(volume.persistent_volume_claim.claim_name, "")
        elif volume.ephemeral is not None:
            yield PodVolume("", volume.name)


def ephemeral_claim_name(pod: str, volume: str) -> str:
    """Name of the claim of a generic ephemeral volume (upstream ``ephemeral.VolumeClaimName``)."""
    return f"{pod}-{volume}"


def class_of(meta: ObjectMeta, given: str | None) -> str:
    """Name of the storage class of a claim or a volume; empty if it has none."""
    annotated = (meta.annotations or {}).get(BETA_CLASS)
    return annotated if annotated is not None else given or ""


class ClaimRequest(NamedTuple):
    """What a claim asks of a volume: claims that ask the same share it.

    Attributes
    ----------
    class_name : str
    size : int or Fraction
        Exact bytes; 0 if none are requested.
    mode : str
        ``Filesystem`` or ``Block``.
    access_modes : tuple of str
    selector : Selector or None
    attributes_class : str
        ``spec.volumeAttributesClassName``.
    """

    class_name: str
    size: Amount
    mode: str
    access_modes: tuple[str, ...]
    selector: Selector | None
    attributes_class: str


@dataclass(eq=False)
class Claim:
    """A claim of the input.

    Attributes
    ----------
    key : (str, str)
        Namespace and name.
    item : PersistentVolumeClaim
    """

    key: ClaimKey
    item: PersistentVolumeClaim

    @property
    def full_name(self) -> str:
        """``namespace/name``."""
        return "/".join(self.key)

    @property
    def volume_name(self) -> str:
        """The volume it names; empty if none."""
        return self.item.spec.volume_name

    @property
    def is_bound(self) -> bool:
        """Whether it names a volume and its binding is through (upstream ``isPVCFullyBound``)."""
        return bool(self.volume_name) and BIND_COMPLETED in (self.item.metadata.annotations or {})

    @property
    def class_name(self) -> str:
        """Name of its storage class; empty if it has none."""
        return class_of(self.item.metadata, self.item.spec.storage_class_name)

    @property
    def selected_node(self) -> str | None:
        """The node that it is to be provisioned for, if that is settled in the input."""
        return (self.item.metadata.annotations or {}).get(SELECTED_NODE)

    @property
    def is_for_one_pod(self) -> bool:
        """Whether one pod alone may use it."""
        return READ_WRITE_ONCE_POD in (self.item.spec.access_modes or ())

    @cached_property
    def request(self) -> ClaimRequest:
        """What it asks of a volume."""
        spec = self.item.spec
        return ClaimRequest(
            class_name=self.class_name,
            size=parse(self._requested or 0),
            mode=spec.volume_mode or DEFAULT_MODE,
            access_modes=spec.access_modes or (),
            selector=None if spec.selector is None else compile_selector(spec.selector),
            attributes_class=spec.volume_attributes_class_name or "",
        )

    @property
    def bytes(self) -> int | None:
        """What it requests, rounded up; None if it requests no storage."""
        return None if self._requested is None else value(self._requested)

    @property
    def _requested(self) -> Quantity | None:
        resources = self.item.spec.resources or ResourceRequirements()
        return (resources.requests or {}).get("storage")

    def is_made_for(self, pod_uid: str) -> bool:
        """Whether a pod is its controlling owner, as of an ephemeral volume's (upstream ``VolumeIsForPod``)."""
        owner = next((item for item in self.item.metadata.owner_references or () if item.controller), None)
        return owner is not None and owner.uid == pod_uid
