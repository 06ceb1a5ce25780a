"""Placing the waiting pods of a cluster."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import numpy as np

from kplace.api.arguments import PREEMPTION_WORDS, one_of, preemption_for
from kplace.api.cluster import Cluster
from kplace.api.configuring import ConfigSource
from kplace.api.extending import CALL, closing
from kplace.api.only import chosen_pods
from kplace.api.placements import Placements, Run
from kplace.api.plugins import Plugins
from kplace.api.setup import set_up
from kplace.config import Configuration
from kplace.config.versions import DEFAULT_VERSION
from kplace.dtypes import I32, TieBreak
from kplace.engine.attempt import Attempt
from kplace.engine.batch import can_batch, place_batch
from kplace.engine.cycle import Options
from kplace.engine.place import Watcher, place_waiting, split_waiting
from kplace.errors import UsageError
from kplace.framework import Profile
from kplace.io.atomic import writing
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
    preemption : {"dry-run", "immediate", "off"}, optional
        What becomes of a pod that fits nowhere but would if pods of a lower priority left: ``"dry-run"`` says which
        ones, and nothing is done; ``"immediate"`` takes them away at once and tries the pod again at once; ``"off"``
        does not ask. None: what a golden case file sets, else ``"dry-run"``.
    only : str, optional
        ``NAMESPACE`` or ``NAMESPACE/SELECTOR``: the pods to try, the others are left waiting. The selector is
        kubectl's: ``"shop/app=web,tier!=back"``, ``"*/app in (a,b)"``.
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
        seed=_whole("seed", seed),
        percentage_of_nodes_to_score=setup.percentage_of_nodes_to_score,
        preemption=preemption_for(cluster, preemption),
        extenders=setup.extenders,
    )
    one_of("trace_detail", trace_detail, tuple(TRACE_DETAILS))
    chosen = None if only is None else chosen_pods(cluster.columns, only)
    state = ClusterState(cluster.columns)
    by_batch = one_of("engine", engine, ENGINES) == "batch" and trace is None and can_batch(setup.profiles, options)
    watchers: list[Watcher] = []
    if progress is not None:
        n_to_try = _number_to_try(state, setup.profiles, chosen)
        watchers.append(_counter(progress, n_to_try))
    with closing(setup.extenders):
        if by_batch:
            count = None if progress is None else partial(_call_with_total, progress, n_to_try)
            columns = place_batch(state, setup.profiles, options, only=chosen, progress=count)
        elif trace is None:
            columns = place_waiting(state, setup.profiles, options, only=chosen, watchers=watchers)
        else:
            with _tracing(trace, trace_detail, state, setup.profiles, options, chosen) as writer:
                columns = place_waiting(
                    state,
                    setup.profiles,
                    options,
                    only=chosen,
                    watchers=[writer.watch, *watchers],
                    setback_watchers=[writer.watch_setback],
                )
    run = Run(
        seed=options.seed,
        tie_break=tie_break,
        percentage_of_nodes_to_score=options.percentage_of_nodes_to_score,
        preemption=PREEMPTION_WORDS[options.preemption],
        kube_version=kube_version,
    )
    return Placements.of_run(cluster, columns, run, setup.notes_on(cluster))


def _whole(argument: str, given: int) -> int:
    if isinstance(given, bool) or not isinstance(given, int | np.integer):
        msg = f"{argument}: expected a whole number, got {given!r}"
        raise UsageError(msg)
    return int(given)


def _number_to_try(state: ClusterState, profiles: Sequence[Profile], chosen: I32 | None) -> int:
    _, _, queued = split_waiting(state, {profile.scheduler_name: profile for profile in profiles})
    return len(queued) if chosen is None else int(np.isin(queued, chosen).sum())


def _call_with_total(progress: Progress, total: int, done: int) -> None:
    progress(done, total)


def _counter(progress: Progress, total: int) -> Watcher:
    done = 0

    def count(attempt: Attempt, _message: str) -> None:
        nonlocal done
        # A pod that could not be bound is tried again after it has been counted.
        done = min(done + (not attempt.is_preempting), total)
        progress(done, total)

    return count


@contextmanager
def _tracing(
    path: str | Path,
    detail: str,
    state: ClusterState,
    profiles: Sequence[Profile],
    options: Options,
    chosen: I32 | None,
) -> Iterator[TraceWriter]:
    with writing(path) as file:
        writer = TraceWriter(file, state, profiles, options, TRACE_DETAILS[detail], only=chosen)
        yield writer
        writer.close()
