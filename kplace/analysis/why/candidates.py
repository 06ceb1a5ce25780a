"""Changes worth trying, from what the nodes have to say."""

from collections.abc import Iterator, Mapping
from functools import partial

import numpy as np
import pandas as pd
from msgspec import structs

from kplace.analysis.why.changes import Change, with_request, with_spec
from kplace.analysis.why.evictions import evictions, free_amounts
from kplace.analysis.why.nodes import node_changes
from kplace.analysis.why.ports import host_port_changes
from kplace.analysis.why.volumes import volume_changes
from kplace.columns import ClusterColumns
from kplace.columns.release import CORDON
from kplace.objects.core import Toleration
from kplace.plugins import names
from kplace.plugins.tolerations import first_untolerated

MOST_SKEW = 6
"""So much more than allowed is not tried."""
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
    yield from host_port_changes(columns, pod, says)
    yield from volume_changes(columns, pod, says)
    yield from node_changes(columns, pod, says)
    yield from evictions(columns, pod, says)


def _requests(columns: ClusterColumns, pod: int, says: Mapping[int, str]) -> Iterator[Change]:
    """For each resource, the largest request with which the pod fits a node that is short of nothing else."""
    request = columns.templates[columns.pods.template[pod]].request
    free = free_amounts(columns)
    short = free[:-1] < request[:, None]
    asked = np.isin(
        np.arange(len(columns.nodes)), [n for n, plugin in says.items() if plugin == names.NODE_RESOURCES_FIT]
    )
    for row, resource in enumerate(columns.resources):
        alone = asked & short[row] & (short.sum(axis=0) == 1) & (free[row] > 0)
        amounts = np.unique(free[row][alone])[::-1]
        for amount in amounts[:5].tolist():
            lower = request.copy()
            unit, suffix = _UNITS.get(resource, (1, ""))
            lower[row] = amount // unit * unit
            if not lower[row]:
                continue
            was = f"{request[row] // unit:,}{suffix}"
            text = f"request {lower[row] // unit:,}{suffix} of {resource} instead of {was}"
            share = 1 - lower[row] / request[row]
            yield Change("request", text, float(share), partial(with_request, columns, pod, lower), pod)


def _tolerations(columns: ClusterColumns, pod: int, says: Mapping[int, str]) -> Iterator[Change]:
    spec = columns.templates[columns.pods.template[pod]].spec
    own = spec.tolerations or ()
    taints = {}
    for n, plugin in says.items():
        if plugin == names.TAINT_TOLERATION:
            listed = columns.nodes.taint_sets[columns.nodes.taint_set[n]]
            taints[listed[first_untolerated(listed, own)]] = n
    for taint in taints:
        if taint != CORDON:
            added = Toleration(key=taint.key, operator="Equal", value=taint.value, effect=taint.effect)
            text = f"tolerate the taint {taint.key}{'=' if taint.value else ''}{taint.value}:{taint.effect}"
            changed = structs.replace(spec, tolerations=(*own, added))
            yield Change("toleration", text, 1, partial(with_spec, columns, pod, changed), pod)


def _constraints(columns: ClusterColumns, pod: int) -> Iterator[Change]:
    """Rules of the pod's own spec, each loosened or left out."""
    spec = columns.templates[columns.pods.template[pod]].spec
    for key, value in (spec.node_selector or {}).items():
        kept = {name: own for name, own in (spec.node_selector or {}).items() if name != key}
        changed = structs.replace(spec, node_selector=kept or None)
        text = f"leave {key}={value} out of the node selector"
        yield Change("node selector", text, 1, partial(with_spec, columns, pod, changed), pod)
    affinity = spec.affinity
    if affinity and affinity.node_affinity and affinity.node_affinity.required:
        looser = structs.replace(affinity, node_affinity=structs.replace(affinity.node_affinity, required=None))
        text = "leave the required node affinity out"
        yield Change(
            "node affinity", text, 1, partial(with_spec, columns, pod, structs.replace(spec, affinity=looser)), pod
        )
    constraints = spec.topology_spread_constraints or ()
    for position, item in enumerate(constraints):
        if item.when_unsatisfiable != "DoNotSchedule":
            continue
        for skew in range(item.max_skew + 1, item.max_skew + MOST_SKEW):
            others = list(constraints)
            others[position] = structs.replace(item, max_skew=skew)
            changed = structs.replace(spec, topology_spread_constraints=tuple(others))
            text = f"allow a skew of {skew} over {item.topology_key} instead of {item.max_skew}"
            yield Change("spread", text, skew - item.max_skew, partial(with_spec, columns, pod, changed), pod)
        others = list(constraints)
        others[position] = structs.replace(item, when_unsatisfiable="ScheduleAnyway")
        changed = structs.replace(spec, topology_spread_constraints=tuple(others))
        text = f"let the spread over {item.topology_key} be a wish (ScheduleAnyway)"
        yield Change("spread", text, MOST_SKEW, partial(with_spec, columns, pod, changed), pod)
    for field, kind in (("pod_affinity", "pod affinity"), ("pod_anti_affinity", "pod anti-affinity")):
        if affinity is None:
            return
        own = getattr(affinity, field)
        terms = (own.required if own else None) or ()
        for position, term in enumerate(terms):
            rest = (*terms[:position], *terms[position + 1 :])
            looser = structs.replace(affinity, **{field: structs.replace(own, required=rest or None)})
            text = f"leave the required {kind} by {term.topology_key} out"
            yield Change(kind, text, 1, partial(with_spec, columns, pod, structs.replace(spec, affinity=looser)), pod)
