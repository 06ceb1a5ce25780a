"""Claims that controllers make, and the class of claims that name none."""

from collections.abc import Iterable, Iterator

from msgspec import structs

from kplace.columns.builder import ClusterBuilder
from kplace.columns.storage import ephemeral_claim_name
from kplace.columns.storage.claims import BETA_CLASS, ClaimKey
from kplace.objects.core import Pod
from kplace.objects.meta import ObjectMeta, OwnerReference
from kplace.objects.storage import PersistentVolumeClaim, PersistentVolumeClaimTemplate, StorageClass

_IS_DEFAULT = ("storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class")


def default_class(classes: Iterable[StorageClass]) -> str | None:
    """Name of the class that claims without one get: the newest of those that are marked as default."""
    marked = [item for item in classes if _is_default(item.metadata)]
    newest = sorted(marked, key=lambda item: item.metadata.name)
    newest.sort(key=lambda item: item.metadata.creation_timestamp or "", reverse=True)
    return newest[0].metadata.name if newest else None


def _is_default(meta: ObjectMeta) -> bool:
    return any((meta.annotations or {}).get(key) == "true" for key in _IS_DEFAULT)


class MadeClaims:
    """The claims of an input, and those that are made for its controllers' pods.

    Parameters
    ----------
    builder : ClusterBuilder
        Takes the claims.

    Attributes
    ----------
    number : int
        How many were made.
    """

    def __init__(self, builder: ClusterBuilder) -> None:
        self.number = 0
        self._builder = builder
        classes = builder.objects.get("StorageClass", ())
        self._default = default_class(item for item in classes if isinstance(item, StorageClass))
        self._present = set(_keys(builder))

    def make(self, template: PersistentVolumeClaimTemplate, meta: ObjectMeta) -> None:
        """Make a claim, unless there is one of its name.

        Parameters
        ----------
        template : PersistentVolumeClaimTemplate
            What it asks for.
        meta : ObjectMeta
            With its name and namespace.
        """
        key = (meta.namespace, meta.name)
        if key in self._present:
            return
        self._present.add(key)
        self.number += 1
        claim = PersistentVolumeClaim(metadata=meta, spec=template.spec)
        self._builder.objects.setdefault("PersistentVolumeClaim", []).append(_with_class(claim, self._default))

    def make_ephemeral(self, pod: Pod) -> None:
        """Make the claims of a pod's generic ephemeral volumes, as their controller would once the pod is there."""
        for volume in pod.spec.volumes or ():
            template = volume.ephemeral.volume_claim_template if volume.ephemeral is not None else None
            if template is None:
                continue
            owner = OwnerReference("v1", "Pod", pod.metadata.name, pod.metadata.uid, controller=True)
            meta = structs.replace(
                template.metadata,
                name=ephemeral_claim_name(pod.metadata.name, volume.name),
                namespace=pod.metadata.namespace or "default",
                owner_references=(owner,),
            )
            self.make(template, meta)


def default_classes(builder: ClusterBuilder) -> None:
    """Give claims that were never created and name no class the default one, as the API server does."""
    classes = builder.objects.get("StorageClass", ())
    default = default_class(item for item in classes if isinstance(item, StorageClass))
    items = builder.objects.get("PersistentVolumeClaim", [])
    for index, item in enumerate(items):
        if isinstance(item, PersistentVolumeClaim) and not (item.metadata.uid or item.metadata.creation_timestamp):
            items[index] = _with_class(item, default)


def _with_class(claim: PersistentVolumeClaim, name: str | None) -> PersistentVolumeClaim:
    says_class = claim.spec.storage_class_name is not None or BETA_CLASS in (claim.metadata.annotations or {})
    if says_class or name is None:
        return claim
    return structs.replace(claim, spec=structs.replace(claim.spec, storage_class_name=name))


def _keys(builder: ClusterBuilder) -> Iterator[ClaimKey]:
    for item in builder.objects.get("PersistentVolumeClaim", ()):
        if isinstance(item, PersistentVolumeClaim):
            yield item.metadata.namespace or "default", item.metadata.name
