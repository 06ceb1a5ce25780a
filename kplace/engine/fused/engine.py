"""The fused engine from the outside: a run of pods under one profile, with stops where Python is needed."""

import copy
from typing import NamedTuple

import numpy as np

from kplace.dtypes import I32, I64, NO_NODE, Mask, PreemptionMode, TieBreak
from kplace.engine.cycle import Options, wanted
from kplace.engine.fused.compile import Compiler, placing_of
from kplace.engine.fused.layout import LENGTH, Results
from kplace.engine.fused.loop import Failures, Outside, Search, note_change, note_changes, run_pods
from kplace.engine.fused.volumes import EVERYWHERE
from kplace.engine.fused.weights import weights_of
from kplace.engine.fused.workspace import renewed
from kplace.engine.fused.world import world_of
from kplace.engine.results import NO_SCORE
from kplace.framework import Profile
from kplace.plugins.defaultpreemption.plugin import DefaultPreemption
from kplace.plugins.dynamicresources.plugin import DynamicResources
from kplace.state import ClusterState


class Stop(NamedTuple):
    """Where the fused loop stopped, and why: `loop.DONE`, `loop.NEEDS_CYCLE` or `loop.NEEDS_REASONS`."""

    position: int
    why: int


def empty_results(n_pods: int, start_index: int) -> Results:
    """Columns for a run of pods; the last start index is where the first search begins."""
    next_start = np.zeros(n_pods, np.int32)
    next_start[-1:] = start_index
    return Results(
        node=np.full(n_pods, NO_NODE, np.int32),
        evaluated=np.zeros(n_pods, np.int32),
        feasible=np.zeros(n_pods, np.int32),
        total=np.full(n_pods, NO_SCORE, np.int64),
        runner_up=np.full(n_pods, NO_SCORE, np.int64),
        ties=np.zeros(n_pods, np.int32),
        next_start=next_start,
        reason=np.full(n_pods, -1, np.int32),
        attempt=np.zeros(n_pods, np.int32),
    )


class FusedEngine:
    """Places pods of one profile; the state's columns are changed as by `ClusterState.assume`.

    Parameters
    ----------
    state : ClusterState
    profile : Profile
        One that `kplace.engine.fused.compile.can_fuse`.
    options : Options
    queue : int32 ndarray, shape (n_pods,)
        The pods in the order in which they are tried.
    changes : int, optional
        How many pods may come or go. By default each may come and, pushed out, go.
    """

    def __init__(
        self, state: ClusterState, profile: Profile, options: Options, queue: I32, changes: int | None = None
    ) -> None:
        self._state = state
        self._began_at = state.node_of_pod.copy()
        templates = state.columns.pods.template[queue]
        first = np.full(len(state.columns.templates), -1, np.int64)
        first[templates[::-1]] = np.arange(len(queue))[::-1]
        # The log must hold all changes.
        capacity = 2 * len(state.columns.pods) + 1 if changes is None else changes
        want = wanted(profile, state.n_nodes, options)
        compiler = Compiler(state, profile, want)
        self._run = compiler.compile(queue[first[first >= 0]].tolist(), capacity)
        self._volumes = compiler.volumes
        self._placing, self._n_groups = placing_of(state), len(state.groups)
        n_templates = len(state.columns.templates)
        self._failures = _no_failures(n_templates)
        self._search = Search(
            want=want,
            draws=options.tie_break is TieBreak.RANDOM,
            seed=options.seed,
            explains=options.explains or _has_way_out(profile, options),
        )
        self._queue = _numbered(queue, templates)
        self._world = world_of(state, profile, options, self._run)

    def for_fork(self, state: ClusterState, profile: Profile, queue: I32) -> "FusedEngine":
        """The same engine for a fork of its state and a profile whose weights alone are others, without compiling.

        It must be one under which nobody is preempted.

        Parameters
        ----------
        state : ClusterState
            A fork of the one that the engine was made for, which nothing has left since, nor has the engine advanced.
        profile : Profile
            With the plugins of the engine's own, or without some that score; its totals `stay_in_range` as those of the
            engine's own profile do.
        queue : int32 ndarray, shape (n_pods,)
            Of pods whose templates the engine was made for; the others are left to the cycle.
        """
        twin = copy.copy(self)
        twin._state = state
        twin._queue = _numbered(queue, state.columns.pods.template[queue])
        twin._run = renewed(self._run, state, weights_of(profile))
        twin._failures = _no_failures(len(state.columns.templates))
        twin._placing = self._placing._replace(counts=state.groups.counts, totals=state.groups.totals)
        assert not self._world.is_on
        arrived = np.flatnonzero(state.node_of_pod != self._began_at).astype(np.int32)
        twin.note_many(arrived, state.node_of_pod[arrived])
        return twin

    def enqueue(self, queue: I32) -> None:
        """Try these pods from now on, which may be the same ones again and again; none of a new template."""
        self._queue = _numbered(queue, self._state.columns.pods.template[queue])

    def knows_by_template(self, pods: I32) -> Mask:
        """Whether a pod's template is all that the loop has to know of it, as no claims are settled; shape (k,)."""
        template = self._state.columns.pods.template[pods]
        known: Mask = self._run.templates.class_of[template] >= 0
        return known & (self._volumes.mask[template] == EVERYWHERE)

    def advance(self, results: Results, position: int, end: int) -> Stop:
        """Place pods from ``position`` up to ``end``, as far as no Python is needed. Writes ``results``."""
        if self._n_groups != len(self._state.groups):
            self._placing, self._n_groups = placing_of(self._state), len(self._state.groups)
        world = self._world
        if world.is_on:
            world = world._replace(lists=self._state.node_pods.lists)
        world.n_victims[0] = 0
        outside = Outside(self._placing, self._failures, world)
        return Stop(*run_pods(self._run, outside, self._search, self._queue, results, (position, end)))

    def settle_claims(self, pods: I32, nodes: I32) -> None:
        """Settle the claims of pods that the loop has placed."""
        self._volumes.settle(self._state, pods, nodes)

    @property
    def keeps_lists(self) -> bool:
        """Whether the engine keeps the state's lists of pods by node current by itself."""
        return self._world.is_on

    def victims(self) -> tuple[I32, I32]:
        """The pods pushed out in the last call of `advance`, and the positions of the pods that they left for."""
        number = int(self._world.n_victims[0])
        return self._world.victims[0, :number].copy(), self._world.victims[1, :number].copy()

    def note(self, pod: int, node: int, sign: int) -> None:
        """Let the engine know that somebody else put a pod on a node (``sign`` 1) or took it off (-1)."""
        note_change(self._run, int(self._state.columns.pods.template[pod]), node, sign)

    def note_many(self, pods: I32, nodes: I32) -> None:
        """Let the engine know that somebody else put pods on nodes."""
        note_changes(self._run, self._state.columns.pods.template[pods], nodes)

    def remember_failure(self, pod: int, reason: int) -> None:
        """Keep the number of the diagnosis of a template that fits nowhere, for as long as nothing changes."""
        template = int(self._state.columns.pods.template[pod])
        self._failures.since[template] = self._run.log.clock[LENGTH]
        self._failures.reason[template] = reason


def _has_way_out(profile: Profile, options: Options) -> bool:
    """Whether anybody does something about a pod that fits nowhere, which the cycle has to ask for."""
    if options.preemption is not PreemptionMode.OFF:
        return True
    return not all(type(plugin) in (DynamicResources, DefaultPreemption) for plugin in profile.post_filter)


def _numbered(queue: I32, templates: I32) -> tuple[I32, I32, I64]:
    return queue, np.ascontiguousarray(templates), np.arange(len(queue), dtype=np.int64)


def _no_failures(n_templates: int) -> Failures:
    return Failures(np.full(n_templates, -1, np.int64), np.full(n_templates, -1, np.int32))
