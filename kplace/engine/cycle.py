"""The readable engine: one pod through any plugins, each plugin a call on whole columns.

It tells the story of upstream's ``schedule_one.go``: PreFilter, the nominated node, the search with its sample, scores,
the choice, and PostFilter where no node is feasible. It does not change the state; `kplace.engine.place` does.
"""

import itertools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from kplace.dtypes import I32, I64, NO_NODE, PreemptionMode, TieBreak
from kplace.engine.attempt import Attempt
from kplace.engine.sampling import Sample, num_feasible_nodes_to_find, search
from kplace.engine.select import best_positions, choose
from kplace.framework import Cycle, Profile
from kplace.framework.failure import Failure, PostFilterPhase, run_post_filters
from kplace.framework.runtime import (
    PASSED,
    FilterPhase,
    PreFilterPhase,
    ScorePhase,
    run_filters,
    run_pre_filters,
    run_scores,
)
from kplace.state import ClusterState
from kplace.state.rng import draw

_NOTHING = np.zeros(0, np.int32)


@dataclass(frozen=True, slots=True)
class Options:
    """What a run can be told beside the cluster and its profiles.

    Attributes
    ----------
    tie_break : TieBreak
    seed : int
        Of the draws among equal nodes.
    percentage_of_nodes_to_score : int
        The global setting; 0 adapts it to the number of nodes.
    preemption : PreemptionMode
    """

    tie_break: TieBreak = TieBreak.RANDOM
    seed: int = 0
    percentage_of_nodes_to_score: int = 0
    preemption: PreemptionMode = PreemptionMode.DRY_RUN


def try_pod(state: ClusterState, profile: Profile, pod: int, number: int, options: Options) -> Attempt:
    """Find a node for one pod, without changing the state.

    Parameters
    ----------
    number : int
        Which attempt of the run this is: with the seed it decides among equal nodes.
    """
    cycle = Cycle(state, pod)
    start = state.next_start_index
    pre_filters = run_pre_filters(profile, cycle)
    filters: FilterPhase | None = None
    sample, next_start = Sample(_NOTHING, 0), start
    if pre_filters.rejected_by is None:
        filters = run_filters(profile, cycle, pre_filters)
        sample, next_start = _sample(state, profile, cycle, pre_filters, filters, options)
    scores: ScorePhase | None = None
    best: I64 = np.zeros(0, np.int64)
    node = NO_NODE
    if len(sample.nodes):
        scores = run_scores(profile, cycle, sample.nodes)
        best = best_positions(scores.total)
        node = int(sample.nodes[best[choose(len(best), options.tie_break, options.seed, number)]])
    return Attempt(number, cycle, profile, pre_filters, filters, sample, start, next_start, scores, best, node)


def find_way_out(attempt: Attempt, options: Options) -> PostFilterPhase | None:
    """Ask the PostFilters about a pod that found no node, without changing the state; None if there is nobody to ask.

    Upstream does not ask them either if there are no nodes at all.
    """
    if not attempt.profile.post_filter or not attempt.cycle.state.n_nodes:
        return None
    failure = Failure(
        attempt.profile, attempt.cycle, attempt.pre_filters, attempt.filters, _drawing(options, attempt.number)
    )
    return run_post_filters(failure)


def _drawing(options: Options, number: int) -> Callable[[int], int]:
    """Draws of an attempt beside the one among the best nodes, each independent of the others."""
    if options.tie_break is TieBreak.FIRST:
        return lambda _n_choices: 0
    streams = itertools.count(1)
    return lambda n_choices: draw((options.seed + next(streams) * _STREAM) & _MAX_SEED, number, n_choices)


_STREAM = 0x5851F42D4C957F2D
"""Distance between the seeds of an attempt's draws; odd and large, so that they do not meet those of other runs."""
_MAX_SEED = 2**63 - 1


def _sample(
    state: ClusterState,
    profile: Profile,
    cycle: Cycle,
    pre_filters: PreFilterPhase,
    filters: FilterPhase,
    options: Options,
) -> tuple[Sample, int]:
    """Take the feasible nodes that scores are made for, and say where the next search starts."""
    passes = filters.plugin == PASSED
    start = state.next_start_index
    nominated = int(state.nominations.node_of_pod[cycle.pod])
    if nominated != NO_NODE and passes[nominated]:
        return Sample(np.array([nominated], np.int32), 1), start
    nodes: I32 = state.all_nodes if pre_filters.nodes is None else pre_filters.nodes
    begin = start % len(nodes) if len(nodes) else 0
    sample = search(passes, nodes, begin, wanted(profile, len(nodes), options))
    if nominated != NO_NODE and not _visits(nodes, begin, sample.evaluated, nominated):
        # It was evaluated before the search, and upstream counts all nodes that have a status.
        sample = Sample(sample.nodes, sample.evaluated + 1)
    return sample, (start + sample.evaluated) % max(state.n_nodes, 1)


def _visits(nodes: I32, begin: int, evaluated: int, node: int) -> bool:
    """Whether a search that went over ``evaluated`` nodes came by a node; ``nodes`` are ascending."""
    position = int(np.searchsorted(nodes, node))
    if position == len(nodes) or nodes[position] != node:
        return False
    return (position - begin) % len(nodes) < evaluated


def wanted(profile: Profile, n_nodes: int, options: Options) -> int:
    """Number of feasible nodes to look for out of ``n_nodes``; one is enough for a profile that does not score."""
    if not profile.score:
        return min(1, n_nodes)
    own = profile.percentage_of_nodes_to_score
    return num_feasible_nodes_to_find(n_nodes, options.percentage_of_nodes_to_score if own is None else own)
