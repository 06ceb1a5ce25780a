"""Moves pods away from nodes, as often as somebody wants to know what would come of it."""

from dataclasses import replace

import numpy as np

from kplace.columns.cluster import ClusterColumns
from kplace.dtypes import I32, NO_NODE, PreemptionMode
from kplace.engine.cycle import Options, try_pod
from kplace.engine.fused.compile import placing_of
from kplace.engine.fused.engine import FusedEngine, empty_results
from kplace.engine.fused.known import can_fuse
from kplace.engine.fused.layout import LENGTH, Results
from kplace.engine.fused.loop import DONE, NEEDS_CYCLE, Failures, Outside, run_pods
from kplace.engine.moving.place_all import place_all
from kplace.framework import Profile
from kplace.state import ClusterState


def can_move(profiles: tuple[Profile, ...], options: Options) -> bool:
    """Whether a `Mover` knows the way: one profile that the fused engine knows, and nobody else to ask."""
    return len(profiles) == 1 and not options.extenders and can_fuse(profiles[0]) and profiles[0].binds_plainly


class Mover:
    """A cluster of which pods are moved, and moved back.

    Parameters
    ----------
    columns : ClusterColumns
    profile : Profile
        One that `can_move`.
    options : Options
        Nobody leaves for others, whatever they say.
    pods : int32 ndarray
        The pods that may be moved.

    Notes
    -----
    Pods with volumes are not for it: what is attached where is not kept.

    A pod that finds no node is not asked for the reason: that is what costs time.
    """

    def __init__(self, columns: ClusterColumns, profile: Profile, options: Options, pods: I32) -> None:
        nodes = replace(columns.nodes, allowed_pods=columns.nodes.allowed_pods.copy())
        self.state = ClusterState(replace(columns, nodes=nodes))
        self._profile = profile
        self._options = replace(options, preemption=PreemptionMode.OFF)
        self._pods = pods
        self._limits = columns.nodes.allowed_pods
        self._template = columns.pods.template
        self._engine: _Engine | None = None

    @property
    def node_of_pod(self) -> I32:
        """Where every pod is now."""
        return self.state.node_of_pod

    def close(self, node: int) -> None:
        """Let a node take no more pods. To be called before pods are taken off it."""
        self.state.resources.allowed_pods[node] = 0

    def reopen(self, node: int) -> None:
        """Undo `close`. To be called before pods are put back on it."""
        self.state.resources.allowed_pods[node] = self._limits[node]

    def take_off(self, pods: I32) -> None:
        """Take pods off their nodes."""
        self._shift(pods, self.node_of_pod[pods], -1)
        self.node_of_pod[pods] = NO_NODE

    def put_on(self, pods: I32, nodes: I32) -> None:
        """Put pods on nodes, whatever the rules say."""
        self._shift(pods, nodes, 1)
        self.node_of_pod[pods] = nodes

    def find_nodes(self, pods: I32) -> I32:
        """Try pods one after another, in the order given, as if nothing had been tried before.

        Returns
        -------
        int32 ndarray, shape (k,)
            The node that each is on now; `NO_NODE` for one that fits nowhere.
        """
        engine = self._ready(len(pods))
        results = empty_results(len(pods), 0)
        position = 0
        while position < len(pods):
            why, position = engine.advance_with(results, pods, self._template[pods], position)
            if why == DONE:
                break
            if why == NEEDS_CYCLE:
                self._by_cycle(results, pods, position)
            else:
                results.next_start[position] = results.next_start[position - 1]
            position += 1
        self.node_of_pod[pods] = results.node
        return results.node

    def _by_cycle(self, results: Results, pods: I32, position: int) -> None:
        """Try a pod by the readable engine."""
        self.node_of_pod[pods[:position]] = results.node[:position]
        self.state.next_start_index = int(results.next_start[position - 1])
        attempt = try_pod(self.state, self._profile, int(pods[position]), position, self._options)
        results.node[position], results.next_start[position] = attempt.node, attempt.next_start_index
        if attempt.node != NO_NODE:
            self._shift(pods[position : position + 1], results.node[position : position + 1], 1)

    def _shift(self, pods: I32, nodes: I32, sign: int) -> None:
        if len(pods):
            self._ready(len(pods)).shift(self._template[pods], nodes, sign)

    def _ready(self, number: int) -> "_Engine":
        """The engine, made anew when its log has no room for so many changes."""
        if self._engine is None or not self._engine.has_room(2 * number):
            self._engine = _Engine(self.state, self._profile, self._options, self._pods)
        return self._engine


class _Engine(FusedEngine):
    """The fused engine with a queue of its own for every call."""

    def has_room(self, number: int) -> bool:
        """Whether the log holds so many more changes."""
        return int(self._run.log.clock[LENGTH]) + number < len(self._run.log.nodes)

    def shift(self, templates: I32, nodes: I32, sign: int) -> None:
        """Put pods of templates on nodes (``sign`` 1) or take them off (-1)."""
        place_all(self._run, self._outside().placing, templates, nodes, sign)

    def advance_with(self, results: Results, pods: I32, templates: I32, position: int) -> tuple[int, int]:
        """Place pods from a position on; says why it stopped, and where."""
        if position == 0:
            # Positions begin anew with every call, and with them the stamps of decisions.
            self._run.scratch.stamp[:] = 0
        queue = (pods, np.ascontiguousarray(templates), np.arange(len(pods), dtype=np.int64))
        stop, why = run_pods(self._run, self._outside(), self._search, queue, results, (position, len(pods)))
        return why, stop

    def _outside(self) -> Outside:
        if self._n_groups != len(self._state.groups):
            self._placing, self._n_groups = placing_of(self._state), len(self._state.groups)
        n_templates = len(self._state.columns.templates)
        unknown = Failures(np.full(n_templates, -1, np.int64), np.full(n_templates, -1, np.int32))
        return Outside(self._placing, unknown, self._world)
