"""The readable engine: one pod through any plugins, each plugin a call on whole columns.

It tells the story of upstream's ``schedule_one.go``: PreFilter, the nominated node, the search with its sample, scores,
the choice, and PostFilter where no node is feasible. It does not change the state; `kplace.engine.place` does.
"""

import itertools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from kplace.dtypes import I32, NO_NODE, Code, PreemptionMode, TieBreak
from kplace.engine.attempt import Attempt
from kplace.engine.sampling import Sample, num_feasible_nodes_to_find, search
from kplace.engine.select import best_positions, choose
from kplace.errors import AttemptError
from kplace.framework import Cycle, Profile
from kplace.framework.failure import Failure, PostFilterPhase, run_post_filters
from kplace.framework.runtime import PASSED, FilterPhase, run_filters, run_pre_filters, run_scores
from kplace.framework.waiting import WaitingPods
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


def try_pod(  # noqa: PLR0913 - the run's settings are what they are
    state: ClusterState,
    profile: Profile,
    pod: int,
    number: int,
    options: Options,
    waiting: WaitingPods | None = None,
) -> Attempt:
    """Find a node for one pod, without changing the state.

    Parameters
    ----------
    number : int
        Which attempt of the run this is: with the seed it decides among equal nodes.
    waiting : WaitingPods, optional
        The pods of the run that Permit plugins let wait.
    """
    attempt = Attempt.begin(number, Cycle(state, pod, waiting), profile)
    try:
        _find_nodes(attempt, options)
        if len(attempt.feasible):
            _choose_node(attempt, options)
    except AttemptError as error:
        attempt.error = str(error)
    return attempt


def _find_nodes(attempt: Attempt, options: Options) -> None:
    """Filter the nodes and take the sample; written into the attempt as far as it goes."""
    attempt.pre_filters = run_pre_filters(attempt.profile, attempt.cycle)
    if attempt.pre_filters.rejected_by is None:
        attempt.filters = run_filters(attempt.profile, attempt.cycle, attempt.pre_filters)
        _take_sample(attempt, attempt.filters, options)


def _choose_node(attempt: Attempt, options: Options) -> None:
    """Score the sample and choose one of the best; written into the attempt."""
    try:
        attempt.scores = run_scores(attempt.profile, attempt.cycle, attempt.feasible)
        attempt.best = best_positions(attempt.scores.total)
    except AttemptError:
        if len(attempt.feasible) > 1:
            raise
        # Upstream takes a single feasible node without asking anybody to score it.
        attempt.best = np.zeros(1, np.int64)
    position = choose(len(attempt.best), options.tie_break, options.seed, attempt.number)
    attempt.node = int(attempt.feasible[attempt.best[position]])


def find_way_out(attempt: Attempt, options: Options) -> PostFilterPhase | None:
    """Ask the PostFilters about a pod that found no node, without changing the state; None if there is nobody to ask.

    Upstream does not ask them either if there are no nodes at all, or if the attempt ended with an error.
    """
    if attempt.error or not attempt.profile.post_filter or not attempt.cycle.state.n_nodes:
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


def _take_sample(attempt: Attempt, filters: FilterPhase, options: Options) -> None:
    """Take the feasible nodes that scores are made for, and say where the next search starts.

    Raises
    ------
    AttemptError
        The search comes by a node at which a filter cannot do its work.
    """
    state, passes, start = attempt.cycle.state, filters.plugin == PASSED, attempt.start_index
    nominated = int(state.nominations.node_of_pod[attempt.pod])
    if nominated != NO_NODE and passes[nominated]:
        attempt.sample = Sample(np.array([nominated], np.int32), 1)
        return
    nodes: I32 = state.all_nodes if attempt.pre_filters.nodes is None else attempt.pre_filters.nodes
    begin = start % len(nodes) if len(nodes) else 0
    sample = search(passes, nodes, begin, wanted(attempt.profile, len(nodes), options))
    erring = _first_error(filters, nodes, begin, sample.evaluated)
    if erring is not None:
        sample = Sample(_NOTHING, erring)
    if nominated != NO_NODE and filters.code[nominated] != Code.ERROR:
        # It was evaluated before the search, and upstream counts all nodes that have a status.
        is_extra = not _visits(nodes, begin, sample.evaluated, nominated)
        sample = Sample(sample.nodes, sample.evaluated + is_extra)
    attempt.sample = sample
    attempt.next_start_index = (start + sample.evaluated) % max(state.n_nodes, 1)
    if erring is not None:
        raise _filter_error(attempt, filters, int(nodes[(begin + erring) % len(nodes)]))


def _first_error(filters: FilterPhase, nodes: I32, begin: int, evaluated: int) -> int | None:
    """How many nodes a search went over before the first at which a filter erred; None if it came by none."""
    is_erring = filters.code == Code.ERROR
    if not is_erring.any():
        return None
    found = np.flatnonzero(is_erring[np.roll(nodes, -begin)[:evaluated]])
    return int(found[0]) if len(found) else None


def _filter_error(attempt: Attempt, filters: FilterPhase, node: int) -> AttemptError:
    plugin = attempt.profile.filter[filters.plugin[node]]
    reasons = plugin.reasons(attempt.cycle, int(filters.detail[node]))
    return AttemptError(f'running "{plugin.name}" filter plugin: {", ".join(reasons)}', plugin.name)


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
