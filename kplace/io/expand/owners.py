"""Which pods of the input belong to which controller."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Protocol, TypeVar

from kplace.columns.builder import PodRow
from kplace.columns.compiling import TemplateKey
from kplace.dtypes import Phase
from kplace.objects.meta import ObjectMeta, OwnerReference

OwnedPod = tuple[PodRow, TemplateKey]
Key = tuple[str, str]
"""Namespace and name."""

POD_TEMPLATE_HASH = "pod-template-hash"


class _Named(Protocol):
    @property
    def metadata(self) -> ObjectMeta: ...


T = TypeVar("T", bound=_Named)


def namespace_of(meta: ObjectMeta) -> str:
    """Namespace of an object; ``default`` if it names none."""
    return meta.namespace or "default"


def key_of(item: _Named) -> Key:
    """Namespace and name of an object."""
    return namespace_of(item.metadata), item.metadata.name


def controller_of(meta: ObjectMeta) -> OwnerReference | None:
    """The owner that controls an object (upstream ``GetControllerOf``)."""
    return next((item for item in meta.owner_references or () if item.controller), None)


def refers_to(owner: OwnerReference, kind: str, meta: ObjectMeta) -> bool:
    """Whether a reference means this object: by kind and name, and by uid where both have one."""
    same = owner.kind == kind and owner.name == meta.name
    return same and (not owner.uid or not meta.uid or owner.uid == meta.uid)


def by_controller(kind: str, owners: Iterable[_Named], dependents: Iterable[T]) -> dict[Key, list[T]]:
    """Group the objects that objects of a kind control, by the controllers' namespaces and names.

    Parameters
    ----------
    kind : str
        Of the owners.
    owners : iterable of objects
        Those that are there: what belongs to others is left out.
    dependents : iterable of objects
    """
    known = {key_of(item): item.metadata for item in owners}
    groups: dict[Key, list[T]] = defaultdict(list)
    for item in dependents:
        owner = controller_of(item.metadata)
        if owner is None:
            continue
        key = (namespace_of(item.metadata), owner.name)
        if key in known and refers_to(owner, kind, known[key]):
            groups[key].append(item)
    return dict(groups)


def is_finished(pod: OwnedPod) -> bool:
    """Whether the pod has succeeded or failed."""
    return pod[0].phase in (Phase.SUCCEEDED, Phase.FAILED)


def is_active(pod: OwnedPod) -> bool:
    """Whether controllers count the pod: neither finished nor being deleted (upstream ``IsPodActive``)."""
    return not is_finished(pod) and not pod[0].terminating


def active_count(pods: Iterable[OwnedPod]) -> int:
    """How many of the pods controllers count."""
    return sum(map(is_active, pods))


def latest_label(pods: Iterable[OwnedPod], label: str) -> str | None:
    """Value of a label on the last of the pods that have it."""
    value = None
    for _, key in pods:
        value = (key.labels or {}).get(label, value)
    return value


class PodsByOwner:
    """The pods of the input by their controlling owner.

    Parameters
    ----------
    pods : iterable of OwnedPod
        All pods, in input order.
    """

    def __init__(self, pods: Iterable[OwnedPod]) -> None:
        self._pods: dict[tuple[str, str, str], list[OwnedPod]] = defaultdict(list)
        for pod in pods:
            row, key = pod
            if key.owner is not None:
                self._pods[row.namespace, key.owner.kind, key.owner.name].append(pod)
        self._replica_sets: dict[Key, list[tuple[str, int, OwnerReference]]] = defaultdict(list)
        self._cron_jobs: set[Key] = set()
        for (namespace, kind, name), owned in self._pods.items():
            stem, _, suffix = name.rpartition("-")
            owner = owned[-1][1].owner
            if kind == "ReplicaSet" and owner and suffix == latest_label(owned, POD_TEMPLATE_HASH):
                youngest = max(row.created or "" for row, _ in owned)
                named = self._replica_sets[namespace, stem]
                named.append((youngest, len(named), owner))
            elif kind == "Job" and suffix.isdecimal():
                self._cron_jobs.add((namespace, stem))

    def of(self, kind: str, meta: ObjectMeta) -> list[OwnedPod]:
        """Pods of one controller, in input order."""
        owned = self._pods.get((namespace_of(meta), kind, meta.name), ())
        return [pod for pod in owned if pod[1].owner and refers_to(pod[1].owner, kind, meta)]

    def replica_sets_of(self, deployment: ObjectMeta) -> list[OwnerReference]:
        """ReplicaSets that pods name as their owner and that are the Deployment's by what they are called.

        Sorted by their youngest pods, the one that new pods are likely to belong to last.

        A Deployment calls its ReplicaSets ``<deployment>-<hash>`` and gives their pods the hash as a label. That tells
        whose they are in an input that has the Deployments and the pods, but not the ReplicaSets between them.
        """
        named = self._replica_sets.get((namespace_of(deployment), deployment.name), ())
        return [owner for _, _, owner in sorted(named)]

    def has_run_of(self, cron_job: ObjectMeta) -> bool:
        """Whether a pod belongs to a Job that is called as a CronJob calls its runs, ``<cronjob>-<time>``."""
        return (namespace_of(cron_job), cron_job.name) in self._cron_jobs
