"""Attempts by the fused loop, one at a time: the same as those of the readable engine, where it knows the way.

An engine is kept from one attempt to the next and told what else comes to nodes and leaves them. What it could not be
told makes it stale; it is built anew once so many attempts have gone the long way that building it has paid.
"""

from collections.abc import Mapping

import numpy as np

from kplace.dtypes import NO_NODE
from kplace.engine.cycle import Options
from kplace.engine.fused.engine import FusedEngine, empty_results
from kplace.engine.fused.known import can_fuse
from kplace.engine.fused.layout import LENGTH, TOUCHES
from kplace.engine.fused.loop import DONE, note_change
from kplace.engine.simulate.found import Found
from kplace.framework import Profile
from kplace.state import ClusterState

MOST_LONG_WAYS = 8
"""Attempts by the readable engine that building a fused one takes as long as, at least."""


class SwiftAttempts:
    """Finds nodes by fused engines, one for each profile that has one.

    Parameters
    ----------
    profiles : mapping of str to Profile
        By scheduler name; all of them bind plainly and score.
    options : Options
        Without extenders.
    """

    def __init__(self, profiles: Mapping[str, Profile], options: Options) -> None:
        self._options = options
        self._fusable = {name for name, profile in profiles.items() if can_fuse(profile)}
        self._engines: dict[str, _Single] = {}
        self._n_long_ways = 0

    def __reduce__(self) -> tuple[object, ...]:
        # Engines are built anew from the state, to the same effect.
        return _again, (self._options, frozenset(self._fusable))

    def renew(self) -> None:
        """Forget everything: there is a new snapshot."""
        self._engines.clear()
        self._n_long_ways = 0

    def find(self, state: ClusterState, profile: Profile, pod: int, number: int) -> Found | None:
        """Find a node for a pod, and count it there: what is left to do is `ClusterState.settle`.

        Parameters
        ----------
        number : int
            Of the attempt, as in `kplace.engine.cycle.try_pod`.

        Returns
        -------
        Found or None
            None, and nothing is changed, if the readable engine has to look.
        """
        nominations = state.nominations
        is_plain = not len(nominations) and nominations.node_of_pod[pod] == NO_NODE
        # Claims and volumes come and go while the engine is kept.
        is_plain = is_plain and not state.template_of(pod).spec.volumes
        engine = self._engine(state, profile) if is_plain else None
        found = None if engine is None else engine.find(pod, number)
        if found is not None:
            for other in self._engines.values():
                if other is not engine:
                    other.hear(pod, found.node, 1)
        return found

    def hear(self, pod: int, node: int, sign: int) -> None:
        """Learn that a pod came to a node (``sign`` 1) or left it (-1), its columns being as they are now."""
        for name, engine in list(self._engines.items()):
            if not engine.hear(pod, node, sign):
                del self._engines[name]
                self._n_long_ways = 0

    def _engine(self, state: ClusterState, profile: Profile) -> "_Single | None":
        name = profile.scheduler_name
        engine = self._engines.get(name)
        if engine is not None and engine.has_room:
            return engine
        if name not in self._fusable:
            return None
        self._n_long_ways += 1
        if engine is None and self._n_long_ways <= MOST_LONG_WAYS + len(state.columns.templates) // 4:
            return None
        self._n_long_ways = 0
        engine = self._engines[name] = _Single(state, profile, self._options)
        return engine


class _Single(FusedEngine):
    """A fused engine whose queue is one pod long, and another one each time."""

    def __init__(self, state: ClusterState, profile: Profile, options: Options) -> None:
        super().__init__(state, profile, options, _one_of_each_template(state))
        self._pods = state.columns.pods
        self._results = empty_results(1, 0)
        self._queue = (np.zeros(1, np.int32), np.zeros(1, np.int32), np.zeros(1, np.int64))
        touches = np.diff(self._run.shapes.starts[TOUCHES]) > 0
        self._touches = touches[self._run.templates.shape].tolist()
        self._heard: dict[tuple[int, int], int] = {}

    @property
    def has_room(self) -> bool:
        """Whether the log holds what was heard and one change more."""
        n_heard = sum(map(abs, self._heard.values()))
        return bool(self._run.log.clock[LENGTH] + n_heard < len(self._run.log.nodes))

    def find(self, pod: int, number: int) -> Found | None:
        for (template, node), sign in self._heard.items():
            for _ in range(abs(sign)):
                note_change(self._run, template, node, 1 if sign > 0 else -1)
        self._heard.clear()
        queue, results = self._queue, self._results
        queue[0][0], queue[1][0], queue[2][0] = pod, self._pods.template[pod], number
        results.node[0] = NO_NODE
        results.next_start[0] = self._state.next_start_index
        if self.advance(results, 0, 1).why != DONE:
            return None
        return Found(
            int(results.node[0]),
            int(results.evaluated[0]),
            int(results.feasible[0]),
            int(results.total[0]),
            int(results.runner_up[0]),
            int(results.ties[0]),
            int(results.next_start[0]),
        )

    def hear(self, pod: int, node: int, sign: int) -> bool:
        """Take in a change; False if that cannot be done."""
        # Terminating pods count for some groups only, which the engine's counters do not tell apart.
        template = int(self._pods.template[pod])
        if self._touches[template] and self._pods.terminating[pod]:
            return False
        # What leaves and comes back, as pods do when they change, need not be told.
        key = template, node
        heard = self._heard.get(key, 0) + sign
        if heard:
            self._heard[key] = heard
        else:
            del self._heard[key]
        return True


def _one_of_each_template(state: ClusterState) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    _, first = np.unique(state.columns.pods.template, return_index=True)
    return first.astype(np.int32)


def _again(options: Options, fusable: frozenset[str]) -> SwiftAttempts:
    made = SwiftAttempts({}, options)
    made._fusable = set(fusable)
    return made
