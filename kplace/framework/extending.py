"""Calls the extenders of a run for one attempt, in their order, and keeps what came of it.

Mirrors ``findNodesThatPassExtenders``, the second half of ``prioritizeNodes``, ``callExtenders`` of preemption and
``extendersBinding``.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from kplace.dtypes import I32, I64, MAX_NODE_SCORE, Code
from kplace.errors import ExtenderError
from kplace.framework.cycle import Cycle
from kplace.framework.extender import MAX_EXTENDER_PRIORITY, Claim, Extender
from kplace.framework.preemption import Candidates
from kplace.framework.runtime import ABSENT, FilterPhase, Remark, ScorePhase

SCALE = MAX_NODE_SCORE // MAX_EXTENDER_PRIORITY
"""What an extender's score is multiplied by beside its weight."""


class Refusal(NamedTuple):
    """Why an extender lets a node not pass."""

    code: Code
    extender: str
    reason: str


class Skipped(NamedTuple):
    """A call that came to nothing and was passed over: ``verb`` is filter, prioritize, preempt or bind."""

    extender: str
    verb: str
    error: str


@dataclass(slots=True)
class ExtenderPhase:
    """The extenders of a run and what came of calling them in one attempt.

    Attributes
    ----------
    extenders : tuple of Extender
        In the order in which they are called.
    refusals : dict of str to Refusal
        By name, the nodes that were ruled out with a reason; unknown names among them.
    has_refused : bool
        Fewer (or more) nodes came out than went in: upstream then has `EXTENDER` among the plugins that the pod waits
        for.
    is_bare : bool
        The nodes that passed are objects of an extender's own; see `FilterAnswer`.
    weights : dict of str to int
        Of the extenders that scored, by name.
    skipped : list of Skipped
    binder : str
        Name of the extender that bound the pod; empty if none did.
    """

    extenders: tuple[Extender, ...] = ()
    refusals: dict[str, Refusal] = field(default_factory=dict)
    has_refused: bool = False
    is_bare: bool = False
    weights: dict[str, int] = field(default_factory=dict)
    skipped: list[Skipped] = field(default_factory=list)
    binder: str = ""

    def filter(self, cycle: Cycle, nodes: I32) -> I32:
        """Nodes that pass all extenders, in the order in which the last of them gave them.

        Raises
        ------
        ExtenderError
            A call came to nothing that cannot be passed over.
        """
        self.is_bare = False
        for extender in self._interested(cycle):
            if not len(nodes):
                break
            if not extender.filters:
                continue
            try:
                answer = extender.filter(cycle, nodes)
            except ExtenderError as error:
                self._skip(extender, "filter", error)
                continue
            for name, reason in answer.failed.items():
                self.refusals[name] = Refusal(Code.UNSCHEDULABLE, extender.name, reason)
            for name, reason in answer.unresolvable.items():
                self.refusals[name] = Refusal(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, extender.name, reason)
            self.is_bare |= answer.is_bare
            nodes = answer.nodes
        return nodes

    def prioritize(self, cycle: Cycle, nodes: I32, scores: ScorePhase) -> None:
        """Add the extenders' scores to those of the plugins. Modified in place.

        One whose call comes to nothing gives no scores, ignorable or not.
        """
        for extender in self._interested(cycle):
            if not extender.prioritizes:
                continue
            try:
                raw = extender.prioritize(cycle, nodes)
            except ExtenderError as error:
                self.skipped.append(Skipped(extender.name, "prioritize", str(error)))
                continue
            final = raw * extender.weight * SCALE
            self.weights[extender.name] = extender.weight
            # Nothing keeps two extenders from having the same URL.
            scores.raw[extender.name] = scores.raw.get(extender.name, 0) + raw
            scores.normalised[extender.name] = scores.normalised.get(extender.name, 0) + raw * SCALE
            scores.final[extender.name] = scores.final.get(extender.name, 0) + final
            scores.total += final

    def preempt(self, cycle: Cycle, candidates: Candidates) -> Candidates:
        """Candidates for preemption that the extenders leave, with the victims that they say.

        Raises
        ------
        ExtenderError
            A call came to nothing that cannot be passed over, or an extender names a node without victims.
        """
        for extender in self._interested(cycle):
            if not len(candidates.nodes):
                break
            if not extender.preempts:
                continue
            try:
                claims = extender.preempt(cycle, candidates)
            except ExtenderError as error:
                self._skip(extender, "preempt", error)
                continue
            candidates = _candidates(candidates, self._sound(cycle, extender, claims))
        return candidates

    def bind(self, cycle: Cycle, node: int) -> bool:
        """Let the first extender bind the pod that does so; whether one did.

        Raises
        ------
        ExtenderError
            It could not, and that cannot be passed over.
        """
        for extender in self._interested(cycle):
            if not extender.binds:
                continue
            try:
                extender.bind(cycle, node)
            except ExtenderError as error:
                self._skip(extender, "bind", error)
                continue
            self.binder = extender.name
            return True
        return False

    def marked(self, cycle: Cycle, filters: FilterPhase, asked: I32, left: I32) -> FilterPhase:
        """What became of every node once the extenders have spoken.

        Parameters
        ----------
        filters : FilterPhase
            What the filters said. Not modified.
        asked, left : int32 ndarrays
            The nodes that the extenders were asked about and those that they let pass.
        """
        outcome = filters.copy()
        dropped = np.setdiff1d(asked, left)
        # Upstream has no status for a node that just does not come back.
        outcome.replace(dropped, FilterPhase.blank(len(dropped), ABSENT, Code.UNSCHEDULABLE_AND_UNRESOLVABLE))
        index, kept = cycle.state.columns.nodes.index, set(left.tolist())
        for name, (code, extender, reason) in self.refusals.items():
            remark = Remark(extender, reason)
            if name not in index:
                outcome.strangers += (remark,)
            elif index[name] not in kept:
                outcome.refuse(index[name], code, remark)
        return outcome

    def _interested(self, cycle: Cycle) -> Iterator[Extender]:
        return (extender for extender in self.extenders if extender.is_interested(cycle.template))

    def _skip(self, extender: Extender, verb: str, error: ExtenderError) -> None:
        if not extender.is_ignorable:
            error.plugin = extender.name
            raise error
        self.skipped.append(Skipped(extender.name, verb, str(error)))

    def _sound(self, cycle: Cycle, extender: Extender, claims: Sequence[Claim]) -> Iterator[Claim]:
        """Claims that have victims; those that have none are left out, or an error."""
        for claim in claims:
            if len(claim.pods):
                yield claim
                continue
            name = cycle.state.columns.nodes.names[claim.node]
            self._skip(extender, "preempt", ExtenderError(f'expected at least one victim pod on node "{name}"'))


def _candidates(before: Candidates, claims: Iterator[Claim]) -> Candidates:
    """Candidates as an extender says; a victim breaks a budget if it was found to do so before."""
    listed = list(claims)
    violating = before.victims[before.violating]
    victims: I32 = np.concatenate([np.zeros(0, np.int32), *(claim.pods for claim in listed)])
    claimed: I64 = np.array([claim.violations for claim in listed], np.int64)
    return Candidates(
        nodes=np.array([claim.node for claim in listed], np.int32),
        start=np.concatenate([[0], np.cumsum([len(claim.pods) for claim in listed], dtype=np.int64)]),
        victims=victims,
        violating=np.isin(victims, violating),
        claimed=claimed,
    )
