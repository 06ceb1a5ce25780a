"""Arguments of the plugins over node resources as v1beta1 and policies have them.

What NodeResourcesFit does with a scoring strategy since v1beta2 was then done by a plugin for each strategy.
"""

from dataclasses import dataclass

from msgspec.structs import replace

from kplace.config.catalogue import ArgsSpec
from kplace.config.fields import FieldError, child, item
from kplace.config.gates import FeatureGates
from kplace.config.shape import UtilizationShapePoint, shape_errors
from kplace.config.wire import TypeMeta
from kplace.plugins.noderesources.args import (
    DEFAULT_RESOURCES,
    NodeResourcesFitArgs,
    ResourceSpec,
    ResourceWire,
    ShapePoint,
    ignored_errors,
)


@dataclass(frozen=True, slots=True)
class NodeResourcesAllocatedArgs:
    """``NodeResourcesLeastAllocatedArgs`` and ``NodeResourcesMostAllocatedArgs``; a weight of 0 does not count."""

    resources: tuple[ResourceSpec, ...] = DEFAULT_RESOURCES


@dataclass(frozen=True, slots=True)
class RequestedToCapacityRatioArgs:
    """``RequestedToCapacityRatioArgs``."""

    shape: tuple[ShapePoint, ...]
    resources: tuple[ResourceSpec, ...] = DEFAULT_RESOURCES


class OlderFitWire(TypeMeta, frozen=True, kw_only=True):
    """``NodeResourcesFitArgs`` of v1beta1 as it stands in a file."""

    ignored_resources: tuple[str, ...] = ()
    ignored_resource_groups: tuple[str, ...] = ()


class AllocatedWire(TypeMeta, frozen=True, kw_only=True):
    """``NodeResourcesLeastAllocatedArgs`` and its like as they stand in a file."""

    resources: tuple[ResourceWire, ...] = ()


class RatioWire(TypeMeta, frozen=True, kw_only=True):
    """``RequestedToCapacityRatioArgs`` as it stands in a file."""

    shape: tuple[UtilizationShapePoint, ...]
    resources: tuple[ResourceWire, ...] = ()


def _check_fit(args: OlderFitWire, path: str, _gates: FeatureGates) -> list[FieldError]:
    return ignored_errors(args.ignored_resources, args.ignored_resource_groups, path)


def _build_fit(args: OlderFitWire) -> NodeResourcesFitArgs:
    return NodeResourcesFitArgs(frozenset(args.ignored_resources), frozenset(args.ignored_resource_groups))


def _default_resources(args: AllocatedWire, _gates: FeatureGates) -> AllocatedWire:
    return replace(args, resources=args.resources or _DEFAULTS)


def _default_ratio(args: RatioWire, _gates: FeatureGates) -> RatioWire:
    return replace(args, resources=args.resources or _DEFAULTS)


_DEFAULTS = tuple(ResourceWire(name=resource.name, weight=resource.weight) for resource in DEFAULT_RESOURCES)


def _check_allocated(args: AllocatedWire, path: str, _gates: FeatureGates) -> list[FieldError]:
    return _weight_errors(args.resources, path)


def _check_ratio(args: RatioWire, path: str, _gates: FeatureGates) -> list[FieldError]:
    return [*shape_errors(args.shape, child(path, "shape")), *_weight_errors(args.resources, path)]


def _weight_errors(resources: tuple[ResourceWire, ...], path: str) -> list[FieldError]:
    return [
        FieldError.invalid(
            child(item(child(path, "resources"), i), "weight"),
            resource.weight,
            f"resource weight of {resource.name} not in valid range [0, 100]",
        )
        for i, resource in enumerate(resources)
        if not 0 <= resource.weight <= 100
    ]


def _specs(resources: tuple[ResourceWire, ...]) -> tuple[ResourceSpec, ...]:
    return tuple(ResourceSpec(resource.name, resource.weight) for resource in resources)


def _build_allocated(args: AllocatedWire) -> NodeResourcesAllocatedArgs:
    return NodeResourcesAllocatedArgs(_specs(args.resources))


def _build_ratio(args: RatioWire) -> RequestedToCapacityRatioArgs:
    points = tuple(ShapePoint(point.utilization, point.score) for point in args.shape)
    return RequestedToCapacityRatioArgs(points, _specs(args.resources))


FIT = ArgsSpec(OlderFitWire, _build_fit, check=_check_fit, is_checked_early=False)
LEAST_ALLOCATED = ArgsSpec(AllocatedWire, _build_allocated, _default_resources, _check_allocated)
MOST_ALLOCATED = LEAST_ALLOCATED
REQUESTED_TO_CAPACITY_RATIO = ArgsSpec(RatioWire, _build_ratio, _default_ratio, _check_ratio)
