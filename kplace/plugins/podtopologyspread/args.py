"""Arguments of PodTopologySpread."""

from dataclasses import dataclass
from enum import StrEnum

import msgspec

from kplace.config.catalogue import ArgsSpec
from kplace.config.fields import FieldError, child, item
from kplace.config.gates import FeatureGates
from kplace.config.label_names import label_name_errors
from kplace.config.schema import Int32, Wire, encode
from kplace.config.wire import TypeMeta
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


class RequirementWire(Wire, frozen=True, kw_only=True):
    """``matchExpressions[]`` as it stands in a file."""

    key: str
    operator: str
    values: tuple[str, ...] = ()


class LabelSelectorWire(Wire, frozen=True, kw_only=True):
    """``labelSelector`` as it stands in a file."""

    match_labels: dict[str, str] = {}  # noqa: RUF012 - msgspec gives each struct its own
    match_expressions: tuple[RequirementWire, ...] = ()


class ConstraintWire(Wire, frozen=True, kw_only=True):
    """``defaultConstraints[]`` as it stands in a file."""

    max_skew: Int32
    topology_key: str
    when_unsatisfiable: str
    label_selector: LabelSelectorWire | None = None
    min_domains: Int32 | None = None
    node_affinity_policy: str | None = None
    node_taints_policy: str | None = None
    match_label_keys: tuple[str, ...] = ()


class PodTopologySpreadWire(TypeMeta, frozen=True, kw_only=True):
    """``PodTopologySpreadArgs`` as it stands in a file."""

    default_constraints: tuple[ConstraintWire, ...] = ()
    defaulting_type: str = ""


def _default(args: PodTopologySpreadWire, _gates: FeatureGates) -> PodTopologySpreadWire:
    return msgspec.structs.replace(args, defaulting_type=args.defaulting_type or DefaultingType.SYSTEM.value)


def _check(args: PodTopologySpreadWire, path: str, _gates: FeatureGates) -> list[FieldError]:
    errors = []
    where = child(path, "defaultingType")
    if args.defaulting_type not in list(DefaultingType):
        errors.append(FieldError.not_supported(where, args.defaulting_type, list(DefaultingType)))
    elif args.defaulting_type == DefaultingType.SYSTEM and args.default_constraints:
        errors.append(FieldError.invalid(where, args.defaulting_type, "when .defaultConstraints are not empty"))
    seen = set()
    for i, constraint in enumerate(args.default_constraints):
        where = item(child(path, "defaultConstraints"), i)
        errors += _constraint_errors(constraint, where)
        pair = (constraint.topology_key, constraint.when_unsatisfiable)
        if pair in seen:
            errors.append(FieldError.duplicate(where, f"{{{pair[0]}, {pair[1]}}}"))
        seen.add(pair)
    return errors


def _constraint_errors(constraint: ConstraintWire, path: str) -> list[FieldError]:
    errors = []
    if constraint.max_skew <= 0:
        where = child(path, "maxSkew")
        errors.append(FieldError.invalid(where, constraint.max_skew, "not in valid range (0, inf)"))
    where = child(path, "topologyKey")
    if constraint.topology_key:
        errors += label_name_errors(where, constraint.topology_key)
    else:
        errors.append(FieldError.required(where, "can not be empty"))
    where, action, actions = child(path, "whenUnsatisfiable"), constraint.when_unsatisfiable, _ACTIONS
    if not action:
        errors.append(FieldError.required(where, "can not be empty"))
    elif action not in actions:
        errors.append(FieldError.not_supported(where, action, actions))
    if constraint.label_selector is not None:
        detail = "constraint must not define a selector, as they deduced for each pod"
        errors.append(FieldError.forbidden(child(path, "labelSelector"), detail))
    return errors


_ACTIONS = (DO_NOT_SCHEDULE, SCHEDULE_ANYWAY)


def _build(args: PodTopologySpreadWire) -> PodTopologySpreadArgs:
    return PodTopologySpreadArgs(
        default_constraints=tuple(
            msgspec.convert(encode(constraint), TopologySpreadConstraint) for constraint in args.default_constraints
        ),
        defaulting_type=DefaultingType(args.defaulting_type),
    )


SPEC = ArgsSpec(PodTopologySpreadWire, _build, _default, _check)


def _default_v1beta1(args: PodTopologySpreadWire, gates: FeatureGates) -> PodTopologySpreadWire:
    """In v1beta1 constraints without a type are a list."""
    is_list = args.default_constraints and not args.defaulting_type
    return _default(
        msgspec.structs.replace(args, defaulting_type=DefaultingType.LIST.value) if is_list else args, gates
    )


V1BETA1_SPEC = ArgsSpec(PodTopologySpreadWire, _build, _default_v1beta1, _check)
