"""NodeResourcesBalancedAllocation (upstream ``plugins/noderesources/balanced_allocation.go``)."""

import numpy as np

from kplace.columns.vocab import Vocabulary
from kplace.dtypes import I32, I64
from kplace.framework import Cycle, PreScorePlugin, ScorePlugin
from kplace.plugins import names
from kplace.plugins.noderesources import kernels
from kplace.plugins.noderesources.args import NodeResourcesBalancedAllocationArgs
from kplace.plugins.noderesources.demand import ScoredRows, scored_demand, scored_rows


class NodeResourcesBalancedAllocation:
    """Prefers nodes whose resources would be used evenly."""

    name = names.NODE_RESOURCES_BALANCED_ALLOCATION

    def __init__(self, args: NodeResourcesBalancedAllocationArgs | None = None) -> None:
        self._args = args or NodeResourcesBalancedAllocationArgs()

    def pre_score(self, cycle: Cycle, nodes: I32) -> bool:
        """Skip a pod that requests none of the configured resources."""
        return bool(np.any(self.demand(cycle).amounts > 0))

    def score(self, cycle: Cycle, nodes: I32) -> I64:
        """100 minus the spread of the used shares."""
        scores = np.empty(len(nodes), np.int64)
        kernels.balanced_allocation(cycle.scored_resources, self.demand(cycle), nodes, scores)
        return scores

    def demand(self, cycle: Cycle) -> kernels.Demand:
        """Requests of the pod's template that the score looks at."""
        scored = self.scored_rows(cycle.state.columns.resources)
        return cycle.compiled(self, lambda template: scored_demand(scored, template.request))

    def scored_rows(self, resources: Vocabulary) -> ScoredRows:
        """Rows of the resources that are balanced."""
        return scored_rows(self._args.resources, resources)


_pre_score: type[PreScorePlugin] = NodeResourcesBalancedAllocation
_score: type[ScorePlugin] = NodeResourcesBalancedAllocation
