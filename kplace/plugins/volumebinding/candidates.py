"""The volumes that would do for a claim: for each node the smallest one that is still free.

Claims that ask the same share the work. Volumes with an equal node affinity form a group; of each group only the first
free volume matters, and a promise moves one group on by one.
"""

from typing import TYPE_CHECKING

import numpy as np

from kplace.columns.storage import PersistentVolumeEntry, Storage
from kplace.columns.storage.claims import ClaimRequest
from kplace.columns.storage.volumes import reachable_from
from kplace.dtypes import I32
from kplace.state.cluster_state import Following
from kplace.state.volume_bindings import VolumeBindings

if TYPE_CHECKING:
    from kplace.objects.meta import NodeSelector

NONE = -1
"""In an array of volumes: none would do."""


class Candidates(Following):
    """Free volumes for claims that ask the same.

    Parameters
    ----------
    storage : Storage
    request : ClaimRequest

    Attributes
    ----------
    volumes : list of PersistentVolumeEntry
        Those that nobody was promised in the input, the smallest first, equal ones in input order.
    """

    def __init__(self, storage: Storage, request: ClaimRequest) -> None:
        free = (volume for volume in storage.of_class(request.class_name) if volume.item.spec.claim_ref is None)
        self.volumes = sorted(
            (volume for volume in free if volume.would_do(request)), key=lambda volume: (volume.size, volume.position)
        )
        self._n_nodes = len(storage.nodes)
        self._rank = {volume.name: rank for rank, volume in enumerate(self.volumes)}
        numbers: dict[NodeSelector | None, int] = {}
        self._group = [numbers.setdefault(volume.required, len(numbers)) for volume in self.volumes]
        self._members: list[list[int]] = [[] for _ in numbers]
        for rank, group in enumerate(self._group):
            self._members[group].append(rank)
        masks = [reachable_from(storage.nodes, required) for required in numbers]
        self._reach: list[I32] = [np.flatnonzero(mask).astype(np.int32) for mask in masks]
        covered = sum((len(reach) for reach in self._reach), 0)
        self._n_seen = 0
        self._is_apart = covered == int(np.any(masks, axis=0).sum()) if masks else True
        self._reset(0)

    def best(self, bindings: VolumeBindings) -> I32:
        """For each node the position in ``volumes`` of the smallest free volume, shape (n_nodes,); not to be modified.

        `NONE` where there is none.
        """
        self._follow(bindings)
        return self._best

    def best_without(self, bindings: VolumeBindings, chosen: list[tuple[list[PersistentVolumeEntry], I32]]) -> I32:
        """Find the same where other claims of the pod have chosen volumes, by node, already.

        Parameters
        ----------
        chosen : list of (list of PersistentVolumeEntry, int32 ndarray), shape (n_nodes,)
            Of each such claim its candidates and which of them it has.
        """
        self._follow(bindings)
        taken = [self._as_ranks(volumes, at) for volumes, at in chosen]
        best = np.full(self._n_nodes, NONE, np.int32)
        for rank in sorted(self._first_of_groups(bindings, len(chosen) + 1), reverse=True):
            reach = self._reach[self._group[rank]]
            free = np.ones(len(reach), np.bool_)
            for positions in taken:
                free &= positions[reach] != rank
            best[reach[free]] = rank
        return best

    def _as_ranks(self, volumes: list[PersistentVolumeEntry], at: I32) -> I32:
        """Ranks of volumes that were chosen out of another list."""
        if volumes is self.volumes:
            return at
        # NONE is -1 and reads the last entry.
        ranks = np.array([*(self._rank.get(volume.name, NONE) for volume in volumes), NONE], np.int32)
        return ranks[at]

    def _first_of_groups(self, bindings: VolumeBindings, number: int) -> list[int]:
        """The first so many free volumes of each group."""
        found = []
        for members, head in zip(self._members, self._heads, strict=True):
            free = [rank for rank in members[head:] if self.volumes[rank].name not in bindings.claim_of]
            found += free[:number]
        return found

    def _follow(self, bindings: VolumeBindings) -> None:
        """Take in what was promised since the last time."""
        if bindings.n_withdrawn != self._n_withdrawn:
            self._reset(bindings.n_withdrawn)
        for name in bindings.promised[self._n_seen :]:
            rank = self._rank.get(name, NONE)
            if rank != NONE:
                self._advance(self._group[rank], bindings)
        self._n_seen = len(bindings.promised)

    def _reset(self, n_withdrawn: int) -> None:
        self._n_withdrawn = n_withdrawn
        self._n_seen = 0
        self._heads = [0] * len(self._members)
        self._best: I32 = np.full(self._n_nodes, NONE, np.int32)
        firsts = sorted(range(len(self._members)), key=lambda group: self._members[group][0], reverse=True)
        for group in firsts:
            self._best[self._reach[group]] = self._members[group][0]

    def _advance(self, group: int, bindings: VolumeBindings) -> None:
        members, head = self._members[group], self._heads[group]
        before = head
        while head < len(members) and self.volumes[members[head]].name in bindings.claim_of:
            head += 1
        self._heads[group] = head
        if head == before:
            return
        # A new array: the earlier one may be in somebody's hands.
        self._best = self._best.copy()
        if self._is_apart:
            self._best[self._reach[group]] = members[head] if head < len(members) else NONE
            return
        self._best[:] = NONE
        heads = [rows[at] for rows, at in zip(self._members, self._heads, strict=True) if at < len(rows)]
        for rank in sorted(heads, reverse=True):
            self._best[self._reach[self._group[rank]]] = rank
