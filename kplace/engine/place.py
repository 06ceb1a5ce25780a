"""Places the waiting pods of a cluster, each once, in queue order."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from kplace.dtypes import I32, NO_NODE, Status
from kplace.engine.attempt import Attempt
from kplace.engine.cycle import Options, try_pod
from kplace.engine.diagnose import diagnose
from kplace.engine.results import PlacementBuilder, PlacementColumns
from kplace.framework import Profile
from kplace.state import ClusterState

Watcher = Callable[[Attempt, str], None]
"""Called after each attempt, before the pod is assumed, with the FitError text (empty if it found a node)."""


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


def place_waiting(
    state: ClusterState,
    profiles: Sequence[Profile],
    options: Options,
    *,
    only: I32 | None = None,
    watchers: Sequence[Watcher] = (),
) -> PlacementColumns:
    """Try every waiting pod once and put those that fit onto their nodes.

    Parameters
    ----------
    state : ClusterState
        Modified: placed pods are assumed, the start index moves on.
    profiles : sequence of Profile
    only : int32 ndarray, optional
        The pods to try; the others are left waiting.
    watchers : sequence of callable
        Each sees every attempt.
    """
    by_name = {profile.scheduler_name: profile for profile in profiles}
    skipped, gated, queued = split_waiting(state, by_name)
    builder = PlacementBuilder()
    pods = state.columns.pods
    outside = [(int(pod), Status.SKIPPED) for pod in skipped] + [(int(pod), Status.GATED) for pod in gated]
    chosen = None if only is None else set(only.tolist())
    for pod, status in sorted(outside):
        if chosen is None or pod in chosen:
            builder.add_untried(pod, status)
    for number, pod in enumerate(
        queued.tolist() if chosen is None else [pod for pod in queued.tolist() if pod in chosen]
    ):
        profile = by_name[pods.schedulers[pods.scheduler[pod]]]
        attempt = try_pod(state, profile, pod, number, options)
        reasons, message = diagnose(attempt) if attempt.node == NO_NODE else ((), "")
        for watcher in watchers:
            watcher(attempt, message)
        builder.add(attempt, reasons, message)
        state.next_start_index = attempt.next_start_index
        if attempt.node != NO_NODE:
            state.assume(pod, attempt.node)
    return builder.finish()


def _may_enter(state: ClusterState, profiles: Mapping[str, Profile], pod: int) -> bool:
    pods = state.columns.pods
    profile = profiles[pods.schedulers[pods.scheduler[pod]]]
    return all(plugin.pre_enqueue(state.template_of(pod)) for plugin in profile.pre_enqueue)
