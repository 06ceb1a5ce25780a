"""Objects in, columns out: the builder of a `ClusterColumns`."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import msgspec
import numpy as np
from msgspec import Struct, structs

from kplace.columns.annotations import LASTS, read_annotations
from kplace.columns.cluster import ClusterColumns, Note, SourceObject
from kplace.columns.compiling import TemplateKey, compile_templates, labels_of_namespaces
from kplace.columns.duplicates import Duplicates
from kplace.columns.nodes import allocatable_amounts, build_nodes
from kplace.columns.pods import UNKNOWN_NODE, PodColumns, duration_ns, time_column
from kplace.columns.templates import Template
from kplace.columns.vocab import Vocabulary
from kplace.dtypes import I32, NO_NODE, NO_TIME, Phase
from kplace.errors import Fault, InputError
from kplace.objects.core import ContainerStatus, LimitRange, Node, Pod, PodStatus, Volume
from kplace.objects.defaulting import DEFAULT_SCHEDULER, AdmissionLookups
from kplace.objects.meta import ObjectMeta, OwnerReference, Quantity
from kplace.objects.policy import PriorityClass, RuntimeClass

CLUSTER_SCOPED = frozenset(
    {
        "CSIDriver",
        "CSINode",
        "DeviceClass",
        "Namespace",
        "Node",
        "PersistentVolume",
        "PriorityClass",
        "ResourceSlice",
        "RuntimeClass",
        "StorageClass",
        "VolumeAttachment",
    }
)
"""Kinds that live in no namespace."""

_NOTHING: dict[str, str] = {}
MIRROR = "kubernetes.io/config.mirror"
"""Annotation of a pod that stands for a static one, which its kubelet runs: nobody can evict it."""
_PHASES = {"": 0, "Pending": 0, "Running": 1, "Succeeded": 2, "Failed": 3, "Unknown": 4}

Check = Callable[[Struct], list[tuple[str, str]]]
"""Validates one object: pairs of field path and message."""


@dataclass(slots=True)
class PodRow:
    """What a pod's row needs until all nodes are known."""

    name: str
    namespace: str
    uid: str
    template: int
    node: str
    nominated: str
    created: str | None
    started: str | None
    lasts: int
    terminating: bool
    preempted: bool
    phase: int
    scheduler: str
    made: bool


class ClusterBuilder:
    """Takes decoded objects one by one and turns them into columns.

    Parameters
    ----------
    checks : mapping of str to callable, optional
        By kind, what is wrong with an object beyond its types; a pod's is called once per distinct spec.
    keeps_versions : bool
        The same object may come several times: each is a version of it with its own row. Otherwise that is a fault.
    position : callable, optional
        Where in its file the object stands that is being added: faults of one without a name are told apart by it.

    Attributes
    ----------
    faults : list of Fault
        Found so far; `finish` raises them all.
    """

    def __init__(
        self,
        checks: Mapping[str, Check] | None = None,
        *,
        keeps_versions: bool = False,
        position: Callable[[], str] = str,
    ) -> None:
        self._checks = dict(checks or {})
        self._position = position
        self._keeps_versions = keeps_versions
        self._keys: dict[bytes, int] = {}
        self._templates: list[TemplateKey] = []
        self._template_faults: list[list[tuple[str, str]]] = []
        self._encoder = msgspec.msgpack.Encoder()
        self._nodes: list[Node] = []
        self._duplicates = Duplicates()
        self._odd_phases: Counter[str] = Counter()
        self._rows: list[PodRow] = []
        self._sources: list[SourceObject] = []
        self.objects: dict[str, list[Struct]] = {}
        self.notes: list[Note] = []
        self.faults: list[Fault] = []

    @property
    def nodes(self) -> list[Node]:
        """Nodes added so far, in input order."""
        return self._nodes

    @property
    def nodes_with_files(self) -> Iterator[tuple[Node, str]]:
        """Nodes added so far, in input order, each with its file."""
        return zip(self._nodes, (item.source for item in self._sources if item.kind == "Node"), strict=True)

    @property
    def pods(self) -> Iterator[tuple[PodRow, TemplateKey]]:
        """Pods added so far, in input order, each with the scheduling-relevant part that it shares with others."""
        return ((row, self._templates[row.template]) for row in self._rows)

    @property
    def others(self) -> Iterator[tuple[Struct, str]]:
        """Objects of the input that are neither nodes nor pods, in input order, each with its file."""
        rest = {kind: iter(items) for kind, items in self.objects.items()}
        return ((next(rest[item.kind]), item.source) for item in self._sources if item.kind in rest)

    def add(self, kind: str, obj: Struct, raw: bytes | memoryview, source: str) -> None:
        """Add one object of the input.

        Parameters
        ----------
        kind : str
        obj : Struct
            The decoded object.
        raw : bytes or memoryview
            The whole object as JSON, kept for writing it out again.
        source : str
            The file it came from.
        """
        if isinstance(obj, Pod):
            self.add_pod(obj, source, raw)
            return
        for path, message in self._problems(kind, obj):
            self._fault(kind, getattr(obj, "metadata", ObjectMeta()), source, path, message)
        if isinstance(obj, Node) and not self._keeps_versions:
            name = obj.metadata.name
            if name and not self._duplicates.is_new("Node", name, obj, source, is_manifest=False):
                return
        self._sources.append(SourceObject(kind, source, raw))
        if isinstance(obj, Node):
            self._nodes.append(obj)
        else:
            self.objects.setdefault(kind, []).append(obj)

    def add_pod(self, pod: Pod, source: str, raw: bytes | memoryview | None = None) -> None:
        """Add a pod; one without ``raw`` was made from a controller."""
        meta, spec, status = pod.metadata, pod.spec, pod.status
        row = PodRow(
            name=meta.name,
            namespace=meta.namespace or "default",
            uid=meta.uid,
            template=self._template_of(pod, source, is_made=raw is None),
            node=spec.node_name,
            nominated=status.nominated_node_name,
            created=meta.creation_timestamp,
            started=status.start_time,
            lasts=self._lasts(meta, source),
            terminating=bool(meta.deletion_timestamp),
            preempted=bool(meta.deletion_timestamp) and _is_preempted(status),
            phase=self._phase(pod),
            scheduler=spec.scheduler_name or DEFAULT_SCHEDULER,
            made=raw is None,
        )
        is_manifest = not (row.uid or row.created or row.node)
        key = f"{row.namespace}/{row.name}"
        is_checked = bool(meta.name) and not self._keeps_versions
        if is_checked and not self._duplicates.is_new("Pod", key, row, source, is_manifest=is_manifest):
            return
        if raw is not None:
            self._sources.append(SourceObject("Pod", source, raw, len(self._rows)))
        self._rows.append(row)

    def note(self, topic: str, message: str) -> None:
        """Add something a user should know."""
        self.notes.append(Note(topic, message))

    def finish(self) -> ClusterColumns:
        """Turn everything added into columns.

        Raises
        ------
        InputError
            With every fault found.
        """
        faults = [*self.faults, *self._duplicates.faults]
        if faults:
            raise InputError(faults)
        offered = [allocatable_amounts(node) for node in self._nodes]
        templates, resources = compile_templates(self._templates, self._lookups(), offered)
        nodes = build_nodes(self._nodes, resources)
        pods = self._pod_columns(templates, nodes.index)
        return ClusterColumns(
            nodes=nodes,
            pods=pods,
            templates=templates,
            resources=resources,
            namespace_labels=labels_of_namespaces(
                self.objects.get("Namespace", ()), (key.namespace for key in self._templates)
            ),
            objects=self.objects,
            sources=self._sources,
            notes=[*self.notes, *self._duplicates.notes(), *self._phase_notes()],
        )

    def _lasts(self, meta: ObjectMeta, source: str) -> int:
        """How long a pod runs in a simulation, if an annotation says so."""
        text = (meta.annotations or _NOTHING).get(LASTS)
        if text is None:
            return NO_TIME
        try:
            return duration_ns(text)
        except ValueError:
            message = f'expected seconds, 0 or more, such as "90" or "1.5", got "{text}"'
            self._fault("Pod", meta, source, f"metadata.annotations[{LASTS}]", message)
            return NO_TIME

    def _phase(self, pod: Pod) -> int:
        """Code of a pod's phase; one that Kubernetes does not know is no reason to refuse a dump."""
        phase = _PHASES.get(pod.status.phase)
        if phase is None:
            self._odd_phases[pod.status.phase] += 1
            return int(Phase.UNKNOWN)
        return phase

    def _phase_notes(self) -> Iterator[Note]:
        for phase, number in sorted(self._odd_phases.items()):
            pods = "1 pod has" if number == 1 else f"{number:,} pods have"
            text = f'{pods} the phase "{phase}", which Kubernetes does not know: counted as Unknown'
            yield Note("unknown-phases", text)

    def _template_of(self, pod: Pod, source: str, *, is_made: bool) -> int:
        meta, spec = pod.metadata, pod.spec
        if spec.node_name or spec.volumes:
            spec = structs.replace(spec, node_name="", volumes=_relevant_volumes(spec.volumes))
        owner = next((item for item in meta.owner_references or () if item.controller), None) or _node_of_static(pod)
        key = TemplateKey(
            namespace=meta.namespace or "default",
            labels=meta.labels,
            annotations=read_annotations(meta.annotations),
            owner=owner,
            spec=spec,
            resize=_resize(pod),
            admitted=bool(meta.uid or meta.creation_timestamp),
        )
        encoded = self._encoder.encode(key)
        code = self._keys.get(encoded)
        if code is None:
            code = self._keys[encoded] = len(self._templates)
            self._templates.append(key)
            problems = [] if is_made else self._problems("Pod", pod)
            self._template_faults.append([item for item in problems if item[0] != "metadata.name"])
        if not meta.name:
            hint = ": generateName alone gives none here" if meta.generate_name else ""
            self._fault("Pod", meta, source, "metadata.name", f"is missing{hint}")
        for path, message in self._template_faults[code]:
            self._fault("Pod", meta, source, path, message)
        return code

    def _problems(self, kind: str, obj: Struct) -> list[tuple[str, str]]:
        check = self._checks.get(kind)
        return check(obj) if check is not None else []

    def _fault(self, kind: str, meta: ObjectMeta, source: str, path: str, message: str) -> None:
        self.faults.append(Fault(source, subject_of(kind, meta, self._position()), path, message))

    def _lookups(self) -> AdmissionLookups:
        classes = [item for item in self.objects.get("PriorityClass", ()) if isinstance(item, PriorityClass)]
        runtimes = [item for item in self.objects.get("RuntimeClass", ()) if isinstance(item, RuntimeClass)]
        ranges = [item for item in self.objects.get("LimitRange", ()) if isinstance(item, LimitRange)]
        return AdmissionLookups(
            priority_classes={item.metadata.name: item for item in classes},
            runtime_classes={item.metadata.name: item for item in runtimes},
            container_defaults=_container_defaults(ranges),
        )

    def _pod_columns(self, templates: list[Template], node_index: Mapping[str, int]) -> PodColumns:
        rows = self._rows
        namespaces, schedulers = Vocabulary(), Vocabulary([DEFAULT_SCHEDULER])
        template = np.array([row.template for row in rows], np.int32)
        priority = np.array([item.priority for item in templates], np.int64)
        node = np.array([node_index.get(row.node, UNKNOWN_NODE) if row.node else NO_NODE for row in rows], np.int32)
        return PodColumns(
            names=[row.name for row in rows],
            uids=[row.uid for row in rows],
            namespace=_codes([row.namespace for row in rows], namespaces),
            namespaces=namespaces,
            template=template,
            node=node,
            nominated=np.array([node_index.get(row.nominated, NO_NODE) for row in rows], np.int32),
            priority=priority[template] if len(rows) else np.zeros(0, np.int64),
            created_ns=time_column([row.created for row in rows], NO_TIME),
            started_ns=time_column([row.started for row in rows], NO_TIME),
            lasts_ns=np.array([row.lasts for row in rows], np.int64),
            terminating=np.array([row.terminating for row in rows], np.bool_),
            preempted=np.array([row.preempted for row in rows], np.bool_),
            phase=np.array([row.phase for row in rows], np.int8),
            scheduler=_codes([row.scheduler for row in rows], schedulers),
            schedulers=schedulers,
            made=np.array([row.made for row in rows], np.bool_),
        )


def subject_of(kind: str, meta: ObjectMeta, position: str = "") -> str:
    """Say which object is meant; one without a name by its position in the file, if that is known.

    Examples
    --------
    >>> subject_of("Pod", ObjectMeta(name="web-0"), "items[3]")
    'Pod default/web-0'
    >>> subject_of("Node", ObjectMeta(), "items[3]")
    'Node (without a name, items[3])'
    """
    name = meta.name or f"(without a name{', ' if position else ''}{position})"
    return f"{kind} {name}" if kind in CLUSTER_SCOPED else f"{kind} {meta.namespace or 'default'}/{name}"


def _node_of_static(pod: Pod) -> OwnerReference | None:
    """What owns a pod that mirrors a static one: its node, as kubelets have written it since Kubernetes 1.17."""
    if MIRROR in (pod.metadata.annotations or ()) and pod.spec.node_name:
        return OwnerReference(api_version="v1", kind="Node", name=pod.spec.node_name, controller=True)
    return None


def _codes(texts: list[str], vocabulary: Vocabulary) -> I32:
    return np.array([vocabulary.code(text) for text in texts], np.int32)


def _is_preempted(status: PodStatus) -> bool:
    """Whether the scheduler marked the pod for eviction; the first condition of that type counts."""
    marks = (item for item in status.conditions or () if item.type == "DisruptionTarget")
    mark = next(marks, None)
    return mark is not None and mark.status == "True" and mark.reason == "PreemptionByScheduler"


def _relevant_volumes(volumes: tuple[Volume, ...] | None) -> tuple[Volume, ...] | None:
    """Only the volumes that a placement can depend on; their names matter for ephemeral claims alone."""
    kept = []
    for volume in volumes or ():
        bare = structs.replace(volume, name="")
        if bare != _NO_VOLUME:
            kept.append(volume if volume.ephemeral else bare)
    return tuple(kept) or None


_NO_VOLUME = Volume()


def _resize(pod: Pod) -> PodStatus | None:
    """The part of the status that changes what the pod requests: a resize that is not through."""
    statuses = (*(pod.status.container_statuses or ()), *(pod.status.init_container_statuses or ()))
    if not any(item.resources is not None for item in statuses):
        return None
    containers = (*(pod.spec.containers or ()), *(pod.spec.init_containers or ()))
    requested = {item.name: (item.resources.requests if item.resources else None) or {} for item in containers}
    settled = all(
        item.resources is None
        or (
            (item.resources.requests or {})
            == requested.get(item.name)
            == (item.allocated_resources or requested.get(item.name))
        )
        for item in statuses
    )
    if settled:
        return None
    return PodStatus(
        conditions=pod.status.conditions,
        container_statuses=pod.status.container_statuses,
        init_container_statuses=pod.status.init_container_statuses,
    )


def _is_settled(status: ContainerStatus, requested: Mapping[str, Quantity] | None) -> bool:
    """Whether a container holds just what its spec requests."""
    if status.resources is None:
        return True
    return (status.resources.requests or {}) == requested == (status.allocated_resources or requested)


def _container_defaults(
    ranges: list[LimitRange],
) -> dict[str, tuple[Mapping[str, Quantity], Mapping[str, Quantity]]]:
    defaults: dict[str, tuple[Mapping[str, Quantity], Mapping[str, Quantity]]] = {}
    for item in ranges:
        namespace = item.metadata.namespace or "default"
        requests, limits = defaults.get(namespace, ({}, {}))
        for limit in item.spec.limits or ():
            if limit.type == "Container":
                wanted = dict(limit.default or {}) | (limit.default_request or {})
                requests = dict(requests) | wanted
                limits = dict(limits) | (limit.default or {})
        defaults[namespace] = (requests, limits)
    return defaults
