"""Arguments of DynamicResources."""

from dataclasses import dataclass

from msgspec.structs import replace

from kplace.config.catalogue import ArgsSpec
from kplace.config.fields import FieldError, child
from kplace.config.gates import DRA_SCHEDULER_FILTER_TIMEOUT, FeatureGates
from kplace.config.go import SECOND, print_duration
from kplace.config.schema import Duration
from kplace.config.wire import TypeMeta

_DEFAULT_TIMEOUT = 10 * SECOND


@dataclass(frozen=True, slots=True)
class DynamicResourcesArgs:
    """``DynamicResourcesArgs``.

    Attributes
    ----------
    filter_timeout : int or None
        Nanoseconds that Filter may take for one node; 0 or None: as long as it takes.
    """

    filter_timeout: int | None = _DEFAULT_TIMEOUT


class DynamicResourcesWire(TypeMeta, frozen=True, kw_only=True):
    """``DynamicResourcesArgs`` as it stands in a file."""

    filter_timeout: Duration | None


def _default(args: DynamicResourcesWire, gates: FeatureGates) -> DynamicResourcesWire:
    if args.filter_timeout is None and gates.is_on(DRA_SCHEDULER_FILTER_TIMEOUT):
        return replace(args, filter_timeout=_DEFAULT_TIMEOUT)
    return args


def _check(args: DynamicResourcesWire, path: str, gates: FeatureGates) -> list[FieldError]:
    timeout, where = args.filter_timeout, child(path, "filterTimeout")
    if timeout is None:
        return []
    if not gates.is_on(DRA_SCHEDULER_FILTER_TIMEOUT):
        return [FieldError.forbidden(where, "DRASchedulingFilterTimeout feature gate is disabled")]
    return [FieldError.invalid(where, print_duration(timeout), "must be zero or positive")] if timeout < 0 else []


SPEC = ArgsSpec(DynamicResourcesWire, lambda args: DynamicResourcesArgs(args.filter_timeout), _default, _check)
