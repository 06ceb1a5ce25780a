"""Scores pods against the cluster without them, by the fused engine."""

import numpy as np

from kplace.dtypes import I32, I64, NO_NODE, Mask, TieBreak
from kplace.engine.cycle import Options
from kplace.engine.fused.compile import Compiler, placing_of
from kplace.engine.fused.layout import LENGTH
from kplace.engine.fused.loop import Search
from kplace.engine.fused.scores import N_STEPS, OUTSIDE
from kplace.engine.moving.place_all import place_all
from kplace.engine.moving.rescore import N_PARTS, Rescored, rescore_pods
from kplace.framework import Profile
from kplace.plugins import names
from kplace.state import ClusterState

PLUGINS = (
    names.NODE_RESOURCES_FIT,
    names.NODE_RESOURCES_BALANCED_ALLOCATION,
    names.IMAGE_LOCALITY,
    names.TAINT_TOLERATION,
    names.NODE_AFFINITY,
    names.POD_TOPOLOGY_SPREAD,
    names.INTER_POD_AFFINITY,
)
"""The rows of `Rescored.parts`."""


def blank(n_pods: int, n_plugins: int) -> Rescored:
    """What is said of pods of which nothing is known, and of those that no node is feasible for."""
    return Rescored(
        own=np.full(n_pods, OUTSIDE, np.int64),
        best=np.full(n_pods, OUTSIDE, np.int64),
        node=np.full(n_pods, NO_NODE, np.int32),
        ties=np.zeros(n_pods, np.int32),
        feasible=np.zeros(n_pods, np.int32),
        parts=np.zeros((2, n_plugins, n_pods), np.int64),
    )


def taken(found: Rescored, at: I32 | I64) -> Rescored:
    """What is said of pods at some positions."""
    return Rescored(
        own=found.own[at],
        best=found.best[at],
        node=found.node[at],
        ties=found.ties[at],
        feasible=found.feasible[at],
        parts=found.parts[:, :, at],
    )


class Rescorer:
    """Pods of one profile, scored against the cluster without them.

    Parameters
    ----------
    state : ClusterState
        As the pods find it; what is done to it is undone. It must not change but by `move`, which writes to its column
        of nodes as well.
    profile : Profile
        One that `kplace.engine.fused.known.can_fuse`.
    options : Options
        For the seed and the draws among equal nodes. All nodes are scored, whatever they say.
    pods : int32 ndarray
        The pods that may be asked about.

    Notes
    -----
    It scores a pod as it would be made anew: what the columns say of its node is not asked. Nominated pods are not
    known to it.
    """

    def __init__(self, state: ClusterState, profile: Profile, options: Options, pods: I32) -> None:
        self._state = state
        _, first = np.unique(state.columns.pods.template[pods], return_index=True)
        self._run = Compiler(state, profile, state.n_nodes).compile(pods[first].tolist(), 2)
        self._placing = placing_of(state)
        self._settings = Search(state.n_nodes, options.tie_break is TieBreak.RANDOM, options.seed, explains=True)
        self._levels = np.zeros((N_STEPS + 1, state.n_nodes), np.int32)
        self._stamp = 1

    def knows(self, pods: I32) -> Mask:
        """Whether the fused engine knows the pods' templates; shape (k,)."""
        known: Mask = self._run.templates.class_of[self._state.columns.pods.template[pods]] >= 0
        return known

    def rescore(self, pods: I32) -> Rescored:
        """Score pods, each in the cluster without it.

        Parameters
        ----------
        pods : int32 ndarray, shape (k,)
            That `knows`, each on a node. Each draws with its own index.
        """
        templates = self._state.columns.pods.template[pods]
        nodes = self._state.node_of_pod[pods]
        order = np.lexsort((nodes, self._run.templates.class_of[templates]))
        found = blank(len(pods), N_PARTS)
        asked = (templates[order], nodes[order], pods[order].astype(np.int64))
        rescore_pods(self._run, self._settings, asked, self._levels, self._stamp, found)
        self._stamp += len(pods)
        back = np.empty_like(order)
        back[order] = np.arange(len(order))
        return taken(found, back)

    def move(self, pod: int, node: int) -> None:
        """Put a pod that the engine `knows` on another node, whatever the rules say."""
        # Nobody asks the log what has changed: base scores are made anew each time.
        self._run.log.clock[LENGTH] = 0
        template = self._state.columns.pods.template[pod : pod + 1]
        for where, sign in ((self._state.node_of_pod[pod], -1), (node, 1)):
            place_all(self._run, self._placing, template, np.array([where], np.int32), sign)
        self._state.node_of_pod[pod] = self._state.columns.pods.node[pod] = node
