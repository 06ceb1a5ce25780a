"""NodeAffinity (upstream ``plugins/nodeaffinity``)."""

from collections.abc import Sequence

import numpy as np

from kplace.columns.node_selectors import (
    NAME_FIELD,
    node_selector_mask,
    preferred_weights,
    required_node_affinity_mask,
)
from kplace.columns.nodes import NodeColumns
from kplace.dtypes import I32, I64, Code, Mask
from kplace.framework import (
    Cycle,
    FilterPlugin,
    NormalizeScorePlugin,
    PreFilterResult,
    PreScorePlugin,
    ScorePlugin,
    Verdict,
)
from kplace.framework.events import Registration
from kplace.framework.interface import PROCEED, SKIP, PreFilterPlugin
from kplace.objects.core import NodeAffinity as Affinity
from kplace.objects.core import PodSpec, PreferredSchedulingTerm
from kplace.objects.meta import NodeSelector
from kplace.plugins import names
from kplace.plugins.helper import normalize
from kplace.plugins.nodeaffinity import hints
from kplace.plugins.nodeaffinity.args import NodeAffinityArgs

REASON_POD = "node(s) didn't match Pod's node affinity/selector"
REASON_ENFORCED = "node(s) didn't match scheduler-enforced node affinity"
REASON_CONFLICT = "pod affinity terms conflict"

_POD, _ENFORCED = 0, 1
_REASONS = (REASON_POD, REASON_ENFORCED)
"""By the detail of a verdict."""

_NO_AFFINITY = Affinity()


class NodeAffinity:
    """Rules out nodes that a pod's selectors do not match and prefers those that match its weighted terms."""

    name = names.NODE_AFFINITY
    is_local = True

    def __init__(self, args: NodeAffinityArgs | None = None) -> None:
        added = (args or NodeAffinityArgs()).added_affinity or _NO_AFFINITY
        self._enforced = added.required
        self._added_preferred = added.preferred or ()

    def pre_filter(self, cycle: Cycle) -> PreFilterResult:
        """Skip a pod that asks for nothing; narrow the nodes of one that names them in every required term."""
        return cycle.compiled_by_shape((self, "pre_filter"), lambda template: self._pre_filter(cycle, template.spec))

    def filter(self, cycle: Cycle, nodes: I32) -> Verdict:
        """Judge each of ``nodes``; the affinity that the args add comes first."""
        columns = cycle.state.columns.nodes
        passes = self._required(cycle).take(nodes)
        if self._enforced is None:
            return Verdict.of_mask(passes, Code.UNSCHEDULABLE_AND_UNRESOLVABLE, _POD)
        enforced = enforced_mask(columns, self._enforced).take(nodes)
        return Verdict(
            code=np.where(passes & enforced, Code.SUCCESS, Code.UNSCHEDULABLE_AND_UNRESOLVABLE).astype(np.int8),
            detail=np.where(enforced, np.int64(_POD), np.int64(_ENFORCED)),
        )

    def reasons(self, cycle: Cycle, detail: int) -> tuple[str, ...]:
        """Upstream's words."""
        return (_REASONS[detail],)

    def pre_score(self, cycle: Cycle, nodes: I32) -> bool:
        """Skip a pod that prefers nothing, in a profile that prefers nothing either."""
        return bool(self._added_preferred or _affinity(cycle.template.spec).preferred)

    def score(self, cycle: Cycle, nodes: I32) -> I64:
        """Sum of the weights of the preferred terms that match."""
        return cycle.compiled_by_shape((self, "score"), lambda template: self._weights(cycle, template.spec)).take(
            nodes
        )

    def normalize_score(self, cycle: Cycle, nodes: I32, scores: I64) -> None:
        """More weight is better. Modified in place."""
        normalize(scores, False)

    def events_to_register(self) -> Sequence[Registration]:
        """Events that may help a pod which was rejected here."""
        return hints.registrations(self._enforced)

    def _required(self, cycle: Cycle) -> Mask:
        columns = cycle.state.columns.nodes
        return cycle.compiled_by_shape(
            (self, "filter"), lambda template: required_node_affinity_mask(columns, template.spec)
        )

    def _weights(self, cycle: Cycle, spec: PodSpec) -> I64:
        terms: tuple[PreferredSchedulingTerm, ...] = (*self._added_preferred, *(_affinity(spec).preferred or ()))
        columns = cycle.state.columns.nodes
        return columns.derived(("preferred weights", terms), lambda: preferred_weights(columns, terms))

    def _pre_filter(self, cycle: Cycle, spec: PodSpec) -> PreFilterResult:
        required = _affinity(spec).required
        if required is None:
            return PROCEED if spec.node_selector or self._enforced is not None else SKIP
        listed = named_nodes(required)
        if listed is None:
            return PROCEED
        if not listed:
            return PreFilterResult(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, (REASON_CONFLICT,))
        index = cycle.state.columns.nodes.index
        known = sorted(index[node] for node in listed if node in index)
        unknown = tuple(sorted(node for node in listed if node not in index))
        return PreFilterResult(nodes=np.array(known, np.int32), unknown=unknown)


def named_nodes(required: NodeSelector) -> frozenset[str] | None:
    """Names of the only nodes that a required affinity can match; None unless every term lists some by name.

    Notes
    -----
    Within a term the lists are intersected, the terms are united. To the filter a list of several names is malformed;
    here, as upstream, all of them are read.
    """
    union: set[str] = set()
    for term in required.node_selector_terms or ():
        lists = [
            frozenset(item.values or ())
            for item in term.match_fields or ()
            if item.key == NAME_FIELD and item.operator == "In"
        ]
        if not lists:
            return None
        union |= frozenset.intersection(*lists)
    return frozenset(union) if required.node_selector_terms else None


def enforced_mask(nodes: NodeColumns, enforced: NodeSelector) -> Mask:
    """Nodes that the affinity added by the args matches; shared by all pods, not to be modified."""
    return nodes.derived(("node selector", enforced), lambda: node_selector_mask(nodes, enforced))


def _affinity(spec: PodSpec) -> Affinity:
    """Node affinity of a pod, an empty one if it has none."""
    return (spec.affinity.node_affinity if spec.affinity is not None else None) or _NO_AFFINITY


_pre_filter: type[PreFilterPlugin] = NodeAffinity
_filter: type[FilterPlugin] = NodeAffinity
_pre_score: type[PreScorePlugin] = NodeAffinity
_score: type[ScorePlugin] = NodeAffinity
_normalize: type[NormalizeScorePlugin] = NodeAffinity
