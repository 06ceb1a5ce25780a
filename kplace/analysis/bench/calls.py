"""The calls that are measured: one plugin at one extension point for one pod, prepared as a cycle would."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from kplace.dtypes import I32, I64, NO_NODE, TieBreak
from kplace.engine.attempt import Attempt
from kplace.engine.cycle import Options, try_pod
from kplace.errors import AttemptError
from kplace.framework import Cycle, Profile
from kplace.framework.failure import Failure
from kplace.framework.interface import NormalizeScorePlugin
from kplace.state import ClusterState

POINTS = ("preFilter", "filter", "postFilter", "preScore", "score", "normalizeScore")
"""The extension points that are measured, in the order in which a cycle comes by them."""
POST_FILTER = "postFilter"
"""Only pods that fit nowhere come by it: it is no part of what placing a pod takes."""


@dataclass(frozen=True, slots=True)
class Call:
    """Something to be called over and over.

    Attributes
    ----------
    plugin, point : str
    pod : str
        Name of the pod that is asked about.
    weight : int
        How many pods the pod stands for.
    nodes : int
        Number of nodes that are asked about.
    run : callable
    """

    plugin: str
    point: str
    pod: str
    weight: int
    nodes: int
    run: Callable[[], object]


def calls_for(state: ClusterState, profile: Profile, pod: int, weight: int) -> Iterator[Call]:
    """Prepare all calls that a cycle makes for a pod, each plugin with what its earlier points have left in the cycle.

    Scores are asked of all feasible nodes, whatever part of them a sample would hold.

    Raises
    ------
    AttemptError
        The pod's attempt ends with an error.
    """
    attempt = try_pod(state, profile, pod, 0, Options(TieBreak.FIRST, percentage_of_nodes_to_score=100))
    if attempt.error:
        raise AttemptError(attempt.error)
    name = attempt.cycle.pod_name
    for plugin, point, nodes, run in _steps(attempt):
        yield Call(plugin, point, name, weight, nodes, run)


Step = tuple[str, str, int, Callable[[], object]]


def _steps(attempt: Attempt) -> Iterator[Step]:
    profile, cycle, n_nodes = attempt.profile, attempt.cycle, attempt.cycle.state.n_nodes
    for plugin in profile.pre_filter:
        yield plugin.name, "preFilter", n_nodes, _bind(plugin.pre_filter, cycle)
    if attempt.filters is not None:
        narrowed = attempt.pre_filters.nodes
        nodes = cycle.state.all_nodes if narrowed is None else narrowed
        for item in profile.filter:
            if item.name not in attempt.pre_filters.skipped:
                yield item.name, "filter", len(nodes), _bind(item.filter, cycle, nodes)
    if attempt.node == NO_NODE:
        for post in profile.post_filter:
            yield post.name, POST_FILTER, n_nodes, _post_filter(attempt, post.post_filter)
    if attempt.scores is not None:
        yield from _scoring(attempt, attempt.feasible)


def _scoring(attempt: Attempt, nodes: I32) -> Iterator[Step]:
    profile, cycle, scores = attempt.profile, attempt.cycle, attempt.scores
    assert scores is not None
    for plugin in profile.pre_score if profile.score else ():
        yield plugin.name, "preScore", len(nodes), _bind(plugin.pre_score, cycle, nodes)
    for item in profile.score:
        name = item.plugin.name
        if name in scores.skipped:
            continue
        yield name, "score", len(nodes), _bind(item.plugin.score, cycle, nodes)
        if item.normalizer is not None:
            yield name, "normalizeScore", len(nodes), _normalize(item.normalizer, cycle, nodes, scores.raw[name])


def _bind(method: Callable[..., object], *arguments: object) -> Callable[[], object]:
    return lambda: method(*arguments)


def _normalize(plugin: NormalizeScorePlugin, cycle: Cycle, nodes: I32, raw: I64) -> Callable[[], object]:
    """A call on a copy of the raw scores; the copying, which takes next to nothing, is measured with it."""
    copy = raw.copy()

    def run() -> None:
        np.copyto(copy, raw)
        plugin.normalize_score(cycle, nodes, copy)

    return run


def _post_filter(attempt: Attempt, method: Callable[[Cycle, Failure], object]) -> Callable[[], object]:
    """A call with a failure of its own, for it keeps what it has found out."""

    def run() -> None:
        failure = Failure(attempt.profile, attempt.cycle, attempt.pre_filters, attempt.filters, _first)
        method(attempt.cycle, failure)

    return run


def _first(_n_choices: int) -> int:
    return 0


def typical_pods(state: ClusterState, queued: I32, most: int) -> Sequence[tuple[int, int]]:
    """One pod of each template in a queue with the number of its kind; of many templates those with the most pods."""
    template = state.columns.pods.template[queued]
    _, first, counts = np.unique(template, return_index=True, return_counts=True)
    kept = np.sort(np.argsort(-counts, kind="stable")[:most])
    return [(int(queued[first[at]]), int(counts[at])) for at in kept[np.argsort(first[kept])].tolist()]
