"""A scheduler policy as it stands in a file (``apis/config/legacy_types.go``)."""

from msgspec import field

from kplace.config.schema import Int32, Int64, Wire
from kplace.config.shape import UtilizationShapePoint
from kplace.config.wire import ManagedResource, TLSConfig, TypeMeta


class ResourceWire(Wire, frozen=True, kw_only=True):
    """A resource and its weight."""

    name: str
    weight: Int64 = 0


class LabelsWire(Wire, frozen=True, kw_only=True):
    """``serviceAffinity`` and ``labelsPresence``."""

    labels: tuple[str, ...] = ()


class PresenceWire(LabelsWire, frozen=True, kw_only=True):
    """``labelsPresence``."""

    presence: bool = False


class LabelWire(Wire, frozen=True, kw_only=True):
    """``serviceAntiAffinity``."""

    label: str


class PreferenceWire(LabelWire, frozen=True, kw_only=True):
    """``labelPreference``."""

    presence: bool = False


class RatioWire(Wire, frozen=True, kw_only=True):
    """``requestedToCapacityRatioArguments``."""

    shape: tuple[UtilizationShapePoint, ...] = ()
    resources: tuple[ResourceWire, ...] = ()


class PredicateArgument(Wire, frozen=True, kw_only=True):
    """``predicates[].argument``: exactly one of these."""

    service_affinity: LabelsWire | None = None
    labels_presence: PresenceWire | None = None


class PriorityArgument(Wire, frozen=True, kw_only=True):
    """``priorities[].argument``: exactly one of these."""

    service_anti_affinity: LabelWire | None = None
    label_preference: PreferenceWire | None = None
    requested_to_capacity_ratio_arguments: RatioWire | None = None


class PredicateWire(Wire, frozen=True, kw_only=True):
    """``predicates[]``."""

    name: str
    argument: PredicateArgument | None = None


class PriorityWire(Wire, frozen=True, kw_only=True):
    """``priorities[]``."""

    name: str
    weight: Int64
    argument: PriorityArgument | None = None


class PolicyExtender(Wire, frozen=True, kw_only=True):
    """``extenders[]`` of a policy, whose timeout is a number of nanoseconds."""

    url_prefix: str
    filter_verb: str = ""
    preempt_verb: str = ""
    prioritize_verb: str = ""
    weight: Int64 = 0
    bind_verb: str = ""
    enable_https: bool = field(default=False, name="enableHttps")
    tls_config: TLSConfig | None = None
    http_timeout: Int64 = 0
    node_cache_capable: bool = False
    managed_resources: tuple[ManagedResource, ...] = ()
    ignorable: bool = False


class Policy(TypeMeta, frozen=True, kw_only=True):
    """A policy; lists that are absent are not the same as empty ones."""

    predicates: tuple[PredicateWire, ...] | None = None
    priorities: tuple[PriorityWire, ...] | None = None
    extenders: tuple[PolicyExtender, ...] = ()
    hard_pod_affinity_symmetric_weight: Int32 = 0
    always_check_all_predicates: bool = False
