"""VolumeBinding (upstream ``plugins/volumebinding``)."""

from collections.abc import Sequence

import numpy as np

from kplace.dtypes import I32, I64, Code
from kplace.framework import (
    Cycle,
    FilterPlugin,
    PluginStatus,
    PreBindPlugin,
    PreFilterPlugin,
    PreFilterResult,
    PreScorePlugin,
    ReservePlugin,
    ScorePlugin,
    Verdict,
)
from kplace.framework.events import Registration
from kplace.framework.interface import PROCEED, SKIP
from kplace.plugins import names
from kplace.plugins.volumebinding import hints
from kplace.plugins.volumebinding.args import VolumeBindingArgs
from kplace.plugins.volumebinding.capacity_score import CapacityScore
from kplace.plugins.volumebinding.find import NO_MATCH, NO_SPACE, NO_VOLUME, NODE_CONFLICT, Found, find
from kplace.plugins.volumebinding.pod_claims import PodClaims, fault_of, sorted_claims
from kplace.plugins.volumes import has_claim, unresolvable
from kplace.state.volume_bindings import SettledClaim

UNBOUND_IMMEDIATE = "pod has unbound immediate PersistentVolumeClaims"
REASONS = {
    NODE_CONFLICT: "node(s) didn't match PersistentVolume's node affinity",
    NO_MATCH: "node(s) didn't find available persistent volumes to bind",
    NO_SPACE: "node(s) did not have enough free storage",
    NO_VOLUME: "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)",
}
"""Upstream's words, in its order."""

_NOTHING = PodClaims((), (), ())
_CLAIMS, _FOUND = (names.VOLUME_BINDING, "claims"), (names.VOLUME_BINDING, "found")


class VolumeBinding:
    """Rules out nodes from which a pod's volumes cannot be reached or made, and binds its claims.

    Parameters
    ----------
    args : VolumeBindingArgs, optional
        With a shape nodes are scored by how full their storage would be.

    Notes
    -----
    Nothing here depends on where pods are, but on what was settled for claims before: a verdict is found once for all
    nodes, and stands for the attempt. Reserve settles what the pod's claims get, PreBind makes it final. Nobody makes
    the volumes: as far as anybody can see they are still to be made.
    """

    name = names.VOLUME_BINDING
    is_local = True

    def __init__(self, args: VolumeBindingArgs | None = None) -> None:
        shape = args.shape if args is not None else ()
        self._score = CapacityScore(args) if args is not None and shape else None
        self.scores_storage = self._score is not None

    def pre_filter(self, cycle: Cycle) -> PreFilterResult:
        """Reject a pod whose claims cannot be used or should have been bound; skip one without claims."""
        if not has_claim(cycle.template.spec):
            return SKIP
        fault = fault_of(cycle)
        if fault:
            return unresolvable(fault)
        claims = sorted_claims(cycle)
        if claims.immediate:
            return unresolvable(UNBOUND_IMMEDIATE)
        cycle.write(_CLAIMS, claims)
        return PROCEED

    def filter(self, cycle: Cycle, nodes: I32) -> Verdict:
        """Judge each of ``nodes``."""
        bits = _found(cycle).bits.take(nodes)
        return Verdict(np.where(bits == 0, 0, Code.UNSCHEDULABLE_AND_UNRESOLVABLE).astype(np.int8), bits)

    def reasons(self, cycle: Cycle, detail: int) -> tuple[str, ...]:
        """Upstream's words for each bit."""
        return tuple(reason for bit, reason in REASONS.items() if detail & bit)

    def pre_score(self, cycle: Cycle, nodes: I32) -> bool:
        """Skip unless storage is scored."""
        return self.scores_storage

    def score(self, cycle: Cycle, nodes: I32) -> I64:
        """Score each of ``nodes`` by its storage; 0 for a pod that has nothing to bind."""
        if self._score is None:
            return np.zeros(len(nodes), np.int64)
        return self._score.of(cycle.state, _found(cycle), nodes)

    def concerns(self, cycle: Cycle) -> bool:
        """Whether Reserve and PreBind have anything to do for the pod."""
        return bool(_claims(cycle).delayed)

    def reserve(self, cycle: Cycle, node: int) -> PluginStatus | None:
        """Promise the pod's claims the volumes that they would get on its node, or have them made there."""
        if not cycle.holds(_FOUND):
            # Its Filter was taken out of the profile.
            return None
        bindings = cycle.state.volume_bindings
        name = cycle.state.columns.nodes.names[node]
        for claim, volume in _found(cycle).static_on(node):
            if bindings.volume_for(claim.key) != volume.name:
                bindings.settle(claim.key, SettledClaim(cycle.pod, volume.name, name))
        for claim in _found(cycle).dynamic_on(node):
            if bindings.node_for(claim.key) != name:
                bindings.settle(claim.key, SettledClaim(cycle.pod, "", name))
        return None

    def unreserve(self, cycle: Cycle, node: int) -> None:
        """Take back what was settled for the pod's claims, unless PreBind has made it final."""
        for claim in _claims(cycle).delayed:
            cycle.state.volume_bindings.withdraw(claim.key)

    def pre_bind(self, cycle: Cycle, node: int) -> PluginStatus | None:
        """Make final what was settled for the pod's claims."""
        if not cycle.holds(_FOUND):
            return None
        for claim in _claims(cycle).delayed:
            cycle.state.volume_bindings.write(claim.key)
        return None

    def events_to_register(self) -> Sequence[Registration]:
        """Events that may help a pod which was rejected here."""
        return hints.REGISTRATIONS


def _claims(cycle: Cycle) -> PodClaims:
    """The pod's claims as the PreFilter found them; none if it skipped the pod."""
    return cycle.read(_CLAIMS, PodClaims) if cycle.holds(_CLAIMS) else _NOTHING


def _found(cycle: Cycle) -> Found:
    """What the pod's volumes come to on all nodes, worked out once in an attempt."""
    if not cycle.holds(_FOUND):
        cycle.write(_FOUND, find(cycle, _claims(cycle)))
    return cycle.read(_FOUND, Found)


_pre_filter: type[PreFilterPlugin] = VolumeBinding
_filter: type[FilterPlugin] = VolumeBinding
_pre_score: type[PreScorePlugin] = VolumeBinding
_score: type[ScorePlugin] = VolumeBinding
_reserve: type[ReservePlugin] = VolumeBinding
_pre_bind: type[PreBindPlugin] = VolumeBinding
