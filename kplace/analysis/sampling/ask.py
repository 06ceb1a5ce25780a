"""The question: what is lost by a search that stops before it has seen all nodes."""

import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Unpack

from kplace.analysis.measures import Run, known_measures, measured
from kplace.analysis.sampling.losing import ALL, Losses, spread_evenly
from kplace.analysis.sampling.result import Rung, Sampling
from kplace.analysis.trial import Progress, Scheduling, Trial
from kplace.api import Cluster, Placements
from kplace.api.arguments import whole
from kplace.dtypes import I32, I64
from kplace.engine.place import split_waiting
from kplace.engine.sampling import MIN_FEASIBLE_NODES_TO_FIND, num_feasible_nodes_to_find
from kplace.errors import UsageError
from kplace.framework import Profile
from kplace.state import ClusterState

LADDER = (0, 5, *range(10, 101, 10))
"""The percentages that are tried by default; 0 adapts to the number of nodes."""
PODS = 300
TOLERANCE = 1.0
METRICS = ("scheduled", "pending", "nodes_used", "packing", "imbalance", "stranded", "lopsided", "tied")


def sampling(
    cluster: Cluster,
    *,
    percentages: Iterable[int] | None = None,
    pods: int | None = PODS,
    tolerance: float = TOLERANCE,
    metrics: Sequence[str] = METRICS,
    progress: Progress | None = None,
    **scheduling: Unpack[Scheduling],
) -> Sampling:
    """Say what ``percentageOfNodesToScore`` costs this cluster in score, and which value to use.

    The cluster's waiting pods are placed once with each percentage. The loss of a pod is, in the state in which it is
    tried, the best weighted total among all feasible nodes less the total of the node that it got: both with scores
    normalised over all feasible nodes, as with 100. It is 0 for a pod that got a best node, and never less.

    Parameters
    ----------
    cluster : Cluster
        Its waiting pods are placed; nobody leaves for them.
    percentages : iterable of int, optional
        0 to 100; by default 0 (adapted to the number of nodes), 5, 10, 20 and so on. 100 and what is set now are always
        among them.
    pods : int, optional
        At how many turns all nodes are scored, at equal distances in the queue; the same turns for each percentage.
        None: at all of them.
    tolerance : float
        The mean loss that is put up with, in points of the weighted total. A plugin gives a node up to 100 points times
        its weight; with the default plugins 1 point is what 1 % more free cpu and memory make of NodeResourcesFit's
        score.
    metrics : sequence of str
        What is measured of each run: metrics of the reference page on studies.
    progress : callable, optional
        Called now and then with the numbers of pods tried and to try, of all percentages together.
    **scheduling
        As for `kplace.capacity`; ``percentage_of_nodes_to_score`` takes the place of what is set now.

    Returns
    -------
    Sampling
        `Sampling.table` by percentage, `Sampling.metrics`, `Sampling.pods`, and `Sampling.recommended`.

    Raises
    ------
    UsageError
        An argument cannot be used, or the scheduler has no pod to try.

    Notes
    -----
    Recommended is the percentage with which a search looks for the fewest nodes, of those whose mean loss is within the
    tolerance. With fewer than 100 nodes every node is scored whatever is set: then there is none.

    Sampling does not keep a pod pending by itself, since a search goes on until it has found a node. But pods go
    elsewhere, and that may leave no room for others.

    Examples
    --------
    >>> import pandas as pd
    >>> sizes = [4] * 250 + [64] * 50
    >>> nodes = pd.DataFrame({"node": [f"n{i}" for i in range(300)], "cpu": sizes, "memory": [f"{n}Gi" for n in sizes]})
    >>> waiting = pd.DataFrame({"pod": [f"p{i}" for i in range(20)], "cpu": "2", "memory": "1Gi"})
    >>> found = sampling(Cluster.from_frames(nodes, waiting), percentages=[0, 50])
    >>> found.table[["percentage", "nodes_wanted", "loss_mean"]].to_dict("list")
    {'percentage': [0, 50, 100], 'nodes_wanted': [144, 150, 300], 'loss_mean': [16.45, 23.5, 0.0]}
    >>> found.recommended
    100
    """
    told: Scheduling = {**scheduling}
    now = Trial.of(cluster, told)
    view = now.view_of(cluster)
    queued = _queued(now, view)
    current, n_nodes = _current(now), len(view.columns.nodes)
    ladder = _ladder(percentages, current, n_nodes)
    names = known_measures("metrics", metrics)
    number = len(queued) if pods is None else whole("pods", pods, 1)
    limit = _tolerance(tolerance)
    positions = spread_evenly(len(queued), number)
    # What loads kernels for the first time shall not be measured.
    now.place(view.columns, queued[:1])
    rungs: list[Rung] = []
    for step, percentage in enumerate(ladder):
        trial = Trial.of(cluster, {**told, "percentage_of_nodes_to_score": percentage})
        counting = None if progress is None else _counting(progress, step, len(queued), len(ladder))
        rungs.append(_rung(trial, view, queued, positions, names, counting))
    return Sampling(view, tuple(rungs), current, limit, len(queued), tuple(now.setup.notes_on(view)))


def _rung(
    trial: Trial,
    view: Cluster,
    queued: I32,
    positions: I64,
    names: Sequence[str],
    progress: Callable[[int], None] | None,
) -> Rung:
    """Place with one percentage, and look on at some turns."""
    losses = Losses(positions, partial(_profile, trial), trial.options)
    began = time.perf_counter()
    columns = trial.place(view.columns, queued, progress=progress, observer=losses)
    seconds = time.perf_counter() - began - losses.seconds
    placements = Placements.of_run(view, columns, trial.run, ())
    percentage = trial.options.percentage_of_nodes_to_score
    return Rung(
        percentage=percentage,
        wanted=num_feasible_nodes_to_find(len(view.columns.nodes), percentage),
        outcome=columns,
        turns=tuple(losses.turns),
        metrics=measured(Run(view, placements), names),
        seconds=seconds,
    )


def _profile(trial: Trial, state: ClusterState, pod: int) -> Profile:
    return trial.profile_of(state.columns, pod)


def _queued(trial: Trial, view: Cluster) -> I32:
    by_name = {profile.scheduler_name: profile for profile in trial.setup.profiles}
    queued = split_waiting(ClusterState(view.columns), by_name)[2]
    if not len(queued):
        msg = "there is nothing to place: the scheduler tries no pod of this input"
        raise UsageError(msg)
    return queued


def _current(trial: Trial) -> int | None:
    """What is set now; None if profiles differ in it."""
    overall = trial.options.percentage_of_nodes_to_score
    own = {profile.percentage_of_nodes_to_score for profile in trial.setup.profiles}
    found = {overall if item is None else item for item in own}
    return found.pop() if len(found) == 1 else None


def _ladder(given: Iterable[int] | None, current: int | None, n_nodes: int) -> list[int]:
    """The percentages to try, 100 first: it is what the others are held against."""
    asked = [_percentage(item) for item in (LADDER if given is None else given)]
    if n_nodes < MIN_FEASIBLE_NODES_TO_FIND:
        return [ALL]
    known = [] if current is None else [current]
    return [ALL, *sorted({*asked, *known} - {ALL})]


def _percentage(given: int) -> int:
    if whole("percentages", given, 0) > ALL:
        msg = f"percentages: expected whole numbers from 0 to 100, got {given!r}"
        raise UsageError(msg)
    return int(given)


def _tolerance(given: float) -> float:
    if isinstance(given, bool) or not isinstance(given, int | float) or not given >= 0:
        msg = f"tolerance: expected points of the weighted total, 0 or more, got {given!r}"
        raise UsageError(msg)
    return float(given)


def _counting(progress: Progress, step: int, n_pods: int, n_steps: int) -> Callable[[int], None]:
    return lambda done: progress(step * n_pods + done, n_steps * n_pods)
