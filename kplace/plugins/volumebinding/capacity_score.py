"""Scores of nodes by how full their storage would be (upstream ``scorer.go``)."""

import numpy as np

from kplace.columns.quantity import value
from kplace.columns.storage.classes import accessible_from
from kplace.dtypes import I32, I64
from kplace.plugins.helper import on_line, round_half_away
from kplace.plugins.volumebinding.args import VolumeBindingArgs
from kplace.plugins.volumebinding.find import Found, capacities_for, checks_room
from kplace.state import ClusterState

_FULL = 100
_POINT = 10
"""A point's score of 0 to 10 stands for ten times as much."""


class CapacityScore:
    """A broken line over the share of each class's storage that would be used, and its mean over the classes.

    Parameters
    ----------
    args : VolumeBindingArgs
        With a shape.
    """

    def __init__(self, args: VolumeBindingArgs) -> None:
        self._utilization: I64 = np.array([point for point, _ in args.shape], np.int64)
        self._score: I64 = np.array([_POINT * score for _, score in args.shape], np.int64)

    def of(self, state: ClusterState, found: Found, nodes: I32) -> I64:
        """Score some nodes; where nothing has to be bound it is 0."""
        scores = np.zeros(len(nodes), np.int64)
        if not found.matches and not found.selected:
            return scores
        for i, node in enumerate(nodes.tolist()):
            classes = _static_use(found, node) or _dynamic_use(state, found, node)
            if classes:
                total = sum(self._at(requested, capacity) for requested, capacity in classes.values())
                scores[i] = round_half_away(total / len(classes))
        return scores

    def _at(self, requested: int, capacity: int) -> int:
        share = _FULL if capacity == 0 or requested > capacity else requested * _FULL // capacity
        return int(on_line(self._utilization, self._score, share))


def _static_use(found: Found, node: int) -> dict[str, tuple[int, int]]:
    """Requested and available bytes by class, of volumes that there are."""
    use: dict[str, tuple[int, int]] = {}
    for claim, volume in found.static_on(node):
        name = volume.item.spec.storage_class_name
        requested, capacity = use.get(name, (0, 0))
        use[name] = requested + (claim.bytes or 0), capacity + volume.bytes
    return use


def _dynamic_use(state: ClusterState, found: Found, node: int) -> dict[str, tuple[int, int]]:
    """Requested and available bytes by class, of volumes that are to be made and whose driver says what it has."""
    use: dict[str, tuple[int, int]] = {}
    for claim in found.dynamic_on(node):
        if not checks_room(state.storage, claim):
            continue
        fitting = capacities_for(state.storage, claim)
        nodes = state.columns.nodes
        capacity = next((item for item in fitting if accessible_from(nodes, item.node_topology)[node]), None)
        if capacity is None:
            continue
        name = claim.class_name
        requested, _ = use.get(name, (0, 0))
        use[name] = requested + (claim.bytes or 0), value(capacity.capacity or 0)
    return use
