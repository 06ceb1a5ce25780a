"""NodeResourcesFit (upstream ``plugins/noderesources/fit.go``)."""

from collections.abc import Sequence

import numpy as np

from kplace.columns.resources import is_scalar
from kplace.columns.templates import Template
from kplace.columns.vocab import Vocabulary
from kplace.config.versions import V1_34, Behaviour
from kplace.dtypes import I32, I64, MAX_NODE_SCORE, Code, Mask
from kplace.errors import PluginError
from kplace.framework import Cycle, FilterPlugin, ScorePlugin, Verdict
from kplace.framework.events import Registration
from kplace.framework.interface import PROCEED, PreFilterPlugin, PreFilterResult, PreScorePlugin
from kplace.plugins import names
from kplace.plugins.noderesources import hints, kernels, listed
from kplace.plugins.noderesources.args import NodeResourcesFitArgs, ScoringStrategyType
from kplace.plugins.noderesources.demand import ScoredRows, scored_demand, scored_rows
from kplace.plugins.noderesources.kernels import Demand
from kplace.plugins.noderesources.listed import Gathered

MAX_SHAPE_SCORE = 10


class NodeResourcesFit:
    """Rules out nodes without room for the pod's requests and scores by how full a node would be.

    Parameters
    ----------
    args : NodeResourcesFitArgs, optional
    behaviour : Behaviour, optional
        That of another release.

    Attributes
    ----------
    tells_hopeless : bool
        Nodes that could not hold the pod even if they were empty are unresolvable.
    """

    name = names.NODE_RESOURCES_FIT
    is_local = True

    def __init__(self, args: NodeResourcesFitArgs | None = None, *, behaviour: Behaviour = V1_34) -> None:
        self._args = args or NodeResourcesFitArgs()
        self.tells_hopeless = behaviour.hopeless_is_unresolvable
        self.strategy = self._args.scoring_strategy.type
        shape = self._args.scoring_strategy.shape
        self.shape = kernels.Shape(
            np.array([point.utilization for point in shape], np.int64),
            np.array([point.score * (MAX_NODE_SCORE // MAX_SHAPE_SCORE) for point in shape], np.int64),
        )

    def pre_filter(self, cycle: Cycle) -> PreFilterResult:
        """Never skips."""
        return PROCEED

    def filter(self, cycle: Cycle, nodes: I32) -> Verdict:
        """Judge each of ``nodes``."""
        demand = self.filter_demand(cycle)
        verdict = Verdict(np.empty(len(nodes), np.int8), np.empty(len(nodes), np.int64))
        listed.fit(cycle.state.resources, demand, nodes, Gathered.of(len(nodes)), (verdict.code, verdict.detail))
        if not self.tells_hopeless:
            verdict.code[verdict.code != Code.SUCCESS] = Code.UNSCHEDULABLE
        return verdict

    def reasons(self, cycle: Cycle, detail: int) -> tuple[str, ...]:
        """All resources that lack, in upstream's order: pods, cpu, memory, ephemeral-storage, the others."""
        resources = cycle.state.columns.resources
        lacking = ["Too many pods"] if detail & int(listed.TOO_MANY_PODS) else []
        rows = self.filter_demand(cycle).rows
        lacking += [f"Insufficient {resources[row]}" for bit, row in enumerate(rows) if detail >> bit & 1]
        return tuple(lacking)

    def pre_score(self, cycle: Cycle, nodes: I32) -> bool:
        """Never skips."""
        return True

    def score(self, cycle: Cycle, nodes: I32) -> I64:
        """Score each of ``nodes`` by the strategy of the args."""
        demand = self.scored_demand(cycle)
        scores, work = np.empty(len(nodes), np.int64), Gathered.of(len(nodes))
        match self.strategy:
            case ScoringStrategyType.LEAST_ALLOCATED:
                listed.least_allocated(cycle.scored_resources, demand, nodes, work, scores)
            case ScoringStrategyType.MOST_ALLOCATED:
                listed.most_allocated(cycle.scored_resources, demand, nodes, work, scores)
            case ScoringStrategyType.REQUESTED_TO_CAPACITY_RATIO:
                listed.capacity_ratio(cycle.scored_resources, demand, self.shape, nodes, work, scores)
        return scores

    def events_to_register(self) -> Sequence[Registration]:
        """Events that may help a pod which was rejected here."""
        return hints.REGISTRATIONS

    def filter_demand(self, cycle: Cycle) -> Demand:
        """Requests of the pod's template that the filter looks at."""
        rows = cycle.state.shared((self, "filter"), lambda columns: self.filtered_rows(columns.resources))
        return cycle.compiled((self, "filter"), lambda template: self._make_filter_demand(template, rows))

    def scored_demand(self, cycle: Cycle) -> Demand:
        """Requests of the pod's template that the score looks at."""
        scored = cycle.state.shared((self, "score"), lambda columns: self.scored_rows(columns.resources))
        return cycle.compiled((self, "score"), lambda template: scored_demand(scored, template.scored_request))

    def scored_rows(self, resources: Vocabulary) -> ScoredRows:
        """Rows of the resources that the strategy looks at."""
        return scored_rows(self._args.scoring_strategy.resources, resources)

    def filtered_rows(self, resources: Vocabulary) -> Mask:
        """Which rows the filter looks at: all but the ignored extended resources."""
        return np.array([not self._is_ignored(name) for name in resources], np.bool_)

    def _make_filter_demand(self, template: Template, looked_at: Mask) -> Demand:
        rows = np.flatnonzero((template.request > 0) & looked_at)
        if len(rows) > listed.MAX_REQUESTED:
            msg = f"{self.name}: a pod requests {len(rows)} resources, at most {listed.MAX_REQUESTED} can be told apart"
            raise PluginError(msg)
        return Demand(rows.astype(np.int32), template.request[rows], np.ones(len(rows), np.int64))

    def _is_ignored(self, resource: str) -> bool:
        if not is_scalar(resource):
            return False
        return (
            resource in self._args.ignored_resources
            or resource.split("/", maxsplit=1)[0] in self._args.ignored_resource_groups
        )


_pre_filter: type[PreFilterPlugin] = NodeResourcesFit
_filter: type[FilterPlugin] = NodeResourcesFit
_pre_score: type[PreScorePlugin] = NodeResourcesFit
_score: type[ScorePlugin] = NodeResourcesFit
