"""Runs the cycle once for each row, in as many threads as are asked for."""

import itertools
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from kplace.columns.templates import Template
from kplace.dtypes import I32, NO_NODE
from kplace.engine.cycle import Options, try_pod
from kplace.engine.diagnose import diagnose
from kplace.engine.matrix import MakeWorkspace, Workspace
from kplace.engine.matrix.arrays import Axes, ScoreArrays
from kplace.engine.matrix.by_shape import by_shape
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
        self._workspaces: list[Workspace] = []

    def fill(self, rows: Sequence[int], advance: Advance | None = None) -> ScoreArrays:
        """Score some rows.

        The outcome is the same however many threads there are: each row depends on the cluster and its pod alone.
        """
        arrays = ScoreArrays.blank(self._axes, len(rows))
        if not len(rows):
            return arrays
        pods = self._first[np.asarray(rows)].tolist()
        todo = iter(enumerate(pods))
        done = itertools.count(1)

        def work(workspace: Workspace, tells: bool) -> None:
            # Taking the next one is a single step of the interpreter, hence safe.
            for row, pod in todo:
                _enter(arrays, row, pod, workspace, self._options)
                number = next(done)
                if tells and advance is not None:
                    advance(number)

        with ThreadPoolExecutor(self._n_threads) as pool:
            futures = [pool.submit(work, workspace, False) for workspace in self._spaces()[1:]]
            work(self._spaces()[0], tells=True)
            for future in futures:
                future.result()
        if advance is not None:
            advance(len(rows))
        return arrays

    def _spaces(self) -> list[Workspace]:
        while len(self._workspaces) < self._n_threads:
            made = self._make_workspace()
            codes = np.unique(made.state.columns.pods.template[self._first]).tolist()
            templates = [made.state.columns.templates[code] for code in codes]
            shared = {name: _sharing(made.state, profile, templates) for name, profile in made.profiles.items()}
            self._workspaces.append(Workspace(made.state, shared))
        return self._workspaces


def _sharing(state: ClusterState, profile: Profile, templates: list[Template]) -> Profile:
    return by_state(state, by_shape(state, profile, templates), templates)


def _enter(arrays: ScoreArrays, row: int, pod: int, workspace: Workspace, options: Options) -> None:
    state = workspace.state
    profile = workspace.profiles[state.template_of(pod).spec.scheduler_name]
    attempt = try_pod(state, profile, pod, 0, options)
    message = diagnose(attempt)[1] if attempt.node == NO_NODE else ""
    arrays.enter(row, attempt, message)
