"""How pods of a workload lie over zones, nodes and other domains, and what a dying domain would take."""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

import msgspec
import numpy as np
import pandas as pd

from kplace.analysis.workloads import Workloads, workload_of
from kplace.api import Cluster, Placements
from kplace.columns import ClusterColumns, Template
from kplace.columns.node_order import ZONE_LABELS
from kplace.columns.node_selectors import required_node_affinity_mask
from kplace.columns.selectors import Selector, compile_selector
from kplace.dtypes import I64, NO_VALUE, Mask
from kplace.errors import UsageError
from kplace.frames.build import category_of, frame, nullable, texts
from kplace.frames.usage import holding_nodes
from kplace.objects.core import TopologySpreadConstraint
from kplace.plugins.tolerations import first_untolerated

ZONE = "topology.kubernetes.io/zone"
HOST = "kubernetes.io/hostname"
HARD = "DoNotSchedule"
_NONE = -1
_WITH_NODES = ("DaemonSet", "Node")
"""Kinds whose pods come and go with their nodes."""


def as_cluster(subject: Cluster | Placements | pd.DataFrame, pods: pd.DataFrame | None = None) -> Cluster:
    """Cluster that is meant: as it stands, after a run, or made of a table of nodes and one of pods.

    Raises
    ------
    UsageError
        It is none of these.
    """
    if isinstance(subject, Cluster):
        return subject
    if isinstance(subject, Placements):
        return subject.cluster
    if not isinstance(subject, pd.DataFrame) or pods is None:
        msg = "expected a Cluster, Placements, or a table of nodes with one of pods (pods=...)"
        raise UsageError(msg)
    return Cluster.from_frames(subject, pods)


class _Claim(NamedTuple):
    """A spread constraint with the template that it is from."""

    template: Template
    constraint: TopologySpreadConstraint


class _Counts(NamedTuple):
    """Pods in each domain of a key that has an eligible node; ``there`` are its positions in ``names``."""

    key: str
    counts: I64
    there: I64
    names: tuple[str, ...]


class _Block(NamedTuple):
    """The domains of one constraint, or of one key for one workload; ``max_skew`` is `_NONE` without a constraint."""

    workload: str
    counted: _Counts
    low: int
    max_skew: int
    enforced: bool

    @property
    def key(self) -> str:
        return self.counted.key

    @property
    def counts(self) -> I64:
        return self.counted.counts

    @property
    def values(self) -> list[str]:
        return [self.counted.names[code] for code in self.counted.there.tolist()]

    @property
    def skew(self) -> int:
        return int(self.counts.max()) - self.low

    @property
    def violates(self) -> bool:
        return 0 <= self.max_skew < self.skew


def domains(
    subject: Cluster | Placements | pd.DataFrame, pods: pd.DataFrame | None = None, *, keys: Sequence[str] = ()
) -> pd.DataFrame:
    """Pods by domain: for each topology spread constraint of a workload, and for further topology keys if asked.

    For a constraint, those pods of the namespace count that its selector (with ``matchLabelKeys``) matches, on nodes
    that have its topology keys and that its policies do not leave out; terminating and finished pods do not. ``skew``
    is the largest count less the smallest, the smallest being 0 if there are fewer domains than ``minDomains``. For a
    further key, the pods of each controller count, on all nodes that its node selector and affinity match.

    Parameters
    ----------
    subject : Cluster, Placements or DataFrame
        With ``pods``, a table of nodes.
    pods : DataFrame, optional
        A table of pods.
    keys : sequence of str
        Further topology keys, such as ``"topology.kubernetes.io/zone"``.

    Returns
    -------
    DataFrame
        `kplace.analysis.schema.DOMAINS`.
    """
    columns = as_cluster(subject, pods).columns
    blocks = _of_claims(columns)
    if keys:
        own, counted = Workloads(columns), _counted(columns)
        for key in keys:
            blocks += _of_key(columns, own, key, counted)
    return _table(blocks)


def skews(subject: Cluster | Placements | pd.DataFrame, pods: pd.DataFrame | None = None) -> pd.DataFrame:
    """Skew of each topology spread constraint, counted as by `domains`, without the domains one by one.

    Parameters
    ----------
    subject, pods
        As for `domains`.

    Returns
    -------
    DataFrame
        One row per constraint that has a domain: ``workload``, ``topology_key``, ``domains`` (how many), and ``min``,
        ``max``, ``skew``, ``max_skew``, ``enforced``, ``violates`` as in `kplace.analysis.schema.DOMAINS`.
    """
    blocks = [block for block in _of_claims(as_cluster(subject, pods).columns) if len(block.counts)]
    rows = [
        (
            block.workload,
            block.key,
            len(block.counts),
            block.low,
            int(block.counts.max()),
            block.skew,
            block.max_skew,
            block.enforced,
            block.violates,
        )
        for block in blocks
    ]
    names = ["workload", "topology_key", "domains", "min", "max", "skew", "max_skew", "enforced", "violates"]
    found = pd.DataFrame(rows, columns=names)
    numbers = dict.fromkeys(names[2:7], "int64")
    return found.astype({"workload": "str", "topology_key": "str", "enforced": "bool", "violates": "bool", **numbers})


def replicas_lost(
    subject: Cluster | Placements | pd.DataFrame, pods: pd.DataFrame | None = None, *, key: str = ZONE
) -> pd.DataFrame:
    """Worst case for each workload: the share of its pods that are gone if one domain dies.

    Parameters
    ----------
    subject, pods
        As for `domains`.
    key : str
        The node label whose values are the domains: a zone by default; ``kubernetes.io/hostname`` for a node.

    Returns
    -------
    DataFrame
        One row per workload with pods on nodes, but for DaemonSets and static pods: ``workload``, ``pods``, ``domains``
        (with at least one of its pods), ``worst`` (the domain with most of them), ``lost`` and ``share``; the largest
        share first, of equal ones the larger workload. Pods on nodes without the label are in no domain.
    """
    columns = as_cluster(subject, pods).columns
    own, held = Workloads(columns), holding_nodes(columns)
    scattered = np.array([kind not in _WITH_NODES for _, kind, _ in own.keys], np.bool_)
    placed = np.flatnonzero((held >= 0) & ~columns.pods.terminating & scattered[own.of_pod])
    codes, values = _domain_codes(columns, key)
    table = pd.DataFrame({"workload": own.of_pod[placed], "domain": codes[held[placed]]})
    totals = table.groupby("workload").size()
    counts = table[table["domain"] >= 0].groupby(["workload", "domain"]).size()
    worst = counts.groupby("workload").idxmax().map(lambda pair: pair[1])
    found = pd.DataFrame({"pods": totals})
    found["domains"] = counts.groupby("workload").size().reindex(totals.index, fill_value=0)
    found["worst"] = [values[code] if code >= 0 else None for code in worst.reindex(totals.index, fill_value=-1)]
    found["lost"] = counts.groupby("workload").max().reindex(totals.index, fill_value=0)
    found["share"] = found["lost"] / found["pods"]
    found.insert(0, "workload", own.names(found.index.to_numpy()))
    return found.sort_values(["share", "pods"], ascending=False, kind="stable", ignore_index=True)


def _claims(columns: ClusterColumns) -> Iterator[_Claim]:
    """Distinct constraints of the workloads; templates of one workload mostly say the same."""
    seen: set[tuple[object, ...]] = set()
    for template in columns.templates:
        for item in template.spec.topology_spread_constraints or ():
            workload = workload_of(template)
            mark = (workload if workload[1] else template.labels.get("app", str(template.labels)), template.namespace)
            key = (*mark, msgspec.json.encode(item), _selector(template, item))
            if key not in seen:
                seen.add(key)
                yield _Claim(template, item)


def _selector(template: Template, item: TopologySpreadConstraint) -> Selector:
    selector = compile_selector(item.label_selector)
    for key in item.match_label_keys or ():
        if key in template.labels:
            selector = _and(selector, key, template.labels[key])
    return selector


def _and(selector: Selector, key: str, value: str) -> Selector:
    (requirement,) = Selector.of_map({key: value}).requirements
    return selector.with_requirement(requirement)


def _counted(columns: ClusterColumns) -> Mask:
    return (holding_nodes(columns) >= 0) & ~columns.pods.terminating


def _of_claims(columns: ClusterColumns) -> list[_Block]:
    counted = _counted(columns)
    return [_of_claim(columns, claim, counted) for claim in _claims(columns)]


def _of_claim(columns: ClusterColumns, claim: _Claim, counted: Mask) -> _Block:
    template, item = claim
    selector = _selector(template, item)
    matching = np.array(
        [other.namespace == template.namespace and selector.matches(other.labels) for other in columns.templates],
        np.bool_,
    )
    chosen = np.flatnonzero(counted & matching[columns.pods.template])
    eligible = _eligible(columns, template, item)
    counts = _counts(columns, item.topology_key, chosen, eligible)
    enforced = item.when_unsatisfiable == HARD
    floor = (item.min_domains or 1) if enforced else 1
    return _block(template, counts, (item.max_skew, enforced, floor))


def _of_key(columns: ClusterColumns, own: Workloads, key: str, counted: Mask) -> Iterator[_Block]:
    first = np.full(len(own.keys), -1, np.int64)
    first[own.of_pod[::-1]] = np.arange(len(columns.pods))[::-1]
    owned = np.array([kind != "Pod" for _, kind, _ in own.keys], np.bool_)
    positions = np.flatnonzero(counted & owned[own.of_pod])
    positions = positions[np.argsort(own.of_pod[positions], kind="stable")]
    if not len(positions):
        return
    there, starts = np.unique(own.of_pod[positions], return_index=True)
    for workload, chosen in zip(there.tolist(), np.split(positions, starts[1:]), strict=True):
        template = columns.templates[columns.pods.template[first[workload]]]
        eligible = required_node_affinity_mask(columns.nodes, template.spec)
        counts = _counts(columns, key, chosen, eligible)
        space, _, name = own.keys[workload]
        yield _block(template, counts, (_NONE, False, 1), f"{space}/{name}")


def _eligible(columns: ClusterColumns, template: Template, item: TopologySpreadConstraint) -> Mask:
    """Nodes that the constraint does not leave out, with all keys of the template's constraints of its kind."""
    nodes = columns.nodes
    mask = np.ones(len(nodes), np.bool_)
    for other in template.spec.topology_spread_constraints or ():
        if other.when_unsatisfiable == item.when_unsatisfiable:
            mask &= nodes.label_codes(other.topology_key) != NO_VALUE
    if (item.node_affinity_policy or "Honor") == "Honor":
        mask &= required_node_affinity_mask(nodes, template.spec)
    if (item.node_taints_policy or "Ignore") == "Honor":
        tolerations = template.spec.tolerations or ()
        open_sets = np.array([first_untolerated(taints, tolerations) < 0 for taints in nodes.taint_sets], np.bool_)
        mask &= open_sets[nodes.taint_set]
    return mask


def _counts(columns: ClusterColumns, key: str, pods: I64, eligible: Mask) -> _Counts:
    codes, names = _domain_codes(columns, key)
    there = np.flatnonzero(np.bincount(codes[eligible & (codes >= 0)], minlength=len(names)))
    at = columns.pods.node[pods]
    at = at[eligible[at]]
    counts = np.bincount(codes[at][codes[at] >= 0], minlength=len(names))
    return _Counts(key, counts[there], there, names)


def _domain_codes(columns: ClusterColumns, key: str) -> tuple[I64, tuple[str, ...]]:
    names = ZONE_LABELS[::-1] if key == ZONE and key not in columns.nodes.labels else (key,)
    name = next((name for name in names if name in columns.nodes.labels), key)
    return columns.nodes.label_codes(name).astype(np.int64), columns.nodes.label_values(name)


def _block(template: Template, counted: _Counts, limits: tuple[int, bool, int], name: str = "") -> _Block:
    counts = counted.counts
    max_skew, enforced, floor = limits
    space, _, own = workload_of(template)
    workload = name or f"{space}/{own or template.labels.get('app', '') or '(no controller)'}"
    return _Block(workload, counted, 0 if len(counts) < floor else int(counts.min()), max_skew, enforced)


def _table(blocks: list[_Block]) -> pd.DataFrame:
    blocks = [block for block in blocks if len(block.counts)]
    sizes = [len(block.counts) for block in blocks]
    numbers = {
        "min": [block.low for block in blocks],
        "max": [int(block.counts.max()) for block in blocks],
        "skew": [block.skew for block in blocks],
        "max_skew": [block.max_skew for block in blocks],
        "enforced": [block.enforced for block in blocks],
        "violates": [block.violates for block in blocks],
    }
    spread = {name: np.repeat(np.array(values, np.int64), sizes) for name, values in numbers.items()}
    places = np.repeat(np.arange(len(blocks)), sizes)
    return frame(
        {
            "workload": texts([block.workload for block in blocks]).take(places),
            "topology_key": category_of([block.key for block in blocks]).take(places),
            "domain": texts(list(chain.from_iterable(block.values for block in blocks))),
            "pods": np.concatenate([np.zeros(0, np.int64), *(block.counts for block in blocks)]),
            "min": spread["min"],
            "max": spread["max"],
            "skew": spread["skew"],
            "max_skew": nullable(spread["max_skew"], _NONE),
            "enforced": spread["enforced"].astype(np.bool_),
            "violates": spread["violates"].astype(np.bool_),
        },
        len(places),
    )
