"""PrioritySort (upstream ``plugins/queuesort``)."""

import numpy as np

from kplace.columns.pods import PodColumns
from kplace.dtypes import I32
from kplace.framework import QueueSortPlugin
from kplace.plugins import names


class PrioritySort:
    """Orders by priority, highest first, then by time; in a dump the time is the pod's creation."""

    name = names.PRIORITY_SORT

    def sort(self, pods: PodColumns, waiting: I32) -> I32:
        """Reorder pods; without a creation time they come last in their priority, ties keep the input's order."""
        order = np.lexsort((waiting, pods.created_ns[waiting], -pods.priority[waiting]))
        return waiting[order]


_: type[QueueSortPlugin] = PrioritySort
