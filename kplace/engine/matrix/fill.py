"""Runs the cycle once for each row, in as many threads as are asked for."""

import itertools
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from kplace.dtypes import I32, I64, NO_NODE
from kplace.engine.attempt import Attempt
from kplace.engine.cycle import Options, ask_filters, try_pod
from kplace.engine.diagnose import diagnose
from kplace.engine.matrix import MakeWorkspace, Workspace
from kplace.engine.matrix.arrays import Axes, ScoreArrays
from kplace.engine.matrix.by_shape import SharedFilters
from kplace.engine.matrix.by_state import by_state
from kplace.framework import Profile
from kplace.state import ClusterState

Advance = Callable[[int], None]
"""Called from time to time with the number of rows that are done."""


class Filler:
    """Threads that score rows, each in a workspace of its own; made once and used for block after block.

    Parameters
    ----------
    make_workspace : callable
    n_threads : int
    axes : Axes
    options : Options
    first : int32 ndarray, shape (n_rows,)
        The pod that each row is worked out with.
    """

    def __init__(self, make_workspace: MakeWorkspace, n_threads: int, axes: Axes, options: Options, first: I32) -> None:
        self._make_workspace = make_workspace
        self._n_threads = max(1, min(n_threads, len(first)))
        self._axes = axes
        self._options = options
        self._first = first
        self._benches: list[_Bench] = []

    def fill(self, rows: Sequence[int], advance: Advance | None = None) -> ScoreArrays:
        """Score some rows.

        The outcome is the same however many threads there are: each row depends on the cluster and its pod alone.
        """
        arrays = ScoreArrays.blank(self._axes, len(rows))
        if not len(rows):
            return arrays
        benches = self._made()
        pods = self._first[np.asarray(rows)]
        order = _one_shape_after_the_other(benches[0].state, pods)
        todo = iter(zip(order.tolist(), pods[order].tolist(), strict=True))
        done = itertools.count(1)

        def work(bench: _Bench, tells: bool) -> None:
            # Taking the next one is a single step of the interpreter, hence safe.
            for row, pod in todo:
                _enter(arrays, row, bench.try_pod(pod, self._options))
                number = next(done)
                if tells and advance is not None:
                    advance(number)

        with ThreadPoolExecutor(self._n_threads) as pool:
            futures = [pool.submit(work, bench, False) for bench in benches[1:]]
            work(benches[0], tells=True)
            for future in futures:
                future.result()
        if advance is not None:
            advance(len(rows))
        return arrays

    def _made(self) -> list["_Bench"]:
        while len(self._benches) < self._n_threads:
            self._benches.append(_Bench.of(self._make_workspace(), self._first))
        return self._benches


def _one_shape_after_the_other(state: ClusterState, pods: I32) -> I64:
    """Positions of pods in an order that has those of one shape together."""
    shapes = np.array([item.shape for item in state.columns.templates], np.int64)
    return np.argsort(shapes[state.columns.pods.template[pods]], kind="stable")


class _Bench(NamedTuple):
    """Where one thread works.

    Attributes
    ----------
    state : ClusterState
    profiles : dict of str to Profile
        By scheduler name; they share scores between nodes where that saves work.
    judges : dict of str to callable
        By scheduler name, what finds out what PreFilters and Filters say.
    """

    state: ClusterState
    profiles: dict[str, Profile]
    judges: dict[str, Callable[[Attempt], None]]

    @staticmethod
    def of(workspace: Workspace, pods: I32) -> "_Bench":
        """Prepare a workspace for some pods."""
        state, profiles = workspace
        templates = [state.columns.templates[code] for code in np.unique(state.columns.pods.template[pods]).tolist()]
        return _Bench(
            state,
            {name: by_state(state, profile, templates) for name, profile in profiles.items()},
            {name: _judge_of(state, profile) for name, profile in profiles.items()},
        )

    def try_pod(self, pod: int, options: Options) -> Attempt:
        """Find a node for a pod."""
        name = self.state.template_of(pod).spec.scheduler_name
        return try_pod(self.state, self.profiles[name], pod, 0, options, judge=self.judges[name])


def _judge_of(state: ClusterState, profile: Profile) -> Callable[[Attempt], None]:
    return ask_filters if len(state.nominations) else SharedFilters(profile).judge


def _enter(arrays: ScoreArrays, row: int, attempt: Attempt) -> None:
    message = diagnose(attempt)[1] if attempt.node == NO_NODE else ""
    arrays.enter(row, attempt, message)
