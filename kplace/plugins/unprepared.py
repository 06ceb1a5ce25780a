"""Plugins that run at one extension point but not at the earlier one that prepares it.

A configuration may take a plugin out of PreFilter and leave it in Filter, or out of PreScore and leave it in Score.
Upstream starts with such a configuration; what then happens is a matter of each plugin: some work it out on their own,
others look for what they should have kept, do not find it, and every pod that comes to them ends with an error.
"""

import numpy as np

from kplace.config.points import ExtensionPoint
from kplace.dtypes import I32, I64, Code
from kplace.errors import AttemptError
from kplace.framework import Cycle, FilterPlugin, PluginStatus, PreScorePlugin, ReservePlugin, ScorePlugin, Verdict
from kplace.plugins import names

_NOT_FOUND = "not found"

PREPARING = {
    ExtensionPoint.FILTER: ExtensionPoint.PRE_FILTER,
    ExtensionPoint.SCORE: ExtensionPoint.PRE_SCORE,
    ExtensionPoint.RESERVE: ExtensionPoint.PRE_FILTER,
}
"""The earlier point, by the later one."""


def _reading(start: str, key: str) -> str:
    return f'{start} "{key}" from cycleState: {_NOT_FOUND}'


COMPLAINTS = {
    ExtensionPoint.FILTER: {
        names.NODE_PORTS: _reading("reading", "PreFilterNodePorts"),
        names.NODE_RESOURCES_FIT: _reading("error reading", "PreFilterNodeResourcesFit"),
        names.VOLUME_RESTRICTIONS: 'cannot read "PreFilterVolumeRestrictions" from cycleState',
        names.VOLUME_BINDING: _NOT_FOUND,
        names.POD_TOPOLOGY_SPREAD: _reading("reading", "PreFilterPodTopologySpread"),
        names.INTER_POD_AFFINITY: _reading("error reading", "PreFilterInterPodAffinity"),
        names.DYNAMIC_RESOURCES: _NOT_FOUND,
        "ServiceAffinity": _reading("error reading", "PreFilterServiceAffinity"),
    },
    ExtensionPoint.SCORE: {
        names.TAINT_TOLERATION: _reading("failed to read", "PreScoreTaintToleration"),
        names.POD_TOPOLOGY_SPREAD: _reading("error reading", "PreScorePodTopologySpread"),
        names.INTER_POD_AFFINITY: _reading("failed to read", "PreScoreInterPodAffinity"),
    },
    ExtensionPoint.RESERVE: {
        names.VOLUME_BINDING: _NOT_FOUND,
        names.DYNAMIC_RESOURCES: _NOT_FOUND,
    },
}
"""What upstream says, by the point and the plugin; the other plugins get along."""


class Unprepared:
    """Stands in for a plugin that misses what it should have kept: every call is an error.

    Parameters
    ----------
    name, complaint : str
    """

    def __init__(self, name: str, complaint: str) -> None:
        self.name = name
        self._complaint = complaint

    def filter(self, cycle: Cycle, nodes: I32) -> Verdict:
        """Err at every node."""
        return Verdict(np.full(len(nodes), Code.ERROR, np.int8), np.zeros(len(nodes), np.int64))

    def reasons(self, cycle: Cycle, detail: int) -> tuple[str, ...]:
        """Upstream's words."""
        return (self._complaint,)

    def score(self, cycle: Cycle, nodes: I32) -> I64:
        """Err.

        Raises
        ------
        AttemptError
        """
        raise AttemptError(self._complaint)

    def reserve(self, cycle: Cycle, node: int) -> PluginStatus:
        """Err."""
        return PluginStatus(Code.ERROR, (self._complaint,))

    def unreserve(self, cycle: Cycle, node: int) -> None:
        """There is nothing to take back."""


class AsksItself:
    """Stands in for a score plugin that goes by its own PreScore if nobody else asks it: pods it skips get 0.

    Parameters
    ----------
    plugin : PreScorePlugin and ScorePlugin
    """

    def __init__(self, plugin: PreScorePlugin) -> None:
        assert isinstance(plugin, ScorePlugin)
        self.name = plugin.name
        self._asked = plugin
        self._scoring: ScorePlugin = plugin

    def score(self, cycle: Cycle, nodes: I32) -> I64:
        """Score each of ``nodes``."""
        if self._asked.pre_score(cycle, nodes) is False:
            return np.zeros(len(nodes), np.int64)
        return self._scoring.score(cycle, nodes)


_filter: type[FilterPlugin] = Unprepared
_score: type[ScorePlugin] = Unprepared
_reserve: type[ReservePlugin] = Unprepared
_asks: type[ScorePlugin] = AsksItself
