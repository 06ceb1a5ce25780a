"""Candidates like nodes that are there: one for each kind of node that the cluster has."""

from collections.abc import Iterator

import numpy as np
from msgspec import structs

from kplace.analysis.provision.candidate import (
    ARCH,
    CAPACITY_TYPE,
    HOSTNAME,
    OS,
    REGION,
    TYPES,
    ZONE,
    ZONES,
    Candidate,
    as_template,
    first_label,
)
from kplace.columns import ClusterColumns
from kplace.columns.rebuilt import NodeObjects
from kplace.dtypes import CPU, FIRST_SCALAR, I64
from kplace.objects.meta import Quantity

_KEPT = frozenset((ZONE, REGION, ARCH, OS, CAPACITY_TYPE, *ZONES, *TYPES))
_MOST_VALUES = 8
"""A label with more values than this, and more than half as many as there are nodes, tells nodes apart, not pools."""


def pool_candidates(columns: ClusterColumns) -> Iterator[Candidate]:
    """One candidate for each kind of node: nodes with the same labels and taints, but for what is each node's own.

    It offers what all nodes of the kind offer. Cordoned nodes count as if they were not.
    """
    keys = _telling(columns)
    made = NodeObjects(columns)
    kinds: dict[tuple[object, ...], list[int]] = {}
    templates = {}
    for n in np.argsort(columns.nodes.arrival, kind="stable").tolist():
        node, _ = as_template(made[n])
        labels = {key: value for key, value in (node.metadata.labels or {}).items() if key in keys}
        kind = (frozenset(labels.items()), node.spec.taints)
        kinds.setdefault(kind, []).append(n)
        if len(kinds[kind]) == 1:
            meta = structs.replace(node.metadata, labels={HOSTNAME: node.metadata.name, **labels})
            templates[n] = structs.replace(node, metadata=meta)
    groups: dict[tuple[object, ...], str] = {}
    for rows in kinds.values():
        node = templates[rows[0]]
        labels = dict(node.metadata.labels or {})
        zoneless = frozenset(item for item in labels.items() if item[0] not in (*ZONES, HOSTNAME, REGION))
        kind = (zoneless, node.spec.taints)
        name = node.metadata.name
        group = groups.setdefault(kind, _named(first_label(labels, TYPES), name, set(groups.values())))
        zone = first_label(labels, ZONES)
        status = structs.replace(node.status, allocatable=_common(columns, np.array(rows)), capacity=None)
        full = f"{group} {zone}" if zone else group
        yield Candidate(full, group, "pool", structs.replace(node, status=status), like=name)


def _named(instance_type: str, node: str, taken: set[str]) -> str:
    name = instance_type or f"like {node}"
    return f"{instance_type} like {node}" if name in taken else name


def _telling(columns: ClusterColumns) -> set[str]:
    """Keys of labels that tell kinds of nodes apart."""
    most = max(len(columns.nodes) // 2, _MOST_VALUES)
    labels = columns.nodes.labels.items()
    return {key for key, column in labels if key in _KEPT or (key != HOSTNAME and len(column.values) <= most)}


def _common(columns: ClusterColumns, rows: I64) -> dict[str, Quantity]:
    """What all of some nodes offer."""
    least = columns.nodes.allocatable[:, rows].min(axis=1).tolist()
    amounts: dict[str, Quantity] = {"pods": str(columns.nodes.allowed_pods[rows].min())}
    for row, name in enumerate(columns.resources):
        if least[row] or row < FIRST_SCALAR:
            amounts[name] = f"{least[row]}m" if row == CPU else str(least[row])
    return amounts
