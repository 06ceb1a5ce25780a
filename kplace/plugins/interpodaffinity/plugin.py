"""InterPodAffinity (upstream ``plugins/interpodaffinity``)."""

from collections.abc import Sequence

import numpy as np

from kplace.columns.templates import Template
from kplace.dtypes import I32, I64
from kplace.framework import (
    Cycle,
    FilterPlugin,
    NormalizeScorePlugin,
    PreFilterPlugin,
    PreScorePlugin,
    ScorePlugin,
    Verdict,
)
from kplace.framework.events import Registration
from kplace.framework.interface import PROCEED, SKIP, PreFilterResult
from kplace.plugins import names
from kplace.plugins.interpodaffinity import hints, kernels
from kplace.plugins.interpodaffinity.args import InterPodAffinityArgs
from kplace.plugins.interpodaffinity.compiled import ClusterTerms, Compiled
from kplace.plugins.interpodaffinity.kernels import AffinityTopology

REASONS = {
    kernels.AFFINITY_UNMET: "node(s) didn't match pod affinity rules",
    kernels.ANTI_AFFINITY_HIT: "node(s) didn't match pod anti-affinity rules",
    kernels.EXISTING_ANTI_AFFINITY_HIT: "node(s) didn't satisfy existing pods anti-affinity rules",
}


class InterPodAffinity:
    """Rules out and scores nodes by the pods in their domains, in the pod's own terms and in those of existing pods.

    Parameters
    ----------
    args : InterPodAffinityArgs, optional

    Notes
    -----
    Pods that are being deleted count like all others. Nothing is kept from one call to the next but what depends on
    the template alone, so every call speaks of the state as it stands.
    """

    name = names.INTER_POD_AFFINITY

    def __init__(self, args: InterPodAffinityArgs | None = None) -> None:
        self._args = args or InterPodAffinityArgs()
        self._owner = (self.name, self._args.hard_pod_affinity_weight)

    def pre_filter(self, cycle: Cycle) -> PreFilterResult:
        """Skip a pod without required terms against which no existing pod has an anti-affinity that counts."""
        compiled = self.compiled(cycle)
        if compiled.has_required:
            return PROCEED
        existing = compiled.required.existing
        if not len(existing.rows):
            return SKIP
        groups = cycle.state.groups
        return PROCEED if kernels.any_counted(groups.counts, groups.totals, self.topology(cycle), existing) else SKIP

    def filter(self, cycle: Cycle, nodes: I32) -> Verdict:
        """Judge each of ``nodes``."""
        groups = cycle.state.groups
        required = self.compiled(cycle).required
        verdict = Verdict(np.empty(len(nodes), np.int8), np.empty(len(nodes), np.int64))
        kernels.judge(groups.counts, groups.totals, self.topology(cycle), required, nodes, verdict.code, verdict.detail)
        return verdict

    def reasons(self, cycle: Cycle, detail: int) -> tuple[str, ...]:
        """Whose rule it is that the node breaks."""
        return (REASONS[detail],)

    def couples(self, cycle: Cycle, template: Template) -> bool:
        """Whether pods of a template count for a required term, the pod's or their own: then in a whole domain."""
        required = self.compiled(cycle).required
        counted = {required.affinity.row, *required.anti_affinity.rows.tolist(), *required.existing.rows.tolist()}
        return not counted.isdisjoint(cycle.state.groups.rows(template.code, terminating=False).tolist())

    def pre_score(self, cycle: Cycle, nodes: I32) -> bool:
        """Skip if no existing pod counts for any term, or if the args leave out pods without preferred terms."""
        groups = cycle.state.groups
        return self.scores(cycle) and kernels.any_counted(
            groups.counts, groups.totals, self.topology(cycle), self.compiled(cycle).scored
        )

    def score(self, cycle: Cycle, nodes: I32) -> I64:
        """Sum of the weights of the terms that pods in a node's domains match or carry; it may be negative."""
        groups = cycle.state.groups
        scores = np.empty(len(nodes), np.int64)
        kernels.score(groups.counts, groups.totals, self.topology(cycle), self.compiled(cycle).scored, nodes, scores)
        return scores

    def normalize_score(self, cycle: Cycle, nodes: I32, scores: I64) -> None:
        """Spread the scores over 0 to 100. Modified in place."""
        kernels.normalize_affinity(scores)

    def events_to_register(self) -> Sequence[Registration]:
        """Events that may help a pod which was rejected here."""
        return hints.REGISTRATIONS

    def scores(self, cycle: Cycle) -> bool:
        """Whether there are terms that a pod of this template could be scored by."""
        compiled = self.compiled(cycle)
        if self._args.ignore_preferred_terms_of_existing_pods and not compiled.has_preferred:
            return False
        return len(compiled.scored.rows) > 0

    def compiled(self, cycle: Cycle) -> Compiled:
        """What the kernels need to know of the pod's template."""
        return cycle.compiled_by_shape(self._owner, lambda template: self._terms(cycle).compile(cycle.state, template))

    def topology(self, cycle: Cycle) -> AffinityTopology:
        """The domains of all topology keys that terms name."""
        return self._terms(cycle).topology

    def _terms(self, cycle: Cycle) -> ClusterTerms:
        weight = self._args.hard_pod_affinity_weight
        return cycle.state.shared(self._owner, lambda columns: ClusterTerms(columns, weight))


_pre_filter: type[PreFilterPlugin] = InterPodAffinity
_filter: type[FilterPlugin] = InterPodAffinity
_pre_score: type[PreScorePlugin] = InterPodAffinity
_score: type[ScorePlugin] = InterPodAffinity
_normalize: type[NormalizeScorePlugin] = InterPodAffinity
