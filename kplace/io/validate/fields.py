"""Checks of single fields and of the small structures that many kinds share.

A check yields pairs of path and message, the path seen from what it was given; whoever calls it puts its own part of
the path before (`under`), so that no path is written unless there is something wrong.
"""

import functools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from difflib import get_close_matches

from kplace.columns.quantity import QuantityError, overflows, parse
from kplace.io.shape import Problem, join_path, key_step
from kplace.objects.meta import (
    LabelSelector,
    NodeSelector,
    NodeSelectorTerm,
    ObjectMeta,
    Quantity,
    ResourceRequirements,
    SelectorRequirement,
)

Problems = Iterator[Problem]
ResourcesCheck = Callable[[Mapping[str, Quantity] | None], Problems]

INT32_MAX = 2**31 - 1
LABEL_OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist")
NODE_OPERATORS = (*LABEL_OPERATORS, "Gt", "Lt")

_TIME = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]{1,9})?(?:Z|[+-][0-9]{2}:[0-9]{2})"
)
_INTEGER = re.compile(r"[+-]?[0-9]+")
_WHOLE_RESOURCES = frozenset(
    {
        *("configmaps", "persistentvolumeclaims", "pods", "replicationcontrollers", "resourcequotas", "secrets"),
        *("services", "services.loadbalancers", "services.nodeports"),
    }
)
_CONTAINER_RESOURCES = ("cpu", "memory", "ephemeral-storage")


def under(prefix: str, problems: Iterable[Problem]) -> Problems:
    """Put a part of the path before each problem's own.

    Examples
    --------
    >>> list(under("spec", [("replicas", "is negative"), ("", "is missing")]))
    [('spec.replicas', 'is negative'), ('spec', 'is missing')]
    """
    for path, message in problems:
        yield join_path(prefix, path), message


def one_of(word: str, known: Sequence[str]) -> str | None:
    """Say that a word is none of the known ones, and which of them may be meant.

    Examples
    --------
    >>> one_of("noschedule", ("NoSchedule", "NoExecute"))
    '"noschedule" is none of NoSchedule, NoExecute: did you mean NoSchedule?'
    """
    if word in known:
        return None
    lower = {item.lower(): item for item in known}
    near = get_close_matches(word.lower(), lower, 1)
    return f'"{word}" is none of {", ".join(known)}' + (f": did you mean {lower[near[0]]}?" if near else "")


def optional_word(path: str, word: str | None, known: Sequence[str]) -> Problems:
    """Check a word that may be absent."""
    if word and (message := one_of(word, known)):
        yield path, message


def in_range(path: str, number: int | None, least: int, most: int = INT32_MAX) -> Problems:
    """Check a number that may be absent."""
    if number is not None and not least <= number <= most:
        limits = f"{least} or more" if most == INT32_MAX and number < least else f"{least} to {most}"
        yield path, f"must be {limits}, not {number}"


def time_problem(text: str | None) -> str | None:
    """Say what is wrong with a timestamp; None is none.

    Examples
    --------
    >>> time_problem("2025-06-01T12:00:00Z"), time_problem("2025-06-01")
    (None, '"2025-06-01" is not a time such as 2025-06-01T12:00:00Z')
    """
    if not text or ((time := _TIME.fullmatch(text)) and _is_date(time[1])):
        return None
    return f'"{text}" is not a time such as 2025-06-01T12:00:00Z'


@functools.lru_cache
def _is_date(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def metadata(meta: ObjectMeta) -> Problems:
    """Check the name and the times of an object."""
    if not meta.name:
        yield "metadata.name", "is missing" + (": generateName alone gives none here" if meta.generate_name else "")
    for field, text in (
        ("creationTimestamp", meta.creation_timestamp),
        ("deletionTimestamp", meta.deletion_timestamp),
    ):
        if message := time_problem(text):
            yield f"metadata.{field}", message


def is_whole_resource(name: str) -> bool:
    """Whether amounts of a resource must be whole: pods and extended resources.

    Mirrors ``IsIntegerResourceName`` of upstream's ``apis/core/v1/helper``.
    """
    if name in _WHOLE_RESOURCES:
        return True
    return "/" in name and "kubernetes.io/" not in name and not name.startswith("requests.")


def quantities(amounts: Mapping[str, Quantity] | None) -> Problems:
    """Check a map of resource names to quantities."""
    for name, quantity in (amounts or {}).items():
        if message := quantity_problem(quantity, whole=is_whole_resource(name), milli=name == "cpu"):
            yield key_step(name), message


@functools.lru_cache(maxsize=1 << 16)
def quantity_problem(quantity: Quantity, *, whole: bool = False, milli: bool = False) -> str | None:
    """Say what is wrong with a quantity.

    Parameters
    ----------
    quantity : str, int or float
    whole : bool
        It must be a whole number.
    milli : bool
        It is counted in thousandths.
    """
    shown = f'"{quantity}"'
    try:
        number = parse(quantity)
        if number < 0:
            return f"{shown} is negative"
        if overflows(quantity, milli=milli):
            return f"{shown} is more than the scheduler can count"
    except QuantityError as error:
        return str(error)
    if whole and not isinstance(number, int):
        return f"{shown} is not a whole number, and this resource is counted in whole units"
    return None


def container_resources(amounts: Mapping[str, Quantity] | None) -> Problems:
    """Check a map of resource names to quantities of a container: names without a domain are few."""
    for name in amounts or {}:
        if "/" not in name and name not in _CONTAINER_RESOURCES and not name.startswith("hugepages-"):
            yield key_step(name), f"{one_of(name, _CONTAINER_RESOURCES)} (others are written with a domain)"
    yield from quantities(amounts)


def requirements(resources: ResourceRequirements | None, check: ResourcesCheck = container_resources) -> Problems:
    """Check requests and limits, each alone by ``check`` and against one another."""
    if resources is None:
        return
    limits, requests = resources.limits or {}, resources.requests or {}
    yield from under("limits", check(limits))
    yield from under("requests", check(requests))
    for name in requests.keys() & limits.keys():
        request, limit = requests[name], limits[name]
        if request != limit and not quantity_problem(request) and not quantity_problem(limit):
            yield from under(join_path("requests", key_step(name)), _above_limit(name, request, limit))


def _above_limit(name: str, request: Quantity, limit: Quantity) -> Problems:
    if parse(request) > parse(limit):
        yield "", f'"{request}" is more than the limit of "{limit}"'
    elif is_whole_resource(name) and parse(request) != parse(limit):
        yield "", f'"{request}" must equal the limit of "{limit}": an extended resource cannot be overcommitted'


def label_selector(selector: LabelSelector | None) -> Problems:
    """Check a label selector; an empty one is fine."""
    if selector is not None:
        for i, expression in enumerate(selector.match_expressions or ()):
            yield from under(f"matchExpressions[{i}]", _requirement(expression, LABEL_OPERATORS))


def node_selector(selector: NodeSelector | None) -> Problems:
    """Check node selector terms."""
    if selector is not None:
        for i, term in enumerate(selector.node_selector_terms or ()):
            yield from under(f"nodeSelectorTerms[{i}]", node_selector_term(term))


def node_selector_term(term: NodeSelectorTerm | None) -> Problems:
    """Check one node selector term; an empty one matches nothing and is fine."""
    if term is None:
        return
    for i, expression in enumerate(term.match_expressions or ()):
        yield from under(f"matchExpressions[{i}]", _requirement(expression, NODE_OPERATORS))
    for i, expression in enumerate(term.match_fields or ()):
        yield from under(f"matchFields[{i}]", _field_requirement(expression))


def _requirement(expression: SelectorRequirement, operators: Sequence[str]) -> Problems:
    operator, values = expression.operator, expression.values or ()
    if not expression.key:
        yield "key", "is missing"
    if message := one_of(operator, operators):
        yield "operator", message
    elif operator in {"In", "NotIn"}:
        if not values:
            yield "values", f"must hold at least one value with operator {operator}"
    elif operator in {"Gt", "Lt"}:
        if len(values) != 1:
            yield "values", f"must hold one whole number with operator {operator}"
        elif not _INTEGER.fullmatch(values[0]):
            yield "values[0]", f'"{values[0]}" is not a whole number, which operator {operator} compares'
    elif values:
        yield "values", f"must be empty with operator {operator}"


def _field_requirement(expression: SelectorRequirement) -> Problems:
    if message := one_of(expression.operator, ("In", "NotIn")):
        yield "operator", message
    if message := one_of(expression.key, ("metadata.name",)):
        yield "key", message
