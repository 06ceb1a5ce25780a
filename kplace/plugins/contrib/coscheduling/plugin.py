"""Coscheduling (scheduler-plugins' ``pkg/coscheduling``)."""

import weakref
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kplace.columns.cluster import ClusterColumns
from kplace.columns.pods import PodColumns
from kplace.columns.templates import Template
from kplace.config.go import SECOND
from kplace.dtypes import I32, I64, Code
from kplace.framework import Cycle, PostFilterPlugin, PostFilterResult, QueueSortPlugin
from kplace.framework.events import Action, ClusterEvent, Registration, Resource
from kplace.framework.failure import Failure
from kplace.framework.interface import ClusterReader, PermitPlugin, PreFilterPlugin, PreFilterResult, ReservePlugin
from kplace.framework.status import PermitResult
from kplace.objects.scheduling import PodGroup
from kplace.plugins.contrib.coscheduling.args import CoschedulingArgs
from kplace.plugins.contrib.coscheduling.groups import Groups, assigned, group_name, resource_gap

if TYPE_CHECKING:
    from kplace.framework.waiting import WaitingPods

NO_GROUP = "can not find pod group"
NOT_FOUND = "PodGroup not found"
REJECTED_BY_POST_FILTER = "optimistic rejection in PostFilter"
REJECTED_BY_UNRESERVE = "rejection in Unreserve"

_DEFAULT_WAIT_SECONDS = 60
_SHORTEST_MEMORY_SECONDS = 3
"""How long it is remembered that a group's resources are there, if its pods may not wait at all."""


@dataclass(slots=True)
class _Memory:
    """What one run has learnt of groups, by ``namespace/name``; all times in nanoseconds.

    Attributes
    ----------
    failed_ns : dict
        When a group was last rejected.
    backed_off_until : dict
        Until when it is not tried again.
    permitted_until : dict
        Until when its resources need not be looked for again.
    """

    failed_ns: dict[str, int] = field(default_factory=dict)
    backed_off_until: dict[str, int] = field(default_factory=dict)
    permitted_until: dict[str, int] = field(default_factory=dict)


class _Found(NamedTuple):
    """The group of an attempt's pod."""

    name: str
    group: PodGroup
    groups: Groups


class Coscheduling:
    """Lets pods of a PodGroup wait for one another, and rejects all that wait as soon as one of them fails.

    Parameters
    ----------
    args : CoschedulingArgs, optional

    Notes
    -----
    How many pods of a group have a node is read off the state; upstream keeps a list of its own. Its Permit also moves
    the siblings of a group's first pod to the active queue.
    """

    name = "Coscheduling"
    Args = CoschedulingArgs

    def __init__(self, args: CoschedulingArgs | None = None) -> None:
        self._args = args or CoschedulingArgs()
        self._memory = _Memory()
        self._run: weakref.ref[WaitingPods] | None = None
        self._groups: Groups | None = None

    # The queue.

    def read_cluster(self, columns: ClusterColumns) -> None:
        """Look at the groups, by which the queue is sorted."""
        self._groups = Groups(columns)

    def sort(self, pods: PodColumns, waiting: I32) -> I32:
        """Reorder by priority, then by the time of the group or of the pod alone, then by the pod's name."""
        times = pods.created_ns[waiting]
        if self._groups is not None:
            groups = [self._groups.names[code] for code in pods.template[waiting].tolist()]
            times = np.array(list(map(self._groups.created_ns.get, groups, times.tolist())), np.int64)
        names = _ranks([pods.key(pod) for pod in waiting.tolist()])
        return waiting[np.lexsort((names, times, -pods.priority[waiting]))]

    def rank(self, template: Template, timestamp: int) -> tuple[int, ...]:
        """Rank of one pod; pods of one group keep the order in which they came, upstream sorts them by name."""
        name = group_name(template)
        if not name or self._groups is None:
            return -template.priority, timestamp, -1
        created = self._groups.created_ns.get(name, timestamp)
        return -template.priority, self._memory.failed_ns.get(name, created), self._groups.position[name]

    def events_to_register(self) -> Sequence[Registration]:
        """Events that may help a pod which was rejected here."""
        return (
            Registration(ClusterEvent(Resource.POD, Action.ADD)),
            Registration(ClusterEvent(Resource.POD_GROUP, Action.ADD | Action.UPDATE)),
        )

    # An attempt.

    def pre_filter(self, cycle: Cycle) -> PreFilterResult | None:
        """Reject a pod whose group is backed off, has too few pods, or asks for more than the cluster has left."""
        found = self._find(cycle)
        reason = self._hindrance(cycle, found) if found is not None else ""
        return PreFilterResult(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, (reason,)) if reason else None

    def post_filter(self, cycle: Cycle, failure: Failure) -> PostFilterResult:
        """Reject the group of a pod that fits nowhere, unless nearly enough of its pods have their nodes."""
        found = self._find(cycle)
        if found is None:
            return PostFilterResult(Code.UNSCHEDULABLE, (NO_GROUP,))
        name, group, groups = found
        wanted = group.spec.min_member
        missing = wanted - assigned(cycle.state, groups, name)
        if missing <= 0 or missing * 100 <= self._args.pod_group_reject_percentage * wanted:
            return PostFilterResult(Code.UNSCHEDULABLE)
        self._reject_waiting(cycle, found, REJECTED_BY_POST_FILTER)
        if self._args.pod_group_backoff_seconds and groups.siblings[name].number >= wanted:
            self._back_off(cycle, name)
        reason = f"PodGroup {name} gets rejected due to Pod {cycle.pod_name} is unschedulable even after PostFilter"
        return PostFilterResult(Code.UNSCHEDULABLE, (reason,))

    def reserve(self, cycle: Cycle, node: int) -> None:
        """Do nothing; it is `unreserve` that matters."""

    def permit(self, cycle: Cycle, node: int) -> PermitResult | None:
        """Let all pods of the group go if this one makes them enough, and wait if not."""
        if not group_name(cycle.template):
            return None
        found = self._find(cycle)
        if found is None:
            return PermitResult.reject(NOT_FOUND)
        if assigned(cycle.state, found.groups, found.name) < found.group.spec.min_member:
            return PermitResult.wait(self._patience(found.group) * SECOND)
        self._recall(cycle).failed_ns.pop(found.name, None)
        for item in cycle.waiting:
            if group_name(item.cycle.template) == found.name:
                item.allow(self.name)
        return None

    def unreserve(self, cycle: Cycle, node: int) -> None:
        """Reject all other pods of a group when one of them loses its node, such as when its time is over."""
        found = self._find(cycle)
        if found is not None:
            self._reject_waiting(cycle, found, REJECTED_BY_UNRESERVE)

    # Groups.

    def _find(self, cycle: Cycle) -> _Found | None:
        """The group of a pod, if it names one and there is such a group."""
        name = group_name(cycle.template)
        groups = cycle.state.shared(Groups, Groups)
        group = groups.find(name)
        return None if group is None else _Found(name, group, groups)

    def _hindrance(self, cycle: Cycle, found: _Found) -> str:
        """Why pods of a group need not be tried; empty if nothing speaks against it."""
        name, group, groups = found
        memory, now = self._recall(cycle), cycle.waiting.now_ns
        if name in memory.backed_off_until and now <= memory.backed_off_until[name]:
            return f"podGroup {name} failed recently"
        wanted, siblings = group.spec.min_member, groups.siblings[name]
        if siblings.number < wanted:
            return (
                f"pre-filter pod {cycle.pod_name} cannot find enough sibling pods, "
                f"current pods number: {siblings.number}, minMember of group: {wanted}"
            )
        if siblings.gated > siblings.number - wanted:
            return f"pre-filter pod {cycle.pod_name} cannot proceed due to gated pods in the same PodGroup"
        if not group.spec.min_resources or now <= memory.permitted_until.get(name, -1):
            return ""
        gap = resource_gap(cycle.state, groups, name, group)
        if gap:
            return f"resource gap: map[{' '.join(f'{key}:{_amount(key, gap[key])}' for key in sorted(gap))}]"
        lasting = self._args.permit_waiting_time_seconds or _SHORTEST_MEMORY_SECONDS
        memory.permitted_until[name] = now + lasting * SECOND
        return ""

    def _reject_waiting(self, cycle: Cycle, found: _Found, message: str) -> None:
        memory = self._recall(cycle)
        for item in cycle.waiting:
            if group_name(item.cycle.template) == found.name:
                item.reject(self.name, message)
        memory.permitted_until.pop(found.name, None)
        memory.failed_ns[found.name] = cycle.waiting.epoch_ns + cycle.waiting.now_ns

    def _back_off(self, cycle: Cycle, name: str) -> None:
        """Leave a group alone for a while; a backoff that has not ended yet is not made longer."""
        until, now = self._recall(cycle).backed_off_until, cycle.waiting.now_ns
        if name not in until or now > until[name]:
            until[name] = now + self._args.pod_group_backoff_seconds * SECOND

    def _patience(self, group: PodGroup) -> int:
        """Seconds that pods of a group wait."""
        own, default = group.spec.schedule_timeout_seconds, self._args.permit_waiting_time_seconds
        if own is None:
            return default or _DEFAULT_WAIT_SECONDS
        return own or default

    def _recall(self, cycle: Cycle) -> _Memory:
        """What is known of this run; a new one begins with nothing."""
        if self._run is None or self._run() is not cycle.waiting:
            self._run = weakref.ref(cycle.waiting)
            self._memory = _Memory()
        return self._memory


def _ranks(texts: list[str]) -> I64:
    """Position of each text among all in their order."""
    ranks = np.empty(len(texts), np.int64)
    ranks[sorted(range(len(texts)), key=texts.__getitem__)] = np.arange(len(texts))
    return ranks


def _amount(resource: str, amount: int) -> str:
    if resource != "cpu":
        return str(amount)
    return f"{amount}m" if amount % 1000 else str(amount // 1000)


_cluster: type[ClusterReader] = Coscheduling
_sorter: type[QueueSortPlugin] = Coscheduling
_pre_filter: type[PreFilterPlugin] = Coscheduling
_post_filter: type[PostFilterPlugin] = Coscheduling
_permit: type[PermitPlugin] = Coscheduling
_reserve: type[ReservePlugin] = Coscheduling
