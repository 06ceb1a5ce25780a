"""Weights of a profile's score plugins, and how the loop is to compute them."""

from kplace.dtypes import MAX_NODE_SCORE
from kplace.engine.fused.cells import CAPACITY_RATIO, LEAST_ALLOCATED, MOST_ALLOCATED, OF_ALL, OF_CHANGE, OF_REQUESTS
from kplace.engine.fused.known import first_of
from kplace.engine.fused.layout import Weights
from kplace.framework import Profile
from kplace.plugins.imagelocality.plugin import ImageLocality
from kplace.plugins.interpodaffinity.plugin import InterPodAffinity
from kplace.plugins.nodeaffinity.plugin import NodeAffinity
from kplace.plugins.noderesources.args import ScoringStrategyType
from kplace.plugins.noderesources.balanced_allocation import NodeResourcesBalancedAllocation
from kplace.plugins.noderesources.fit import NodeResourcesFit
from kplace.plugins.podtopologyspread.plugin import PodTopologySpread
from kplace.plugins.tainttoleration.plugin import TaintToleration

_STRATEGIES = {
    ScoringStrategyType.LEAST_ALLOCATED: LEAST_ALLOCATED,
    ScoringStrategyType.MOST_ALLOCATED: MOST_ALLOCATED,
    ScoringStrategyType.REQUESTED_TO_CAPACITY_RATIO: CAPACITY_RATIO,
}


def weights_of(profile: Profile) -> Weights:
    """Weights and settings of a profile that can be fused."""
    weights = {type(item.plugin): item.weight for item in profile.score}
    fit = first_of(profile.filter, NodeResourcesFit)
    assert fit is not None
    return Weights(
        fit=weights.get(NodeResourcesFit, 0),
        balanced=weights.get(NodeResourcesBalancedAllocation, 0),
        image=weights.get(ImageLocality, 0),
        taint=weights.get(TaintToleration, 0),
        affinity=weights.get(NodeAffinity, 0),
        spread=weights.get(PodTopologySpread, 0),
        pod_affinity=weights.get(InterPodAffinity, 0),
        strategy=_STRATEGIES[fit.strategy],
        balance=_balance(first_of((item.plugin for item in profile.score), NodeResourcesBalancedAllocation)),
    )


def stay_in_range(weights: Weights) -> bool:
    """Whether totals without spread and pod affinity fit into 16 bits."""
    kept = weights.fit + weights.balanced + weights.image + weights.taint + weights.affinity
    return kept * MAX_NODE_SCORE < 2**15


def _balance(plugin: NodeResourcesBalancedAllocation | None) -> int:
    if plugin is None or not (plugin.compares or plugin.scores_all):
        return OF_REQUESTS
    return OF_CHANGE if plugin.compares else OF_ALL
