"""PrioritySort (upstream ``plugins/queuesort``)."""

import numpy as np

from kplace.columns.pods import PodColumns
from kplace.columns.templates import Template
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

    def rank(self, template: Template, timestamp: int) -> tuple[int, ...]:
        """Rank of one pod: by priority, then by the time at which it entered the queue or last failed."""
        return -template.priority, timestamp


_: type[QueueSortPlugin] = PrioritySort
