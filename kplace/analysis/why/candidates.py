"""Changes worth trying, from what the nodes have to say."""

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd
from msgspec import structs

from kplace.analysis.drain.evictable import stays_with_node
from kplace.analysis.why.changes import Change, uncordoned, with_label, with_request, with_spec
from kplace.columns import ClusterColumns
from kplace.columns.addition import with_nodes
from kplace.columns.release import CORDON
from kplace.columns.removal import without_pods
from kplace.dtypes import I64, NO_VALUE
from kplace.frames.usage import holding_nodes, offered, usage
from kplace.objects.core import Toleration
from kplace.plugins.tolerations import first_untolerated

MOST_EVICTIONS = 40
MOST_SHAPES = 16
MOST_LABELS = 8
_UNITS = {"cpu": (1, "m"), "memory": (2**20, "Mi"), "ephemeral-storage": (2**20, "Mi")}


def candidates(columns: ClusterColumns, pod: int, explained: pd.DataFrame) -> Iterator[Change]:
    """Single changes that may let a pod in; each has still to be tried.

    Parameters
    ----------
    columns : ClusterColumns
        In which the pod waits.
    explained : DataFrame
        What each node says to it, as `kplace.explain` has it.
    """
    rejected = explained[explained["verdict"] == "rejected"]
    says: Mapping[int, str] = dict(
        zip(rejected["node"].cat.codes.tolist(), rejected["plugin"].astype("str").tolist(), strict=True)
    )
    yield from _requests(columns, pod, says)
    yield from _tolerations(columns, pod, says)
    yield from _constraints(columns, pod)
    for n, plugin in says.items():
        if plugin == "NodeUnschedulable" or (plugin == "TaintToleration" and columns.nodes.unschedulable[n]):
            yield Change("uncordon", f"uncordon the node {columns.nodes.names[n]}", 1, uncordoned(columns, n), pod)
    yield from _labels(columns, pod, says)
    yield from _evictions(columns, pod, says)
    yield from _nodes(columns, pod)


def _requests(columns: ClusterColumns, pod: int, says: Mapping[int, str]) -> Iterator[Change]:
    """For each resource, the largest request with which the pod fits a node that is short of nothing else."""
    request = columns.templates[columns.pods.template[pod]].request
    free = _free(columns)
    short = free[:-1] < request[:, None]
    asked = np.isin(np.arange(len(columns.nodes)), [n for n, plugin in says.items() if plugin == "NodeResourcesFit"])
    for row, resource in enumerate(columns.resources):
        alone = asked & short[row] & (short.sum(axis=0) == 1) & (free[row] > 0)
        amounts = np.unique(free[row][alone])[::-1]
        for amount in amounts[:5].tolist():
            lower = request.copy()
            unit, suffix = _UNITS.get(resource, (1, ""))
            lower[row] = amount // unit * unit
            was = f"{request[row] // unit:,}{suffix}"
            text = f"request {lower[row] // unit:,}{suffix} of {resource} instead of {was}"
            share = 1 - lower[row] / request[row]
            yield Change("request", text, float(share), with_request(columns, pod, lower), pod)


def _tolerations(columns: ClusterColumns, pod: int, says: Mapping[int, str]) -> Iterator[Change]:
    spec = columns.templates[columns.pods.template[pod]].spec
    own = spec.tolerations or ()
    taints = {}
    for n, plugin in says.items():
        if plugin == "TaintToleration":
            listed = columns.nodes.taint_sets[columns.nodes.taint_set[n]]
            taints[listed[first_untolerated(listed, own)]] = n
    for taint in taints:
        if taint != CORDON:
            added = Toleration(key=taint.key, operator="Equal", value=taint.value, effect=taint.effect)
            text = f"tolerate the taint {taint.key}{'=' if taint.value else ''}{taint.value}:{taint.effect}"
            changed = structs.replace(spec, tolerations=(*own, added))
            yield Change("toleration", text, 1, with_spec(columns, pod, changed), pod)


def _constraints(columns: ClusterColumns, pod: int) -> Iterator[Change]:
    """Rules of the pod's own spec, each loosened or left out."""
    spec = columns.templates[columns.pods.template[pod]].spec
    for key, value in (spec.node_selector or {}).items():
        kept = {name: own for name, own in (spec.node_selector or {}).items() if name != key}
        changed = structs.replace(spec, node_selector=kept or None)
        text = f"leave {key}={value} out of the node selector"
        yield Change("node selector", text, 1, with_spec(columns, pod, changed), pod)
    affinity = spec.affinity
    if affinity and affinity.node_affinity and affinity.node_affinity.required:
        looser = structs.replace(affinity, node_affinity=structs.replace(affinity.node_affinity, required=None))
        text = "leave the required node affinity out"
        yield Change("node affinity", text, 1, with_spec(columns, pod, structs.replace(spec, affinity=looser)), pod)
    constraints = spec.topology_spread_constraints or ()
    for position, item in enumerate(constraints):
        if item.when_unsatisfiable != "DoNotSchedule":
            continue
        for skew in range(item.max_skew + 1, item.max_skew + 6):
            others = list(constraints)
            others[position] = structs.replace(item, max_skew=skew)
            changed = structs.replace(spec, topology_spread_constraints=tuple(others))
            text = f"allow a skew of {skew} over {item.topology_key} instead of {item.max_skew}"
            yield Change("spread", text, skew - item.max_skew, with_spec(columns, pod, changed), pod)
    for field, kind in (("pod_affinity", "pod affinity"), ("pod_anti_affinity", "pod anti-affinity")):
        if affinity is None:
            return
        own = getattr(affinity, field)
        terms = (own.required if own else None) or ()
        for position, term in enumerate(terms):
            rest = (*terms[:position], *terms[position + 1 :])
            looser = structs.replace(affinity, **{field: structs.replace(own, required=rest or None)})
            text = f"leave the required {kind} by {term.topology_key} out"
            yield Change(kind, text, 1, with_spec(columns, pod, structs.replace(spec, affinity=looser)), pod)


def _labels(columns: ClusterColumns, pod: int, says: Mapping[int, str]) -> Iterator[Change]:
    """Nodes that lack one label of the node selector."""
    wanted = columns.templates[columns.pods.template[pod]].spec.node_selector or {}
    tried = 0
    for n, plugin in says.items():
        if plugin != "NodeAffinity" or tried == MOST_LABELS:
            continue
        lacking = [(key, value) for key, value in wanted.items() if _label(columns, n, key) != value]
        if len(lacking) == 1:
            tried += 1
            (key, value) = lacking[0]
            text = f"label the node {columns.nodes.names[n]} with {key}={value}"
            yield Change("label", text, 1, with_label(columns, n, key, value), pod)


def _label(columns: ClusterColumns, node: int, key: str) -> str | None:
    code = int(columns.nodes.label_codes(key)[node])
    return None if code == NO_VALUE else columns.nodes.label_values(key)[code]


def _evictions(columns: ClusterColumns, pod: int, says: Mapping[int, str]) -> Iterator[Change]:
    """One pod that leaves, of those on nodes where that may help; the least important and the smallest first."""
    pods, request = columns.pods, columns.templates[columns.pods.template[pod]].request
    free = _free(columns)
    on_them = pods.holding & np.isin(pods.node, [n for n, plugin in says.items() if plugin not in _STATIC])
    movable = np.flatnonzero(on_them & ~stays_with_node(columns))
    needs = np.array([item.request for item in columns.templates], np.int64).reshape(len(columns.templates), -1)
    taken = needs[pods.template[movable]]
    nodes = pods.node[movable]
    enough = (free[:-1, nodes].T + taken >= request).all(axis=1) & (free[-1, nodes] + 1 >= 1)
    movable, taken = movable[enough], taken[enough]
    order = np.lexsort((taken[:, 1], taken[:, 0], pods.priority[movable]))[:MOST_EVICTIONS]
    for rank, victim in enumerate(movable[order].tolist()):
        text = f"evict {pods.key(victim)} from the node {columns.nodes.names[pods.node[victim]]}"
        changed = without_pods(columns, np.array([victim], np.int32))
        yield Change("eviction", text, rank, changed, pod - int(victim < pod))


_STATIC = ("NodeUnschedulable", "NodeName", "TaintToleration", "NodeAffinity")
"""Filters that do not look at what is on a node."""


def _nodes(columns: ClusterColumns, pod: int) -> Iterator[Change]:
    """One more node of a shape that is there; those that offer less first."""
    shapes: dict[tuple[object, ...], int] = {}
    nodes = columns.nodes
    for n in range(len(nodes)):
        labels = tuple(
            int(column.codes[n]) for key, column in nodes.labels.items() if len(column.values) < max(len(nodes) // 2, 2)
        )
        shape = (labels, int(nodes.taint_set[n]), nodes.allocatable[:, n].tobytes(), bool(nodes.unschedulable[n]))
        shapes.setdefault(shape, n)
    chosen = sorted((int(nodes.allocatable[0, n]), n) for n in shapes.values() if not nodes.unschedulable[n])
    for size, n in chosen[:MOST_SHAPES]:
        text = f"add a node like {nodes.names[n]}"
        yield Change("node", text, size, with_nodes(columns, columns, [n], [f"{nodes.names[n]}-more"]), pod)


def _free(columns: ClusterColumns) -> I64:
    return offered(columns) - usage(columns, holding_nodes(columns)).requested
