"""NodeResourcesBalancedAllocation (upstream ``plugins/noderesources/balanced_allocation.go``)."""

import numpy as np

from kplace.columns.templates import Template
from kplace.columns.vocab import Vocabulary
from kplace.dtypes import I32, I64
from kplace.framework import Cycle, PreScorePlugin, ScorePlugin
from kplace.plugins import names
from kplace.plugins.noderesources import kernels
from kplace.plugins.noderesources.args import NodeResourcesBalancedAllocationArgs
from kplace.plugins.noderesources.fit import score_demand


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
        kernels.balanced_allocation(cycle.state.resources, self.demand(cycle), nodes, scores)
        return scores

    def demand(self, cycle: Cycle) -> kernels.Demand:
        """Requests of the pod's template that the score looks at."""
        return cycle.compiled(self, lambda template: self._make_demand(template, cycle.state.columns.resources))

    def _make_demand(self, template: Template, resources: Vocabulary) -> kernels.Demand:
        return score_demand(template.request, self._args.resources, resources)


_pre_score: type[PreScorePlugin] = NodeResourcesBalancedAllocation
_score: type[ScorePlugin] = NodeResourcesBalancedAllocation
