"""How few nodes would do, and how many are empty."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kplace.analysis.subject import Subject, endings, nodes_of, safe_sum
from kplace.frames.schema import resource_of


@dataclass(frozen=True, slots=True)
class Packing:
    """Nodes in use beside the fewest that could do.

    Attributes
    ----------
    nodes, used, empty : int
        All, those with at least one pod, and the others.
    least : int
        No packing, however clever, does with fewer nodes of this cluster.
    resource : str
        The resource that asks for so many; empty if nothing is requested.
    efficiency : float
        ``least / used``; NaN if no node is used.
    """

    nodes: int
    used: int
    empty: int
    least: int
    resource: str
    efficiency: float


def packing(subject: Subject, *, resources: Sequence[str] | None = None) -> Packing:
    """Packing efficiency: the fewest nodes that could hold what is requested, beside the number that holds pods.

    For each resource, the largest nodes are taken until they offer as much as all pods request together; the resource
    that needs the most nodes decides. With equal nodes that is ``max over resources of ceil(requested / size)``. Rules,
    and that a pod cannot be split, are left out: the true number lies above.

    Parameters
    ----------
    subject : Cluster, Placements or DataFrame
        A table of nodes.
    resources : sequence of str, optional
        Kubernetes' names; by default all that any node offers, the number of pods among them.

    Returns
    -------
    Packing
    """
    nodes = nodes_of(subject)
    least, decides = 0, ""
    for ending in endings(nodes, resources):
        wanted = safe_sum(nodes[f"requested_{ending}"])
        sizes = np.sort(nodes[f"allocatable_{ending}"].to_numpy(np.int64))[::-1]
        reached = np.cumsum(sizes, dtype=np.float64)
        needed = int(np.searchsorted(reached, wanted)) + 1 if wanted > 0 else 0
        needed = min(needed, len(nodes))
        if needed > least:
            least, decides = needed, resource_of(ending)
    used = int((nodes["requested_pods"] > 0).sum())
    efficiency = least / used if used else float("nan")
    return Packing(len(nodes), used, len(nodes) - used, least, decides, efficiency)
