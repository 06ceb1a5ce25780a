"""A run once more, as far as some of its decisions: what each node had to say when it was the pod's turn."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from kplace.analysis.trial import Trial
from kplace.api import Placements
from kplace.dtypes import I32, NO_NODE, PreemptionMode
from kplace.engine.attempt import Attempt
from kplace.engine.cycle import try_pod
from kplace.engine.place import split_waiting
from kplace.framework import Profile
from kplace.framework.diagnosis import rejecter
from kplace.framework.runtime import PASSED
from kplace.state import ClusterState


@dataclass(frozen=True, slots=True)
class Turn:
    """A pod's turn in a run.

    Attributes
    ----------
    pod : int
    own : Attempt
        The attempt of the run itself.
    other : Attempt
        What the other scheduler would have done at the same place.
    """

    pod: int
    own: Attempt
    other: Attempt


def turns(run: Placements, trial: Trial, other: Trial, pods: I32) -> Iterator[Turn]:
    """Go through a run and stop at some pods.

    Parameters
    ----------
    run : Placements
        In which nobody left for others.
    trial : Trial
        The scheduler of the run.
    other : Trial
        Another one.
    pods : int32 ndarray
        Where to stop.
    """
    columns, outcome = run.before.columns, run.columns
    state = ClusterState(columns)
    by_name = {profile.scheduler_name: profile for profile in trial.setup.profiles}
    _, _, queued = split_waiting(state, by_name)
    numbers = {pod: number for number, pod in enumerate(queued.tolist())}
    wanted = set(pods.tolist())
    starts = np.concatenate([[0], outcome.next_start_index[:-1]])
    for row in np.flatnonzero(outcome.attempt >= 0).tolist():
        pod, node = int(outcome.pod[row]), int(outcome.node[row])
        if pod in wanted:
            wanted.discard(pod)
            state.next_start_index = int(starts[row])
            own, others = (_attempt(item, state, pod, numbers.get(pod, 0)) for item in (trial, other))
            yield Turn(pod, own, others)
        if not wanted:
            return
        if node != NO_NODE:
            state.assume(pod, node)


def _attempt(trial: Trial, state: ClusterState, pod: int, number: int) -> Attempt:
    quiet = trial.with_preemption(PreemptionMode.OFF)
    return try_pod(state, _profile(trial, state, pod), pod, number, quiet.options)


def _profile(trial: Trial, state: ClusterState, pod: int) -> Profile:
    return trial.profile_of(state.columns, pod)


def cause(turn: Turn) -> tuple[str, str]:
    """Why a run took another node than the other scheduler would have taken at the same place.

    Returns
    -------
    cause : str
        ``earlier``: the other scheduler would have done the same, it is what came before that differs; ``filter``: a
        filter rules one of the two nodes out; ``score``: a score tipped the balance; ``sample``: the search did not
        come by the node; ``draw``: both nodes have the highest total.
    plugin : str
        Whose word it is; empty for ``earlier``, ``sample`` and ``draw``.
    """
    own, other = turn.own, turn.other
    if other.node == own.node:
        return "earlier", ""
    if own.node == NO_NODE or _rejects(own, other.node):
        return "filter", _rejecter(own, other.node)
    if other.node == NO_NODE or _rejects(other, own.node):
        return "filter", _rejecter(other, own.node)
    if min(_place(own, other.node), _place(other, own.node)) < 0:
        return "sample", ""
    if own.scores is not None and _total(own, own.node) == _total(own, other.node):
        return "draw", ""
    return "score", _tipped(turn)


def _tipped(turn: Turn) -> str:
    """The plugin whose scores differ the most in favour of the node that this run took."""
    gains: dict[str, int] = {}
    for attempt, sign in ((turn.own, 1), (turn.other, -1)):
        mine, others = _place(attempt, turn.own.node), _place(attempt, turn.other.node)
        if attempt.scores is not None:
            for plugin, scores in attempt.scores.final.items():
                gains[plugin] = gains.get(plugin, 0) + sign * int(scores[mine] - scores[others])
    return max(gains, key=lambda plugin: gains[plugin], default="")


def _total(attempt: Attempt, node: int) -> int:
    return 0 if attempt.scores is None else int(attempt.scores.total[_place(attempt, node)])


def _place(attempt: Attempt, node: int) -> int:
    found = np.flatnonzero(attempt.feasible == node)
    return int(found[0]) if len(found) else -1


def _rejects(attempt: Attempt, node: int) -> bool:
    return attempt.filters is None or attempt.filters.plugin[node] != PASSED


def _rejecter(attempt: Attempt, node: int) -> str:
    """The plugin that rules a node out, or for no node the one that rules out most."""
    if attempt.filters is None:
        return attempt.pre_filters.rejected_by.name if attempt.pre_filters.rejected_by else ""
    outcome = attempt.filters
    if node >= 0 and outcome.plugin[node] != PASSED:
        plugin, detail = int(outcome.plugin[node]), int(outcome.detail[node])
        return rejecter(attempt.profile, outcome, plugin, detail)
    failed = np.flatnonzero(outcome.plugin != PASSED)
    if not len(failed):
        return ""
    names = [
        rejecter(attempt.profile, outcome, int(outcome.plugin[n]), int(outcome.detail[n])) for n in failed.tolist()
    ]
    return max(set(names), key=names.count)
