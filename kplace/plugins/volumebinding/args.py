"""Arguments of VolumeBinding."""

from dataclasses import dataclass

from msgspec.structs import replace

from kplace.config.catalogue import ArgsSpec
from kplace.config.fields import FieldError, child
from kplace.config.gates import STORAGE_CAPACITY_SCORING, FeatureGates
from kplace.config.schema import Int64, encode
from kplace.config.shape import MAX_SCORE, MAX_UTILIZATION, UtilizationShapePoint, shape_errors
from kplace.config.wire import TypeMeta, given

_DEFAULT_TIMEOUT = 600
_PREFER_FULL = (
    UtilizationShapePoint(utilization=0, score=MAX_SCORE),
    UtilizationShapePoint(utilization=MAX_UTILIZATION, score=0),
)


@dataclass(frozen=True, slots=True)
class VolumeBindingArgs:
    """``VolumeBindingArgs``.

    Attributes
    ----------
    bind_timeout_seconds : int
        How long PreBind waits for volumes to be bound.
    shape : tuple of (int, int)
        Points of the function from the utilisation of storage (0 to 100) to a score (0 to 10); empty: volumes are not
        scored by capacity.
    """

    bind_timeout_seconds: int = _DEFAULT_TIMEOUT
    shape: tuple[tuple[int, int], ...] = ()


class VolumeBindingWire(TypeMeta, frozen=True, kw_only=True):
    """``VolumeBindingArgs`` as it stands in a file; an empty shape is not the same as none."""

    bind_timeout_seconds: Int64 | None = None
    shape: tuple[UtilizationShapePoint, ...] | None = None


def _default(args: VolumeBindingWire, gates: FeatureGates) -> VolumeBindingWire:
    shape = args.shape
    if not shape and gates.is_on(STORAGE_CAPACITY_SCORING):
        shape = _PREFER_FULL
    timeout = given(args.bind_timeout_seconds, _DEFAULT_TIMEOUT)
    return replace(args, bind_timeout_seconds=timeout, shape=shape)


def _check(args: VolumeBindingWire, path: str, gates: FeatureGates) -> list[FieldError]:
    errors = []
    timeout, where = given(args.bind_timeout_seconds, _DEFAULT_TIMEOUT), child(path, "shape")
    if timeout < 0:
        detail = "invalid BindTimeoutSeconds, should not be a negative value"
        errors.append(FieldError.invalid(child(path, "bindTimeoutSeconds"), timeout, detail))
    if gates.is_on(STORAGE_CAPACITY_SCORING):
        errors += shape_errors(args.shape or (), where)
    elif args.shape is not None:
        points = [{key.capitalize(): value for key, value in encode(point).items()} for point in args.shape]
        detail = "unexpected field `shape`, remove it or turn on the feature gate StorageCapacityScoring"
        errors.append(FieldError.invalid(where, points, detail))
    return errors


def _build(args: VolumeBindingWire) -> VolumeBindingArgs:
    points = tuple((point.utilization, point.score) for point in args.shape or ())
    return VolumeBindingArgs(given(args.bind_timeout_seconds, _DEFAULT_TIMEOUT), points)


SPEC = ArgsSpec(VolumeBindingWire, _build, _default, _check)
