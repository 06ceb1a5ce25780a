"""NodeResourcesBalancedAllocation (upstream ``plugins/noderesources/balanced_allocation.go``)."""

import numpy as np

from kplace.columns.vocab import Vocabulary
from kplace.config.versions import V1_34, Behaviour
from kplace.dtypes import I32, I64
from kplace.framework import Cycle, PreScorePlugin, ScorePlugin
from kplace.plugins import names
from kplace.plugins.noderesources import kernels, listed
from kplace.plugins.noderesources.args import NodeResourcesBalancedAllocationArgs
from kplace.plugins.noderesources.demand import ScoredRows, scored_demand, scored_rows


class NodeResourcesBalancedAllocation:
    """Prefers nodes whose resources would be used evenly.

    Parameters
    ----------
    args : NodeResourcesBalancedAllocationArgs, optional
    behaviour : Behaviour, optional
        That of another release.

    Attributes
    ----------
    scores_all : bool
        Pods that request nothing are scored as well.
    compares : bool
        The balances with and without the pod are compared.
    """

    name = names.NODE_RESOURCES_BALANCED_ALLOCATION

    def __init__(
        self, args: NodeResourcesBalancedAllocationArgs | None = None, *, behaviour: Behaviour = V1_34
    ) -> None:
        self._args = args or NodeResourcesBalancedAllocationArgs()
        self.scores_all = behaviour.balances_best_effort
        self.compares = behaviour.balances_change

    def pre_score(self, cycle: Cycle, nodes: I32) -> bool:
        """Skip a pod that requests none of the configured resources, unless the release scores it too."""
        return self.scores_all or bool(np.any(self.demand(cycle).amounts > 0))

    def score(self, cycle: Cycle, nodes: I32) -> I64:
        """100 minus the spread of the used shares; or what the pod would change about that.

        Notes
        -----
        Since v1.36 the balances with and without the pod, from 50 to 100 if two resources are looked at, are compared:
        no change gives 75.
        """
        demand = self.demand(cycle)
        scores = self._balance(cycle, demand, nodes)
        if not self.compares:
            return scores
        without = self._balance(cycle, demand._replace(amounts=np.zeros_like(demand.amounts)), nodes)
        listed.compare_balances(scores, without)
        return scores

    def _balance(self, cycle: Cycle, demand: kernels.Demand, nodes: I32) -> I64:
        scores = np.empty(len(nodes), np.int64)
        listed.balanced_allocation(cycle.scored_resources, demand, nodes, listed.Gathered.of(len(nodes)), scores)
        return scores

    def demand(self, cycle: Cycle) -> kernels.Demand:
        """Requests of the pod's template that the score looks at."""
        scored = cycle.state.shared(self, lambda columns: self.scored_rows(columns.resources))
        return cycle.compiled(self, lambda template: scored_demand(scored, template.request))

    def scored_rows(self, resources: Vocabulary) -> ScoredRows:
        """Rows of the resources that are balanced."""
        return scored_rows(self._args.resources, resources)


_pre_score: type[PreScorePlugin] = NodeResourcesBalancedAllocation
_score: type[ScorePlugin] = NodeResourcesBalancedAllocation
