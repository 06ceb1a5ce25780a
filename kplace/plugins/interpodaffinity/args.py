"""Arguments of InterPodAffinity."""

from dataclasses import dataclass

from msgspec.structs import replace

from kplace.config.catalogue import ArgsSpec
from kplace.config.fields import FieldError, child
from kplace.config.gates import FeatureGates
from kplace.config.schema import Int32
from kplace.config.wire import TypeMeta, given


@dataclass(frozen=True, slots=True)
class InterPodAffinityArgs:
    """``InterPodAffinityArgs``.

    Attributes
    ----------
    hard_pod_affinity_weight : int
        What each required affinity term of an existing pod counts in the score of a pod that it matches; 0 to 100.
    ignore_preferred_terms_of_existing_pods : bool
        Pods without preferred terms of their own are not scored at all.
    """

    hard_pod_affinity_weight: int = 1
    ignore_preferred_terms_of_existing_pods: bool = False


class InterPodAffinityWire(TypeMeta, frozen=True, kw_only=True):
    """``InterPodAffinityArgs`` as it stands in a file."""

    hard_pod_affinity_weight: Int32 | None = None
    ignore_preferred_terms_of_existing_pods: bool


def _default(args: InterPodAffinityWire, _gates: FeatureGates) -> InterPodAffinityWire:
    return replace(args, hard_pod_affinity_weight=given(args.hard_pod_affinity_weight, 1))


def _check(args: InterPodAffinityWire, path: str, _gates: FeatureGates) -> list[FieldError]:
    weight = given(args.hard_pod_affinity_weight, 1)
    if 0 <= weight <= 100:
        return []
    return [FieldError.invalid(child(path, "hardPodAffinityWeight"), weight, "not in valid range [0, 100]")]


def _build(args: InterPodAffinityWire) -> InterPodAffinityArgs:
    return InterPodAffinityArgs(given(args.hard_pod_affinity_weight, 1), args.ignore_preferred_terms_of_existing_pods)


SPEC = ArgsSpec(InterPodAffinityWire, _build, _default, _check)
