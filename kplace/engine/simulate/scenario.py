"""What a simulation is told: the objects at the start, and what is done to objects later.

All of it is known before the simulation begins. Every version of every pod has a row of columns from the start, so that
templates, resources and selectors are compiled once.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum

from msgspec import Struct, structs

from kplace.columns.builder import Check, ClusterBuilder
from kplace.columns.cluster import ClusterColumns
from kplace.columns.pods import time_column
from kplace.dtypes import NO_TIME, Phase
from kplace.objects.core import Node, Pod, PodStatus
from kplace.objects.defaulting import DEFAULT_SCHEDULER
from kplace.objects.meta import ObjectMeta

_NO_STATUS = PodStatus()


class Verb(Enum):
    """What is done to an object."""

    ADD = "add"
    UPDATE = "update"
    DELETE = "delete"


@dataclass(frozen=True, slots=True)
class During:
    """In the middle of an attempt: after its filters and scores, before its failure is handled.

    Attributes
    ----------
    pod : str
        ``namespace/name``.
    attempt : int
        From 1.
    """

    pod: str
    attempt: int


@dataclass(frozen=True, slots=True)
class PodVersion:
    """A pod as some input has it.

    Attributes
    ----------
    row : int
        Row of the pod columns that holds this version.
    key : str
        ``namespace/name``.
    scheduler : str
    node, nominated : str
        Empty if not given.
    phase : int
    started_ns : int
    is_terminating, is_preempted : bool
    has_status : bool
        The input has a status; otherwise the one there was is kept.
    """

    row: int
    key: str
    scheduler: str
    node: str
    nominated: str
    phase: int
    started_ns: int
    is_terminating: bool
    is_preempted: bool
    has_status: bool


Subject = PodVersion | Node | Struct | str
"""A pod's or another object's version; the key of a pod or the name of a node that is deleted."""


@dataclass(frozen=True, slots=True)
class Change:
    """Something done to an object.

    Attributes
    ----------
    when : int or During
        Nanoseconds since the start.
    verb : Verb
    kind : str
    namespace, name : str
    version : PodVersion, Node, another object, or None
        None if it is deleted.
    """

    when: int | During
    verb: Verb
    kind: str
    namespace: str
    name: str
    version: PodVersion | Struct | None

    @property
    def key(self) -> str:
        """``namespace/name``."""
        return f"{self.namespace}/{self.name}"


@dataclass(frozen=True, slots=True)
class Scenario:
    """Everything that will be done.

    Attributes
    ----------
    columns : ClusterColumns
        All versions of all pods by row, all templates, all resources. Its nodes and other objects do not count.
    initial : tuple of Change
        The objects at the start, all added, in the order in which the scheduler sees them.
    changes : tuple of Change
        By time; at the same time in the order given.
    during : mapping of During to tuple of Change
        What is done in the middle of attempts.
    """

    columns: ClusterColumns
    initial: tuple[Change, ...]
    changes: tuple[Change, ...]
    during: Mapping[During, tuple[Change, ...]]


class ScenarioBuilder:
    """Takes objects and changes one by one.

    Parameters
    ----------
    checks : mapping of str to callable, optional
        As for a `ClusterBuilder`.
    """

    def __init__(self, checks: Mapping[str, Check] | None = None) -> None:
        self.builder = ClusterBuilder(checks, keeps_versions=True)
        self._statuses: dict[str, PodStatus] = {}
        self._pods: list[tuple[int, Pod, bool]] = []
        self._changes: list[Change] = []
        self._initial: list[Change] = []

    def add_initial(self, kind: str, obj: Struct, source: str) -> None:
        """Add an object that is there from the start."""
        self._initial.append(self._change(0, Verb.ADD, kind, obj, source))

    def add_change(self, when: int | During, verb: Verb, kind: str, obj: Struct, source: str) -> None:
        """Add something that is done later; of an object that is deleted only the name counts."""
        self._changes.append(self._change(when, verb, kind, obj, source))

    def finish(self) -> Scenario:
        """Compile everything.

        Raises
        ------
        InputError
            With every fault found.
        """
        rows = [row for row, _ in self.builder.pods]
        columns = self.builder.finish()
        started = time_column([row.started for row in rows], NO_TIME)
        versions = [
            PodVersion(
                row=number,
                key=f"{row.namespace}/{row.name}",
                scheduler=row.scheduler or DEFAULT_SCHEDULER,
                node=row.node,
                nominated=row.nominated,
                phase=row.phase,
                started_ns=int(started[number]),
                is_terminating=row.terminating,
                is_preempted=row.preempted,
                has_status=self._pods[number][2],
            )
            for number, row in enumerate(rows)
        ]

        def settled(change: Change) -> Change:
            version = change.version
            return replace(change, version=versions[version.row]) if isinstance(version, _Pending) else change

        by_attempt: dict[During, tuple[Change, ...]] = {}
        timed: list[tuple[int, Change]] = []
        for change in map(settled, self._changes):
            if isinstance(change.when, During):
                by_attempt[change.when] = (*by_attempt.get(change.when, ()), change)
            else:
                timed.append((change.when, change))
        timed.sort(key=lambda item: item[0])
        initial = sorted(map(settled, self._initial), key=_rank)
        return Scenario(columns, tuple(initial), tuple(change for _, change in timed), by_attempt)

    def _change(self, when: int | During, verb: Verb, kind: str, obj: Struct, source: str) -> Change:
        meta = getattr(obj, "metadata", ObjectMeta())
        namespace = meta.namespace or "default"
        version: PodVersion | Struct | None = obj
        if verb is Verb.DELETE:
            version = None
        elif isinstance(obj, Pod):
            version = self._add_pod(obj, source, f"{namespace}/{meta.name}", verb)
        else:
            self.builder.add(kind, obj, b"", source)
        return Change(when, verb, kind, namespace, meta.name, version)

    def _add_pod(self, pod: Pod, source: str, key: str, verb: Verb) -> "_Pending":
        has_status = pod.status != _NO_STATUS
        if has_status or verb is Verb.ADD:
            self._statuses[key] = pod.status
        else:
            pod = structs.replace(pod, status=self._statuses.get(key, _NO_STATUS))
        row = len(self._pods)
        self._pods.append((row, pod, has_status))
        self.builder.add_pod(pod, source, b"")
        return _Pending(row)


class _Pending(Struct, frozen=True):
    """Stands for a version until all are known."""

    row: int


def _rank(change: Change) -> int:
    """At the start the scheduler sees other objects first, then nodes, pods with a node, and waiting pods."""
    version = change.version
    if isinstance(version, PodVersion):
        return 2 if version.node else 3
    return 1 if change.kind == "Node" else 0


def is_finished(phase: int) -> bool:
    """Whether a pod of a phase has run to its end: the scheduler does not see it any more."""
    return phase in (Phase.SUCCEEDED, Phase.FAILED)
