"""The snapshot's node order: zone by zone, round-robin (upstream ``node_tree.go``)."""

from collections.abc import Mapping, Sequence
from itertools import zip_longest

REGION_LABELS = ("failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region")
ZONE_LABELS = ("failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone")


def zone_key(labels: Mapping[str, str]) -> str:
    """Key of the zone that a node belongs to; empty without region and zone labels. The beta labels win."""
    region = next((labels[key] for key in REGION_LABELS if key in labels), "")
    zone = next((labels[key] for key in ZONE_LABELS if key in labels), "")
    return f"{region}:\0:{zone}" if region or zone else ""


def snapshot_order(zones: Sequence[str]) -> list[int]:
    """Order in which the snapshot lists nodes that were added in the order given.

    Parameters
    ----------
    zones : sequence of str
        Each node's zone key, in order of addition.

    Returns
    -------
    list of int
        Positions in ``zones``: the first node of each zone, then the second of each, and so on; zones in order of
        first appearance.

    Examples
    --------
    >>> snapshot_order(["a", "a", "a", "b"])
    [0, 3, 1, 2]
    """
    members: dict[str, list[int]] = {}
    for position, zone in enumerate(zones):
        members.setdefault(zone, []).append(position)
    rounds = zip_longest(*members.values())
    return [position for taken in rounds for position in taken if position is not None]
