"""What the pods of an app look like, and the objects beside them: controllers, Services, claims."""

import hashlib
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec
from msgspec import Struct, structs

from kplace.columns.compiling import TemplateKey
from kplace.dtypes import MIB
from kplace.frames.taints import parse_tolerations
from kplace.io.expand.daemonset import with_daemon_tolerations
from kplace.objects.core import (
    Affinity,
    Container,
    PodAffinity,
    PodAffinityTerm,
    PodSpec,
    PodTemplateSpec,
    Service,
    ServiceSpec,
    TopologySpreadConstraint,
    Volume,
    WeightedPodAffinityTerm,
)
from kplace.objects.defaulting import BUILT_IN_PRIORITIES
from kplace.objects.meta import LabelSelector, ObjectMeta, OwnerReference, Quantity, ResourceRequirements
from kplace.objects.storage import (
    ClaimStatus,
    ClaimVolumeSource,
    PersistentVolumeClaim,
    PersistentVolumeClaimSpec,
    PersistentVolumeClaimTemplate,
)
from kplace.objects.workloads import (
    ControllerSpec,
    DaemonSet,
    Deployment,
    Job,
    JobSpec,
    ReplicaSet,
    StatefulSet,
    StatefulSetSpec,
)
from kplace.synthesis.description import Claim, Description, Near, Spread, Workload
from kplace.synthesis.nodes import HOSTNAME, REGION, ZONE
from kplace.synthesis.ports import parse_port

APP = "app"
"""Label of all pods: the app that they belong to."""
HASH = "pod-template-hash"
JOB_NAME = "batch.kubernetes.io/job-name"

_KEYS = {"zone": ZONE, "host": HOSTNAME, "region": REGION}
_API = {"ReplicaSet": "apps/v1", "StatefulSet": "apps/v1", "DaemonSet": "apps/v1", "Job": "batch/v1"}
_KIB = 1024


def topology_key(word: str) -> str:
    """Key of a label: ``zone``, ``host`` and ``region`` stand for the usual ones."""
    return _KEYS.get(word, word)


@dataclass(frozen=True, slots=True)
class App:
    """One app.

    Attributes
    ----------
    name : str
    number : int
        Among the apps of its workload.
    namespace : str
    replicas : int
    requests : dict of str to int
        Of a pod; cpu in milli-cpu.
    priority : int
    """

    name: str
    number: int
    namespace: str
    replicas: int
    requests: Mapping[str, int]
    priority: int


class Tailor:
    """Makes the specs and objects of the apps of one workload.

    Parameters
    ----------
    description : Description
    workload : Workload
    n_apps : mapping of str to int
        Apps of each workload, for affinity between them.
    """

    def __init__(self, description: Description, workload: Workload, n_apps: Mapping[str, int]) -> None:
        self._workload = workload
        self._n_apps = n_apps
        self._created = description.start
        self._given = msgspec.convert(workload.spec, PodSpec)
        self._class_priority = priority_of_class(description, workload.priority_class)
        self._tolerations = tuple(item for text in workload.tolerations for item in parse_tolerations(text))

    def key(self, app: App) -> TemplateKey:
        """What all pods of an app share."""
        labels = self.labels(app)
        if self._workload.kind in ("Deployment", "ReplicaSet"):
            labels |= {HASH: self.hash_of(app)}
        elif self._workload.kind == "Job":
            labels |= {JOB_NAME: app.name, "job-name": app.name}
        return TemplateKey(
            namespace=app.namespace,
            labels=labels,
            annotations=None,
            owner=self.owner(app),
            spec=self.spec(app),
            resize=None,
            admitted=True,
        )

    def labels(self, app: App) -> dict[str, str]:
        """Labels of an app's pods, as its controller selects them."""
        own = self._workload.name if self._workload.kind == "Pod" else app.name
        return {APP: own, **self._workload.labels}

    def hash_of(self, app: App) -> str:
        """The suffix of a ReplicaSet's name."""
        return _digest("hash", app.namespace, app.name)[:10]

    def owner(self, app: App) -> OwnerReference | None:
        """Who controls an app's pods."""
        kind = self._workload.kind
        if kind == "Pod":
            return None
        name = f"{app.name}-{self.hash_of(app)}" if kind == "Deployment" else app.name
        kind = "ReplicaSet" if kind == "Deployment" else kind
        return OwnerReference(_API[kind], kind, name, uid_of(kind, app.namespace, name), controller=True)

    def spec(self, app: App) -> PodSpec:
        """Spec of an app's pods, without the claims of each."""
        workload, given = self._workload, self._given
        changes: dict[str, Any] = {
            "containers": given.containers or (self._container(app),),
            "priority": app.priority if workload.priority is not None else self._class_priority,
        }
        if workload.priority_class:
            changes["priority_class_name"] = workload.priority_class
        if not workload.preemption:
            changes["preemption_policy"] = "Never"
        if workload.node_selector:
            changes["node_selector"] = {**(given.node_selector or {}), **workload.node_selector}
        if self._tolerations:
            changes["tolerations"] = (*(given.tolerations or ()), *self._tolerations)
        if workload.spread:
            own = tuple(self._spread(item, app) for item in workload.spread)
            changes["topology_spread_constraints"] = (*(given.topology_spread_constraints or ()), *own)
        if workload.affinity or workload.anti_affinity:
            changes["affinity"] = self._affinity(given.affinity or Affinity(), app)
        if workload.scheduler:
            changes["scheduler_name"] = workload.scheduler
        spec = structs.replace(given, **changes)
        return with_daemon_tolerations(spec) if workload.kind == "DaemonSet" else spec

    def _container(self, app: App) -> Container:
        requests = {name: quantity_text(name, amount) for name, amount in app.requests.items() if amount}
        limits = requests if self._workload.limits == "equal" else None
        image = self._workload.image or f"registry.example/{self._workload.name}:1.0"
        resources = ResourceRequirements(requests=requests, limits=limits) if requests else None
        ports = tuple(map(parse_port, self._workload.host_ports)) or None
        return Container(name="main", image=image, ports=ports, resources=resources)

    def _spread(self, spread: Spread, app: App) -> TopologySpreadConstraint:
        return TopologySpreadConstraint(
            max_skew=spread.max_skew,
            topology_key=topology_key(spread.key),
            when_unsatisfiable="DoNotSchedule" if spread.hard else "ScheduleAnyway",
            label_selector=LabelSelector(match_labels={APP: self.labels(app)[APP]}),
            min_domains=spread.min_domains,
        )

    def _affinity(self, given: Affinity, app: App) -> Affinity:
        sides = {"pod_affinity": self._workload.affinity, "pod_anti_affinity": self._workload.anti_affinity}
        return structs.replace(
            given, **{side: self._pod_affinity(terms, app) for side, terms in sides.items() if terms}
        )

    def _pod_affinity(self, terms: tuple[Near, ...], app: App) -> PodAffinity:
        preferred = tuple(
            WeightedPodAffinityTerm(item.weight, self._term(item, app)) for item in terms if not item.hard
        )
        return PodAffinity(
            required=tuple(self._term(item, app) for item in terms if item.hard) or None, preferred=preferred or None
        )

    def _term(self, near: Near, app: App) -> PodAffinityTerm:
        name = self.labels(app)[APP]
        if near.to != "self":
            name = app_name(near.to, app.number % max(self._n_apps[near.to], 1))
        return PodAffinityTerm(
            label_selector=LabelSelector(match_labels={APP: name}), topology_key=topology_key(near.key)
        )

    def objects(self, app: App) -> Iterator[tuple[str, Struct]]:
        """The app's objects beside its pods, each with its kind."""
        workload = self._workload
        if workload.service:
            selected = {APP: self.labels(app)[APP]}
            yield "Service", Service(self._meta("Service", app, app.name), ServiceSpec(selected))
        kind = workload.kind
        if kind == "Pod":
            return
        template = PodTemplateSpec(ObjectMeta(labels=self.key(app).labels), self.spec(app))
        selector = LabelSelector(match_labels={APP: app.name})
        if kind == "Deployment":
            plain = structs.replace(template, metadata=ObjectMeta(labels=self.labels(app)))
            meta = self._meta("Deployment", app, app.name)
            yield "Deployment", Deployment(meta, ControllerSpec(app.replicas, selector, plain))
            yield "ReplicaSet", self._replica_set(app, template, meta)
        elif kind == "ReplicaSet":
            meta = self._meta(kind, app, app.name)
            yield kind, ReplicaSet(meta, ControllerSpec(app.replicas, selector, template))
        elif kind == "StatefulSet":
            claims = tuple(_claim_template(item) for item in workload.claims) or None
            spec = StatefulSetSpec(app.replicas, selector, template, volume_claim_templates=claims)
            yield kind, StatefulSet(self._meta(kind, app, app.name), spec)
        elif kind == "DaemonSet":
            yield kind, DaemonSet(self._meta(kind, app, app.name), ControllerSpec(None, selector, template))
        else:
            spec_of_job = JobSpec(parallelism=app.replicas, completions=app.replicas, template=template)
            yield "Job", Job(self._meta("Job", app, app.name), spec_of_job)

    def _replica_set(self, app: App, template: PodTemplateSpec, deployment: ObjectMeta) -> ReplicaSet:
        owner = OwnerReference("apps/v1", "Deployment", app.name, deployment.uid, controller=True)
        selector = LabelSelector(match_labels={APP: app.name, HASH: self.hash_of(app)})
        meta = self._meta("ReplicaSet", app, f"{app.name}-{self.hash_of(app)}")
        meta = structs.replace(meta, labels=template.metadata.labels, owner_references=(owner,))
        return ReplicaSet(meta, ControllerSpec(app.replicas, selector, template))

    def _meta(self, kind: str, app: App, name: str) -> ObjectMeta:
        return ObjectMeta(
            name=name,
            namespace=app.namespace,
            uid=uid_of(kind, app.namespace, name),
            labels=self.labels(app),
            creation_timestamp=self._created,
        )


def app_name(workload: str, number: int) -> str:
    """Name of an app."""
    return f"{workload}-{number}"


def priority_of_class(description: Description, name: str) -> int:
    """Priority that a class gives; 0 without a class."""
    return {**BUILT_IN_PRIORITIES, **description.priority_classes}.get(name, 0)


def uid_of(kind: str, namespace: str, name: str) -> str:
    """The uid of an object, always the same."""
    return str(uuid.UUID(_digest(kind, namespace, name)[:32]))


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def claim_volumes(claims: tuple[Claim, ...], pod: str) -> tuple[Volume, ...]:
    """Volumes of a StatefulSet's pod that are claims of its own."""
    return tuple(Volume(persistent_volume_claim=ClaimVolumeSource(f"{item.name}-{pod}")) for item in claims)


def claim_objects(claims: tuple[Claim, ...], pod: str, namespace: str) -> Iterator[PersistentVolumeClaim]:
    """The claims of a StatefulSet's pod: not bound yet."""
    for item in claims:
        name = f"{item.name}-{pod}"
        meta = ObjectMeta(name=name, namespace=namespace, uid=uid_of("PersistentVolumeClaim", namespace, name))
        yield PersistentVolumeClaim(meta, _claim_spec(item), ClaimStatus(phase="Pending"))


def _claim_template(claim: Claim) -> PersistentVolumeClaimTemplate:
    return PersistentVolumeClaimTemplate(ObjectMeta(name=claim.name), _claim_spec(claim))


def _claim_spec(claim: Claim) -> PersistentVolumeClaimSpec:
    return PersistentVolumeClaimSpec(
        access_modes=("ReadWriteOnce",),
        storage_class_name=claim.storage_class,
        resources=ResourceRequirements(requests={"storage": claim.size}),
    )


def quantity_text(resource: str, amount: int) -> Quantity:
    """An amount as people write it: milli-cpu with ``m``, bytes in the largest unit that fits.

    Examples
    --------
    >>> quantity_text("cpu", 1500), quantity_text("cpu", 2000), quantity_text("memory", 512 * 1024**2)
    ('1500m', '2', '512Mi')
    """
    if resource == "cpu":
        return f"{amount}m" if amount % 1000 else str(amount // 1000)
    for suffix, size in (("Gi", _KIB * MIB), ("Mi", MIB), ("Ki", _KIB)):
        if amount and amount % size == 0:
            return f"{amount // size}{suffix}"
    return str(amount)
