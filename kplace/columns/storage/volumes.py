"""Persistent volumes: where they can be reached from, whose they are, and which claims they would do for."""

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from msgspec import structs

from kplace.columns.node_selectors import is_malformed, term_mask
from kplace.columns.nodes import NodeColumns
from kplace.columns.quantity import Amount, parse, value
from kplace.columns.storage.claims import DEFAULT_MODE, Claim, ClaimRequest, class_of
from kplace.dtypes import Mask
from kplace.objects.meta import NodeSelector, NodeSelectorTerm
from kplace.objects.storage import PersistentVolume

ZONE, REGION = "topology.kubernetes.io/zone", "topology.kubernetes.io/region"
BETA_ZONE, BETA_REGION = "failure-domain.beta.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/region"
TOPOLOGY_LABELS = (BETA_ZONE, BETA_REGION, ZONE, REGION)
"""Labels of volumes and nodes that say where they are, in upstream's order."""
TODAYS_LABEL = {BETA_ZONE: ZONE, BETA_REGION: REGION}
_DELIMITER = "__"

AVAILABLE = "Available"

Topology = tuple[tuple[str, frozenset[str]], ...]
"""Labels that a node must have one of the values of."""


@dataclass(eq=False)
class PersistentVolumeEntry:
    """A persistent volume of the input.

    Attributes
    ----------
    position : int
        Among all volumes, in input order.
    item : PersistentVolume
    """

    position: int
    item: PersistentVolume

    @property
    def name(self) -> str:
        """Its name."""
        return self.item.metadata.name

    @property
    def class_name(self) -> str:
        """Name of its storage class; empty if it has none."""
        return class_of(self.item.metadata, self.item.spec.storage_class_name)

    @cached_property
    def size(self) -> Amount:
        """Exact bytes; 0 if it does not say."""
        return parse((self.item.spec.capacity or {}).get("storage", 0))

    @property
    def bytes(self) -> int:
        """Its size, rounded up."""
        return value((self.item.spec.capacity or {}).get("storage", 0))

    @property
    def topology(self) -> Topology:
        """What its labels say of where it is (upstream ``getPVTopologies``)."""
        labels = self.item.metadata.labels
        return topology_of(*map(labels.get, TOPOLOGY_LABELS)) if labels else ()

    @property
    def required(self) -> NodeSelector | None:
        """The nodes that can reach it; None for all."""
        affinity = self.item.spec.node_affinity
        return affinity.required if affinity is not None else None

    def is_promised_to(self, claim: Claim) -> bool:
        """Whether its ``claimRef`` in the input means a claim (upstream ``IsVolumeBoundToClaim``)."""
        reference = self.item.spec.claim_ref
        if reference is None or (reference.namespace, reference.name) != claim.key:
            return False
        return not reference.uid or reference.uid == claim.item.metadata.uid

    def could_hold(self, request: ClaimRequest) -> bool:
        """Whether size and mode are right and it is not being deleted: asked of every volume, promised or not."""
        return (
            self.size >= request.size
            and (self.item.spec.volume_mode or DEFAULT_MODE) == request.mode
            and not self.item.metadata.deletion_timestamp
        )

    def would_do(self, request: ClaimRequest) -> bool:
        """Whether it, promised to nobody, could be given to a claim (upstream ``FindMatchingVolume``)."""
        spec = self.item.spec
        return (
            self.could_hold(request)
            and self.item.status.phase == AVAILABLE
            and (request.selector is None or request.selector.matches(self.item.metadata.labels or {}))
            and self.class_name == request.class_name
            and (spec.volume_attributes_class_name or "") == request.attributes_class
            and set(request.access_modes) <= set(spec.access_modes or ())
        )


@lru_cache(maxsize=4096)
def topology_of(*values: str | None) -> Topology:
    """Where a volume is whose `TOPOLOGY_LABELS` have these values, None where it lacks one.

    Examples
    --------
    >>> topology_of(None, None, "a__b", None)[0][0], sorted(topology_of(None, None, "a__b", None)[0][1])
    ('topology.kubernetes.io/zone', ['a', 'b'])
    """
    found = ((key, _values(label)) for key, label in zip(TOPOLOGY_LABELS, values, strict=True) if label is not None)
    return tuple((key, zones) for key, zones in found if zones)


def _values(label: str) -> frozenset[str]:
    """Zones of a label, several set apart by two underscores; none if one of them is empty."""
    parts = [part.strip() for part in label.split(_DELIMITER)]
    return frozenset(parts) if all(parts) else frozenset()


def reachable_from(nodes: NodeColumns, required: NodeSelector | None) -> Mask:
    """Nodes that a volume's affinity matches; shared by all volumes with an equal one, not to be modified.

    Notes
    -----
    Upstream's ``CheckNodeAffinity`` knows a node's labels and no fields: ``matchFields`` are left out, unless they are
    malformed. A required affinity without any term matches no node.
    """

    def make() -> Mask:
        mask = np.zeros(len(nodes), np.bool_)
        for term in required.node_selector_terms or () if required is not None else ():
            mask |= _term_mask(nodes, term)
        return mask if required is not None else np.ones(len(nodes), np.bool_)

    return nodes.derived(("volume affinity", required), make)


def _term_mask(nodes: NodeColumns, term: NodeSelectorTerm) -> Mask:
    if not term.match_fields or is_malformed(term):
        return term_mask(nodes, term)
    if not term.match_expressions:
        return np.ones(len(nodes), np.bool_)
    return term_mask(nodes, structs.replace(term, match_fields=None))


def in_topology(nodes: NodeColumns, topology: Topology) -> Mask:
    """Nodes where a volume of a topology can be used; shared, not to be modified.

    A node without any zone or region label passes; a beta label of the volume is also looked for as today's one.
    """

    def make() -> Mask:
        meets = np.ones(len(nodes), np.bool_)
        for key, values in topology:
            has = nodes.label_codes(key) >= 0
            today = TODAYS_LABEL.get(key, key)
            meets &= np.where(has, _has_value(nodes, key, values), _has_value(nodes, today, values))
        return meets | ~is_labelled(nodes)

    return nodes.derived(("volume topology", topology), make)


def is_labelled(nodes: NodeColumns) -> Mask:
    """Nodes with a zone or region label."""
    labelled = np.zeros(len(nodes), np.bool_)
    for key in TOPOLOGY_LABELS:
        labelled |= nodes.label_codes(key) >= 0
    return labelled


def _has_value(nodes: NodeColumns, key: str, values: frozenset[str]) -> Mask:
    # The code of an absent label is -1, hence it reads the last entry.
    known = np.array([*(value in values for value in nodes.label_values(key)), False], np.bool_)
    return known[nodes.label_codes(key)]
