"""One run: from its parameters to its metrics, frames and hash."""

import io
import json
import time
import traceback
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeVar

import pandas as pd

from kplace.analysis.measures import Run, measured
from kplace.api import Cluster, Placements, place, read_config
from kplace.config import Configuration
from kplace.sweeps.bundle import Bundle
from kplace.sweeps.changes import changed, loaded, scaled
from kplace.sweeps.context import CONTEXT, INPUT, Context
from kplace.sweeps.description import NOTHING, Parameters
from kplace.sweeps.settings import with_settings

T = TypeVar("T")
MOST_INPUTS, MOST_CLUSTERS, MOST_CONFIGURATIONS = 4, 8, 64
"""How many of each a process keeps."""
NO_SETTINGS = "{}"
_MOST_WORDS = 4000

Planned = tuple[str, Parameters]
"""A run with its id."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a run.

    Attributes
    ----------
    run : str
    parameters : Parameters
    metrics : dict of str to float
        Empty if it failed.
    result_hash : str
    seconds : float
        That placing took.
    error : str
        What was raised, if it failed.
    """

    run: str
    parameters: Parameters
    metrics: dict[str, float]
    result_hash: str
    seconds: float
    error: str = ""


@dataclass(frozen=True, slots=True)
class Batch:
    """What came of several runs that were done in a row.

    Attributes
    ----------
    outcomes : list of Outcome
    frames : dict of str to bytes
        Their tables, each as one Parquet file with the id of the run as first column.
    seconds : float
        That all of it took.
    """

    outcomes: list[Outcome]
    frames: dict[str, bytes]
    seconds: float


class _Kept:
    """The values that were asked for last."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: OrderedDict[Hashable, object] = OrderedDict()

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        if key in self._values:
            self._values.move_to_end(key)
        else:
            value = make()
            while len(self._values) >= self._most:
                self._values.popitem(last=False)
            self._values[key] = value
        return self._values[key]  # type: ignore[return-value]


class Runner:
    """Does the runs of a study, one at a time, and keeps what they share.

    Parameters
    ----------
    bundle : Bundle
    """

    def __init__(self, bundle: Bundle) -> None:
        self._bundle = bundle
        self._context: Context = bundle.part(CONTEXT)
        self._inputs, self._clusters = _Kept(MOST_INPUTS), _Kept(MOST_CLUSTERS)
        self._configurations = _Kept(MOST_CONFIGURATIONS)

    def batch(self, planned: Iterable[Planned]) -> Batch:
        """Do runs in a row. One that raises has its error in its outcome, and the next one follows."""
        began = time.perf_counter()
        outcomes: list[Outcome] = []
        tables: dict[str, list[pd.DataFrame]] = {name: [] for name in self._context.frames}
        for run, parameters in planned:
            started = time.perf_counter()
            try:
                outcome, placements = self._done(run, parameters)
                for name, parts in tables.items():
                    parts.append(_named(getattr(placements, name), run))
            except Exception as error:
                outcome = _failed(run, parameters, error, time.perf_counter() - started)
            outcomes.append(outcome)
        frames = {name: _as_parquet(parts) for name, parts in tables.items() if parts}
        return Batch(outcomes, frames, time.perf_counter() - began)

    def _done(self, run: str, parameters: Parameters) -> tuple[Outcome, Placements]:
        cluster = self._cluster(parameters)
        configuration = self._configuration(parameters)
        began = time.perf_counter()
        placements = place(
            cluster,
            seed=parameters.seed,
            tie_break=parameters.tie_break,
            config=configuration,
            plugins=self._context.plugins,
            extenders=self._context.extenders,
            percentage_of_nodes_to_score=parameters.percentage_of_nodes_to_score,
            preemption=parameters.preemption,
            kube_version=parameters.kube_version,
        )
        seconds = time.perf_counter() - began
        metrics = measured(Run(cluster, placements), self._context.metrics)
        return Outcome(run, parameters, metrics, placements.result_hash, seconds), placements

    def _cluster(self, of: Parameters) -> Cluster:
        context = self._context

        def changed_cluster() -> Cluster:
            cluster: Cluster = self._inputs.get(of.input, lambda: Cluster(*self._bundle.part(INPUT + of.input)))
            if of.what_if != NOTHING:
                cluster = changed(cluster, context.what_if[of.what_if])
            return cluster if of.node_scale == 1 else scaled(cluster, of.node_scale)

        key = (of.input, of.what_if, of.node_scale)
        if of.load is None:
            return self._clusters.get(key, changed_cluster)
        load = of.load
        return self._clusters.get(
            (*key, load, of.seed),
            lambda: loaded(self._clusters.get(key, changed_cluster), load, context.load, of.seed),
        )

    def _configuration(self, of: Parameters) -> Configuration | None:
        document = self._context.documents[of.configuration]
        if document is None and of.settings == NO_SETTINGS:
            return None

        def read() -> Configuration:
            source = document or {}
            if of.settings != NO_SETTINGS and not isinstance(source, str):
                source = with_settings(source, json.loads(of.settings))
            return read_config(source, plugins=self._context.plugins, kube_version=of.kube_version)

        return self._configurations.get((of.configuration, of.settings, of.kube_version), read)


@cache
def runner_of(path: str) -> Runner:
    """The runner of a bundle in this process."""
    return Runner(Bundle(Path(path)))


def _failed(run: str, parameters: Parameters, error: Exception, seconds: float) -> Outcome:
    last = traceback.extract_tb(error.__traceback__)[-1]
    words = f"{type(error).__name__}: {error}"[:_MOST_WORDS]
    return Outcome(run, parameters, {}, "", seconds, f"{words} [{Path(last.filename).name}:{last.lineno}]")


def _named(table: pd.DataFrame, run: str) -> pd.DataFrame:
    named = table.reset_index(drop=True)
    named.insert(0, "run", run)
    return named


def _as_parquet(parts: Sequence[pd.DataFrame]) -> bytes:
    file = io.BytesIO()
    table = pd.concat(parts, ignore_index=True)
    categories = table.select_dtypes("category").columns
    table[categories] = table[categories].astype("str")
    table.attrs.clear()
    table.to_parquet(file, index=False)
    return file.getvalue()
