"""Preemption from the pod's failure to a nominated node or a message (upstream's ``Evaluator.Preempt``)."""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from kplace.dtypes import NO_NODE, Code
from kplace.errors import ExtenderError
from kplace.framework.diagnosis import fit_error, reason_counts
from kplace.framework.failure import Failure
from kplace.framework.interface import PostFilterResult
from kplace.framework.preemption import Preemption
from kplace.framework.runtime import PASSED
from kplace.preemption.candidates import DryRun, dry_run, potential_nodes
from kplace.preemption.choice import best_candidates
from kplace.preemption.eligibility import POD_GONE, ineligibility

NOT_HELPFUL = "Preemption is not helpful for scheduling"
NO_VICTIMS = "No preemption victims found for incoming pod"
NO_CANDIDATE_LEFT = "no candidate node for preemption"
"""Where extenders leave none of the candidates."""


@dataclass(frozen=True, slots=True)
class CandidateLimits:
    """How many candidates are enough: a percentage of the nodes where preemption may help, but a least number."""

    percentage: int
    absolute: int

    def wanted(self, n_nodes: int) -> int:
        """Number of candidates to look for on so many nodes.

        Examples
        --------
        >>> [CandidateLimits(10, 100).wanted(n) for n in (50, 500, 5000)]
        [50, 100, 500]
        """
        return min(max(n_nodes * self.percentage // 100, self.absolute), n_nodes)


def preempt(failure: Failure, limits: CandidateLimits, *, sorts_victims: bool = True) -> PostFilterResult:
    """Find the node where the least important pods would have to leave for the pod to fit.

    Nothing is carried out: the state is as before.

    Parameters
    ----------
    sorts_victims : bool
        False leaves the victims of a node that break a budget before the others, as releases before v1.32 do.

    Returns
    -------
    PostFilterResult
        Success with the victims; Unschedulable with a message. A pod that may not preempt keeps its nomination, one
        that preemption does not help loses it.
    """
    if failure.cycle.holds(POD_GONE):
        pod = failure.cycle.state.columns.pods.names[failure.cycle.pod]
        return PostFilterResult(Code.ERROR, (f'pod "{pod}" not found',))
    reason = ineligibility(failure)
    if reason:
        return PostFilterResult(Code.UNSCHEDULABLE, (reason,))
    potential = potential_nodes(failure)
    run = dry_run(failure, potential, limits.wanted(len(potential)))
    if not len(run.candidates.nodes):
        if len(run.untouched):
            return PostFilterResult(Code.ERROR, (_contradiction(failure, run),))
        return PostFilterResult(Code.UNSCHEDULABLE, (_no_candidates(failure, run),), NO_NODE)
    candidates = run.candidates if sorts_victims else run.candidates.breaking_first()
    try:
        candidates = failure.extenders.preempt(failure.cycle, candidates)
    except ExtenderError as error:
        return PostFilterResult(Code.ERROR, (str(error),))
    if not len(candidates.nodes):
        return PostFilterResult(Code.UNSCHEDULABLE, (NO_CANDIDATE_LEFT,))
    tied = best_candidates(candidates, failure.cycle.state.importance)
    preemption = Preemption(candidates, tied, int(tied[failure.draw(len(tied))]))
    return PostFilterResult(Code.SUCCESS, (), preemption.node, preemption)


def _no_candidates(failure: Failure, run: DryRun) -> str:
    """Why no node is a candidate, in the form of a FitError of its own."""
    n_nodes = failure.cycle.state.n_nodes
    counts: Counter[str] = Counter()
    for (_, reason), number in reason_counts(failure.profile, failure.cycle, failure.pre_filters, run.judged).items():
        counts[reason] += number
    n_failing = int(np.sum(run.judged.plugin != PASSED))
    counts[NO_VICTIMS] += run.without_victims
    counts[NOT_HELPFUL] += n_nodes - run.without_victims - n_failing
    return fit_error(n_nodes, +counts, ())


def _contradiction(failure: Failure, run: DryRun) -> str:
    """The error of nodes that need no victim; several errors are put into brackets, as upstream's aggregate does."""
    names = failure.cycle.state.columns.nodes.names
    errors = [f'expected at least one victim pod on node "{names[node]}"' for node in run.untouched.tolist()]
    return errors[0] if len(errors) == 1 else f"[{', '.join(errors)}]"
