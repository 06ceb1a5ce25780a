"""What a simulation is told: the objects at the start, and what is done to objects later.

All of it is known before the simulation begins. Every version of every pod has a row of columns from the start, so that
templates, resources and selectors are compiled once.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum

import msgspec
from msgspec import Struct, structs

from kplace.columns.builder import Check, ClusterBuilder
from kplace.columns.cluster import ClusterColumns
from kplace.columns.pods import time_column
from kplace.columns.ruled import under_rules
from kplace.columns.rules import PodRules
from kplace.dtypes import NO_TIME, Phase
from kplace.objects.core import Pod, PodStatus
from kplace.objects.defaulting import DEFAULT_SCHEDULER
from kplace.objects.meta import ObjectMeta

_NO_STATUS = PodStatus()


class Verb(Enum):
    """What is done to an object."""

    ADD = "add"
    UPDATE = "update"
    DELETE = "delete"
    CORDON = "cordon"
    """A node takes no more pods."""
    UNCORDON = "uncordon"
    DRAIN = "drain"
    """A node takes no more pods, and those that it has are evicted."""
    FAIL = "fail"
    """A node vanishes, and its pods with it."""


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
    lasts : int or None
        Nanoseconds from its binding to its end; None if it goes on for ever.
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
    lasts: int | None = None


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
        What is added or updated.
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

    def under_rules(self, rules: PodRules) -> "Scenario":
        """Build the same scenario with its pods by the rules of a release."""
        return replace(self, columns=under_rules(self.columns, rules))

    @property
    def last_time(self) -> int:
        """When the last change is done; 0 if there is none."""
        when = self.changes[-1].when if self.changes else 0
        assert isinstance(when, int)
        return when

    def fingerprint(self) -> str:
        """Hash of all that will be done."""
        digest = hashlib.sha256()
        for template in self.columns.templates:
            digest.update(repr((template.namespace, sorted(template.labels.items()), template.owner)).encode())
            digest.update(msgspec.json.encode(template.spec, order="sorted"))
        digest.update(self.columns.pods.template.tobytes())
        during = (change for changes in self.during.values() for change in changes)
        for change in (*self.initial, *self.changes, *during):
            version = change.version
            said = msgspec.json.encode(version, order="sorted") if isinstance(version, Struct) else repr(version)
            digest.update(repr((change.when, change.verb, change.kind, change.key, said)).encode())
        return digest.hexdigest()


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
        self._pods: list[tuple[bool, int | None]] = []
        self._changes: list[Change] = []
        self._initial: list[Change] = []

    @property
    def node_names(self) -> set[str]:
        """The nodes that are there from the start, or added later."""
        listed = (*self._initial, *self._changes)
        return {change.name for change in listed if change.kind == "Node" and change.verb is Verb.ADD}

    def add_initial(self, kind: str, obj: Struct, source: str, *, lasts: int | None = None) -> None:
        """Add an object that is there from the start.

        Parameters
        ----------
        lasts : int, optional
            How long a pod runs, nanoseconds.
        """
        self._initial.append(self._change(0, Verb.ADD, kind, obj, source, lasts))

    def add_change(
        self,
        when: int | During,
        verb: Verb,
        kind: str,
        obj: Struct,
        source: str,
        *,
        lasts: int | None = None,
    ) -> None:
        """Add something that is done later; unless an object is added or updated, only its name counts."""
        self._changes.append(self._change(when, verb, kind, obj, source, lasts))

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
                has_status=self._pods[number][0],
                lasts=self._pods[number][1],
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

    def _change(self, when: int | During, verb: Verb, kind: str, obj: Struct, source: str, lasts: int | None) -> Change:
        meta = getattr(obj, "metadata", ObjectMeta())
        namespace = meta.namespace or "default"
        version: PodVersion | Struct | None = obj
        if verb not in (Verb.ADD, Verb.UPDATE):
            version = None
        elif isinstance(obj, Pod):
            version = self._add_pod(obj, source, verb, lasts)
        else:
            self.builder.add(kind, obj, b"", source)
        return Change(when, verb, kind, namespace, meta.name, version)

    def _add_pod(self, pod: Pod, source: str, verb: Verb, lasts: int | None) -> "_Pending":
        key = f"{pod.metadata.namespace or 'default'}/{pod.metadata.name}"
        has_status = pod.status != _NO_STATUS
        if has_status or verb is Verb.ADD:
            self._statuses[key] = pod.status
        else:
            pod = structs.replace(pod, status=self._statuses.get(key, _NO_STATUS))
        row = len(self._pods)
        self._pods.append((has_status, lasts))
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
