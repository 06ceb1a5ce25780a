"""Storage classes and capacities as masks of nodes."""

import numpy as np

from kplace.columns.node_selectors import requirement_mask
from kplace.columns.nodes import NodeColumns
from kplace.columns.quantity import value
from kplace.dtypes import Mask
from kplace.objects.meta import LabelSelector, SelectorRequirement
from kplace.objects.storage import CSIStorageCapacity, StorageClass, TopologySelectorTerm

WAITS = "WaitForFirstConsumer"
NO_PROVISIONER = "kubernetes.io/no-provisioner"


def waits_for_pod(storage_class: StorageClass | None) -> bool:
    """Whether claims of a class are bound once a pod is placed; without a mode a class is Immediate."""
    return storage_class is not None and storage_class.volume_binding_mode == WAITS


def can_provision(storage_class: StorageClass) -> bool:
    """Whether volumes of a class are made on demand."""
    return storage_class.provisioner not in ("", NO_PROVISIONER)


def allowed_nodes(nodes: NodeColumns, terms: tuple[TopologySelectorTerm, ...] | None) -> Mask:
    """Nodes that a class's ``allowedTopologies`` let in, all of them if there are none; not to be modified."""

    def make() -> Mask:
        mask = np.zeros(len(nodes), np.bool_)
        for term in terms or ():
            expressions = term.match_label_expressions or ()
            meets = np.full(len(nodes), bool(expressions), np.bool_)
            for item in expressions:
                meets &= requirement_mask(nodes, SelectorRequirement(item.key, "In", item.values))
            mask |= meets
        return mask if terms else np.ones(len(nodes), np.bool_)

    return nodes.derived(("allowed topologies", terms), make)


def volume_limit(capacity: CSIStorageCapacity) -> int | None:
    """Bytes of the largest volume that there is room for; None if it does not say."""
    given = capacity.capacity if capacity.maximum_volume_size is None else capacity.maximum_volume_size
    return None if given is None else value(given)


def accessible_from(nodes: NodeColumns, topology: LabelSelector | None) -> Mask:
    """Nodes that a capacity is for; none without a topology. Not to be modified."""
    if topology is None:
        return np.zeros(len(nodes), np.bool_)
    labels = tuple(sorted((topology.match_labels or {}).items()))
    expressions = topology.match_expressions or ()

    def make() -> Mask:
        mask = np.ones(len(nodes), np.bool_)
        for key, text in labels:
            mask &= requirement_mask(nodes, SelectorRequirement(key, "In", (text,)))
        for item in expressions:
            mask &= requirement_mask(nodes, item)
        return mask

    return nodes.derived(("capacity topology", labels, expressions), make)
