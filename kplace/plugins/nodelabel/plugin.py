"""NodeLabel, which v1beta1 and policies have (``plugins/nodelabel`` of 1.22)."""

from collections.abc import Sequence

import numpy as np

from kplace.dtypes import I32, I64, MAX_NODE_SCORE, Mask
from kplace.framework import Cycle, ScorePlugin
from kplace.framework.events import Action, ClusterEvent, Registration, Resource
from kplace.framework.masks import MaskPlugin
from kplace.plugins.nodelabel.args import NodeLabelArgs

REGISTRATIONS = (Registration(ClusterEvent(Resource.NODE, Action.ADD | Action.UPDATE_NODE_LABEL)),)


class NodeLabel:
    """Rules out nodes by the labels that they have or lack, and prefers nodes by others."""

    name = "NodeLabel"
    reason = "node(s) didn't have the requested labels"
    unresolvable = True
    is_local = True

    def __init__(self, args: NodeLabelArgs | None = None) -> None:
        self._args = args or NodeLabelArgs()

    def filter(self, cycle: Cycle, nodes: I32) -> Mask:
        """Pass nodes with all labels that must be present and none that must be absent."""
        view = cycle.at(nodes)
        passes = np.ones(len(nodes), np.bool_)
        for key in self._args.present_labels:
            passes &= view.has_label(key)
        for key in self._args.absent_labels:
            passes &= ~view.has_label(key)
        return passes

    def score(self, cycle: Cycle, nodes: I32) -> I64:
        """Mean over the preferred labels: 100 for each that is as preferred."""
        view = cycle.at(nodes)
        present, absent = self._args.present_labels_preference, self._args.absent_labels_preference
        total = np.zeros(len(nodes), np.int64)
        for key in present:
            total += view.has_label(key)
        for key in absent:
            total += ~view.has_label(key)
        return total * MAX_NODE_SCORE // max(len(present) + len(absent), 1)

    def events_to_register(self) -> Sequence[Registration]:
        """Events that may help a pod which was rejected here."""
        return REGISTRATIONS


_filter: type[MaskPlugin] = NodeLabel
_score: type[ScorePlugin] = NodeLabel
