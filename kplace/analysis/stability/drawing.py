"""What a run is told that another one is told otherwise: the seed of its draws, where it starts, who comes first."""

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np

from kplace.api import Cluster
from kplace.dtypes import NO_TIME
from kplace.synthesis.draws import stream

TIES, START, ORDER = "ties", "start", "order"
VARIABLE = (TIES, START, ORDER)
"""What can vary."""


@dataclass(frozen=True, slots=True)
class Told:
    """What one run is told.

    Attributes
    ----------
    seed : int
        Of the draws among equal nodes.
    start_index : int
        Where the first search begins.
    order : int or None
        Seed of the order of arrival; None leaves the input's.
    """

    seed: int
    start_index: int
    order: int | None

    def cluster(self, before: Cluster) -> Cluster:
        """The cluster with its waiting pods in the order in which they arrive."""
        return before if self.order is None else arriving(before, self.order)


def told(seed: int, run: int, vary: Collection[str], n_nodes: int) -> Told:
    """What a run is told: all that varies is drawn from ``seed + run``.

    Examples
    --------
    >>> told(7, 2, {"ties", "order"}, 100)
    Told(seed=9, start_index=0, order=9)
    """
    number = seed + run
    return Told(
        seed=number if TIES in vary else seed,
        start_index=start_of(number, n_nodes) if START in vary else 0,
        order=number if ORDER in vary else None,
    )


def start_of(seed: int, n_nodes: int) -> int:
    """Start index of a seed: any node with the same probability.

    Examples
    --------
    >>> 0 <= start_of(3, 100) < 100, start_of(3, 0)
    (True, 0)
    """
    return int(stream(seed, "stability", START).integers(n_nodes)) if n_nodes else 0


def arriving(cluster: Cluster, seed: int) -> Cluster:
    """Let the waiting pods of a cluster arrive in another order.

    All waiting pods get creation times, a nanosecond apart, in an order in which every permutation has the same
    probability. kube-scheduler's queue goes by priority before it goes by time: what changes is who comes first among
    pods of equal priority. A queue sort of one's own makes of the times what it will.

    Parameters
    ----------
    cluster : Cluster
        Not modified.
    seed : int
        0 or more.

    Returns
    -------
    Cluster
        The same but for the creation times. The first of them is the earliest that a waiting pod had; 1970 if none had
        one.
    """
    pods = cluster.columns.pods
    waiting = np.flatnonzero(pods.waiting)
    given = pods.created_ns[waiting]
    first = min((time for time in given.tolist() if time != NO_TIME), default=0)
    created = pods.created_ns.copy()
    created[waiting] = first + stream(seed, "stability", ORDER).permutation(len(waiting))
    return Cluster(replace(cluster.columns, pods=replace(pods, created_ns=created)), cluster.case)
