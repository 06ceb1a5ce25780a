"""NodeName (upstream ``plugins/nodename``)."""

from collections.abc import Sequence

import numpy as np

from kplace.dtypes import I32, Code
from kplace.framework import Cycle, FilterPlugin, Verdict
from kplace.framework.events import Registration
from kplace.plugins import names
from kplace.plugins.nodename import hints

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

    def events_to_register(self) -> Sequence[Registration]:
        """Events that may help a pod which was rejected here."""
        return hints.REGISTRATIONS

    def reasons(self, cycle: Cycle, detail: int) -> tuple[str, ...]:
        """Upstream's words."""
        return (REASON,)


_: type[FilterPlugin] = NodeName
