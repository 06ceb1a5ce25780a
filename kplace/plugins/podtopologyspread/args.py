"""Arguments of PodTopologySpread."""

from dataclasses import dataclass
from enum import StrEnum

from kplace.objects.core import TopologySpreadConstraint

HOSTNAME = "kubernetes.io/hostname"
ZONE = "topology.kubernetes.io/zone"
DO_NOT_SCHEDULE = "DoNotSchedule"
SCHEDULE_ANYWAY = "ScheduleAnyway"


class DefaultingType(StrEnum):
    """``defaultingType``: where the constraints of pods without their own come from."""

    SYSTEM = "System"
    LIST = "List"


SYSTEM_DEFAULT_CONSTRAINTS = (
    TopologySpreadConstraint(max_skew=3, topology_key=HOSTNAME, when_unsatisfiable=SCHEDULE_ANYWAY),
    TopologySpreadConstraint(max_skew=5, topology_key=ZONE, when_unsatisfiable=SCHEDULE_ANYWAY),
)


@dataclass(frozen=True, slots=True)
class PodTopologySpreadArgs:
    """``PodTopologySpreadArgs``.

    Attributes
    ----------
    default_constraints : tuple of TopologySpreadConstraint
        For pods without constraints of their own, if the defaulting type is List. The selector comes from a pod's
        services and controller, whatever is given here.
    defaulting_type : DefaultingType
    """

    default_constraints: tuple[TopologySpreadConstraint, ...] = ()
    defaulting_type: DefaultingType = DefaultingType.SYSTEM

    @property
    def is_system(self) -> bool:
        """Whether the built-in constraints are the default ones."""
        return self.defaulting_type is DefaultingType.SYSTEM

    @property
    def defaults(self) -> tuple[TopologySpreadConstraint, ...]:
        """The constraints of pods without their own."""
        return SYSTEM_DEFAULT_CONSTRAINTS if self.is_system else self.default_constraints
