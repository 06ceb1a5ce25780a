"""How pods of a workload lie over zones, nodes and other domains, and what a dying domain would take."""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
import pandas as pd

from kplace.analysis.metrics.constraints import ZONE, Constraints, Domains, domain_codes
from kplace.analysis.workloads import Workloads
from kplace.api import Cluster, Placements
from kplace.columns import ClusterColumns
from kplace.columns.node_selectors import required_node_affinity_mask
from kplace.dtypes import I64, Mask
from kplace.errors import UsageError
from kplace.frames.build import category_of, frame, nullable, texts
from kplace.frames.usage import holding_nodes

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


class _Block(NamedTuple):
    """The domains of one constraint, or of one key for one workload; ``max_skew`` is `_NONE` without a constraint."""

    workload: str
    domains: Domains
    counts: I64
    low: int
    max_skew: int
    enforced: bool

    @property
    def key(self) -> str:
        return self.domains.key

    @property
    def values(self) -> list[str]:
        return [self.domains.names[code] for code in self.domains.there.tolist()]

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
    blocks = _of_constraints(columns)
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
    blocks = _of_constraints(as_cluster(subject, pods).columns)
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
    codes, values = domain_codes(columns, key)
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


def _counted(columns: ClusterColumns) -> Mask:
    return (holding_nodes(columns) >= 0) & ~columns.pods.terminating


def _of_constraints(columns: ClusterColumns) -> list[_Block]:
    constraints = Constraints(columns)
    counts = constraints.counts(columns.pods.node)
    own, lows = np.split(counts, constraints.starts[1:-1]), constraints.lows(counts).tolist()
    return [
        _Block(item.workload, item.domains, part, low, item.max_skew, item.enforced)
        for item, part, low in zip(constraints.items, own, lows, strict=False)
    ]


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
        domains = Domains.of(columns, key, required_node_affinity_mask(columns.nodes, template.spec))
        at = domains.of_node[columns.pods.node[chosen]]
        counts = np.bincount(at[at >= 0], minlength=len(domains.there))
        if len(counts):
            space, _, name = own.keys[workload]
            yield _Block(f"{space}/{name}", domains, counts, int(counts.min()), _NONE, enforced=False)


def _table(blocks: list[_Block]) -> pd.DataFrame:
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
