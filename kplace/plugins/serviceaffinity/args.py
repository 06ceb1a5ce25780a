"""Arguments of ServiceAffinity."""

from dataclasses import dataclass

from kplace.config.catalogue import ArgsSpec
from kplace.config.wire import TypeMeta


@dataclass(frozen=True, slots=True)
class ServiceAffinityArgs:
    """``ServiceAffinityArgs``.

    Attributes
    ----------
    affinity_labels : tuple of str
        Keys of node labels whose values are the same for all pods of a service.
    anti_affinity_labels_preference : tuple of str
        Keys of node labels over whose values the pods of a service are spread.
    """

    affinity_labels: tuple[str, ...] = ()
    anti_affinity_labels_preference: tuple[str, ...] = ()


class ServiceAffinityWire(TypeMeta, frozen=True, kw_only=True):
    """``ServiceAffinityArgs`` as it stands in a file."""

    affinity_labels: tuple[str, ...] = ()
    anti_affinity_labels_preference: tuple[str, ...] = ()


SPEC = ArgsSpec(
    ServiceAffinityWire,
    lambda args: ServiceAffinityArgs(args.affinity_labels, args.anti_affinity_labels_preference),
)
