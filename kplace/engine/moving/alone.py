"""Tries pods by the cycle, each as if it alone were off its node."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from kplace.columns.cluster import ClusterColumns
from kplace.dtypes import I32, NO_NODE
from kplace.engine.attempt import Attempt
from kplace.engine.cycle import Options, try_pod
from kplace.engine.fused.scores import OUTSIDE
from kplace.engine.matrix.rows import OWN_MODULES, judges
from kplace.engine.moving.rescore import Rescored
from kplace.engine.place import register_nominations, split_waiting
from kplace.framework import Profile
from kplace.state import ClusterState

_CONTRIB = "kplace.plugins.contrib."


def as_made_anew(columns: ClusterColumns, pods: I32) -> ClusterColumns:
    """Build the same cluster in which pods that are on nodes do not have one in view, as pods that are made anew.

    The column of nodes is a copy, for `Alone` to write to.
    """
    nominated = columns.pods.nominated.copy()
    nominated[pods] = NO_NODE
    return replace(columns, pods=replace(columns.pods, node=columns.pods.node.copy(), nominated=nominated))


def state_of(columns: ClusterColumns, profiles: Mapping[str, Profile]) -> ClusterState:
    """State of a cluster, in which nominated pods that wait are left room for."""
    state = ClusterState(columns)
    register_nominations(state, split_waiting(state, profiles)[2])
    return state


class Alone:
    """Pods that are tried by the cycle, each in the cluster without it.

    Parameters
    ----------
    state : ClusterState
        Of columns that are `as_made_anew`. What is done to it is undone.
    profiles : mapping of str to Profile
        By scheduler name.
    options : Options
    """

    def __init__(self, state: ClusterState, profiles: Mapping[str, Profile], options: Options) -> None:
        self._state = state
        self._profiles = profiles
        self._options = options

    def attempt(self, pod: int) -> Attempt:
        """Try a pod; the number of the attempt, which draws are made with, is the pod's index."""
        state, node = self._state, self._state.columns.pods.node
        profile = self._profiles[state.template_of(pod).spec.scheduler_name]
        where = int(node[pod])
        # NodeName looks at the columns.
        node[pod] = NO_NODE
        try:
            if keeps_books(profile):
                fresh = state_of(_as_another(state.columns), self._profiles)
                return try_pod(fresh, profile, pod, pod, self._options)
            state.forget(pod)
            try:
                return try_pod(state, profile, pod, pod, self._options)
            finally:
                state.assume(pod, where)
        finally:
            node[pod] = where


def keeps_books(profile: Profile) -> bool:
    """Whether plugins may keep books of their own about pods: one that leaves may not come back as it was."""
    modules = [type(plugin).__module__ for plugin in judges(profile)]
    return not all(name.startswith(OWN_MODULES) and not name.startswith(_CONTRIB) for name in modules)


def _as_another(columns: ClusterColumns) -> ClusterColumns:
    """The same pods as another object: by that, plugins that keep books know that they are others."""
    return replace(columns, pods=replace(columns.pods, node=columns.pods.node.copy()))


def enter(found: Rescored, at: int, attempt: Attempt, own: int, index: Mapping[str, int]) -> None:
    """Write what an attempt has found.

    Parameters
    ----------
    found : Rescored
        Written at position ``at``.
    own : int
        The node that the pod is on.
    index : mapping of str to int
        Row of each plugin in ``found.parts``; extenders have one as well.
    """
    nodes, scores = attempt.feasible, attempt.scores
    found.feasible[at] = len(nodes)
    if attempt.node == NO_NODE:
        return
    total = scores.total if scores is not None else np.zeros(len(nodes), np.int64)
    best = int(total[attempt.best[0]])
    here = np.flatnonzero(nodes == own)
    found.own[at] = total[here[0]] if len(here) else OUTSIDE
    found.best[at] = best
    found.ties[at] = len(attempt.best)
    found.node[at] = own if found.own[at] == best else attempt.node
    there = np.flatnonzero(nodes == found.node[at])
    for side, where in enumerate((here, there)):
        for name, final in scores.final.items() if scores is not None and len(where) else ():
            found.parts[side, index[name], at] = final[where[0]]
