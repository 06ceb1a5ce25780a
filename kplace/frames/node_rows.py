"""Rows of a user's DataFrame as nodes."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar

import msgspec

from kplace.columns.node_order import REGION_LABELS, ZONE_LABELS
from kplace.columns.resources import BASE_RESOURCES, is_scalar
from kplace.frames.nodes import INSTANCE_TYPE_LABELS
from kplace.frames.rows import Refused, RowReader, integer, quantity, shown, text
from kplace.frames.schema import resource_of
from kplace.frames.taints import parse_taints
from kplace.objects.core import ContainerImage, Node, NodeSpec, NodeStatus, Taint
from kplace.objects.meta import ObjectMeta, Quantity

HOSTNAME_LABEL = "kubernetes.io/hostname"
DEFAULT_PODS = 110
"""What a kubelet allows unless it is told otherwise."""

_DERIVED = ("requested_", "free_", "utilisation_", "nonzero_requested_")
_IMPLIED = {"zone": ZONE_LABELS, "region": REGION_LABELS, "instance_type": INSTANCE_TYPE_LABELS}

_RESOURCE = re.compile(r"[a-z0-9][-a-z0-9.]*(/[-A-Za-z0-9_.]+)?|hugepages-[0-9A-Za-z]+")

T = TypeVar("T")


def read_nodes(rows: RowReader) -> Iterator[Node]:
    """Nodes of the rows, in their order; rows without a name are left out.

    Faults are collected in ``rows.faults``.
    """
    names = read_names(rows, "node")
    amounts = read_resources(rows, "allocatable_", (*BASE_RESOURCES, "pods"))
    amounts.setdefault("pods", [DEFAULT_PODS] * len(rows))
    labels = _labels(rows, names)
    unschedulable = rows.flags("unschedulable")
    taints = rows.read("taints", taints_of)
    images = rows.read("images", _images_of)
    rows.ignore("position", "pods_placed", prefixes=_DERIVED)
    for row, name in enumerate(names):
        if name is not None:
            yield Node(
                metadata=ObjectMeta(name=name, labels=labels[row]),
                spec=NodeSpec(unschedulable=unschedulable[row], taints=taints[row] or None),
                status=NodeStatus(allocatable=at_row(amounts, row), images=images[row] or None),
            )


def read_names(rows: RowReader, column: str, namespaces: Sequence[str | None] | None = None) -> list[str | None]:
    """Names in the column ``column`` or ``name``; None where there is a fault, also for a name that is there twice."""
    if column not in rows and "name" in rows:
        column = "name"
    if column not in rows:
        if len(rows):
            rows.fault(None, column, "there is no such column")
        return [None] * len(rows)
    given = rows.values(column)
    for row, value in enumerate(given):
        if value is None or value == "":
            rows.fault(row, column, "is missing")
    names = [name or None for name in rows.texts(column)]
    first: dict[tuple[str | None, str], int] = {}
    for row, name in enumerate(names):
        if name is not None:
            namespace = namespaces[row] if namespaces else None
            if first.setdefault((namespace, name), row) != row:
                rows.fault(row, column, f'"{name}" is there twice, first in row {rows.label(first[namespace, name])}')
                names[row] = None
    return names


def read_resources(rows: RowReader, prefix: str, plain: Sequence[str]) -> dict[str, list[Quantity | None]]:
    """Amounts by resource, from columns named after it or ``prefix`` and its unit.

    Parameters
    ----------
    prefix : str
        Of the columns with units: ``allocatable_`` or ``requested_``.
    plain : sequence of str
        The resources without a domain that are looked for; those with one are recognised.
    """
    amounts: dict[str, list[Quantity | None]] = {}
    home: dict[str, str] = {}
    for column in rows.columns:
        has_unit = column.startswith(prefix)
        resource = resource_of(column.removeprefix(prefix)) if has_unit else column.replace("ephemeral_", "ephemeral-")
        if resource not in plain and not _is_extended(resource):
            continue
        if resource in amounts:
            rows.fault(None, column, f"says the same as the column {home[resource]}")
            continue
        home[resource] = column
        convert = quantity if not has_unit else _milli if resource == "cpu" else _whole
        amounts[resource] = rows.read(column, convert)
    return amounts


def _is_extended(name: str) -> bool:
    """Whether a column of this name is meant as a resource with a domain, or as huge pages."""
    return is_scalar(name) and _RESOURCE.fullmatch(name) is not None


def at_row(amounts: Mapping[str, Sequence[T | None]], row: int) -> dict[str, T]:
    """Amounts of one row, without those that are NA."""
    return {name: value for name, values in amounts.items() if (value := values[row]) is not None}


def taints_of(value: object) -> tuple[Taint, ...]:
    """Taints of a text, or of a list of dicts or `Taint`."""
    return listed(value, parse_taints, Taint)


def listed(value: object, parse: Callable[[str], tuple[T, ...]], kind: type[T]) -> tuple[T, ...]:
    """Structs of a text in its short form, or of a list of structs or dicts."""
    try:
        if isinstance(value, str):
            return parse(value)
        if isinstance(value, Sequence):
            return tuple(item if isinstance(item, kind) else msgspec.convert(item, kind) for item in value)
    except (ValueError, msgspec.ValidationError) as error:
        raise Refused(str(error)) from error
    msg = f"expected a text or a list of dicts, got {shown(value)}"
    raise Refused(msg)


def _milli(value: object) -> Quantity:
    return f"{_whole(value)}m"


def _whole(value: object) -> int:
    number = integer(value)
    if number < 0:
        msg = f"expected zero or more, got {shown(value)}"
        raise Refused(msg)
    return number


def _images_of(value: object) -> tuple[ContainerImage, ...]:
    if not isinstance(value, Mapping):
        msg = f"expected a dict of image names and their bytes, got {shown(value)}"
        raise Refused(msg)
    return tuple(ContainerImage((text(name),), _whole(size)) for name, size in value.items())


def _labels(rows: RowReader, names: Sequence[str | None]) -> list[dict[str, str]]:
    labels = rows.labels()
    if "labels" not in rows and f"label:{HOSTNAME_LABEL}" not in rows:
        labels = [own | {HOSTNAME_LABEL: name or ""} for own, name in zip(labels, names, strict=True)]
    for column, keys in _IMPLIED.items():
        for row, value in enumerate(rows.texts(column)):
            if value is None:
                continue
            said = next((labels[row][key] for key in keys if key in labels[row]), None)
            if said is None:
                labels[row] = labels[row] | {keys[-1]: value}
            elif said != value:
                rows.fault(row, column, f'says "{value}", but the labels say "{said}"')
    return labels
