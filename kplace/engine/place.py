"""Places the waiting pods of a cluster in queue order: each once, and again where others leave for it."""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from kplace.columns.pods import PodColumns
from kplace.dtypes import I32, NO_NODE, PreemptionMode, Status
from kplace.engine.attempt import Attempt
from kplace.engine.binding import Bindings, Outcome
from kplace.engine.cycle import Options, find_way_out, try_pod
from kplace.engine.diagnose import diagnose
from kplace.engine.results import PlacementBuilder, PlacementColumns
from kplace.framework import Profile
from kplace.framework.answers import may_enter, sorted_pods
from kplace.framework.binding import Setback
from kplace.framework.interface import ClusterReader
from kplace.framework.waiting import WaitingPods
from kplace.plugins import names
from kplace.state import ClusterState

Watcher = Callable[[Attempt, str], None]
"""Called after each attempt, before anything is changed by it, with its message (empty if it found a node)."""

SetbackWatcher = Callable[[Attempt, Setback], None]
"""Called when a pod that had found a node does not get it after all."""

MAX_BINDINGS = 3
"""How often a pod is tried whose binding fails; upstream, which does not come to an end, tries it for ever."""


def split_waiting(state: ClusterState, profiles: Mapping[str, Profile]) -> tuple[I32, I32, I32]:
    """Divide the waiting pods.

    Returns
    -------
    skipped, gated, queued : int32 ndarrays
        Pods of a scheduler without a profile, pods that a PreEnqueue plugin keeps out, and the others in queue order.
    """
    pods = state.columns.pods
    waiting = np.flatnonzero(pods.waiting & (state.node_of_pod == NO_NODE)).astype(np.int32)
    known = np.array([name in profiles for name in pods.schedulers], np.bool_)[pods.scheduler[waiting]]
    own = waiting[known]
    # A template has one scheduler name: one pod of each speaks for all.
    admits = np.zeros(len(state.columns.templates), np.bool_)
    for template in np.flatnonzero(np.bincount(pods.template[own])).tolist():
        profile = profiles[state.columns.templates[template].spec.scheduler_name]
        admits[template] = _may_enter(state, profile, template)
    admitted = admits[pods.template[own]]
    queued = own[admitted]
    if len(queued):
        sorter = next(iter(profiles.values())).queue_sort
        if isinstance(sorter, ClusterReader):
            sorter.read_cluster(state.columns)
        queued = sorted_pods(sorter, pods, queued)
    return waiting[~known], own[~admitted], queued


def register_nominations(state: ClusterState, queued: I32) -> None:
    """Let the nominations that the input has be seen, of the pods in the queue, in the order they entered it."""
    for pod in np.sort(queued[state.nominations.node_of_pod[queued] != NO_NODE]).tolist():
        state.nominations.register(pod)


@dataclass(frozen=True, slots=True)
class Agenda:
    """What a run has to do.

    Attributes
    ----------
    untried : list of (int, Status)
        Pods that never enter the queue, by index.
    tried : int32 ndarray
        Pods in the order in which they are tried.
    retries : iterator of int
        Numbers for attempts beyond each pod's first.
    """

    untried: list[tuple[int, Status]]
    tried: I32
    _pods: PodColumns
    _profiles: Mapping[str, Profile]
    retries: Iterator[int]

    def profile_of(self, pod: int) -> Profile:
        """Profile of the scheduler that a pod names."""
        return self._profiles[self._pods.schedulers[self._pods.scheduler[pod]]]

    @property
    def has_one_profile(self) -> bool:
        """Whether all pods are tried under one profile."""
        return len(self._profiles) == 1

    def skip_numbers(self, number: int) -> None:
        """Leave out the numbers of so many retries, which somebody else has made."""
        for _ in range(number):
            next(self.retries)

    def numbers_from(self, number: int) -> Iterator[int]:
        """Numbers for the attempts at a pod: its place in the queue, then ones that nobody else gets.

        The draws of first attempts must not depend on how many retries came before.
        """
        return itertools.chain([number], self.retries)


def make_agenda(state: ClusterState, profiles: Sequence[Profile], options: Options, only: I32 | None) -> Agenda:
    """Settle which pods are tried and in what order, and let the nominations of those in the queue be seen."""
    if options.preemption is PreemptionMode.OFF:
        profiles = [without_preemption(profile) for profile in profiles]
    by_name = {profile.scheduler_name: profile for profile in profiles}
    skipped, gated, queued = split_waiting(state, by_name)
    outside = [(pod, Status.SKIPPED) for pod in skipped.tolist()] + [(pod, Status.GATED) for pod in gated.tolist()]
    register_nominations(state, queued)
    if only is not None:
        outside = [(pod, status) for pod, status in outside if pod in only]
        queued = queued[np.isin(queued, only)]
    return Agenda(sorted(outside), queued, state.columns.pods, by_name, itertools.count(len(queued)))


def place_waiting(
    state: ClusterState,
    profiles: Sequence[Profile],
    options: Options,
    *,
    only: I32 | None = None,
    watchers: Sequence[Watcher] = (),
    setback_watchers: Sequence[SetbackWatcher] = (),
) -> PlacementColumns:
    """Try every waiting pod and put those that fit onto their nodes.

    Each is tried once. With `PreemptionMode.IMMEDIATE` one for which others can make room is tried again at once, with
    the node nominated, after they have left. One whose binding fails is tried again after all others, `MAX_BINDINGS`
    times at most. Pods that a Permit plugin lets wait keep their nodes; those that still wait in the end are rejected,
    as if their time had run out.

    Parameters
    ----------
    state : ClusterState
        Modified: placed pods are assumed, victims are gone, nominations and the start index move on.
    profiles : sequence of Profile
    only : int32 ndarray, optional
        The pods to try; the others are left waiting.
    watchers : sequence of callable
        Each sees every attempt.
    setback_watchers : sequence of callable
        Each sees every pod that loses its node again.
    """
    agenda = make_agenda(state, profiles, options, only)
    run = _Run(state, agenda, options, watchers, setback_watchers)
    for pod, status in agenda.untried:
        run.builder.add_untried(pod, status)
    for number, pod in enumerate(agenda.tried.tolist()):
        run.try_pod(pod, agenda.numbers_from(number))
    run.end()
    return run.builder.finish(state.volume_bindings.settled)


class _Run:
    """What a run consists of, and what has become of its pods so far."""

    def __init__(
        self,
        state: ClusterState,
        agenda: Agenda,
        options: Options,
        watchers: Sequence[Watcher],
        setback_watchers: Sequence[SetbackWatcher],
    ) -> None:
        self.builder = PlacementBuilder()
        self._state = state
        self._agenda = agenda
        self._options = options
        self._watchers = watchers
        self._setback_watchers = setback_watchers
        self._bindings = Bindings(state)
        self._again: list[Attempt] = []

    def try_pod(self, pod: int, numbers: Iterator[int], first: int = 0) -> None:
        """Try a pod, and again as long as others leave for it."""
        profile, waiting = self._agenda.profile_of(pod), self._bindings.waiting
        for attempt in attempts(self._state, profile, pod, numbers, self._options, first=first, waiting=waiting):
            reasons, message = diagnose(attempt) if attempt.node == NO_NODE else ((), "")
            for watcher in self._watchers:
                watcher(attempt, message)
            self.builder.add(attempt, reasons, message)
            if attempt.node == NO_NODE or attempt.binds_plainly:
                carry_out(self._state, attempt, waiting)
                self._settle(self._bindings.settle())
            else:
                self._state.next_start_index = attempt.next_start_index
                self._settle(self._bindings.begin(attempt))

    def end(self) -> None:
        """Try again what could not be bound, and reject the pods that still wait."""
        self._try_again()
        self._settle(self._bindings.end())
        self._try_again()

    def _try_again(self) -> None:
        while self._again:
            attempt = self._again.pop(0)
            self.try_pod(attempt.pod, self._agenda.retries, attempt.retry + 1)

    def _settle(self, outcomes: Iterator[Outcome]) -> None:
        for attempt, setback in outcomes:
            if setback is None or self.builder.has_left(attempt.pod):
                continue
            self.builder.set_back(attempt, setback)
            for watcher in self._setback_watchers:
                watcher(attempt, setback)
            if setback.is_retried and attempt.retry + 1 < MAX_BINDINGS:
                self._again.append(attempt)


def attempts(
    state: ClusterState,
    profile: Profile,
    pod: int,
    numbers: Iterator[int],
    options: Options,
    *,
    first: int = 0,
    waiting: WaitingPods | None = None,
) -> Iterator[Attempt]:
    """Attempts at one pod, as long as others leave for it; what one comes to must be carried out before the next.

    Parameters
    ----------
    numbers : iterator of int
        Of the attempts in the run.
    first : int
        Number of the first of them among all at this pod.
    waiting : WaitingPods, optional
        Those of the run.
    """
    for retry in itertools.count(first):
        attempt = try_pod(state, profile, pod, next(numbers), options, waiting)
        attempt.retry = retry
        if attempt.node == NO_NODE and not attempt.error:
            attempt.post_filters = find_way_out(attempt, options)
            attempt.is_preempting = options.preemption is PreemptionMode.IMMEDIATE and attempt.preemption is not None
        yield attempt
        if not attempt.is_preempting:
            return


def carry_out(state: ClusterState, attempt: Attempt, waiting: WaitingPods | None = None) -> None:
    """Make an attempt's outcome true: the pod is on its node, or its victims are gone and it has a node in view.

    A pod that others do not leave for loses an earlier nomination, unless PostFilters said nothing of it. So does one
    whose attempt ended with an error. A victim that still waits to be bound is rejected instead of taken away; whoever
    runs the pods then takes it off its node.

    Parameters
    ----------
    attempt : Attempt
        One that found no node, or of a profile that binds plainly.
    waiting : WaitingPods, optional
        Those of the run.
    """
    state.next_start_index = attempt.next_start_index
    if attempt.node != NO_NODE:
        state.assume(attempt.pod, attempt.node)
    elif attempt.is_preempting:
        assert attempt.preemption is not None
        for victim in attempt.preemption.victims.tolist():
            held = waiting.get(victim) if waiting is not None else None
            if held is None:
                state.forget(victim)
            else:
                held.reject(names.DEFAULT_PREEMPTION, "preempted")
        for other in state.nominations.below(attempt.preemption.node, attempt.cycle.template.priority):
            state.nominations.clear(other)
        state.nominations.nominate(attempt.pod, attempt.preemption.node)
    elif attempt.error or (attempt.post_filters is not None and attempt.post_filters.result.nomination is not None):
        state.nominations.clear(attempt.pod)


def without_preemption(profile: Profile) -> Profile:
    """Build the same profile without DefaultPreemption's PostFilter."""
    kept = tuple(plugin for plugin in profile.post_filter if plugin.name != names.DEFAULT_PREEMPTION)
    return replace(profile, post_filter=kept)


def _may_enter(state: ClusterState, profile: Profile, template: int) -> bool:
    return all(may_enter(plugin, state.columns.templates[template]) for plugin in profile.pre_enqueue)
