"""Candidates that need no look: no pod can tell them from another one that is as good and no dearer."""

from collections.abc import Iterator

import numpy as np

from kplace.analysis.provision.candidate import HOSTNAME, REGION, ZONE, Candidate
from kplace.analysis.provision.catalogue import Catalogue
from kplace.analysis.provision.demand import Demand
from kplace.columns import ClusterColumns, Template
from kplace.columns.node_order import REGION_LABELS, ZONE_LABELS
from kplace.dtypes import I64
from kplace.objects.core import PodAffinity
from kplace.objects.meta import NodeSelectorTerm
from kplace.objects.storage import CSINode, CSIStorageCapacity, PersistentVolume, StorageClass


def pruned(
    catalogue: Catalogue, columns: ClusterColumns, demand: Demand
) -> tuple[list[int], tuple[tuple[Candidate, str], ...]]:
    """Divide the candidates.

    Returns
    -------
    kept : list of int
        Indexes of those to look at.
    left_out : tuple of (Candidate, str)
        The others, each with why.

    Notes
    -----
    One is left out if another has the same taints, limit and companions, the same labels as far as any pod or volume
    asks for them, offers at least as much, and costs no more.
    """
    asked = _asked_resources(demand)
    alike: dict[tuple[object, ...], list[int]] = {}
    for c, look in enumerate(_looks(catalogue, columns, relevant_labels(columns))):
        alike.setdefault(look, []).append(c)
    reasons: dict[int, str] = {}
    for rows in alike.values():
        reasons |= _dominated(catalogue, asked, rows)
    kept = [c for c in range(len(catalogue.candidates)) if c not in reasons]
    return kept, tuple((catalogue.candidates[c], why) for c, why in sorted(reasons.items()))


def looks_and_amounts(catalogue: Catalogue, columns: ClusterColumns) -> list[tuple[object, ...]]:
    """For each candidate all that counts of it but in which topology domains it is, zones apart: equal if alike."""
    looks = _looks(catalogue, columns, selecting_labels(columns))
    return [
        (*look, item.price, tuple(sorted(item.capacity.items())), catalogue.room[:, c].tobytes())
        for c, (item, look) in enumerate(zip(catalogue.candidates, looks, strict=True))
    ]


def _looks(catalogue: Catalogue, columns: ClusterColumns, labels: set[str]) -> list[tuple[object, ...]]:
    """Some labels of each candidate, and all else that pods can tell of it, but for amounts."""
    keys = sorted(labels)
    companions = _companions(catalogue)
    drivers = {item.metadata.name: item.spec for item in columns.of_kind(CSINode)}
    return [
        (
            tuple(item.labels.get(key) for key in keys),
            item.node.spec.taints,
            id(item.limit) if item.limit else 0,
            companions[c],
            drivers.get(item.like),
        )
        for c, item in enumerate(catalogue.candidates)
    ]


def _asked_resources(demand: Demand) -> I64:
    """Rows of the resources that pods of the demand request, and that of the number of pods."""
    requests = np.array([template.request for template in demand.templates()], np.int64)
    asked = requests.reshape(demand.n_classes, len(demand.columns.resources)).any(axis=0)
    return np.append(np.flatnonzero(asked), len(demand.columns.resources))


def _dominated(catalogue: Catalogue, asked: I64, rows: list[int]) -> dict[int, str]:
    """Candidates among some that are alike which another one is better than, or as good as."""
    items, offered = catalogue.candidates, catalogue.room[asked]
    # The best come first, so that whatever is better than one stands before it.
    order = sorted(rows, key=lambda c: (items[c].price, *(-offered[:, c]).tolist(), c))
    kept: list[int] = []
    reasons: dict[int, str] = {}
    for c in order:
        enough = np.flatnonzero((offered[:, kept] >= offered[:, [c]]).all(axis=0)).tolist()
        better = next((kept[k] for k in enough if _counts_no_more(items[kept[k]], items[c])), None)
        if better is None:
            kept.append(c)
        else:
            reasons[c] = f"{items[better].name} offers as much and costs no more"
    return reasons


def _counts_no_more(one: Candidate, other: Candidate) -> bool:
    """Whether one counts for no more than another under their limit."""
    if one.limit is None:
        return True
    return all(one.capacity.get(name, 0) <= other.capacity.get(name, 0) for name in one.limit.room)


def _companions(catalogue: Catalogue) -> list[tuple[int, ...]]:
    found: list[list[int]] = [[] for _ in catalogue.candidates]
    for companion in catalogue.companions:
        for c in companion.candidates.tolist():
            found[c].append(companion.template)
    return [tuple(sorted(item)) for item in found]


def relevant_labels(columns: ClusterColumns) -> set[str]:
    """Keys of node labels that a pod of the cluster or a volume asks for, and those of zones."""
    topology = {key for template in _used(columns) for key in _topology_of(template)}
    # Every new node has a name of its own, whatever it is like.
    return (selecting_labels(columns) | topology) - {HOSTNAME}


def selecting_labels(columns: ClusterColumns) -> set[str]:
    """Keys of node labels whose values a pod of the cluster or a volume names, and those of zones."""
    keys = {ZONE, REGION, *ZONE_LABELS, *REGION_LABELS}
    for template in _used(columns):
        keys.update(_selected_by(template))
    for volume in columns.of_kind(PersistentVolume):
        affinity = volume.spec.node_affinity
        for term in (affinity.required.node_selector_terms if affinity and affinity.required else None) or ():
            keys.update(_of_term(term))
    for capacity in columns.of_kind(CSIStorageCapacity):
        selector = capacity.node_topology
        keys.update((selector.match_labels if selector else None) or {})
        keys.update(item.key for item in (selector.match_expressions if selector else None) or ())
    for item in columns.of_kind(StorageClass):
        for topology in item.allowed_topologies or ():
            keys.update(expression.key for expression in topology.match_label_expressions or ())
    return keys - {HOSTNAME}


def _used(columns: ClusterColumns) -> list[Template]:
    """Templates that pods of the cluster have."""
    used = np.flatnonzero(np.bincount(columns.pods.template, minlength=len(columns.templates)))
    return [columns.templates[code] for code in used.tolist()]


def _selected_by(template: Template) -> Iterator[str]:
    spec = template.spec
    yield from spec.node_selector or {}
    nodes = spec.affinity.node_affinity if spec.affinity else None
    for term in (nodes.required.node_selector_terms if nodes and nodes.required else None) or ():
        yield from _of_term(term)
    for weighted in (nodes.preferred if nodes else None) or ():
        if weighted.preference is not None:
            yield from _of_term(weighted.preference)


def _topology_of(template: Template) -> Iterator[str]:
    spec = template.spec
    for constraint in spec.topology_spread_constraints or ():
        yield constraint.topology_key
    if spec.affinity is not None:
        yield from _of_pods(spec.affinity.pod_affinity)
        yield from _of_pods(spec.affinity.pod_anti_affinity)


def _of_pods(part: PodAffinity | None) -> Iterator[str]:
    for term in (part.required if part else None) or ():
        yield term.topology_key
    for weighted in (part.preferred if part else None) or ():
        if weighted.pod_affinity_term is not None:
            yield weighted.pod_affinity_term.topology_key


def _of_term(term: NodeSelectorTerm) -> Iterator[str]:
    for expression in term.match_expressions or ():
        yield expression.key
