"""Fills a cluster with copies of pods, one after another, none of which has to be made for it."""

from collections.abc import Sequence
from dataclasses import replace

from kplace.columns.cluster import ClusterColumns
from kplace.dtypes import I32
from kplace.engine.attempt import Attempt
from kplace.engine.batch import can_batch
from kplace.engine.cycle import Options, find_way_out, try_pod
from kplace.engine.fused.engine import FusedEngine, empty_results
from kplace.engine.fused.known import can_fuse
from kplace.engine.fused.loop import DONE, NEEDS_REASONS
from kplace.engine.place import make_agenda
from kplace.framework import Profile
from kplace.plugins.queuesort.plugin import PrioritySort
from kplace.state import ClusterState


class Filler:
    """Places copies of pods that wait, and gives what placing as many pods of equal priority gives.

    Parameters
    ----------
    columns : ClusterColumns
    profiles : sequence of Profile
    options : Options
    samples : int32 ndarray
        Pods that wait, of which copies are asked for.
    most : int
        How many copies there may be.

    Notes
    -----
    The copies are on no list of pods: what the state counts on the nodes is all that is known of them.
    """

    def __init__(
        self, columns: ClusterColumns, profiles: Sequence[Profile], options: Options, samples: I32, most: int
    ) -> None:
        self._state = ClusterState(columns)
        self._options = options = replace(options, explains=True)
        self._profile: Profile | None = None
        if not can_batch(profiles, options) or not self._state.n_nodes:
            return
        agenda = make_agenda(self._state, profiles, options, samples)
        own = {agenda.profile_of(pod).scheduler_name: agenda.profile_of(pod) for pod in agenda.tried.tolist()}
        # What is tried in an order of its own, is held up by others, or is not tried at all, is left to others.
        if len(own) != 1 or len(agenda.tried) < len(samples) or len(self._state.nominations):
            return
        (profile,) = own.values()
        if isinstance(profile.queue_sort, PrioritySort) and can_fuse(profile):
            self._engine = FusedEngine(self._state, profile, options, samples, changes=most + 1)
            self._profile = profile if self._engine.knows_by_template(samples).all() else None

    @property
    def knows_all(self) -> bool:
        """Whether it can place the copies; nothing else may be asked otherwise."""
        return self._profile is not None

    def fill(self, queue: I32) -> tuple[I32, Attempt | None]:
        """Place copies until one finds no node.

        Parameters
        ----------
        queue : int32 ndarray, shape (k,)
            For each copy the pod that it is like.

        Returns
        -------
        nodes : int32 ndarray, shape (n_placed,)
        attempt : Attempt or None
            At the copy that found none.
        """
        assert self._profile is not None
        state = self._state
        results = empty_results(len(queue), state.next_start_index)
        self._engine.enqueue(queue)
        placed, why = self._engine.advance(results, 0, len(queue)) if len(queue) else (0, DONE)
        assert why in (DONE, NEEDS_REASONS), why
        nodes = results.node[:placed].copy()
        if placed:
            state.next_start_index = int(results.next_start[placed - 1])
        if why == DONE:
            return nodes, None
        known = len(state.groups)
        attempt = try_pod(state, self._profile, int(queue[placed]), placed, self._options)
        attempt.post_filters = find_way_out(attempt, self._options)
        # A group that is counted only now would miss the copies.
        assert len(state.groups) == known
        return nodes, attempt
