"""PodTopologySpread (upstream ``plugins/podtopologyspread``)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kplace.columns.cluster import ClusterColumns
from kplace.columns.selectors import Selector
from kplace.columns.templates import Template
from kplace.dtypes import I32, I64
from kplace.framework import Cycle, FilterPlugin, NormalizeScorePlugin, PreScorePlugin, ScorePlugin, Verdict
from kplace.framework.events import Registration
from kplace.framework.interface import PROCEED, SKIP, PreFilterPlugin, PreFilterResult
from kplace.plugins import names
from kplace.plugins.default_selector import DefaultSelectors
from kplace.plugins.podtopologyspread import hints, kernels
from kplace.plugins.podtopologyspread.args import DO_NOT_SCHEDULE, HOSTNAME, SCHEDULE_ANYWAY, PodTopologySpreadArgs
from kplace.plugins.podtopologyspread.constraints import Constraint, Division, constraints_of
from kplace.plugins.podtopologyspread.kernels import DomainCounts, DomainScores, SpreadTerms, Topology
from kplace.plugins.podtopologyspread.topology import hard_topology, soft_topology
from kplace.state import ClusterState

SKEW_REASON = "node(s) didn't match pod topology spread constraints"
LABEL_REASON = f"{SKEW_REASON} (missing required label)"

_FILTER_KEY = f"PreFilter{names.POD_TOPOLOGY_SPREAD}"
_SCORE_KEY = f"PreScore{names.POD_TOPOLOGY_SPREAD}"


@dataclass(frozen=True, slots=True)
class SpreadPlan:
    """A template's constraints of one kind, ready for the kernels.

    Attributes
    ----------
    constraints : tuple of Constraint
    topology : Topology
    terms : SpreadTerms
    shape : (int, int)
        Number of constraints, and of domains that the largest of them has.
    """

    constraints: tuple[Constraint, ...]
    topology: Topology
    terms: SpreadTerms
    shape: tuple[int, int]


@dataclass(frozen=True, slots=True)
class SpreadPlans:
    """What a template asks for: constraints that filter and constraints that score; None for none."""

    hard: SpreadPlan | None
    soft: SpreadPlan | None


class PodTopologySpread:
    """Keeps the pods that a selector matches evenly spread over the domains of a node label."""

    name = names.POD_TOPOLOGY_SPREAD

    def __init__(self, args: PodTopologySpreadArgs | None = None) -> None:
        self._args = args or PodTopologySpreadArgs()
        self._selectors: DefaultSelectors | None = None

    def pre_filter(self, cycle: Cycle) -> PreFilterResult:
        """Count the pods of each domain; skip a pod without hard constraints."""
        plan = self.plans(cycle).hard
        if plan is None:
            return SKIP
        domains = DomainCounts(np.zeros(plan.shape, np.int64), np.zeros(plan.shape[0], np.int64))
        kernels.count_domains(plan.topology, plan.terms, cycle.state.groups.counts, domains)
        cycle.write(_FILTER_KEY, domains)
        return PROCEED

    def filter(self, cycle: Cycle, nodes: I32) -> Verdict:
        """Judge each of ``nodes``."""
        plan = self._hard(cycle)
        verdict = Verdict(np.empty(len(nodes), np.int8), np.empty(len(nodes), np.int64))
        kernels.filter_nodes(plan.topology, plan.terms, cycle.read(_FILTER_KEY, DomainCounts), nodes, verdict)
        return verdict

    def reasons(self, cycle: Cycle, detail: int) -> tuple[str, ...]:
        """Too much skew or a missing label, in upstream's words."""
        return (LABEL_REASON if detail & 1 else SKEW_REASON,)

    def couples(self, cycle: Cycle, template: Template) -> bool:
        """Whether pods of a template count for a hard constraint: then they do so in their whole domain."""
        if template.namespace != cycle.template.namespace:
            return False
        return any(item.selector.matches(template.labels) for item in self._hard(cycle).constraints)

    def count_pod(self, cycle: Cycle, pod: int, node: int, sign: int) -> None:
        """Let the filter see one pod more (``sign`` 1) or less (-1) on a node, until the end of the attempt.

        Parameters
        ----------
        pod : int
            The pod that comes or goes.

        Notes
        -----
        Mirrors upstream's ``AddPod`` and ``RemovePod``, which unlike ``PreFilter`` let pods count that are being
        deleted or that an empty selector matches.
        """
        plan = self._hard(cycle)
        template = cycle.state.template_of(pod)
        if template.namespace == cycle.template.namespace:
            matches = np.array([item.selector.matches(template.labels) for item in plan.constraints], np.bool_)
            domains = cycle.read(_FILTER_KEY, DomainCounts)
            kernels.count_pod(plan.topology, plan.terms, matches, node, sign, domains)

    def pre_score(self, cycle: Cycle, nodes: I32) -> bool:
        """Count the pods of each domain and weigh the constraints; skip a pod without soft constraints."""
        plan = self.plans(cycle).soft
        if plan is None:
            return False
        domains = DomainScores(np.zeros(plan.shape, np.int64), np.empty(plan.shape[0]))
        kernels.add_up(plan.topology, plan.terms.row, cycle.state.groups.counts, domains.pods)
        kernels.weigh_domains(plan.topology, nodes, np.zeros(plan.shape, np.bool_), domains.weight)
        cycle.write(_SCORE_KEY, domains)
        return True

    def score(self, cycle: Cycle, nodes: I32) -> I64:
        """Weighted number of matching pods in the domains of each node."""
        plan = self._soft(cycle)
        scores = np.empty(len(nodes), np.int64)
        domains = cycle.read(_SCORE_KEY, DomainScores)
        if cycle.nodes_are_bare:
            domains = _without_pods_of_nodes(plan, domains)
        kernels.score_nodes(plan.topology, plan.terms, domains, nodes, scores)
        return scores

    def normalize_score(self, cycle: Cycle, nodes: I32, scores: I64) -> None:
        """Fewer pods are better. Modified in place."""
        kernels.normalize_scores(self._soft(cycle).topology.ignored, nodes, scores)

    def events_to_register(self) -> Sequence[Registration]:
        """Events that may help a pod which was rejected here."""
        return hints.registrations(self._hard_constraints)

    def _hard_constraints(self, template: Template, columns: ClusterColumns) -> tuple[Constraint, ...]:
        return constraints_of(template, DO_NOT_SCHEDULE, self._args, self._default_selectors(columns))

    def _hard(self, cycle: Cycle) -> SpreadPlan:
        plan = self.plans(cycle).hard
        assert plan is not None, "the Filter runs although PreFilter skipped it"
        return plan

    def _soft(self, cycle: Cycle) -> SpreadPlan:
        plan = self.plans(cycle).soft
        assert plan is not None, "the Score runs although PreScore skipped it"
        return plan

    def plans(self, cycle: Cycle) -> SpreadPlans:
        """What the kernels need to know of the pod's template."""
        # Another instance may have other arguments, hence the owner is the plugin and not its name.
        return cycle.compiled_by_shape(self, lambda template: self._compile(cycle.state, template))

    def _compile(self, state: ClusterState, template: Template) -> SpreadPlans:
        nodes, spec = state.columns.nodes, template.spec
        selectors = self._default_selectors(state.columns)
        hard = constraints_of(template, DO_NOT_SCHEDULE, self._args, selectors)
        soft = constraints_of(template, SCHEDULE_ANYWAY, self._args, selectors)
        # The system's default constraints alone let nodes without a zone still be spread over by host name.
        requires_all = bool(spec.topology_spread_constraints) or not self._args.is_system
        return SpreadPlans(
            hard=_plan(state, template, hard, hard_topology(nodes, spec, _divisions(hard))) if hard else None,
            soft=_plan(state, template, soft, soft_topology(nodes, spec, _divisions(soft), requires_all=requires_all))
            if soft
            else None,
        )

    def _default_selectors(self, columns: ClusterColumns) -> DefaultSelectors:
        if self._selectors is None or self._selectors.columns is not columns:
            self._selectors = DefaultSelectors(columns)
        return self._selectors


def _without_pods_of_nodes(plan: SpreadPlan, domains: DomainScores) -> DomainScores:
    """Domain counts in which hosts have no pods: upstream counts these on the node itself, when it scores it."""
    by_host = [item.division.topology_key == HOSTNAME for item in plan.constraints]
    pods = domains.pods.copy()
    pods[by_host] = 0
    return DomainScores(pods, domains.weight)


def _divisions(constraints: tuple[Constraint, ...]) -> tuple[Division, ...]:
    return tuple(item.division for item in constraints)


def _plan(
    state: ClusterState, template: Template, constraints: tuple[Constraint, ...], topology: Topology
) -> SpreadPlan:
    terms = SpreadTerms(
        row=np.array([_row(state, template.namespace, item.selector) for item in constraints], np.int32),
        max_skew=np.array([item.max_skew for item in constraints], np.int64),
        min_domains=np.array([item.min_domains for item in constraints], np.int64),
        self_match=np.array([item.selector.matches(template.labels) for item in constraints], np.int64),
    )
    n_domains = int(topology.domain.max(initial=-1)) + 1
    return SpreadPlan(constraints, topology, terms, (len(constraints), n_domains))


def _row(state: ClusterState, namespace: str, selector: Selector) -> int:
    """Row of the group counts for the pods of a namespace that a selector matches; an empty selector counts none."""
    if selector.is_empty or selector.nothing:
        return -1
    return state.group(
        (names.POD_TOPOLOGY_SPREAD, namespace, selector),
        lambda item: item.namespace == namespace and selector.matches(item.labels),
        among=state.template_index.candidates(selector, (namespace,)),
        skips_terminating=True,
    )


_pre_filter: type[PreFilterPlugin] = PodTopologySpread
_filter: type[FilterPlugin] = PodTopologySpread
_pre_score: type[PreScorePlugin] = PodTopologySpread
_score: type[ScorePlugin] = PodTopologySpread
_normalize: type[NormalizeScorePlugin] = PodTopologySpread
