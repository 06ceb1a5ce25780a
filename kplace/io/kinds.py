"""Which kinds of objects are understood, by API group."""

import functools
from dataclasses import dataclass, field
from difflib import get_close_matches

import msgspec

from kplace.objects import core, policy, resource, scheduling, storage, workloads

Kind = type[msgspec.Struct]

_GROUPS: dict[str, tuple[str, tuple[Kind, ...]]] = {
    "": (
        "v1",
        (
            core.Node,
            core.Pod,
            core.Namespace,
            core.Service,
            core.ReplicationController,
            core.LimitRange,
            storage.PersistentVolume,
            storage.PersistentVolumeClaim,
        ),
    ),
    "apps": ("apps/v1", (workloads.ReplicaSet, workloads.StatefulSet, workloads.Deployment, workloads.DaemonSet)),
    "batch": ("batch/v1", (workloads.Job, workloads.CronJob)),
    "policy": ("policy/v1", (policy.PodDisruptionBudget,)),
    "scheduling.k8s.io": ("scheduling.k8s.io/v1", (policy.PriorityClass,)),
    "node.k8s.io": ("node.k8s.io/v1", (policy.RuntimeClass,)),
    "storage.k8s.io": (
        "storage.k8s.io/v1",
        (
            storage.StorageClass,
            storage.CSINode,
            storage.CSIDriver,
            storage.CSIStorageCapacity,
            storage.VolumeAttachment,
        ),
    ),
    "resource.k8s.io": (
        "resource.k8s.io/v1",
        (resource.ResourceClaim, resource.ResourceClaimTemplate, resource.ResourceSlice, resource.DeviceClass),
    ),
    # Of scheduler-plugins, for its plugin Coscheduling.
    "scheduling.x-k8s.io": ("scheduling.x-k8s.io/v1alpha1", (scheduling.PodGroup,)),
    # Where the controllers were until Kubernetes 1.16; what kplace reads of them was the same then.
    "extensions": ("apps/v1", (workloads.ReplicaSet, workloads.Deployment, workloads.DaemonSet)),
}
_HOMES = {
    kind.__name__: (version, kind)
    for group, (version, kinds) in _GROUPS.items()
    if group != "extensions"
    for kind in kinds
}
_NAMESAKES = frozenset({("scheduling.k8s.io", "PodGroup")})
"""Kinds of a known group that are not understood although one of another group has the same name."""
_SHORT_PLURALS = {"pvs": "PersistentVolume", "pvcs": "PersistentVolumeClaim", "pdbs": "PodDisruptionBudget"}


@dataclass(frozen=True, slots=True)
class KnownKind:
    """A kind that is understood.

    Attributes
    ----------
    name : str
    api_version : str
        As it stands in the input; the kind's own if that gave none.
    struct : type
    decoder : msgspec.json.Decoder
        Of the struct.
    """

    name: str
    api_version: str
    struct: Kind
    decoder: "msgspec.json.Decoder[msgspec.Struct]" = field(compare=False)


class WrongGroupError(Exception):
    """A built-in kind under the API group of another one: the API server knows no such thing."""


@functools.lru_cache(maxsize=1024)
def find_kind(api_version: str, kind: str) -> KnownKind | None:
    """Look up a kind.

    Parameters
    ----------
    api_version : str
        Such as ``apps/v1``; empty if the input does not say. Any version of a group will do: of the old ones
        (``extensions/v1beta1``, ``policy/v1beta1``) what kplace reads was the same.
    kind : str

    Returns
    -------
    KnownKind or None
        None for kinds that are not understood, such as a ``Service`` of ``serving.knative.dev``.

    Raises
    ------
    WrongGroupError
        Such as for a Deployment of ``v1``.

    Examples
    --------
    >>> find_kind("apps/v1", "Deployment").struct.__name__
    'Deployment'
    >>> find_kind("serving.knative.dev/v1", "Service") is None
    True
    """
    home = _HOMES.get(kind)
    if home is None:
        return None
    own_version, struct = home
    if not api_version:
        return KnownKind(kind, own_version, struct, msgspec.json.Decoder(struct))
    group = api_version.rpartition("/")[0]
    if group not in _GROUPS or (group, kind) in _NAMESAKES:
        return None
    if struct not in _GROUPS[group][1]:
        msg = f'a {kind} is of "{own_version}", not of "{api_version}"'
        raise WrongGroupError(msg)
    return KnownKind(kind, api_version, struct, msgspec.json.Decoder(struct))


def similar_kind(kind: str) -> str | None:
    """The understood kind that a name may be a misspelling of.

    Examples
    --------
    >>> similar_kind("Deploymnet"), similar_kind("ConfigMap")
    ('Deployment', None)
    """
    return next(iter(get_close_matches(kind, _HOMES, 1, cutoff=0.85)), None)


def kind_of_plural(word: str) -> str | None:
    """The understood kind that the name of a file or folder is the plural of.

    Examples
    --------
    >>> kind_of_plural("pods"), kind_of_plural("storage-classes"), kind_of_plural("pvcs"), kind_of_plural("misc")
    ('Pod', 'StorageClass', 'PersistentVolumeClaim', None)
    """
    return _PLURALS.get(word.lower().replace("-", "").replace("_", ""))


def _plural(kind: str) -> str:
    word = kind.lower()
    if word.endswith("y"):
        return word[:-1] + "ies"
    return word + ("es" if word.endswith("s") else "s")


_PLURALS = _SHORT_PLURALS | {_plural(kind): kind for kind in _HOMES}
