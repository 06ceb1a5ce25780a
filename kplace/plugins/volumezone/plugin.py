"""VolumeZone (upstream ``plugins/volumezone``)."""

from collections.abc import Sequence

import numpy as np

from kplace.columns.storage.volumes import Topology, in_topology
from kplace.dtypes import I32, Code, Mask
from kplace.framework import Cycle, FilterPlugin, PreFilterPlugin, PreFilterResult, Verdict
from kplace.framework.events import Registration
from kplace.framework.interface import PROCEED, SKIP
from kplace.plugins import names
from kplace.plugins.volumes import claims_of, missing_claim, unresolvable
from kplace.plugins.volumezone import hints

REASON = "node(s) had no available volume zone"
NO_VOLUME = "PersistentVolume had no name"
NO_CLASS = "PersistentVolumeClaim had no pv name and storageClass name"


class VolumeZone:
    """Rules out nodes outside the zones and regions that the labels of a pod's volumes name."""

    name = names.VOLUME_ZONE
    is_local = True

    def pre_filter(self, cycle: Cycle) -> PreFilterResult:
        """Reject a pod without volumes where they should be; skip one whose volumes are not tied to a zone."""
        if not cycle.template.spec.volumes:
            return SKIP
        topologies, reason = topologies_of(cycle)
        if reason:
            return unresolvable(reason)
        return PROCEED if topologies else SKIP

    def filter(self, cycle: Cycle, nodes: I32) -> Verdict:
        """Judge each of ``nodes``."""
        topologies, reason = topologies_of(cycle)
        if reason:
            # Only if the PreFilter was taken out of the profile.
            return Verdict.of_mask(np.zeros(len(nodes), np.bool_), Code.UNSCHEDULABLE_AND_UNRESOLVABLE)
        return Verdict.of_mask(passes(cycle, topologies).take(nodes), Code.UNSCHEDULABLE_AND_UNRESOLVABLE)

    def reasons(self, cycle: Cycle, detail: int) -> tuple[str, ...]:
        """Upstream's words."""
        return (topologies_of(cycle)[1] or REASON,)

    def events_to_register(self) -> Sequence[Registration]:
        """Events that may help a pod which was rejected here."""
        return hints.REGISTRATIONS


def passes(cycle: Cycle, topologies: Sequence[Topology]) -> Mask:
    """Nodes in the zones and regions of all volumes, shape (n_nodes,)."""
    nodes = cycle.state.columns.nodes
    mask = np.ones(len(nodes), np.bool_)
    for topology in topologies:
        mask &= in_topology(nodes, topology)
    return mask


def topologies_of(cycle: Cycle) -> tuple[list[Topology], str]:
    """What the labels of a pod's volumes say of where they are, and why it is rejected if one is missing.

    Notes
    -----
    Mirrors ``getPVbyPod``. Claims of ephemeral volumes are not looked at.
    """
    found: list[Topology] = []
    for item in claims_of(cycle):
        if item.is_ephemeral:
            continue
        if item.claim is None:
            return [], missing_claim(item.name)
        if item.claim.volume_name:
            volume = cycle.state.storage.volumes.get(item.claim.volume_name)
            if volume is None:
                return [], f'persistentvolume "{item.claim.volume_name}" not found'
            if volume.topology:
                found.append(volume.topology)
        elif not item.claim.class_name:
            return [], NO_CLASS
        elif item.claim.class_name not in cycle.state.storage.classes:
            return [], f'storageclass.storage.k8s.io "{item.claim.class_name}" not found'
        elif not cycle.state.storage.waits(item.claim):
            return [], NO_VOLUME
    return found, ""


_pre_filter: type[PreFilterPlugin] = VolumeZone
_filter: type[FilterPlugin] = VolumeZone
