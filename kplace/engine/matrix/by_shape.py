"""Filters that do not look at what a pod requests are asked once for all pods that differ in nothing else."""

from collections.abc import Iterable
from dataclasses import replace

from kplace.columns.templates import Template
from kplace.dtypes import I32
from kplace.framework import Cycle, FilterPlugin, Profile, Verdict
from kplace.plugins.interpodaffinity.plugin import InterPodAffinity
from kplace.plugins.nodeaffinity.plugin import NodeAffinity
from kplace.plugins.nodename.plugin import NodeName
from kplace.plugins.nodeports.plugin import NodePorts
from kplace.plugins.nodeunschedulable.plugin import NodeUnschedulable
from kplace.plugins.podtopologyspread.plugin import PodTopologySpread
from kplace.plugins.tainttoleration.plugin import TaintToleration
from kplace.state import ClusterState

MOST_KEPT = 64
"""Verdicts that are kept of one plugin."""

BLIND_TO_AMOUNTS = (
    InterPodAffinity,
    NodeAffinity,
    NodeName,
    NodePorts,
    NodeUnschedulable,
    PodTopologySpread,
    TaintToleration,
)
"""Filters whose verdict depends on the state, on the pod's shape and on the node that it names."""


class ByShape:
    """A filter that is asked once for each shape and named node, as long as the state does not change.

    Parameters
    ----------
    plugin : FilterPlugin
    """

    def __init__(self, plugin: FilterPlugin) -> None:
        self.name = plugin.name
        self._plugin = plugin
        self._kept: dict[tuple[int, int], Verdict] = {}

    def filter(self, cycle: Cycle, nodes: I32) -> Verdict:
        """Judge each of ``nodes`` as the plugin does; the verdict is not to be modified."""
        if nodes is not cycle.state.all_nodes:
            return self._plugin.filter(cycle, nodes)
        key = (cycle.template.shape, int(cycle.state.columns.pods.node[cycle.pod]))
        verdict = self._kept.get(key)
        if verdict is None:
            if len(self._kept) == MOST_KEPT:
                del self._kept[next(iter(self._kept))]
            verdict = self._kept[key] = self._plugin.filter(cycle, nodes)
        return verdict

    def reasons(self, cycle: Cycle, detail: int) -> tuple[str, ...]:
        """The plugin's words."""
        return self._plugin.reasons(cycle, detail)


_: type[FilterPlugin] = ByShape


def by_shape(state: ClusterState, profile: Profile, templates: Iterable[Template]) -> Profile:
    """Let a profile's filters share verdicts between pods of some templates, where that saves work.

    It does if many of the templates are of the same shape. It must not where pods are nominated: nodes are judged with
    these on them as well, which changes the state for the moment.
    """
    shapes = [item.shape for item in templates]
    if len(state.nominations) or 2 * len(set(shapes)) > len(shapes):
        return profile
    # Not a subclass, which may look at anything.
    shared = (ByShape(item) if type(item) in BLIND_TO_AMOUNTS else item for item in profile.filter)
    return replace(profile, filter=tuple(shared))
