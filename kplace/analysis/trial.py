"""Trying something out: some pods of a changed cluster placed by the scheduler that was asked for."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypedDict

import numpy as np

from kplace.api import Cluster
from kplace.api.arguments import PREEMPTION_WORDS, one_of, seed_of
from kplace.api.configuring import ConfigSource  # noqa: TC001 - the keys' types can be asked for
from kplace.api.extending import closing
from kplace.api.placements import Placements, Run
from kplace.api.placing import TIE_BREAKS
from kplace.api.plugins import Plugins
from kplace.api.setup import Setup, set_up
from kplace.columns import ClusterColumns
from kplace.config import Configuration  # noqa: TC001
from kplace.config.versions import DEFAULT_VERSION, Behaviour
from kplace.dtypes import I32, PreemptionMode
from kplace.engine.attempt import Attempt
from kplace.engine.batch import Observer, can_batch, place_batch
from kplace.engine.cycle import Options, find_way_out, try_pod
from kplace.engine.place import Watcher, place_waiting
from kplace.engine.results import PlacementColumns
from kplace.framework import Profile
from kplace.state import ClusterState

Progress = Callable[[int, int], None]
"""Called now and then with how much is done, and how much there is to do."""


class Scheduling(TypedDict, total=False):
    """By which scheduler something is tried out; all as for `kplace.place`.

    Attributes
    ----------
    config : path, mapping or Configuration
    plugins : mapping or iterable
    kube_version : str
    percentage_of_nodes_to_score : int
    seed : int
    tie_break : {"random", "first"}
    extenders : {"ask", "off"}
        ``"ask"``, the default: extenders are called, but bind nothing.
    """

    config: "ConfigSource | Configuration | None"
    plugins: Plugins
    kube_version: str
    percentage_of_nodes_to_score: int | None
    seed: int
    tie_break: str
    extenders: str


@dataclass(frozen=True, slots=True)
class Trial:
    """A scheduler that is set up, for clusters that differ in nothing but nodes and pods.

    Attributes
    ----------
    setup : Setup
    options : Options
    run : Run
        What it was told.
    """

    setup: Setup
    options: Options
    run: Run

    @staticmethod
    def of(
        cluster: Cluster, scheduling: Scheduling, preemption: str = "off", *, behaviour: Behaviour | None = None
    ) -> "Trial":
        """Set up a scheduler; a ``behaviour`` takes the place of the release's.

        Raises
        ------
        ConfigError, PluginError, UsageError
            As for `kplace.place`.
        """
        told: Scheduling = {**scheduling}
        kube_version = told.get("kube_version", DEFAULT_VERSION)
        setup = set_up(
            cluster,
            told.get("config"),
            told.get("plugins", ()),
            told.get("percentage_of_nodes_to_score"),
            extenders=one_of("extenders", told.get("extenders", "ask"), ("ask", "off")),
            kube_version=kube_version,
            behaviour=behaviour,
        )
        modes = {word: mode for mode, word in PREEMPTION_WORDS.items() if mode is not PreemptionMode.QUEUE}
        tie_break, seed = told.get("tie_break", "random"), seed_of(told.get("seed", 0))
        options = Options(
            tie_break=TIE_BREAKS[one_of("tie_break", tie_break, tuple(TIE_BREAKS))],
            seed=seed,
            percentage_of_nodes_to_score=setup.percentage_of_nodes_to_score,
            preemption=modes[one_of("preemption", preemption, tuple(modes))],
            extenders=setup.extenders,
        )
        run = Run(seed, tie_break, options.percentage_of_nodes_to_score, preemption, kube_version)
        return Trial(setup, options, run)

    @property
    def schedulers(self) -> tuple[str, ...]:
        """Names of the schedulers that there are."""
        return tuple(profile.scheduler_name for profile in self.setup.profiles)

    def view_of(self, cluster: Cluster) -> Cluster:
        """Give the cluster with its pods as the release sees them."""
        return self.setup.view_of(cluster)

    def place(
        self,
        columns: ClusterColumns,
        only: I32,
        *,
        progress: Callable[[int], None] | None = None,
        observer: Observer | None = None,
    ) -> PlacementColumns:
        """Try some pods, in queue order; the others are left waiting."""
        state, profiles = ClusterState(columns), self.setup.profiles
        with closing(self.setup.extenders):
            if can_batch(profiles, self.options):
                return place_batch(state, profiles, self.options, only=only, progress=progress, observer=observer)
            watchers = [] if observer is None else [_watcher(observer)]
            return place_waiting(state, profiles, self.options, only=only, watchers=watchers)

    def placements(self, cluster: Cluster, only: I32) -> Placements:
        """Try some pods of a cluster: the outcome with its tables."""
        return Placements.of_run(cluster, self.place(cluster.columns, only), self.run, self.setup.notes_on(cluster))

    def profile_of(self, columns: ClusterColumns, pod: int) -> Profile:
        """The profile that a pod meets."""
        return self.setup.profile_for(columns.pods.schedulers[columns.pods.scheduler[pod]])

    def attempt(self, columns: ClusterColumns, pod: int, *, asks_others: bool = True) -> Attempt:
        """Try one pod in the cluster as it stands, and change nothing.

        Parameters
        ----------
        asks_others : bool
            Whether PostFilters are asked if it fits nowhere.
        """
        state = ClusterState(columns)
        with closing(self.setup.extenders):
            attempt = try_pod(state, self.profile_of(columns, pod), pod, 0, self.options)
            if attempt.node < 0 and asks_others:
                attempt.post_filters = find_way_out(attempt, self.options)
        return attempt

    def with_preemption(self, preemption: PreemptionMode) -> "Trial":
        """Set up the same with another mode of preemption."""
        return replace(self, options=replace(self.options, preemption=preemption))


def _watcher(observer: Observer) -> Watcher:
    positions = set(observer.positions.tolist())

    def watch(attempt: Attempt, _message: str) -> None:
        if not attempt.retry and attempt.number in positions:
            observer.before(attempt.cycle.state, attempt.pod, attempt.number)
            observer.after(attempt.node)

    return watch


def waiting_rows(columns: ClusterColumns) -> I32:
    """All pods that wait."""
    return np.flatnonzero(columns.pods.waiting).astype(np.int32)


def waiting_pods(columns: ClusterColumns, first: int) -> I32:
    """Pods from an index on: those that were added last."""
    return np.arange(first, len(columns.pods), dtype=np.int32)


Source = str | Path
"""A file, a folder, a pattern, or ``-``."""
