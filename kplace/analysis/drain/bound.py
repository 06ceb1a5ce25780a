"""How many nodes must stay, however one packs."""

from bisect import bisect_left
from itertools import accumulate

import numpy as np

from kplace.analysis.drain.evictable import stays_with_node
from kplace.columns import ClusterColumns
from kplace.dtypes import NO_NODE
from kplace.frames.usage import offered, usage


def fewest_left(columns: ClusterColumns) -> int:
    """The fewest nodes that can hold all pods which would have to move, by one resource alone.

    A node that stays keeps its daemons, one that goes takes its own along. It holds no more than it offers beside them,
    or than is on it already. Rules, and that a pod cannot be split, are left out: the true number lies above.
    """
    pods = columns.pods
    stays = stays_with_node(columns)
    counted = pods.holding & ~pods.terminating
    moving = usage(columns, np.where(counted & ~stays, pods.node, NO_NODE).astype(np.int32)).requested
    daemons = usage(columns, np.where(counted & stays, pods.node, NO_NODE).astype(np.int32)).requested
    room = np.maximum(offered(columns) - daemons, moving)
    most = 0
    for sizes, wanted in zip(room.tolist(), moving.tolist(), strict=True):
        reached = list(accumulate(sorted(sizes, reverse=True), initial=0))
        most = max(most, bisect_left(reached, sum(wanted)))
    return most
