"""Placing the waiting pods of a cluster."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from kplace.api.arguments import PREEMPTION_WORDS, one_of, percentage_for, preemption_for
from kplace.api.cluster import Cluster
from kplace.api.only import chosen_pods
from kplace.api.placements import Placements, Run
from kplace.dtypes import I32, TieBreak
from kplace.engine.attempt import Attempt
from kplace.engine.cycle import Options
from kplace.engine.place import Watcher, place_waiting, split_waiting
from kplace.errors import UsageError
from kplace.framework import Profile
from kplace.io.atomic import writing
from kplace.io.trace import TraceWriter, counts_record, full_record
from kplace.plugins.defaults import default_profile
from kplace.state import ClusterState

Progress = Callable[[int, int], None]
"""Called after each pod with the number of pods tried so far and the number of pods to try."""

TIE_BREAKS = {"random": TieBreak.RANDOM, "first": TieBreak.FIRST}
TRACE_DETAILS = {"full": full_record, "counts": counts_record}


def place(  # noqa: PLR0913 - all but the cluster are by keyword, and most are left alone
    cluster: Cluster,
    *,
    seed: int = 0,
    tie_break: str = "random",
    percentage_of_nodes_to_score: int | None = None,
    preemption: str | None = None,
    only: str | None = None,
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
    percentage_of_nodes_to_score : int, optional
        0 to 100: the search stops when this share of the nodes was found feasible (but at least 100 nodes). 0 adapts it
        to the number of nodes. None: what a golden case file sets, else 0.
    preemption : {"dry-run", "immediate", "off"}, optional
        What becomes of a pod that fits nowhere but would if pods of a lower priority left: ``"dry-run"`` says which
        ones, and nothing is done; ``"immediate"`` takes them away at once and tries the pod again at once; ``"off"``
        does not ask. None: what a golden case file sets, else ``"dry-run"``.
    only : str, optional
        ``NAMESPACE`` or ``NAMESPACE/SELECTOR``: the pods to try, the others are left waiting. The selector is
        kubectl's: ``"shop/app=web,tier!=back"``, ``"*/app in (a,b)"``.
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
    options = Options(
        tie_break=TIE_BREAKS[one_of("tie_break", tie_break, tuple(TIE_BREAKS))],
        seed=_whole("seed", seed),
        percentage_of_nodes_to_score=percentage_for(cluster, percentage_of_nodes_to_score),
        preemption=preemption_for(cluster, preemption),
    )
    one_of("trace_detail", trace_detail, tuple(TRACE_DETAILS))
    chosen = None if only is None else chosen_pods(cluster.columns, only)
    state = ClusterState(cluster.columns)
    profiles = [default_profile()]
    watchers: list[Watcher] = []
    if progress is not None:
        watchers.append(_counter(progress, _number_to_try(state, profiles, chosen)))
    if trace is None:
        columns = place_waiting(state, profiles, options, only=chosen, watchers=watchers)
    else:
        with _tracing(trace, trace_detail, state, profiles, options, chosen) as watch:
            columns = place_waiting(state, profiles, options, only=chosen, watchers=[watch, *watchers])
    run = Run(
        seed=options.seed,
        tie_break=tie_break,
        percentage_of_nodes_to_score=options.percentage_of_nodes_to_score,
        preemption=PREEMPTION_WORDS[options.preemption],
    )
    return Placements.of_run(cluster, columns, run)


def _whole(argument: str, given: int) -> int:
    if isinstance(given, bool) or not isinstance(given, int | np.integer):
        msg = f"{argument}: expected a whole number, got {given!r}"
        raise UsageError(msg)
    return int(given)


def _number_to_try(state: ClusterState, profiles: list[Profile], chosen: I32 | None) -> int:
    _, _, queued = split_waiting(state, {profile.scheduler_name: profile for profile in profiles})
    return len(queued) if chosen is None else int(np.isin(queued, chosen).sum())


def _counter(progress: Progress, total: int) -> Watcher:
    done = 0

    def count(attempt: Attempt, _message: str) -> None:
        nonlocal done
        done += not attempt.is_preempting
        progress(done, total)

    return count


@contextmanager
def _tracing(
    path: str | Path, detail: str, state: ClusterState, profiles: list[Profile], options: Options, chosen: I32 | None
) -> Iterator[Watcher]:
    with writing(path) as file:
        writer = TraceWriter(file, state, profiles, options, TRACE_DETAILS[detail], only=chosen)
        yield writer.watch
        writer.close()
