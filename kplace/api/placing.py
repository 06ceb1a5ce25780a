"""Placing the waiting pods of a cluster."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from kplace.api.arguments import PREEMPTION_WORDS, one_of, preemption_for, seed_of, whole
from kplace.api.cluster import Cluster
from kplace.api.configuring import ConfigSource
from kplace.api.extending import CALL, closing
from kplace.api.only import chosen_pods
from kplace.api.placements import Placements, Run
from kplace.api.plugins import Plugins
from kplace.api.queueing import standing_settings
from kplace.api.setup import Setup, set_up
from kplace.config import Configuration
from kplace.config.versions import DEFAULT_VERSION
from kplace.dtypes import I32, PreemptionMode, TieBreak
from kplace.engine.attempt import Attempt
from kplace.engine.batch import can_batch, place_batch
from kplace.engine.cycle import Options
from kplace.engine.place import Watcher, place_waiting, split_waiting
from kplace.engine.results import PlacementColumns
from kplace.engine.simulate.placing import Placing, place_by_queue
from kplace.errors import UsageError
from kplace.io.atomic import writing
from kplace.io.scenario import nodes_of
from kplace.io.trace import TraceWriter, counts_record, full_record
from kplace.state import ClusterState

Progress = Callable[[int, int], None]
"""Called after each pod with the number of pods tried so far and the number of pods to try."""

TIE_BREAKS = {"random": TieBreak.RANDOM, "first": TieBreak.FIRST}
ENGINES = ("batch", "cycle")
TRACE_DETAILS = {"full": full_record, "counts": counts_record}


def place(  # noqa: PLR0913 - all but the cluster are by keyword, and most are left alone
    cluster: Cluster,
    *,
    seed: int = 0,
    tie_break: str = "random",
    config: ConfigSource | Configuration | None = None,
    plugins: Plugins = (),
    extenders: str = CALL,
    mend_extender_scores: bool = False,
    percentage_of_nodes_to_score: int | None = None,
    start_index: int = 0,
    preemption: str | None = None,
    only: str | None = None,
    kube_version: str = DEFAULT_VERSION,
    engine: str = "batch",
    trace: str | Path | None = None,
    trace_detail: str = "full",
    progress: Progress | None = None,
) -> Placements:
    """Try every waiting pod, in queue order, and put each that fits onto its node.

    Parameters
    ----------
    cluster : Cluster
        Not modified; the cluster after the run is `Placements.cluster`.
    seed : int
        Decides, with the number of the attempt, among equally good nodes.
    tie_break : {"random", "first"}
        ``"first"`` takes the first of the best nodes in the order of the search, without a draw.
    config : path, mapping or Configuration, optional
        A scheduler configuration: see `kplace.read_config`. None: what a golden case file sets, else what
        kube-scheduler runs without a configuration. Pods of a scheduler that it has no profile for are left alone.
    plugins : mapping or iterable, optional
        Out-of-tree plugins: classes (see `kplace.plugin`), plugins that are made already, or texts such as
        ``"package.module:Class"`` and ``"file.py:Class"``; or a mapping of their names to them. With ``config`` they
        run where it names them; without, at all their points after the default plugins, with weight 1.
    extenders : {"call", "ask", "off"}
        What is done about the configuration's extenders: ``"call"`` calls them as configured, ``"ask"`` too but for
        their bind verbs, and every binding succeeds; ``"off"`` calls none. What an extender binds stays bound in the
        cluster that it works for.
    mend_extender_scores : bool
        Whether nodes that an extender sent back as objects are scored as they are. kube-scheduler scores them as if
        they were idle, since v1.33 (kubernetes/kubernetes#141781).
    percentage_of_nodes_to_score : int, optional
        0 to 100: the search stops when this share of the nodes was found feasible (but at least 100 nodes). 0 adapts it
        to the number of nodes. None: what the configuration says.
    start_index : int
        Position, in snapshot order, of the node at which the first search begins: ``nextStartNodeIndex`` of a scheduler
        that has been running for a while. A scheduler that has just been started begins at 0.
    preemption : {"queue", "immediate", "dry-run", "off"}, optional
        What becomes of a pod that fits nowhere but would if pods of a lower priority left. ``"queue"`` does as
        kube-scheduler: they leave after their grace, the pod has the node in view meanwhile, and it is tried again by
        the rules of the queue, as is every other pod that something has happened for; the simulated clock runs until
        no more is to come. In the other modes pods are tried in one pass: ``"immediate"`` takes the others away at once
        and tries the pod again at once; ``"dry-run"`` says which ones, and nothing is done; ``"off"`` does not ask.
        None: what a golden case file sets, else ``"queue"``.
    only : str, optional
        ``NAMESPACE`` or ``NAMESPACE/SELECTOR``: the pods to try, the others are left waiting. The selector is
        kubectl's: ``"shop/app=web,tier!=back"``, ``"*/app in (a,b)"``. At least one waiting pod has to be among them.
    kube_version : str
        The release of Kubernetes to do as, ``"1.29"`` to ``"1.37"``: see the reference page on its versions. A
        configuration that was read before keeps the feature gates that it was read with.
    engine : {"batch", "cycle"}
        Both give the same result. ``"batch"`` runs the default plugins in one compiled loop and is hundreds of times
        faster; what it does not know (other plugins, extenders, a trace) goes through ``"cycle"``, the readable one.
    trace : path, optional
        JSON file for the record of every decision; compressed if its name ends in ``.gz`` or ``.zst``.
    trace_detail : {"full", "counts"}
        ``"counts"`` leaves out what is said about single nodes.
    progress : callable, optional
        Called after each pod with the numbers of pods tried and to try.

    Returns
    -------
    Placements

    Raises
    ------
    UsageError
        An argument cannot be used.
    ConfigError
        The configuration cannot be used.
    PluginError
        A plugin cannot be used, or breaks its contract while it runs.
    OutputError
        The trace cannot be written. Nothing is left of it then, nor after an interrupt.

    Examples
    --------
    >>> import pandas as pd
    >>> cluster = Cluster.from_frames(
    ...     pd.DataFrame({"node": ["a", "b"], "cpu": [4, 2], "memory": ["8Gi", "4Gi"]}),
    ...     pd.DataFrame({"pod": ["web", "db"], "cpu": ["500m", "3"], "memory": ["1Gi", "2Gi"]}),
    ... )
    >>> place(cluster).pods[["pod", "status", "node"]].to_dict("list")
    {'pod': ['web', 'db'], 'status': ['scheduled', 'scheduled'], 'node': ['a', 'a']}
    """
    setup = set_up(
        cluster,
        config,
        plugins,
        percentage_of_nodes_to_score,
        extenders=extenders,
        mend_extender_scores=mend_extender_scores,
        kube_version=kube_version,
    )
    cluster = setup.view_of(cluster)
    options = Options(
        tie_break=TIE_BREAKS[one_of("tie_break", tie_break, tuple(TIE_BREAKS))],
        seed=seed_of(seed),
        percentage_of_nodes_to_score=setup.percentage_of_nodes_to_score,
        preemption=preemption_for(cluster, preemption),
        extenders=setup.extenders,
    )
    one_of("trace_detail", trace_detail, tuple(TRACE_DETAILS))
    start = _start(cluster, start_index)
    by_batch = one_of("engine", engine, ENGINES) == "batch" and trace is None
    task = _Task(cluster, setup, options, start, None if only is None else chosen_pods(cluster.columns, only))
    with closing(setup.extenders):
        if trace is None:
            columns = task.run(by_batch=by_batch, progress=progress)
        else:
            with _tracing(trace, trace_detail, task) as writer:
                columns = task.run(by_batch=False, progress=progress, writer=writer)
    run = Run(
        seed=options.seed,
        tie_break=tie_break,
        percentage_of_nodes_to_score=options.percentage_of_nodes_to_score,
        preemption=PREEMPTION_WORDS[options.preemption],
        kube_version=kube_version,
        start_index=start,
    )
    return Placements.of_run(cluster, columns, run, setup.notes_on(cluster))


def _start(cluster: Cluster, given: int) -> int:
    start, n_nodes = whole("start_index", given), len(cluster.columns.nodes)
    if not 0 <= start < max(n_nodes, 1):
        msg = f"start_index: expected the position of a node, 0 to {max(n_nodes, 1) - 1:,}, got {given!r}"
        raise UsageError(msg)
    return start


@dataclass(frozen=True, slots=True)
class _Task:
    """A run that is settled in all but its outcome."""

    cluster: Cluster
    setup: Setup
    options: Options
    start_index: int
    only: I32 | None

    def run(self, *, by_batch: bool, progress: Progress | None, writer: TraceWriter | None = None) -> PlacementColumns:
        """Place the pods."""
        count = None if progress is None else partial(_call_with_total, progress, self._number_to_try())
        watchers = [] if writer is None else [writer.watch]
        setback_watchers = [] if writer is None else [writer.watch_setback]
        columns, profiles = self.cluster.columns, self.setup.profiles
        if self.options.preemption is PreemptionMode.QUEUE and len(columns.nodes):
            settings = standing_settings(self.setup, self.options)
            return place_by_queue(
                Placing(columns, nodes_of(columns), profiles, settings, self.only, self.start_index),
                by_batch=by_batch,
                watchers=watchers,
                setback_watchers=setback_watchers,
                progress=count,
            )
        state = ClusterState(columns)
        state.next_start_index = self.start_index
        if by_batch and can_batch(profiles, self.options):
            return place_batch(state, profiles, self.options, only=self.only, progress=count)
        counting = [] if count is None else [_counter(count)]
        return place_waiting(
            state,
            profiles,
            self.options,
            only=self.only,
            watchers=[*watchers, *counting],
            setback_watchers=setback_watchers,
        )

    def _number_to_try(self) -> int:
        by_name = {profile.scheduler_name: profile for profile in self.setup.profiles}
        _, _, queued = split_waiting(ClusterState(self.cluster.columns), by_name)
        return len(queued) if self.only is None else int(np.isin(queued, self.only).sum())


def _call_with_total(progress: Progress, total: int, done: int) -> None:
    progress(done, total)


def _counter(count: Callable[[int], None]) -> Watcher:
    tried: set[int] = set()

    def watch(attempt: Attempt, _message: str) -> None:
        if not attempt.is_preempting:
            # A pod that could not be bound is tried again after it has been counted.
            tried.add(attempt.pod)
        count(len(tried))

    return watch


@contextmanager
def _tracing(path: str | Path, detail: str, task: _Task) -> Iterator[TraceWriter]:
    with writing(path) as file:
        state = ClusterState(task.cluster.columns)
        writer = TraceWriter(file, state, task.setup.profiles, task.options, TRACE_DETAILS[detail], only=task.only)
        yield writer
        writer.close()
