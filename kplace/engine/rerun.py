"""Runs that begin again and again from one cluster, under profiles whose weights alone differ."""

from collections.abc import Hashable, Sequence
from dataclasses import replace

from kplace.columns import ClusterColumns
from kplace.dtypes import I32
from kplace.engine.batch import can_batch, place_batch
from kplace.engine.cycle import Options
from kplace.engine.fused.engine import FusedEngine
from kplace.engine.fused.known import can_fuse
from kplace.engine.fused.weights import stay_in_range, weights_of
from kplace.engine.place import place_waiting, split_waiting
from kplace.engine.results import PlacementColumns
from kplace.framework import Profile, WeightedPlugin
from kplace.state import ClusterState


class Reruns:
    """Places the waiting pods of a cluster, each time from the start: what no weight changes is made once.

    That is the state of the cluster, and what was compiled for all plugins that may score. It is shared only where the
    fused engine knows every plugin: others may keep what they like.

    Parameters
    ----------
    columns : ClusterColumns
    options : Options
        With `PreemptionMode.OFF`: nobody is preempted.
    """

    def __init__(self, columns: ClusterColumns, options: Options) -> None:
        self._columns = columns
        self._options = options
        self._start = ClusterState(columns)
        self._queue: I32 | None = None
        self._engines: dict[Hashable, FusedEngine] = {}

    def place(self, profiles: Sequence[Profile], wholes: Sequence[Profile]) -> tuple[ClusterState, PlacementColumns]:
        """Place all waiting pods; the outcome is that of `kplace.engine.batch.place_batch` on a new state.

        Parameters
        ----------
        profiles : sequence of Profile
        wholes : sequence of Profile
            Each profile with every plugin that may score, with any weights.

        Returns
        -------
        ClusterState
            After the run.
        PlacementColumns
        """
        if not can_batch(profiles, self._options):
            state = ClusterState(self._columns)
            return state, place_waiting(state, profiles, self._options)
        known = [_with_weights(whole, profile) for profile, whole in zip(profiles, wholes, strict=True)]
        if not self._start.n_nodes or not all(can_fuse(whole) for whole in known):
            state = ClusterState(self._columns)
            return state, place_batch(state, profiles, self._options)
        # First the engines: what they count has its groups in the state that is forked.
        ready = {whole.scheduler_name: self._engine(whole, known) for whole in known}
        state = self._start.fork()
        return state, place_batch(state, profiles, self._options, engines=_Engines(ready))

    def _engine(self, whole: Profile, profiles: Sequence[Profile]) -> FusedEngine:
        scorers = tuple(item.plugin for item in whole.score)
        in_range = stay_in_range(weights_of(whole))
        key = (whole.scheduler_name, whole.pre_filter, whole.filter, scorers, in_range)
        if key not in self._engines:
            if self._queue is None:
                by_name = {profile.scheduler_name: profile for profile in profiles}
                self._queue = split_waiting(self._start, by_name)[2]
            self._engines[key] = FusedEngine(self._start, whole, self._options, self._queue)
        return self._engines[key]


class _Engines:
    """Gives a run forks of engines that are ready."""

    def __init__(self, ready: dict[str, FusedEngine]) -> None:
        self._ready = ready

    def __call__(self, state: ClusterState, profile: Profile, options: Options, queue: I32) -> FusedEngine:
        """Make an engine as `FusedEngine` does."""
        ready = self._ready.pop(profile.scheduler_name, None)
        # Where one was given before, the run no longer trusts it.
        return FusedEngine(state, profile, options, queue) if ready is None else ready.for_fork(state, profile, queue)


def _with_weights(whole: Profile, profile: Profile) -> Profile:
    """The whole profile with the weights of another, 0 for what that one leaves out."""
    weights = {item.plugin: item.weight for item in profile.score}
    score = tuple(WeightedPlugin(item.plugin, weights.get(item.plugin, 0), item.normalizer) for item in whole.score)
    return replace(whole, score=score)
