"""Plugins that only older versions and policies name."""

from collections.abc import Callable
from typing import Any

from kplace.dtypes import I32, I64
from kplace.framework import Cycle, Plugin, ScorePlugin
from kplace.plugins.nodelabel.plugin import NodeLabel
from kplace.plugins.nodepreferavoidpods.plugin import NodePreferAvoidPods
from kplace.plugins.noderesources.args import (
    NodeResourcesFitArgs,
    ResourceSpec,
    ScoringStrategy,
    ScoringStrategyType,
    ShapePoint,
)
from kplace.plugins.noderesources.fit import NodeResourcesFit
from kplace.plugins.noderesources.older_args import NodeResourcesAllocatedArgs, RequestedToCapacityRatioArgs
from kplace.plugins.nodevolumelimits.older import KINDS, InTreeLimits
from kplace.plugins.selectorspread.plugin import SelectorSpread
from kplace.plugins.serviceaffinity.plugin import ServiceAffinity


class StrategyScore:
    """Scores as NodeResourcesFit does with a certain strategy; before v1beta2 each was a plugin of its own.

    Parameters
    ----------
    name : str
    type_ : ScoringStrategyType
    resources : tuple of ResourceSpec
        Those with a weight of 0 do not count.
    shape : tuple of ShapePoint
    """

    def __init__(
        self,
        name: str,
        type_: ScoringStrategyType,
        resources: tuple[ResourceSpec, ...],
        shape: tuple[ShapePoint, ...] = (),
    ) -> None:
        self.name = name
        counted = tuple(resource for resource in resources if resource.weight > 0)
        self._fit = NodeResourcesFit(NodeResourcesFitArgs(scoring_strategy=ScoringStrategy(type_, counted, shape)))

    def score(self, cycle: Cycle, nodes: I32) -> I64:
        """Score each of ``nodes``."""
        return self._fit.score(cycle, nodes)


def _least_allocated(args: NodeResourcesAllocatedArgs) -> Plugin:
    return StrategyScore("NodeResourcesLeastAllocated", ScoringStrategyType.LEAST_ALLOCATED, args.resources)


def _most_allocated(args: NodeResourcesAllocatedArgs) -> Plugin:
    return StrategyScore("NodeResourcesMostAllocated", ScoringStrategyType.MOST_ALLOCATED, args.resources)


def _capacity_ratio(args: RequestedToCapacityRatioArgs) -> Plugin:
    ratio = ScoringStrategyType.REQUESTED_TO_CAPACITY_RATIO
    return StrategyScore("RequestedToCapacityRatio", ratio, args.resources, args.shape)


def _limits(name: str) -> Callable[[Any], Plugin]:
    return lambda _args: InTreeLimits(name)


OLDER: dict[str, Callable[[Any], Plugin]] = {
    **{name: _limits(name) for name in KINDS},
    "NodeResourcesLeastAllocated": _least_allocated,
    "NodeResourcesMostAllocated": _most_allocated,
    "RequestedToCapacityRatio": _capacity_ratio,
    NodeLabel.name: NodeLabel,
    NodePreferAvoidPods.name: lambda _args: NodePreferAvoidPods(),
    SelectorSpread.name: lambda _args: SelectorSpread(),
    ServiceAffinity.name: ServiceAffinity,
}
"""What makes each, given its arguments."""

_: type[ScorePlugin] = StrategyScore
