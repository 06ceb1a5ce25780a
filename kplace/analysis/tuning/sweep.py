"""Trying many weights and strategies on one cluster."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from kplace.analysis.metrics import smallest_needs
from kplace.analysis.tuning.candidates import Candidate, candidates_of, with_strategy, with_weights
from kplace.analysis.tuning.journal import Journal, subject_of
from kplace.analysis.tuning.outcome import Measures, Outcome
from kplace.api import Cluster
from kplace.api.configuring import ConfigSource
from kplace.api.extending import OFF
from kplace.api.plugins import Plugins
from kplace.api.setup import Setup, set_up
from kplace.config import Configuration
from kplace.config.versions import DEFAULT_VERSION
from kplace.dtypes import F64, NO_NODE, Mask, PreemptionMode, Status, TieBreak
from kplace.engine.cycle import Options
from kplace.engine.rerun import Reruns
from kplace.errors import UsageError

if TYPE_CHECKING:
    from kplace.framework import Profile

OBJECTIVES = {
    "pending": 1,
    "nodes_used": 1,
    "utilisation_cpu": -1,
    "utilisation_memory": -1,
    "imbalance": 1,
    "fragmentation": 1,
    "violations": 1,
}
"""What may be asked for: 1 where less is better, -1 where more is."""
DEFAULT_OBJECTIVES = ("pending", "nodes_used", "imbalance", "fragmentation", "violations")

Progress = Callable[[int, int], None]
"""Called after each candidate with how many of how many are done."""


@dataclass(frozen=True)
class Tuning:
    """What the candidates have come to.

    Attributes
    ----------
    candidates : tuple of Candidate
        The first has the weights of the configuration.
    outcomes : tuple of Outcome
    objectives : tuple of str
    """

    candidates: tuple[Candidate, ...]
    outcomes: tuple[Outcome, ...]
    objectives: tuple[str, ...]

    @cached_property
    def table(self) -> pd.DataFrame:
        """A row per candidate.

        Returns
        -------
        DataFrame
            Columns ``strategy``, ``weight_{plugin}``, those of `kplace.analysis.tuning.outcome.Outcome`, and ``front``:
            no other candidate is better in one objective and as good in all others.
        """
        rows = [
            {
                "strategy": item.strategy,
                **{f"weight_{name}": weight for name, weight in item.weights},
                **asdict(outcome),
            }
            for item, outcome in zip(self.candidates, self.outcomes, strict=True)
        ]
        table = pd.DataFrame(rows)
        signs = [OBJECTIVES[name] for name in self.objectives]
        table["front"] = pareto_front(table[list(self.objectives)].to_numpy(np.float64) * signs)
        return table

    @property
    def front(self) -> pd.DataFrame:
        """The candidates of the Pareto front, by the objectives in their order."""
        directions = [OBJECTIVES[name] > 0 for name in self.objectives]
        kept = self.table[self.table["front"]].drop(columns="front")
        return kept.sort_values(list(self.objectives), ascending=directions, kind="stable")


def pareto_front(values: F64) -> Mask:
    """Rows that no other row dominates: is at most as large in all columns and smaller in one. NaN is the worst.

    Parameters
    ----------
    values : float64 ndarray, shape (n_rows, n_columns)

    Examples
    --------
    >>> pareto_front(np.array([[1.0, 3.0], [2.0, 2.0], [2.0, 3.0], [1.0, 3.0]])).tolist()
    [True, True, False, True]
    """
    filled = np.where(np.isnan(values), np.inf, values)
    front = np.ones(len(filled), np.bool_)
    for row in range(len(filled)):
        as_good = (filled <= filled[row]).all(axis=1)
        front[row] = not (as_good & (filled < filled[row]).any(axis=1)).any()
    return front


def tune(  # noqa: PLR0913 - all but the cluster are by keyword, and most are left alone
    cluster: Cluster,
    *,
    vectors: int = 100,
    max_weight: int = 10,
    weights: Sequence[Mapping[str, int]] = (),
    strategies: Sequence[str] = (),
    objectives: Sequence[str] = DEFAULT_OBJECTIVES,
    seed: int = 0,
    config: ConfigSource | Configuration | None = None,
    plugins: Plugins = (),
    kube_version: str = DEFAULT_VERSION,
    journal: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> Tuning:
    """Place the waiting pods of a cluster under many weights and scoring strategies, and compare what comes of it.

    Parameters
    ----------
    cluster : Cluster
        Not modified. Each candidate starts from it as it is; nobody is preempted.
    vectors, max_weight : int
        How many random weight vectors to try, and their largest weight. The weights as they are come first.
    weights : sequence of mapping of str to int
        Vectors to try before the random ones; a plugin that one leaves out keeps its weight.
    strategies : sequence of {"LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"}
        Strategies of NodeResourcesFit, each of which is tried with every vector; by default the configuration's own.
    objectives : sequence of str
        What the Pareto front is about: some of `OBJECTIVES`.
    seed : int
        Of the random vectors, and of the draws among equal nodes in each run.
    config, plugins, kube_version : optional
        As for `kplace.place`. The first profile is the one that is tuned.
    journal : path, optional
        A file that keeps the outcomes; a later call with the same cluster, seed and configuration goes on from it.
    progress : callable, optional

    Returns
    -------
    Tuning

    Raises
    ------
    UsageError
        An argument cannot be used.
    InputError
        The journal is of something else.
    """
    unknown = [name for name in objectives if name not in OBJECTIVES]
    if unknown or not objectives:
        msg = f"objectives: expected some of {', '.join(OBJECTIVES)}, got {', '.join(unknown) or 'none'}"
        raise UsageError(msg)
    setup = set_up(cluster, config, plugins, extenders=OFF, kube_version=kube_version)
    profile = setup.profiles[0]
    candidates = candidates_of(
        profile, vectors=vectors, max_weight=max_weight, seed=seed, weights=weights, strategies=strategies
    )
    viewed = setup.view_of(cluster)
    kept = Journal(journal, subject_of(viewed.columns, seed, kube_version, setup.configuration))
    trial = _Trial(setup, viewed, seed)
    try:
        for number, candidate in enumerate(candidates):
            if candidate.key not in kept.outcomes:
                kept.add(candidate.key, trial.run(candidate))
            if progress is not None:
                progress(number + 1, len(candidates))
    finally:
        kept.write()
    found = tuple(kept.outcomes[candidate.key] for candidate in candidates)
    return Tuning(tuple(candidates), found, tuple(objectives))


class _Trial:
    """One cluster on which candidates are tried."""

    def __init__(self, setup: Setup, cluster: Cluster, seed: int) -> None:
        options = Options(
            TieBreak.RANDOM,
            seed,
            percentage_of_nodes_to_score=setup.percentage_of_nodes_to_score,
            preemption=PreemptionMode.OFF,
            explains=False,
        )
        self._setup = setup
        self._wholes: dict[str, Profile] = {}
        self._reruns = Reruns(cluster.columns, options)
        self._measures = Measures(cluster.columns, smallest_needs(cluster.pods) if len(cluster.columns.pods) else {})

    def run(self, candidate: Candidate) -> Outcome:
        """Place all waiting pods as a candidate would."""
        first, *others = self._setup.profiles
        strategy = candidate.strategy
        if strategy not in self._wholes:
            self._wholes[strategy] = with_strategy(self._setup, first, strategy)
        whole = self._wholes[strategy]
        state, placed = self._reruns.place([with_weights(whole, candidate), *others], [whole, *others])
        tried = ~np.isin(placed.status, (Status.GATED, Status.SKIPPED))
        pending = int(((placed.node == NO_NODE) & tried).sum())
        return self._measures.outcome(state, pending)
