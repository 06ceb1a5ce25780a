"""Arguments of NodeResourcesFit and NodeResourcesBalancedAllocation."""

from dataclasses import dataclass
from enum import StrEnum


class ScoringStrategyType(StrEnum):
    """``scoringStrategy.type``."""

    LEAST_ALLOCATED = "LeastAllocated"
    MOST_ALLOCATED = "MostAllocated"
    REQUESTED_TO_CAPACITY_RATIO = "RequestedToCapacityRatio"


@dataclass(frozen=True, slots=True)
class ResourceSpec:
    """A resource and its weight in a score."""

    name: str
    weight: int = 1


@dataclass(frozen=True, slots=True)
class ShapePoint:
    """A point of the function from utilisation (0 to 100) to score (0 to 10)."""

    utilization: int
    score: int


DEFAULT_RESOURCES = (ResourceSpec("cpu"), ResourceSpec("memory"))


@dataclass(frozen=True, slots=True)
class ScoringStrategy:
    """How a node's resources make a score."""

    type: ScoringStrategyType = ScoringStrategyType.LEAST_ALLOCATED
    resources: tuple[ResourceSpec, ...] = DEFAULT_RESOURCES
    shape: tuple[ShapePoint, ...] = ()


@dataclass(frozen=True, slots=True)
class NodeResourcesFitArgs:
    """``NodeResourcesFitArgs``.

    Attributes
    ----------
    ignored_resources : frozenset of str
        Extended resources that the filter does not look at.
    ignored_resource_groups : frozenset of str
        Domains (the part before the slash) of such resources.
    scoring_strategy : ScoringStrategy
    """

    ignored_resources: frozenset[str] = frozenset()
    ignored_resource_groups: frozenset[str] = frozenset()
    scoring_strategy: ScoringStrategy = ScoringStrategy()


@dataclass(frozen=True, slots=True)
class NodeResourcesBalancedAllocationArgs:
    """``NodeResourcesBalancedAllocationArgs``."""

    resources: tuple[ResourceSpec, ...] = DEFAULT_RESOURCES
