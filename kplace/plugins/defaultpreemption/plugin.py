"""DefaultPreemption (upstream ``plugins/defaultpreemption``)."""

from collections.abc import Sequence
from dataclasses import replace

from kplace.config.versions import V1_34, Behaviour
from kplace.framework import Cycle, PostFilterPlugin, PostFilterResult
from kplace.framework.events import Registration
from kplace.framework.failure import Failure
from kplace.plugins import names
from kplace.plugins.defaultpreemption import hints
from kplace.plugins.defaultpreemption.args import DefaultPreemptionArgs
from kplace.preemption import CandidateLimits, preempt


class DefaultPreemption:
    """Finds the node where the least important pods would have to leave for a pod to fit.

    Parameters
    ----------
    args : DefaultPreemptionArgs, optional
    behaviour : Behaviour, optional
        That of another release.
    """

    name = names.DEFAULT_PREEMPTION

    def __init__(self, args: DefaultPreemptionArgs | None = None, *, behaviour: Behaviour = V1_34) -> None:
        self._sorts_victims = behaviour.sorts_victims
        args = args or DefaultPreemptionArgs()
        self.limits = CandidateLimits(args.min_candidate_nodes_percentage, args.min_candidate_nodes_absolute)

    def events_to_register(self) -> Sequence[Registration]:
        """Events that may help a pod which was rejected here."""
        return hints.REGISTRATIONS

    def post_filter(self, cycle: Cycle, failure: Failure) -> PostFilterResult:
        """Say which pods would have to leave, or why it would not help; nothing is carried out."""
        result = preempt(failure, self.limits, sorts_victims=self._sorts_victims)
        return replace(result, reasons=tuple(f"preemption: {reason}" for reason in result.reasons))


_: type[PostFilterPlugin] = DefaultPreemption
