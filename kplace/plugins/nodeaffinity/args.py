"""Arguments of NodeAffinity."""

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from kplace.columns.node_selectors import is_malformed, parse_int64
from kplace.config.catalogue import ArgsSpec
from kplace.config.fields import FieldError, child, item
from kplace.config.gates import FeatureGates
from kplace.config.label_names import label_value_faults, qualified_name_faults
from kplace.config.schema import Int32, Wire, encode
from kplace.config.wire import TypeMeta
from kplace.errors import ConfigError
from kplace.objects.core import NodeAffinity
from kplace.objects.meta import NodeSelectorTerm


@dataclass(frozen=True, slots=True)
class NodeAffinityArgs:
    """``NodeAffinityArgs``.

    Attributes
    ----------
    added_affinity : NodeAffinity or None
        What every pod of the profile asks for and prefers, on top of its own.

    Raises
    ------
    ConfigError
        A term of it cannot be parsed; a pod's own such term would be let through and match nothing.
    """

    added_affinity: NodeAffinity | None = None

    def __post_init__(self) -> None:
        added = self.added_affinity or NodeAffinity()
        required = (added.required.node_selector_terms if added.required is not None else None) or ()
        preferred = tuple(item.preference or NodeSelectorTerm() for item in added.preferred or () if item.weight)
        for where, terms in (("required", required), ("preferred", preferred)):
            for position, term in enumerate(terms):
                if is_malformed(term):
                    field = f"{where}DuringSchedulingIgnoredDuringExecution"
                    msg = f"NodeAffinityArgs: addedAffinity.{field}: term {position} is malformed"
                    raise ConfigError(msg)


_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
_OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")
_FIELD_OPERATORS = ("In", "NotIn")


class RequirementWire(Wire, frozen=True, kw_only=True):
    """``matchExpressions[]`` and ``matchFields[]`` as they stand in a file; values may be absent or empty."""

    key: str
    operator: str
    values: tuple[str, ...] | None = None


class TermWire(Wire, frozen=True, kw_only=True):
    """``nodeSelectorTerms[]`` as it stands in a file."""

    match_expressions: tuple[RequirementWire, ...] = ()
    match_fields: tuple[RequirementWire, ...] = ()


class SelectorWire(Wire, frozen=True, kw_only=True):
    """A node selector as it stands in a file."""

    node_selector_terms: tuple[TermWire, ...] | None


class PreferredWire(Wire, frozen=True, kw_only=True):
    """A preferred term as it stands in a file."""

    weight: Int32
    preference: TermWire


class AddedAffinityWire(Wire, frozen=True, kw_only=True):
    """``addedAffinity`` as it stands in a file."""

    required: SelectorWire | None = msgspec.field(default=None, name=_REQUIRED)
    preferred: tuple[PreferredWire, ...] = msgspec.field(default=(), name=_PREFERRED)


class NodeAffinityWire(TypeMeta, frozen=True, kw_only=True):
    """``NodeAffinityArgs`` as it stands in a file."""

    added_affinity: AddedAffinityWire | None = None


def _check(args: NodeAffinityWire, path: str, _gates: FeatureGates) -> list[FieldError]:
    """Upstream's parse errors; empty terms and preferred ones of weight 0 are not parsed."""
    added = args.added_affinity or AddedAffinityWire()
    terms = (added.required.node_selector_terms if added.required is not None else None) or ()
    where = child(child(path, "addedAffinity"), _REQUIRED)
    errors = []
    for i, term in enumerate(terms):
        errors += _term_errors(term, item(child(where, "nodeSelectorTerms"), i))
    where = child(child(path, "addedAffinity"), _PREFERRED)
    for i, preferred in enumerate(added.preferred):
        if preferred.weight:
            errors += _term_errors(preferred.preference, item(where, i))
    return errors


def _term_errors(term: TermWire, path: str) -> list[FieldError]:
    errors = []
    for i, requirement in enumerate(term.match_expressions):
        errors += _expression_errors(requirement, item(child(path, "matchExpressions"), i))
    for i, requirement in enumerate(term.match_fields):
        where = item(child(path, "matchFields"), i)
        if requirement.operator not in _FIELD_OPERATORS:
            errors.append(FieldError.not_supported(child(where, "operator"), requirement.operator, _FIELD_OPERATORS))
        elif len(requirement.values or ()) != 1:
            errors.append(
                FieldError.invalid(child(where, "values"), _listed(requirement.values), "must have one element")
            )
    return errors


def _expression_errors(requirement: RequirementWire, path: str) -> list[FieldError]:
    if requirement.operator not in _OPERATORS:
        return [FieldError.not_supported(child(path, "operator"), requirement.operator, _OPERATORS)]
    errors = []
    faults = qualified_name_faults(requirement.key)
    if faults:
        errors.append(FieldError.invalid(child(path, "key"), requirement.key, "; ".join(faults)))
    where, values = child(path, "values"), requirement.values or ()
    wrong = _number_fault(requirement.operator, len(values))
    if wrong:
        errors.append(FieldError.invalid(where, _listed(requirement.values), wrong))
    if requirement.operator in {"Gt", "Lt"}:
        detail = "for 'Gt', 'Lt' operators, the value must be an integer"
        errors += [
            FieldError.invalid(item(where, i), value, detail)
            for i, value in enumerate(values)
            if parse_int64(value) is None
        ]
    for i, value in enumerate(values):
        faults = label_value_faults(value)
        if faults:
            errors.append(FieldError.invalid(f"{item(where, i)}[{requirement.key}]", value, "; ".join(faults)))
    return errors


def _number_fault(operator: str, number: int) -> str:
    """What is wrong with the number of values."""
    match operator:
        case "In" | "NotIn" if number == 0:
            return "for 'in', 'notin' operators, values set can't be empty"
        case "Exists" | "DoesNotExist" if number:
            return "values set must be empty for exists and does not exist"
        case "Gt" | "Lt" if number != 1:
            return "for 'Gt', 'Lt' operators, exactly one value is required"
    return ""


def _listed(values: Sequence[str] | None) -> list[str] | None:
    return None if values is None else list(values)


def _build(args: NodeAffinityWire) -> NodeAffinityArgs:
    added = args.added_affinity
    return NodeAffinityArgs(None if added is None else msgspec.convert(encode(added), NodeAffinity))


SPEC = ArgsSpec(NodeAffinityWire, _build, check=_check)
