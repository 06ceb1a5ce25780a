"""NodeUnschedulable (upstream ``plugins/nodeunschedulable``)."""

from collections.abc import Sequence

import numpy as np

from kplace.dtypes import I32, Code
from kplace.framework import Cycle, FilterPlugin, Verdict
from kplace.framework.events import Registration
from kplace.plugins import names
from kplace.plugins.nodeunschedulable import hints
from kplace.plugins.tolerations import CORDON, tolerated

REASON = "node(s) were unschedulable"


class NodeUnschedulable:
    """Rules out nodes with ``spec.unschedulable``, unless the pod tolerates the taint that stands for it."""

    name = names.NODE_UNSCHEDULABLE
    is_local = True

    def filter(self, cycle: Cycle, nodes: I32) -> Verdict:
        """Judge each of ``nodes``."""
        tolerates_cordon = tolerated(CORDON, cycle.template.spec.tolerations or ())
        cordoned = cycle.state.columns.nodes.unschedulable.take(nodes)
        passes = np.ones(len(nodes), np.bool_) if tolerates_cordon else ~cordoned
        return Verdict.of_mask(passes, Code.UNSCHEDULABLE_AND_UNRESOLVABLE)

    def events_to_register(self) -> Sequence[Registration]:
        """Events that may help a pod which was rejected here."""
        return hints.REGISTRATIONS

    def reasons(self, cycle: Cycle, detail: int) -> tuple[str, ...]:
        """Upstream's words."""
        return (REASON,)


_: type[FilterPlugin] = NodeUnschedulable
