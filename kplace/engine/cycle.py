"""The readable engine: one pod through any plugins, each plugin a call on whole columns.

It tells the story of upstream's ``schedule_one.go``: PreFilter, the nominated node, the search with its sample,
extenders, scores, the choice, and PostFilter where no node is feasible. It does not change the state;
`kplace.engine.place` does.
"""

import itertools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from kplace.dtypes import I32, I64, NO_NODE, Code, PreemptionMode, TieBreak
from kplace.engine.attempt import Attempt
from kplace.engine.sampling import Sample, num_feasible_nodes_to_find, search
from kplace.engine.select import best_positions, choose
from kplace.errors import AttemptError, ExtenderError
from kplace.framework import Cycle, Profile
from kplace.framework.answers import reasons_of
from kplace.framework.extender import Extender
from kplace.framework.extending import ExtenderPhase, Skipped
from kplace.framework.failure import Failure, PostFilterPhase, run_post_filters
from kplace.framework.runtime import (
    ABSENT,
    PASSED,
    FilterPhase,
    PreFilterPhase,
    ScorePhase,
    run_filters,
    run_pre_filters,
    run_scores,
)
from kplace.framework.waiting import WaitingPods
from kplace.state import ClusterState
from kplace.state.rng import draw

_NO_NODES = np.zeros(0, np.int32)


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
    extenders : tuple of Extender
        In the order in which they are called.
    explains : bool
        Somebody wants to know why pods fit nowhere. If not, the fused loop goes on without having it found out where
        nothing else hangs on it.
    """

    tie_break: TieBreak = TieBreak.RANDOM
    seed: int = 0
    percentage_of_nodes_to_score: int = 0
    preemption: PreemptionMode = PreemptionMode.DRY_RUN
    extenders: tuple[Extender, ...] = ()
    explains: bool = True


def ask_filters(attempt: Attempt) -> None:
    """Ask the PreFilters, and the Filters unless one of those rejects the pod. Fills in ``attempt``."""
    attempt.pre_filters = run_pre_filters(attempt.profile, attempt.cycle)
    if attempt.pre_filters.rejected_by is None:
        attempt.filters = run_filters(attempt.profile, attempt.cycle, attempt.pre_filters)


def try_pod(
    state: ClusterState,
    profile: Profile,
    pod: int,
    number: int,
    options: Options,
    waiting: WaitingPods | None = None,
    judge: Callable[[Attempt], None] = ask_filters,
) -> Attempt:
    """Find a node for one pod, without changing the state.

    What keeps the attempt from being brought to its end is in `Attempt.error`.

    Parameters
    ----------
    number : int
        Which attempt of the run this is: with the seed it decides among equal nodes.
    waiting : WaitingPods, optional
        The pods of the run that Permit plugins let wait.
    judge : callable, optional
        Finds out what PreFilters and Filters say, if it knows a shorter way than to ask all of them.
    """
    start = state.next_start_index
    attempt = Attempt(
        number=number,
        cycle=Cycle(state, pod, waiting),
        profile=profile,
        pre_filters=PreFilterPhase.silent(),
        filters=None,
        sample=Sample(_NO_NODES, 0),
        start_index=start,
        next_start_index=start,
        scores=None,
        best=np.zeros(0, np.int64),
        node=NO_NODE,
        extenders=ExtenderPhase(options.extenders),
    )
    try:
        judge(attempt)
        _find_node(attempt, options)
    except AttemptError as error:
        attempt.error = str(error)
    return attempt


def _find_node(attempt: Attempt, options: Options) -> None:
    """Go from the search to the choice, as far as there are nodes. Fills in ``attempt``."""
    if attempt.filters is None:
        return
    nodes = _search(attempt, attempt.filters, options)
    if not len(nodes):
        return
    attempt.best = np.zeros(1, np.int64)
    try:
        attempt.scores = _scores(attempt, nodes)
        attempt.best = best_positions(attempt.scores.total)
    except AttemptError:
        # Upstream takes a single feasible node without asking anybody to score it.
        if len(nodes) > 1:
            raise
    choice = choose(len(attempt.best), options.tie_break, options.seed, attempt.number)
    attempt.node = int(nodes[attempt.best[choice]])


def _scores(attempt: Attempt, nodes: I32) -> ScorePhase:
    """Scores of plugins and extenders; of a single node, which is taken anyway, extenders are not asked."""
    extenders = attempt.extenders
    attempt.cycle.nodes_are_bare = extenders.is_bare
    scores = run_scores(attempt.profile, attempt.cycle, nodes)
    if extenders.extenders and not attempt.profile.score:
        # A total of 1 is for want of anybody who could score.
        scores.total[:] = 0
    if len(nodes) > 1:
        extenders.prioritize(attempt.cycle, nodes, scores)
    return scores


def find_way_out(attempt: Attempt, options: Options) -> PostFilterPhase | None:
    """Ask the PostFilters about a pod that found no node, without changing the state; None if there is nobody to ask.

    Upstream does not ask them either if there are no nodes at all, or if an error ended the attempt.
    """
    if attempt.error or not attempt.profile.post_filter or not attempt.cycle.state.n_nodes:
        return None
    failure = Failure(
        attempt.profile,
        attempt.cycle,
        attempt.pre_filters,
        attempt.filters,
        _drawing(options, attempt.number),
        attempt.extenders,
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


def _search(attempt: Attempt, filters: FilterPhase, options: Options) -> I32:
    """Take the feasible nodes that scores are made for, and say where the next search starts. Fills in ``attempt``."""
    state, extenders = attempt.cycle.state, attempt.extenders
    passes = filters.plugin == PASSED
    nominated = int(state.nominations.node_of_pod[attempt.pod])
    if nominated != NO_NODE and passes[nominated] and _passes_extenders(attempt, nominated):
        attempt.sample = Sample(np.array([nominated], np.int32), 1)
        return attempt.sample.nodes
    nodes: I32 = state.all_nodes if attempt.pre_filters.nodes is None else attempt.pre_filters.nodes
    begin = attempt.start_index % len(nodes) if len(nodes) else 0
    found, evaluated = search(passes, nodes, begin, wanted(attempt.profile, len(nodes), options))
    erring = _first_error(filters, nodes, begin, evaluated)
    if erring is not None:
        found, evaluated = _NO_NODES, erring
    # Upstream counts all nodes that have a status, and some have one from before the search.
    known: set[int | str] = {state.columns.nodes.index.get(name, name) for name in extenders.refusals}
    if nominated != NO_NODE and not passes[nominated] and filters.code[nominated] != Code.ERROR:
        known.add(nominated)
    counted = evaluated + sum(
        isinstance(node, str) or bool(passes[node]) or not _visits(nodes, begin, evaluated, node) for node in known
    )
    attempt.next_start_index = (attempt.start_index + counted) % max(state.n_nodes, 1)
    if erring is not None:
        attempt.sample = Sample(_NO_NODES, counted)
        raise _filter_error(attempt, filters, int(nodes[(begin + erring) % len(nodes)]))
    if not extenders.extenders:
        attempt.sample = Sample(found, counted)
        return found
    attempt.sample = Sample(_NO_NODES, counted)
    left = extenders.filter(attempt.cycle, found)
    extenders.has_refused = len(left) != len(found)
    attempt.sample = Sample(left, counted)
    if not len(left):
        failed = np.isin(state.all_nodes, nodes[(begin + np.arange(evaluated)) % max(len(nodes), 1)]) & ~passes
        if nominated != NO_NODE:
            failed[nominated] |= not passes[nominated]
        filters = _as_far_as_seen(filters, np.flatnonzero(~failed))
    attempt.filters = extenders.marked(attempt.cycle, filters, found, left)
    return left


def _first_error(filters: FilterPhase, nodes: I32, begin: int, evaluated: int) -> int | None:
    """How many nodes a search went over before the first at which a filter erred; None if it came by none."""
    is_erring = filters.code == Code.ERROR
    if not is_erring.any():
        return None
    found = np.flatnonzero(is_erring[np.roll(nodes, -begin)[:evaluated]])
    return int(found[0]) if len(found) else None


def _filter_error(attempt: Attempt, filters: FilterPhase, node: int) -> AttemptError:
    plugin = attempt.profile.filter[filters.plugin[node]]
    reasons = reasons_of(plugin, attempt.cycle, int(filters.detail[node]))
    return AttemptError(f'running "{plugin.name}" filter plugin: {", ".join(reasons)}', plugin.name)


def _passes_extenders(attempt: Attempt, node: int) -> bool:
    """Whether extenders let a pod have its nominated node; if they cannot be asked, the search takes its course."""
    try:
        return len(attempt.extenders.filter(attempt.cycle, np.array([node], np.int32))) > 0
    except ExtenderError as error:
        attempt.extenders.skipped.append(Skipped(error.plugin, "filter", str(error)))
        return False


def _as_far_as_seen(filters: FilterPhase, unseen: I64) -> FilterPhase:
    """Leave the filters' word on some nodes out: upstream has none on those that the search did not come to."""
    seen = filters.copy()
    seen.replace(unseen, FilterPhase.blank(len(unseen), ABSENT, Code.UNSCHEDULABLE_AND_UNRESOLVABLE))
    return seen


def _visits(nodes: I32, begin: int, evaluated: int, node: int) -> bool:
    """Whether a search that went over ``evaluated`` nodes came by a node; ``nodes`` are ascending."""
    position = int(np.searchsorted(nodes, node))
    if position == len(nodes) or nodes[position] != node:
        return False
    return (position - begin) % len(nodes) < evaluated


def wanted(profile: Profile, n_nodes: int, options: Options) -> int:
    """Number of feasible nodes to look for out of ``n_nodes``; one is enough if nobody scores or filters further."""
    if not profile.score and not any(extender.filters or extender.prioritizes for extender in options.extenders):
        return min(1, n_nodes)
    own = profile.percentage_of_nodes_to_score
    return num_feasible_nodes_to_find(n_nodes, options.percentage_of_nodes_to_score if own is None else own)
