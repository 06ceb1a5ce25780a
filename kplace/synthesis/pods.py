"""The pods of a synthetic cluster, column by column."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import msgspec
import numpy as np
from msgspec import Struct, structs

from kplace.columns.compiling import TemplateKey
from kplace.columns.nodes import NodeColumns
from kplace.columns.pods import PodColumns
from kplace.columns.vocab import Vocabulary
from kplace.dtypes import I32, I64, NO_NODE, NO_TIME, Phase
from kplace.io.expand.daemonset import may_run
from kplace.objects.defaulting import DEFAULT_SCHEDULER
from kplace.synthesis.description import Workload
from kplace.synthesis.templates import App, Tailor, claim_objects, claim_volumes
from kplace.synthesis.workloads import arrivals_ns, lifetimes_ns


@dataclass(slots=True)
class Keys:
    """The distinct scheduling-relevant parts of pods, numbered in the order in which they come."""

    keys: list[TemplateKey] = field(default_factory=list)
    _codes: dict[bytes, int] = field(default_factory=dict)

    def code(self, key: TemplateKey) -> int:
        """Number of a key."""
        code = self._codes.setdefault(_ENCODER.encode(key), len(self.keys))
        if code == len(self.keys):
            self.keys.append(key)
        return code


_ENCODER = msgspec.msgpack.Encoder()


@dataclass(slots=True)
class PodBatch:
    """Pods of one workload, app by app.

    Attributes
    ----------
    names : list of str
    template : int32 ndarray
        Number of the key in `Keys`.
    created_ns : int64 ndarray
        After the description's start.
    lasts_ns : int64 ndarray
    nodes : int32 ndarray or None
        Where they run; None for pods that wait.
    """

    names: list[str]
    template: I32
    created_ns: I64
    lasts_ns: I64
    nodes: I32 | None = None


class PodMaker:
    """Makes pods and the objects that belong to them, workload by workload.

    Parameters
    ----------
    seed : int

    Attributes
    ----------
    keys : Keys
    objects : dict of str to list of Struct
        By kind.
    batches : list of PodBatch
    """

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self.keys = Keys()
        self.objects: dict[str, list[Struct]] = {}
        self.batches: list[PodBatch] = []

    def add(self, workload: Workload, apps: Sequence[App], tailor: Tailor) -> None:
        """Add the apps of a workload that is no DaemonSet."""
        replicas = np.array([app.replicas for app in apps], np.int64)
        created = np.repeat(arrivals_ns(workload, len(apps), self._seed), replicas)
        names: list[str] = []
        template = np.empty(int(replicas.sum()), np.int32)
        for app in apps:
            start = len(names)
            key = tailor.key(app)
            stem = key.owner.name if key.owner is not None else app.name
            names += [f"{stem}-{i}" for i in range(app.replicas)]
            if workload.claims:
                template[start : len(names)] = self._claimed(workload, key, names[start:])
            else:
                template[start : len(names)] = self.keys.code(key)
            self._add_objects(tailor, app)
        self.batches.append(PodBatch(names, template, created, self._lasts(workload, len(names))))

    def add_daemons(self, workload: Workload, apps: Sequence[App], tailor: Tailor, nodes: NodeColumns) -> list[int]:
        """Add the apps of a DaemonSet: a running pod on each node that it tolerates; how many pods each has."""
        order, numbers = np.argsort(nodes.arrival), []
        for app in apps:
            key = tailor.key(app)
            chosen = order[may_run(nodes, key.spec)[order]].astype(np.int32)
            names = [f"{app.name}-{nodes.names[node]}" for node in chosen.tolist()]
            template = np.full(len(names), self.keys.code(key) if names else 0, np.int32)
            created = np.zeros(len(names), np.int64)
            self.batches.append(PodBatch(names, template, created, self._lasts(workload, len(names)), chosen))
            self._add_objects(tailor, app)
            numbers.append(len(names))
        return numbers

    def _claimed(self, workload: Workload, key: TemplateKey, pods: list[str]) -> list[int]:
        """Numbers of the keys of pods that have claims of their own, which are added to the objects."""
        codes = []
        for pod in pods:
            self.objects.setdefault("PersistentVolumeClaim", []).extend(
                claim_objects(workload.claims, pod, key.namespace)
            )
            volumes = (*claim_volumes(workload.claims, pod), *(key.spec.volumes or ()))
            codes.append(self.keys.code(structs.replace(key, spec=structs.replace(key.spec, volumes=volumes))))
        return codes

    def _add_objects(self, tailor: Tailor, app: App) -> None:
        for kind, item in tailor.objects(app):
            self.objects.setdefault(kind, []).append(item)

    def _lasts(self, workload: Workload, number: int) -> I64:
        lasts = lifetimes_ns(workload, number, self._seed)
        return np.full(number, NO_TIME, np.int64) if lasts is None else lasts

    def order(self) -> I64:
        """All pods, batch after batch, in the order in which they are created."""
        created = _joined(batch.created_ns for batch in self.batches)
        return np.argsort(created, kind="stable")


def pod_columns(
    batches: Sequence[PodBatch], order: I64, template: I32, keys: Sequence[TemplateKey], start: int
) -> PodColumns:
    """Columns of all pods.

    Parameters
    ----------
    batches : sequence of PodBatch
    order : int64 ndarray
        Of `PodMaker.order`.
    template : int32 ndarray
        Of each pod in that order, its position in ``keys``.
    keys : sequence of TemplateKey
    start : int
        When everything begins, nanoseconds since 1970.
    """
    number = len(order)
    names = [name for batch in batches for name in batch.names]
    if not np.array_equal(order, np.arange(number)):
        names = [names[position] for position in order.tolist()]
    node = np.concatenate([np.zeros(0, np.int32), *map(_nodes_of, batches)])[order]
    created = _joined(item.created_ns for item in batches)[order] + start
    runs = node != NO_NODE
    namespaces, schedulers = Vocabulary(), Vocabulary([DEFAULT_SCHEDULER])
    namespace = np.array([namespaces.code(key.namespace) for key in keys], np.int32)
    scheduler = np.array([schedulers.code(key.spec.scheduler_name or DEFAULT_SCHEDULER) for key in keys], np.int32)
    priority = np.array([key.spec.priority or 0 for key in keys], np.int64)
    return PodColumns(
        names=names,
        uids=[""] * number,
        namespace=namespace[template],
        namespaces=namespaces,
        template=template,
        node=node,
        nominated=np.full(number, NO_NODE, np.int32),
        priority=priority[template],
        created_ns=created,
        started_ns=np.where(runs, created, NO_TIME),
        lasts_ns=_joined(item.lasts_ns for item in batches)[order],
        terminating=np.zeros(number, np.bool_),
        preempted=np.zeros(number, np.bool_),
        phase=np.where(runs, Phase.RUNNING, Phase.PENDING).astype(np.int8),
        scheduler=scheduler[template],
        schedulers=schedulers,
        made=np.zeros(number, np.bool_),
    )


def templates_of(batches: Sequence[PodBatch]) -> I32:
    """Numbers of the keys of all pods, batch after batch."""
    return np.concatenate([np.zeros(0, np.int32), *(batch.template for batch in batches)])


def _nodes_of(batch: PodBatch) -> I32:
    return np.full(len(batch.names), NO_NODE, np.int32) if batch.nodes is None else batch.nodes


def _joined(parts: Iterable[I64]) -> I64:
    return np.concatenate([np.zeros(0, np.int64), *parts])
