"""NodeVolumeLimits (upstream ``plugins/nodevolumelimits``)."""

from collections.abc import Sequence

import numpy as np

from kplace.dtypes import I32, I64, Code, Mask
from kplace.framework import Cycle, FilterPlugin, PreFilterPlugin, PreFilterResult, Verdict
from kplace.framework.events import Registration
from kplace.framework.interface import PROCEED, SKIP
from kplace.plugins import names
from kplace.plugins.nodevolumelimits import hints
from kplace.plugins.volumes import claims_of, is_attachable, missing_claim, not_owner, pod_uid

REASON = "node(s) exceed max volume count"
FULL, NO_CLAIM, FOREIGN_CLAIM = range(3)


class NodeVolumeLimits:
    """Rules out nodes that cannot attach the volumes of one more pod.

    Notes
    -----
    Counted are distinct volumes by driver: those of pods on the node, and those that VolumeAttachments hold there.
    Volumes that a pod on the node uses already are free; those that are only attached are not, as upstream.
    """

    name = names.NODE_VOLUME_LIMITS
    is_local = True

    def pre_filter(self, cycle: Cycle) -> PreFilterResult:
        """Skip a pod with no claim and no volume that could be attached."""
        return PROCEED if any(map(is_attachable, cycle.template.spec.volumes or ())) else SKIP

    def filter(self, cycle: Cycle, nodes: I32) -> Verdict:
        """Judge each of ``nodes``."""
        fault, _ = _fault(cycle)
        if fault:
            code = Code.UNSCHEDULABLE_AND_UNRESOLVABLE if fault == NO_CLAIM else Code.ERROR
            return Verdict.of_mask(np.zeros(len(nodes), np.bool_), code, fault)
        return Verdict.of_mask(_fits(cycle, nodes), Code.UNSCHEDULABLE, FULL)

    def reasons(self, cycle: Cycle, detail: int) -> tuple[str, ...]:
        """Upstream's words."""
        return (REASON if detail == FULL else _fault(cycle)[1],)

    def events_to_register(self) -> Sequence[Registration]:
        """Events that may help a pod which was rejected here."""
        return hints.REGISTRATIONS


def _fault(cycle: Cycle) -> tuple[int, str]:
    """What keeps the pod's volumes from being counted, which VolumeRestrictions and VolumeBinding see before."""
    namespace = cycle.template.namespace
    for item in claims_of(cycle):
        if item.claim is None:
            return NO_CLAIM, f"looking up PVC {namespace}/{item.name}: {missing_claim(item.name)}"
        if item.is_ephemeral and not item.claim.is_made_for(pod_uid(cycle)):
            return FOREIGN_CLAIM, not_owner(item.claim, namespace, cycle.pod_name)
    return FULL, ""


def _fits(cycle: Cycle, nodes: I32) -> Mask:
    attached = cycle.state.attached
    fits = np.ones(len(nodes), np.bool_)
    if attached is None:
        return fits
    # A volume may be named in several ways.
    new: dict[tuple[int, int], Mask] = {}
    for item in attached.items_of(cycle.pod):
        key = (item.driver, item.volume)
        mask = attached.new_on(item, nodes)
        new[key] = new[key] | mask if key in new else mask
    numbers: dict[int, I64] = {}
    for (driver, _), mask in new.items():
        numbers[driver] = numbers.get(driver, np.zeros(len(nodes), np.int64)) + mask
    for driver, number in numbers.items():
        free = attached.limits[driver].take(nodes) - attached.counts[driver].take(nodes)
        fits &= (number == 0) | (number <= free)
    return fits


_pre_filter: type[PreFilterPlugin] = NodeVolumeLimits
_filter: type[FilterPlugin] = NodeVolumeLimits
