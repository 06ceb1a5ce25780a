"""Arguments of NodeResourcesFit and NodeResourcesBalancedAllocation."""

from dataclasses import dataclass
from enum import StrEnum

from msgspec.structs import replace

from kplace.config.catalogue import ArgsSpec
from kplace.config.fields import FieldError, child, item
from kplace.config.gates import FeatureGates
from kplace.config.label_names import label_name_errors
from kplace.config.schema import Int64, Wire
from kplace.config.shape import UtilizationShapePoint, shape_errors
from kplace.config.wire import TypeMeta


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


class ResourceWire(Wire, frozen=True, kw_only=True):
    """``resources[]`` as it stands in a file."""

    name: str
    weight: Int64 = 0


class RequestedToCapacityRatioWire(Wire, frozen=True, kw_only=True):
    """``scoringStrategy.requestedToCapacityRatio`` as it stands in a file."""

    shape: tuple[UtilizationShapePoint, ...] = ()


class ScoringStrategyWire(Wire, frozen=True, kw_only=True):
    """``scoringStrategy`` as it stands in a file."""

    type: str = ""
    resources: tuple[ResourceWire, ...] = ()
    requested_to_capacity_ratio: RequestedToCapacityRatioWire | None = None


class FitWire(TypeMeta, frozen=True, kw_only=True):
    """``NodeResourcesFitArgs`` as it stands in a file."""

    ignored_resources: tuple[str, ...] = ()
    ignored_resource_groups: tuple[str, ...] = ()
    scoring_strategy: ScoringStrategyWire | None = None


class BalancedAllocationWire(TypeMeta, frozen=True, kw_only=True):
    """``NodeResourcesBalancedAllocationArgs`` as it stands in a file."""

    resources: tuple[ResourceWire, ...] = ()


_DEFAULT_STRATEGY = ScoringStrategyWire(type=ScoringStrategyType.LEAST_ALLOCATED)


def _defaulted(resources: tuple[ResourceWire, ...]) -> tuple[ResourceWire, ...]:
    """Cpu and memory if there are none; a weight of 0 is 1."""
    if not resources:
        return tuple(ResourceWire(name=resource.name, weight=resource.weight) for resource in DEFAULT_RESOURCES)
    return tuple(replace(resource, weight=resource.weight or 1) for resource in resources)


def _specs(resources: tuple[ResourceWire, ...]) -> tuple[ResourceSpec, ...]:
    return tuple(ResourceSpec(resource.name, resource.weight) for resource in resources)


def _default_fit(args: FitWire, _gates: FeatureGates) -> FitWire:
    strategy = args.scoring_strategy or _DEFAULT_STRATEGY
    return replace(args, scoring_strategy=replace(strategy, resources=_defaulted(strategy.resources)))


def _check_fit(args: FitWire, path: str, _gates: FeatureGates) -> list[FieldError]:
    """Upstream's ``ValidateNodeResourcesFitArgs``, the path to the shape included, which lacks a step there."""
    errors = ignored_errors(args.ignored_resources, args.ignored_resource_groups, path)
    if args.scoring_strategy is not None:
        errors += _strategy_errors(args.scoring_strategy, child(path, "scoringStrategy"))
    return errors


def ignored_errors(resources: tuple[str, ...], groups: tuple[str, ...], path: str) -> list[FieldError]:
    """Say what is wrong with ``ignoredResources`` and ``ignoredResourceGroups``."""
    errors = []
    for i, name in enumerate(resources):
        errors += label_name_errors(item(child(path, "ignoredResources"), i), name)
    for i, group in enumerate(groups):
        where = item(child(path, "ignoredResourceGroups"), i)
        if "/" in group:
            errors.append(FieldError.invalid(where, group, "resource group name can't contain '/'"))
        errors += label_name_errors(where, group)
    return errors


def _strategy_errors(strategy: ScoringStrategyWire, path: str) -> list[FieldError]:
    errors = []
    types = sorted(ScoringStrategyType)
    if strategy.type not in types:
        errors.append(FieldError.not_supported(child(path, "type"), strategy.type, types))
    for i, resource in enumerate(strategy.resources):
        if not 0 < resource.weight <= 100:
            where = child(item(child(path, "resources"), i), "weight")
            detail = f"resource weight of {resource.name} not in valid range (0, 100]"
            errors.append(FieldError.invalid(where, resource.weight, detail))
    ratio = strategy.requested_to_capacity_ratio
    if ratio is not None:
        errors += shape_errors(ratio.shape, child(path, "shape"))
    elif strategy.type == ScoringStrategyType.REQUESTED_TO_CAPACITY_RATIO and not errors:
        # Upstream crashes here: it follows a nil pointer.
        where = child(path, "requestedToCapacityRatio")
        errors.append(FieldError.required(where, f"type {strategy.type} needs a shape"))
    return errors


def _build_fit(args: FitWire) -> NodeResourcesFitArgs:
    strategy = args.scoring_strategy or _DEFAULT_STRATEGY
    ratio = strategy.requested_to_capacity_ratio
    return NodeResourcesFitArgs(
        ignored_resources=frozenset(args.ignored_resources),
        ignored_resource_groups=frozenset(args.ignored_resource_groups),
        scoring_strategy=ScoringStrategy(
            type=ScoringStrategyType(strategy.type),
            resources=_specs(strategy.resources),
            shape=tuple(ShapePoint(point.utilization, point.score) for point in ratio.shape) if ratio else (),
        ),
    )


def _default_balanced(args: BalancedAllocationWire, _gates: FeatureGates) -> BalancedAllocationWire:
    return replace(args, resources=_defaulted(args.resources))


def _check_balanced(args: BalancedAllocationWire, path: str, _gates: FeatureGates) -> list[FieldError]:
    errors, seen = [], set()
    for i, resource in enumerate(args.resources):
        where = item(child(path, "resources"), i)
        if resource.name in seen:
            errors.append(FieldError.duplicate(child(where, "name"), resource.name))
        seen.add(resource.name)
        if resource.weight != 1:
            errors.append(FieldError.invalid(child(where, "weight"), resource.weight, "must be 1"))
    return errors


FIT = ArgsSpec(FitWire, _build_fit, _default_fit, _check_fit, is_checked_early=False)
BALANCED_ALLOCATION = ArgsSpec(
    BalancedAllocationWire,
    lambda args: NodeResourcesBalancedAllocationArgs(_specs(args.resources)),
    _default_balanced,
    _check_balanced,
)
