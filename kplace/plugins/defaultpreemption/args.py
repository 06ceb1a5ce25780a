"""Arguments of DefaultPreemption."""

from dataclasses import dataclass

from msgspec.structs import replace

from kplace.config.catalogue import ArgsSpec
from kplace.config.fields import FieldError, child
from kplace.config.gates import FeatureGates
from kplace.config.schema import Int32
from kplace.config.wire import TypeMeta, given

_PERCENTAGE, _ABSOLUTE = "minCandidateNodesPercentage", "minCandidateNodesAbsolute"


@dataclass(frozen=True, slots=True)
class DefaultPreemptionArgs:
    """``DefaultPreemptionArgs``: how many nodes are tried before the best one is taken.

    Attributes
    ----------
    min_candidate_nodes_percentage : int
        Share of all nodes, 0 to 100.
    min_candidate_nodes_absolute : int
        Number of nodes; the larger of the two counts.
    """

    min_candidate_nodes_percentage: int = 10
    min_candidate_nodes_absolute: int = 100


_DEFAULT = DefaultPreemptionArgs()


class DefaultPreemptionWire(TypeMeta, frozen=True, kw_only=True):
    """``DefaultPreemptionArgs`` as it stands in a file."""

    min_candidate_nodes_percentage: Int32 | None = None
    min_candidate_nodes_absolute: Int32 | None = None


def _default(args: DefaultPreemptionWire, _gates: FeatureGates) -> DefaultPreemptionWire:
    built = _build(args)
    return replace(
        args,
        min_candidate_nodes_percentage=built.min_candidate_nodes_percentage,
        min_candidate_nodes_absolute=built.min_candidate_nodes_absolute,
    )


def _check(args: DefaultPreemptionWire, path: str, _gates: FeatureGates) -> list[FieldError]:
    built = _build(args)
    percentage, absolute = built.min_candidate_nodes_percentage, built.min_candidate_nodes_absolute
    where, other = child(path, _PERCENTAGE), child(path, _ABSOLUTE)
    errors = []
    if not 0 <= percentage <= 100:
        errors.append(FieldError.invalid(where, percentage, "not in valid range [0, 100]"))
    if absolute < 0:
        errors.append(FieldError.invalid(other, absolute, "not in valid range [0, inf)"))
    if percentage == absolute == 0:
        errors.append(FieldError.invalid(where, 0, f"cannot be zero at the same time as {_ABSOLUTE}"))
        errors.append(FieldError.invalid(other, 0, f"cannot be zero at the same time as {_PERCENTAGE}"))
    return errors


def _build(args: DefaultPreemptionWire) -> DefaultPreemptionArgs:
    return DefaultPreemptionArgs(
        given(args.min_candidate_nodes_percentage, _DEFAULT.min_candidate_nodes_percentage),
        given(args.min_candidate_nodes_absolute, _DEFAULT.min_candidate_nodes_absolute),
    )


SPEC = ArgsSpec(DefaultPreemptionWire, _build, _default, _check)
