"""Places the waiting pods of a cluster in queue order: each once, and again where others leave for it."""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from kplace.dtypes import I32, NO_NODE, PreemptionMode, Status
from kplace.engine.attempt import Attempt
from kplace.engine.cycle import Options, find_way_out, try_pod
from kplace.engine.diagnose import diagnose
from kplace.engine.results import PlacementBuilder, PlacementColumns
from kplace.framework import Profile
from kplace.plugins import names
from kplace.state import ClusterState

Watcher = Callable[[Attempt, str], None]
"""Called after each attempt, before anything is changed by it, with the FitError text (empty if it found a node)."""


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
    admitted = np.array([_may_enter(state, profiles, int(pod)) for pod in own], np.bool_)
    queued = own[admitted]
    if len(queued):
        queued = next(iter(profiles.values())).queue_sort.sort(pods, queued)
    return waiting[~known], own[~admitted], queued


def register_nominations(state: ClusterState, queued: I32) -> None:
    """Let the nominations that the input has be seen, of the pods in the queue, in the order they entered it."""
    for pod in np.sort(queued[state.nominations.node_of_pod[queued] != NO_NODE]).tolist():
        state.nominations.register(pod)


def place_waiting(
    state: ClusterState,
    profiles: Sequence[Profile],
    options: Options,
    *,
    only: I32 | None = None,
    watchers: Sequence[Watcher] = (),
) -> PlacementColumns:
    """Try every waiting pod and put those that fit onto their nodes.

    Each is tried once. With `PreemptionMode.IMMEDIATE` one for which others can make room is tried again at once, with
    the node nominated, after they have left.

    Parameters
    ----------
    state : ClusterState
        Modified: placed pods are assumed, victims are gone, nominations and the start index move on.
    profiles : sequence of Profile
    only : int32 ndarray, optional
        The pods to try; the others are left waiting.
    watchers : sequence of callable
        Each sees every attempt.
    """
    if options.preemption is PreemptionMode.OFF:
        profiles = [_without_preemption(profile) for profile in profiles]
    by_name = {profile.scheduler_name: profile for profile in profiles}
    skipped, gated, queued = split_waiting(state, by_name)
    builder = PlacementBuilder()
    pods = state.columns.pods
    outside = [(int(pod), Status.SKIPPED) for pod in skipped] + [(int(pod), Status.GATED) for pod in gated]
    chosen = None if only is None else set(only.tolist())
    for pod, status in sorted(outside):
        if chosen is None or pod in chosen:
            builder.add_untried(pod, status)
    register_nominations(state, queued)
    tried = queued.tolist() if chosen is None else [pod for pod in queued.tolist() if pod in chosen]
    # The draws of first attempts must not depend on how many retries came before.
    numbers = itertools.count(len(tried))
    for number, pod in enumerate(tried):
        profile = by_name[pods.schedulers[pods.scheduler[pod]]]
        for attempt in _attempts(state, profile, pod, itertools.chain([number], numbers), options):
            reasons, message = diagnose(attempt) if attempt.node == NO_NODE else ((), "")
            for watcher in watchers:
                watcher(attempt, message)
            builder.add(attempt, reasons, message)
            carry_out(state, attempt)
    return builder.finish()


def _attempts(
    state: ClusterState, profile: Profile, pod: int, numbers: Iterator[int], options: Options
) -> Iterator[Attempt]:
    """Attempts at one pod, as long as others leave for it; what one comes to must be carried out before the next."""
    for retry in itertools.count():
        attempt = try_pod(state, profile, pod, next(numbers), options)
        attempt.retry = retry
        if attempt.node == NO_NODE:
            attempt.post_filters = find_way_out(attempt, options)
            attempt.is_preempting = options.preemption is PreemptionMode.IMMEDIATE and attempt.preemption is not None
        yield attempt
        if not attempt.is_preempting:
            return


def carry_out(state: ClusterState, attempt: Attempt) -> None:
    """Make an attempt's outcome true: the pod is on its node, or its victims are gone and it has a node in view.

    A pod that others do not leave for loses an earlier nomination, unless PostFilters said nothing of it.
    """
    state.next_start_index = attempt.next_start_index
    if attempt.node != NO_NODE:
        state.assume(attempt.pod, attempt.node)
    elif attempt.is_preempting:
        assert attempt.preemption is not None
        for victim in attempt.preemption.victims.tolist():
            state.forget(victim)
        for other in state.nominations.below(attempt.preemption.node, attempt.cycle.template.priority):
            state.nominations.clear(other)
        state.nominations.nominate(attempt.pod, attempt.preemption.node)
    elif attempt.post_filters is not None and attempt.post_filters.result.nomination is not None:
        state.nominations.clear(attempt.pod)


def _without_preemption(profile: Profile) -> Profile:
    """Build the same profile without DefaultPreemption's PostFilter."""
    kept = tuple(plugin for plugin in profile.post_filter if plugin.name != names.DEFAULT_PREEMPTION)
    return replace(profile, post_filter=kept)


def _may_enter(state: ClusterState, profiles: Mapping[str, Profile], pod: int) -> bool:
    pods = state.columns.pods
    profile = profiles[pods.schedulers[pods.scheduler[pod]]]
    return all(plugin.pre_enqueue(state.template_of(pod)) for plugin in profile.pre_enqueue)
