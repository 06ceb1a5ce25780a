"""From the node that a pod has found to its binding: Reserve, Permit, the wait, PreBind, Bind, PostBind.

`hold`, `bind` and `give_back` each do one step for one attempt and know no time; `Bindings` strings them together for
runs in which binding takes none.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from kplace.config.points import ExtensionPoint
from kplace.engine.attempt import Attempt
from kplace.framework.binding import Setback, run_binding, run_permit, run_reserve, run_unreserve
from kplace.framework.waiting import Decision, WaitingPods
from kplace.state import ClusterState

_NEVER = np.iinfo(np.int64).max


def hold(state: ClusterState, attempt: Attempt) -> Setback | None:
    """Put a pod on the node that it has found, reserve, and ask the Permits.

    Returns
    -------
    Setback or None
        Why it does not get the node; it is given back then. None also if the pod has to wait: it is among
        ``attempt.cycle.waiting`` then, and keeps its place.
    """
    state.assume(attempt.pod, attempt.node)
    setback = run_reserve(attempt.profile, attempt.cycle, attempt.node)
    if setback is None:
        setback = run_permit(attempt.profile, attempt.cycle, attempt.node)
    if setback is not None:
        give_back(state, attempt)
    return setback


def bind(state: ClusterState, attempt: Attempt) -> Setback | None:
    """Bind a pod that holds its node and waits for nobody.

    Returns
    -------
    Setback or None
        Why it could not be bound; its node is given back then.
    """
    setback = run_binding(attempt.profile, attempt.cycle, attempt.node, attempt.extenders)
    if setback is not None:
        give_back(state, attempt)
    return setback


def give_back(state: ClusterState, attempt: Attempt) -> None:
    """Take a pod off the node that it held, and let its plugins unreserve."""
    run_unreserve(attempt.profile, attempt.cycle, attempt.node)
    state.forget(attempt.pod)


class Outcome(NamedTuple):
    """How an attempt that had found a node ended: with a binding, or with a setback."""

    attempt: Attempt
    setback: Setback | None


class Bindings:
    """The pods of a run that have found their nodes, in a run where binding takes no time.

    Parameters
    ----------
    state : ClusterState

    Attributes
    ----------
    waiting : WaitingPods
        To be handed to every attempt of the run.
    """

    def __init__(self, state: ClusterState) -> None:
        self.waiting = WaitingPods()
        self._state = state
        self._attempts: dict[int, Attempt] = {}

    def begin(self, attempt: Attempt) -> Iterator[Outcome]:
        """Let a pod that has found a node have it; yields what is settled by that, which must be gone through."""
        setback = hold(self._state, attempt)
        if setback is not None:
            yield Outcome(attempt, setback)
        elif attempt.pod in self.waiting:
            self._attempts[attempt.pod] = attempt
        else:
            yield Outcome(attempt, bind(self._state, attempt))
        yield from self.settle()

    def settle(self) -> Iterator[Outcome]:
        """Bind the waiting pods that were allowed and give back the nodes of the rejected ones, and so on."""
        while decided := self.waiting.take_decided():
            for decision in decided:
                attempt = self._attempts.pop(decision.waiting.pod)
                yield Outcome(attempt, self._carry_out(attempt, decision))

    def end(self) -> Iterator[Outcome]:
        """Let the time of all pods that still wait run out."""
        self.waiting.expire(_NEVER)
        yield from self.settle()

    def _carry_out(self, attempt: Attempt, decision: Decision) -> Setback | None:
        if decision.status.is_success:
            return bind(self._state, attempt)
        give_back(self._state, attempt)
        return Setback.of(ExtensionPoint.PERMIT, decision.plugin, decision.status)
