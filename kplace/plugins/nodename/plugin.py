"""NodeName (upstream ``plugins/nodename``)."""

import numpy as np

from kplace.dtypes import I32, Code
from kplace.framework import Cycle, FilterPlugin, Verdict
from kplace.plugins import names

REASON = "node(s) didn't match the requested node name"


class NodeName:
    """Lets a pod onto the node it names; a waiting pod names none, and every node passes."""

    name = names.NODE_NAME
    is_local = True

    def filter(self, cycle: Cycle, nodes: I32) -> Verdict:
        """Judge each of ``nodes``."""
        named = int(cycle.state.columns.pods.node[cycle.pod])
        passes = nodes == named if named >= 0 else np.ones(len(nodes), np.bool_)
        return Verdict.of_mask(passes, Code.UNSCHEDULABLE_AND_UNRESOLVABLE)

    def reasons(self, cycle: Cycle, detail: int) -> tuple[str, ...]:
        """Upstream's words."""
        return (REASON,)


_: type[FilterPlugin] = NodeName
