"""Reads NodePools of Karpenter."""

from collections.abc import Iterator, Sequence

import msgspec

from kplace.columns.node_selectors import is_label_key, is_label_value, parse_int64
from kplace.errors import Fault, InputError
from kplace.io.documents import documents
from kplace.io.shape import Problem, fit
from kplace.io.sources import Argument, Source, SourceError, find_sources
from kplace.io.validate.fields import quantity_problem
from kplace.io.validate.pods import TAINT_EFFECTS
from kplace.objects.nodepool import NodePool, NodePoolRequirement

GROUP = "karpenter.sh"
KIND = "NodePool"
HEAVIEST = 100
"""The highest weight that Karpenter takes."""
OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")


def read_nodepools(*arguments: Argument) -> list[tuple[str, NodePool]]:
    """Read the NodePools of files; other kinds are left alone.

    Returns
    -------
    list of (str, NodePool)
        Each with the file that it is of.

    Raises
    ------
    InputError
        With every fault of every file; that there is no NodePool at all is one.
    """
    found = find_sources(arguments)
    faults, pools = list(found.faults), []
    for source in found.sources:
        for raw in _objects(source, faults):
            if not str(raw.get("apiVersion", "")).startswith(f"{GROUP}/") or raw.get("kind") != KIND:
                continue
            fitting, problems = fit(raw, NodePool)
            pool = msgspec.convert(fitting, NodePool)
            subject = f"{KIND} {pool.metadata.name or '(without a name)'}"
            problems += _problems(pool)
            faults += [Fault(source.name, subject, path, message) for path, message in problems]
            pools.append((source.name, pool))
    if not pools and not faults:
        names = ", ".join(map(str, arguments))
        faults.append(Fault(names, "", "", f"there is no {KIND} of {GROUP}"))
    if faults:
        raise InputError(faults)
    return pools


def _objects(source: Source, faults: list[Fault]) -> Iterator[dict[str, object]]:
    """Objects of a file, those of lists one by one."""
    try:
        data = source.read()
    except SourceError as error:
        faults.append(Fault(source.name, "", "", str(error)))
        return
    wrong: list[str] = []
    for document in documents(data, is_yaml=source.is_yaml, complain=wrong.append):
        content = msgspec.json.decode(document.raw)
        items = content.get("items") if isinstance(content, dict) else content
        yield from (item for item in (items if isinstance(items, list) else [content]) if isinstance(item, dict))
    faults += [Fault(source.name, "", "", message) for message in wrong]


def _problems(pool: NodePool) -> Iterator[Problem]:
    if not pool.metadata.name:
        yield "metadata.name", "is missing"
    template = pool.spec.template
    for i, item in enumerate(template.spec.requirements or ()):
        for path, message in _requirement_problems(item):
            yield f"spec.template.spec.requirements[{i}].{path}", message
    for i, taint in enumerate(template.spec.taints or ()):
        if taint.effect not in TAINT_EFFECTS:
            yield f"spec.template.spec.taints[{i}].effect", _expected(TAINT_EFFECTS, taint.effect)
    for key, value in (template.metadata.labels or {}).items():
        if not is_label_key(key) or not is_label_value(value):
            yield "spec.template.metadata.labels", f"{key}={value} is no label"
    for name, quantity in (pool.spec.limits or {}).items():
        if problem := quantity_problem(quantity, milli=name == "cpu"):
            yield f"spec.limits.{name}", problem
    weight = pool.spec.weight
    if weight is not None and not 1 <= weight <= HEAVIEST:
        yield "spec.weight", f"expected 1 to {HEAVIEST}, got {weight}"


def _requirement_problems(item: NodePoolRequirement) -> Iterator[Problem]:
    values = item.values or ()
    if not is_label_key(item.key):
        yield "key", f'expected the key of a label, got "{item.key}"'
    if item.operator not in OPERATORS:
        yield "operator", _expected(OPERATORS, item.operator)
    elif item.operator in ("In", "NotIn") and not values:
        yield "values", f"expected at least one value for {item.operator}"
    elif item.operator in ("Exists", "DoesNotExist") and values:
        yield "values", f"expected none for {item.operator}, got {len(values)}"
    elif item.operator in ("Gt", "Lt") and (len(values) != 1 or parse_int64(values[0]) is None):
        yield "values", f"expected one integer for {item.operator}, got {', '.join(values) or 'none'}"
    if item.min_values is not None and item.min_values < 1:
        yield "minValues", f"expected a positive number, got {item.min_values}"


def _expected(choices: Sequence[str], got: str) -> str:
    return f'expected {", ".join(choices[:-1])} or {choices[-1]}, got "{got}"'
