"""How constraints divide the nodes into domains: arrays shared by all templates that divide them alike."""

from collections.abc import Hashable, Sequence

import numpy as np

from kplace.columns.node_selectors import required_node_affinity_mask
from kplace.columns.nodes import NodeColumns
from kplace.dtypes import I32, NO_VALUE, Mask
from kplace.objects.core import PodSpec
from kplace.plugins.podtopologyspread.args import HOSTNAME
from kplace.plugins.podtopologyspread.constraints import Division
from kplace.plugins.podtopologyspread.kernels import Topology
from kplace.plugins.tolerations import first_untolerated


def hard_topology(nodes: NodeColumns, spec: PodSpec, divisions: Sequence[Division]) -> Topology:
    """Domains of constraints that filter.

    A node's pods count under a constraint if the node has the keys of all of them and passes the constraint's inclusion
    policies.
    """

    def make() -> Topology:
        complete = _complete(nodes, divisions)
        counted = [complete & mask for mask in _included(nodes, spec, divisions)]
        domains = [
            _eligible_first(nodes, item.topology_key, mask) for item, mask in zip(divisions, counted, strict=True)
        ]
        return _topology(nodes, divisions, domains, counted, np.zeros(len(nodes), np.bool_))

    return nodes.derived(("spread filter", *_key(spec, divisions)), make)


def soft_topology(nodes: NodeColumns, spec: PodSpec, divisions: Sequence[Division], *, requires_all: bool) -> Topology:
    """Domains of constraints that score.

    Parameters
    ----------
    requires_all : bool
        Nodes that lack a key are left out altogether. Otherwise the lack counts as an empty value.

    Notes
    -----
    Under the host name each node is a domain of its own, whatever its label's value and the inclusion policies:
    upstream counts a node's own pods when it scores the node.
    """

    def make() -> Topology:
        complete = _complete(nodes, divisions) if requires_all else np.ones(len(nodes), np.bool_)
        counted: list[Mask] = []
        domains: list[I32] = []
        for item, included in zip(divisions, _included(nodes, spec, divisions), strict=True):
            if item.topology_key == HOSTNAME:
                counted.append(np.ones_like(complete))
                domains.append(np.arange(len(nodes), dtype=np.int32))
            else:
                counted.append(complete & included)
                domains.append(_blank_for_none(nodes, item.topology_key))
        return _topology(nodes, divisions, domains, counted, ~complete)

    return nodes.derived(("spread score", requires_all, *_key(spec, divisions)), make)


def _key(spec: PodSpec, divisions: Sequence[Division]) -> tuple[Hashable, ...]:
    """Everything about a pod that its topology depends on."""
    affinity: Hashable = None
    if any(item.honors_affinity for item in divisions):
        own = spec.affinity.node_affinity if spec.affinity is not None else None
        affinity = (frozenset((spec.node_selector or {}).items()), own.required if own is not None else None)
    tolerations = (spec.tolerations or ()) if any(item.honors_taints for item in divisions) else None
    return (*divisions, affinity, tolerations)


def _topology(
    nodes: NodeColumns, divisions: Sequence[Division], domains: list[I32], counted: list[Mask], ignored: Mask
) -> Topology:
    eligible = [len(np.unique(domain[mask])) for domain, mask in zip(domains, counted, strict=True)]
    return Topology(
        domain=np.stack(domains),
        labelled=np.stack([_labelled(nodes, item) for item in divisions]),
        counted=np.stack(counted),
        ignored=ignored,
        n_eligible=np.array(eligible, np.int64),
    )


def _labelled(nodes: NodeColumns, division: Division) -> Mask:
    return nodes.label_codes(division.topology_key) != NO_VALUE


def _complete(nodes: NodeColumns, divisions: Sequence[Division]) -> Mask:
    """Nodes that have the keys of all constraints."""
    mask = np.ones(len(nodes), np.bool_)
    for item in divisions:
        mask &= _labelled(nodes, item)
    return mask


def _included(nodes: NodeColumns, spec: PodSpec, divisions: Sequence[Division]) -> list[Mask]:
    """By constraint: nodes that pass its inclusion policies."""
    everywhere = np.ones(len(nodes), np.bool_)
    fits, tolerated = everywhere, everywhere
    if any(item.honors_affinity for item in divisions):
        fits = required_node_affinity_mask(nodes, spec)
    if any(item.honors_taints for item in divisions):
        open_sets = [first_untolerated(taints, spec.tolerations or ()) < 0 for taints in nodes.taint_sets]
        tolerated = np.array(open_sets, np.bool_)[nodes.taint_set]
    return [
        (fits if item.honors_affinity else everywhere) & (tolerated if item.honors_taints else everywhere)
        for item in divisions
    ]


def _eligible_first(nodes: NodeColumns, key: str, counted: Mask) -> I32:
    """Codes of a label, renumbered so that the values of counted nodes come first; `NO_VALUE` stays."""
    codes, n_values = nodes.label_codes(key), len(nodes.label_values(key))
    eligible = np.bincount(codes[counted], minlength=n_values) > 0
    # The code of an absent label is -1, hence it reads the last entry.
    renumbered = np.full(n_values + 1, NO_VALUE, np.int32)
    renumbered[np.argsort(~eligible, kind="stable")] = np.arange(n_values, dtype=np.int32)
    return renumbered[codes]


def _blank_for_none(nodes: NodeColumns, key: str) -> I32:
    """Codes of a label, an absent one being taken for an empty value."""
    codes, values = nodes.label_codes(key), nodes.label_values(key)
    blank = values.index("") if "" in values else len(values)
    return np.where(codes == NO_VALUE, np.int32(blank), codes)
