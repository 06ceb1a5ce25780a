"""What a pod's volumes come to on every node at once (upstream ``FindPodVolumes``)."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kplace.columns.storage import Claim, PersistentVolumeEntry, Storage
from kplace.columns.storage.classes import accessible_from, allowed_nodes, can_provision, volume_limit
from kplace.columns.storage.volumes import reachable_from
from kplace.dtypes import I32, I64, Mask
from kplace.framework import Cycle
from kplace.objects.storage import CSIStorageCapacity
from kplace.plugins.volumebinding.candidates import NONE, Candidates
from kplace.plugins.volumebinding.pod_claims import PodClaims
from kplace.state import ClusterState

if TYPE_CHECKING:
    from kplace.columns.storage.claims import ClaimKey

NODE_CONFLICT, NO_MATCH, NO_SPACE, NO_VOLUME = 1, 2, 4, 8
"""Bits of a verdict's detail."""


@dataclass(frozen=True, slots=True)
class Match:
    """What a claim that nobody provisions for would be bound to.

    Attributes
    ----------
    claim : Claim
    volumes : list of PersistentVolumeEntry
    at : int32 ndarray, shape (n_nodes,)
        Position in ``volumes``; `NONE` where none would do, and the claim has to be provisioned for.
    """

    claim: Claim
    volumes: list[PersistentVolumeEntry]
    at: I32

    def on(self, node: int) -> PersistentVolumeEntry | None:
        """The volume on a node."""
        position = int(self.at[node])
        return self.volumes[position] if position != NONE else None


@dataclass(frozen=True, slots=True)
class Found:
    """A pod's volumes on all nodes.

    Attributes
    ----------
    bits : int64 ndarray, shape (n_nodes,)
        Why a node will not do; 0 if it will.
    matches : tuple of Match
        In the order in which upstream goes through the claims.
    selected : tuple of Claim
        Claims that a node was chosen for before.
    """

    bits: I64
    matches: tuple[Match, ...] = ()
    selected: tuple[Claim, ...] = ()

    def static_on(self, node: int) -> list[tuple[Claim, PersistentVolumeEntry]]:
        """Claims and the volumes that they would be bound to on a node."""
        pairs = ((match.claim, match.on(node)) for match in self.matches)
        return [(claim, volume) for claim, volume in pairs if volume is not None]

    def dynamic_on(self, node: int) -> list[Claim]:
        """Claims that a volume would be made for on a node."""
        return [*self.selected, *(match.claim for match in self.matches if match.on(node) is None)]


def find(cycle: Cycle, claims: PodClaims) -> Found:
    """Find out what a pod's volumes come to on every node."""
    state = cycle.state
    bits = bound_bits(state, claims.bound)
    if not claims.delayed:
        return Found(bits)
    settled = [(claim, _selected_node(state, claim)) for claim in claims.delayed]
    selected = tuple(claim for claim, node in settled if node is not None)
    elsewhere = np.zeros(state.n_nodes, np.bool_)
    for _, node in settled:
        if node is not None:
            elsewhere |= _all_but(state, node)
    # Sorted as upstream's insertion sort does: equal ones keep their order.
    open_claims = sorted((claim for claim, node in settled if node is None), key=lambda claim: claim.request.size)
    matches = _matches(state, open_claims)
    later = [(match.claim, match.at == NONE) for match in matches]
    everywhere = np.ones(state.n_nodes, np.bool_)
    provisions = [*((claim, everywhere) for claim in selected), *later]
    made = provision_bits(state, provisions)
    return Found(bits | np.where(elsewhere, NO_MATCH, made), tuple(matches), selected)


def bound_bits(state: ClusterState, claims: tuple[Claim, ...]) -> I64:
    """Why nodes will not do for bound claims; the first claim that a node fails decides (``checkBoundClaims``)."""
    storage = state.storage
    bits = np.zeros(state.n_nodes, np.int64)
    for claim in claims:
        volume = storage.volumes.get(claim.volume_name)
        if volume is None:
            bits[bits == 0] = NO_VOLUME
        else:
            bits[(bits == 0) & ~reachable_from(storage.nodes, volume.required)] = NODE_CONFLICT
    return bits


def provision_bits(state: ClusterState, provisions: list[tuple[Claim, Mask]]) -> I64:
    """Why volumes cannot be made for claims; the first claim that a node fails decides (``checkVolumeProvisions``).

    Parameters
    ----------
    provisions : list of (Claim, bool ndarray)
        Each with the nodes where a volume would have to be made for it.
    """
    bits = np.zeros(state.n_nodes, np.int64)
    for claim, needs in provisions:
        asked = needs & (bits == 0)
        bits[asked & ~provisionable(state, claim)] = NO_MATCH
        bits[asked & (bits == 0) & ~has_room(state.storage, claim)] = NO_SPACE
    return bits


def provisionable(state: ClusterState, claim: Claim) -> Mask:
    """Nodes where a claim's class lets volumes be made."""
    storage_class = state.storage.classes[claim.class_name]
    if not can_provision(storage_class):
        return np.zeros(state.n_nodes, np.bool_)
    return allowed_nodes(state.storage.nodes, storage_class.allowed_topologies)


def has_room(storage: Storage, claim: Claim) -> Mask:
    """Nodes from which there is room for a claim's volume, as far as its driver reports that."""
    if not checks_room(storage, claim):
        return np.ones(len(storage.nodes), np.bool_)
    mask = np.zeros(len(storage.nodes), np.bool_)
    for capacity in capacities_for(storage, claim):
        mask |= accessible_from(storage.nodes, capacity.node_topology)
    return mask


def checks_room(storage: Storage, claim: Claim) -> bool:
    """Whether the driver of a claim's class reports how much room there is, and the claim asks for some."""
    if claim.bytes is None:
        return False
    driver = storage.csi_drivers.get(storage.classes[claim.class_name].provisioner)
    return driver is not None and bool(driver.spec.storage_capacity)


def capacities_for(storage: Storage, claim: Claim) -> list[CSIStorageCapacity]:
    """The capacities that a claim's volume fits into, in input order."""
    size = claim.bytes or 0
    own = (item for item in storage.capacities if item.storage_class_name == claim.class_name)
    return [item for item in own if (limit := volume_limit(item)) is not None and limit >= size]


def _selected_node(state: ClusterState, claim: Claim) -> str | None:
    return state.volume_bindings.node_for(claim.key) or claim.selected_node


def _all_but(state: ClusterState, node: str) -> Mask:
    mask = np.ones(state.n_nodes, np.bool_)
    row = state.columns.nodes.index.get(node)
    if row is not None:
        mask[row] = False
    return mask


def _matches(state: ClusterState, claims: list[Claim]) -> list[Match]:
    found: list[Match] = []
    for claim in claims:
        promised = _promised(state, claim)
        if promised:
            found.append(_promised_match(state, claim, promised, found))
            continue
        candidates = candidates_for(state, claim)
        at = candidates.best(state.volume_bindings)
        if found:
            at = candidates.best_without(state.volume_bindings, [(match.volumes, match.at) for match in found])
        found.append(Match(claim, candidates.volumes, at))
    return found


def _promised(state: ClusterState, claim: Claim) -> list[PersistentVolumeEntry]:
    """Volumes of the claim's class that are promised to it and would hold it, in input order."""
    names = list(
        state.shared(PromisedVolumes, lambda _columns: PromisedVolumes(state.storage)).by_claim.get(claim.key, ())
    )
    settled = state.volume_bindings.volume_for(claim.key)
    if settled and settled not in names:
        names.append(settled)
    volumes = [state.storage.volumes[name] for name in names if name in state.storage.volumes]
    kept = (
        volume
        for volume in volumes
        if volume.class_name == claim.class_name
        and volume.could_hold(claim.request)
        and (volume.name == settled or volume.is_promised_to(claim))
        and state.volume_bindings.claim_of.get(volume.name, claim.key) == claim.key
    )
    return sorted(kept, key=lambda volume: volume.position)


def _promised_match(
    state: ClusterState, claim: Claim, volumes: list[PersistentVolumeEntry], found: list[Match]
) -> Match:
    """Of the volumes promised to a claim the first counts that no other claim of the pod has, reachable or not."""
    at = np.full(state.n_nodes, NONE, np.int32)
    is_open = np.ones(state.n_nodes, np.bool_)
    for position, volume in enumerate(volumes):
        free = is_open & ~_chosen(volume, found, state.n_nodes)
        at[free & reachable_from(state.storage.nodes, volume.required)] = position
        is_open &= ~free
    return Match(claim, volumes, at)


def _chosen(volume: PersistentVolumeEntry, found: list[Match], n_nodes: int) -> Mask:
    """Nodes where one of the pod's other claims has a volume."""
    mask = np.zeros(n_nodes, np.bool_)
    for match in found:
        positions = [position for position, item in enumerate(match.volumes) if item is volume]
        mask |= np.isin(match.at, positions)
    return mask


def is_promised(state: ClusterState, claim: Claim) -> bool:
    """Whether a volume that would hold a claim is promised to it."""
    return bool(_promised(state, claim))


def candidates_for(state: ClusterState, claim: Claim) -> Candidates:
    """The free volumes that would do for a claim."""
    request = claim.request
    return state.shared(("free volumes", request), lambda _columns: Candidates(state.storage, request))


class PromisedVolumes:
    """The volumes that name a claim in the input.

    Parameters
    ----------
    storage : Storage

    Attributes
    ----------
    by_claim : dict of (str, str) to list of str
    """

    def __init__(self, storage: Storage) -> None:
        self.by_claim: dict[ClaimKey, list[str]] = {}
        for volume in storage.volumes.values():
            reference = volume.item.spec.claim_ref
            if reference is not None:
                self.by_claim.setdefault((reference.namespace, reference.name), []).append(volume.name)
