"""What the scheduler says today of pods that are on nodes."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from kplace.analysis.trial import Trial
from kplace.api.extending import closing
from kplace.columns import ClusterColumns
from kplace.dtypes import I32, I64, NO_NODE, Mask
from kplace.engine.attempt import Attempt
from kplace.engine.fused.known import can_fuse
from kplace.engine.fused.scores import OUTSIDE
from kplace.engine.matrix.rows import rows_of
from kplace.engine.moving.alone import Alone, as_made_anew, enter, keeps_books, state_of
from kplace.engine.moving.rescore import Rescored
from kplace.engine.moving.rescorer import PLUGINS, Rescorer, blank, taken
from kplace.framework import Profile
from kplace.state import ClusterState

Advance = Callable[[int, int], None]
"""Called now and then with how many pods have been scored, and how many there are."""


class _Standing(NamedTuple):
    """A state with the pods where they are, and what scores them all by itself, if anything does."""

    state: ClusterState
    rescorer: Rescorer | None


class Judge:
    """A scheduler that scores pods, each against the cluster without it.

    Parameters
    ----------
    trial : Trial
        One that scores all feasible nodes.
    pods : int32 ndarray, shape (k,)
        Pods on nodes, of schedulers that there are.

    Attributes
    ----------
    plugins : tuple of str
        Those that score, and extenders; the axis of `Rescored.parts`.
    spent : int
        How often all pods have been scored.

    Notes
    -----
    Pods of one template on one node are scored once. The fused engine scores those that it knows; the cycle the others,
    and all of them where extenders are asked or waiting pods have nodes nominated.
    """

    def __init__(self, trial: Trial, pods: I32) -> None:
        self._trial = trial
        self.pods = pods
        self._profiles = {profile.scheduler_name: profile for profile in trial.setup.profiles}
        scoring = [item.plugin.name for profile in trial.setup.profiles for item in profile.score]
        extending = [extender.name for extender in trial.options.extenders if extender.prioritizes]
        self.plugins = tuple(dict.fromkeys([*scoring, *extending]))
        self.spent = 0
        self._kept: _Standing | None = None
        self._index = {name: at for at, name in enumerate(self.plugins)}

    def rescore(self, columns: ClusterColumns, advance: Advance | None = None) -> Rescored:
        """Score the pods in a cluster; shape (k,).

        Parameters
        ----------
        columns : ClusterColumns
            The pods may be on other nodes than before, but on some.
        """
        self.spent += 1
        standing = self._stand(columns)
        if standing.rescorer is not None:
            return self._by_one(standing.state, standing.rescorer)
        state = standing.state
        first, row = self._rows(state)
        found = blank(len(first), len(self.plugins))
        by_cycle = np.ones(len(first), np.bool_)
        for profile in self._fusable(state):
            own = np.flatnonzero(self._is_of(state, first, profile))
            if len(own):
                rescorer = Rescorer(state, profile, self._trial.options, first[own])
                known = own[rescorer.knows(first[own])]
                by_cycle[known] = False
                self._enter(found, known, rescorer.rescore(first[known]))
        left = np.flatnonzero(by_cycle).tolist()
        with closing(self._trial.setup.extenders):
            alone = Alone(state, self._profiles, self._trial.options)
            for number, at in enumerate(left, 1):
                pod = int(first[at])
                enter(found, at, alone.attempt(pod), int(columns.pods.node[pod]), self._index)
                if advance is not None:
                    advance(number, len(left))
        return taken(found, row)

    def can_walk(self, columns: ClusterColumns) -> bool:
        """Whether pods can be moved and scored in turn: there is one profile, and the fused engine knows all pods."""
        return self._stand(columns).rescorer is not None

    def walk(self, columns: ClusterColumns, order: I64, most: int) -> Iterator[tuple[int, int, int]]:
        """Move pods in turn, each to where the scheduler would put it then; those that it would leave are left.

        Parameters
        ----------
        order : int64 ndarray
            Positions of pods, in the order of their turns.
        most : int
            After so many moves it ends.

        Yields
        ------
        position, node, regret : int
            Of each move, the regret before it; `OUTSIDE` if a filter rejects the node that the pod is on.
        """
        state, rescorer = self._stand(columns)
        assert rescorer is not None
        left = most
        for at in order.tolist():
            if not left:
                return
            pod = self.pods[at : at + 1]
            found = rescorer.rescore(pod)
            target, own = int(found.node[0]), int(found.own[0])
            if target not in (NO_NODE, state.node_of_pod[pod[0]]):
                rescorer.move(int(pod[0]), target)
                left -= 1
                yield at, target, int(found.best[0]) - own if own != OUTSIDE else OUTSIDE

    def _stand(self, columns: ClusterColumns) -> "_Standing":
        """Bring the pods to where they are in a cluster; a rescorer that knows them all is kept from call to call."""
        kept = self._kept
        if kept is not None and kept.rescorer is not None:
            node = columns.pods.node[self.pods]
            for at in np.flatnonzero(kept.state.node_of_pod[self.pods] != node).tolist():
                kept.rescorer.move(int(self.pods[at]), int(node[at]))
            return kept
        # Who did not know them all the first time never will.
        standing = _Standing(self._state(columns), None)
        if kept is None and len(self.pods) and len(self._profiles) == 1 and self._fusable(standing.state):
            (profile,) = self._profiles.values()
            rescorer = Rescorer(standing.state, profile, self._trial.options, self.pods)
            if rescorer.knows(self.pods).all():
                standing = _Standing(standing.state, rescorer)
        self._kept = standing
        return standing

    def _by_one(self, state: ClusterState, rescorer: Rescorer) -> Rescored:
        """Score the pods by a rescorer that knows them all."""
        first, row = self._rows(state)
        found = blank(len(first), len(self.plugins))
        self._enter(found, np.arange(len(first)), rescorer.rescore(first))
        return taken(found, row)

    def attempts(self, columns: ClusterColumns, pods: I32) -> list[Attempt]:
        """Try pods by the cycle, each in the cluster without it; pods of one template on one node are tried once."""
        state = self._state(columns)
        with closing(self._trial.setup.extenders):
            alone = Alone(state, self._profiles, self._trial.options)
            return [alone.attempt(pod) for pod in pods.tolist()]

    def _state(self, columns: ClusterColumns) -> ClusterState:
        return state_of(as_made_anew(columns, self.pods), self._profiles)

    def _rows(self, state: ClusterState) -> tuple[I32, I32]:
        """Pods to score, and for each pod the one among them that it shares its scores with."""
        if self._trial.options.extenders or any(map(keeps_books, self._profiles.values())):
            return self.pods, np.arange(len(self.pods), dtype=np.int32)
        rows = rows_of(state, self._profiles, self.pods)
        return rows.first, rows.row

    def _fusable(self, state: ClusterState) -> list[Profile]:
        if self._trial.options.extenders or len(state.nominations) or not state.n_nodes:
            return []
        return [profile for profile in self._profiles.values() if can_fuse(profile)]

    def _is_of(self, state: ClusterState, pods: I32, profile: Profile) -> Mask:
        name = profile.scheduler_name
        own: Mask = np.array([item.spec.scheduler_name == name for item in state.columns.templates], np.bool_)
        return own[state.columns.pods.template[pods]]

    def _enter(self, found: Rescored, at: I64, scored: Rescored) -> None:
        """Write what the fused engine has found of some pods."""
        found.own[at], found.best[at], found.node[at] = scored.own, scored.best, scored.node
        found.ties[at], found.feasible[at] = scored.ties, scored.feasible
        for number, name in enumerate(PLUGINS):
            if name in self._index:
                found.parts[:, self._index[name], at] = scored.parts[:, number]
