"""Filters that do not look at what a pod requests are asked once for all pods that differ in nothing else."""

from dataclasses import replace

from kplace.dtypes import Code
from kplace.engine.attempt import Attempt
from kplace.engine.cycle import ask_filters
from kplace.framework import Cycle, FilterPlugin, PreFilterPlugin, PreFilterResult, Profile
from kplace.framework.runtime import PASSED, FilterPhase, run_pre_filters
from kplace.plugins.interpodaffinity.plugin import InterPodAffinity
from kplace.plugins.nodeaffinity.plugin import NodeAffinity
from kplace.plugins.nodename.plugin import NodeName
from kplace.plugins.nodeports.plugin import NodePorts
from kplace.plugins.nodeunschedulable.plugin import NodeUnschedulable
from kplace.plugins.podtopologyspread.plugin import PodTopologySpread
from kplace.plugins.tainttoleration.plugin import TaintToleration

BLIND_TO_AMOUNTS = (
    InterPodAffinity,
    NodeAffinity,
    NodeName,
    NodePorts,
    NodeUnschedulable,
    PodTopologySpread,
    TaintToleration,
)
"""Plugins whose PreFilter and Filter depend on the state, on the pod's shape and on the node that it names."""

Kind = tuple[int, int]
"""A pod's shape and the node that it names."""


def kind_of(cycle: Cycle) -> Kind:
    """What the plugins look at that are blind to amounts."""
    return cycle.template.shape, int(cycle.state.columns.pods.node[cycle.pod])


def is_blind(plugin: object) -> bool:
    """Whether a plugin is known not to look at what a pod requests; a subclass may look at anything."""
    return type(plugin) in BLIND_TO_AMOUNTS


class PreFilterOnce:
    """A PreFilter that is asked once for pods of one kind that follow one another.

    What it keeps for its Filter is there in the cycle of the first of them alone.

    Parameters
    ----------
    plugin : PreFilterPlugin
    """

    def __init__(self, plugin: PreFilterPlugin) -> None:
        self.name = plugin.name
        self._plugin = plugin
        self._kind: Kind | None = None
        self._result: PreFilterResult | None = None

    def pre_filter(self, cycle: Cycle) -> PreFilterResult | None:
        """What the plugin says."""
        kind = kind_of(cycle)
        if kind != self._kind:
            self._kind, self._result = kind, self._plugin.pre_filter(cycle)
        return self._result


class SharedFilters:
    """Judges pods one after the other, as long as the state does not change; see `ask_filters`.

    Pods of one kind should follow one another: only what was found about the last kind is kept. No pods may be
    nominated: nodes are judged with these on them as well, which changes the state for the moment.

    Parameters
    ----------
    profile : Profile
    """

    def __init__(self, profile: Profile) -> None:
        filters = tuple(enumerate(profile.filter))
        self._blind = [item for item in filters if is_blind(item[1])]
        self._others = [item for item in filters if not is_blind(item[1])]
        once = (PreFilterOnce(item) if is_blind(item) else item for item in profile.pre_filter)
        self._pre_filters = replace(profile, pre_filter=tuple(once))
        self._kind: Kind | None = None
        self._phase = FilterPhase.blank(0, PASSED, Code.SUCCESS)

    def judge(self, attempt: Attempt) -> None:
        """Find out what PreFilters and Filters say. Fills in ``attempt``."""
        cycle = attempt.cycle
        phase = run_pre_filters(self._pre_filters, cycle)
        if phase.rejected_by is not None or phase.nodes is not None:
            # Rare, and the plugins' own words are wanted in the one case, what they keep in the cycle in the other.
            ask_filters(attempt)
            return
        attempt.pre_filters = phase
        attempt.filters = self._filters(cycle, phase.skipped)

    def _filters(self, cycle: Cycle, skipped: set[str]) -> FilterPhase:
        kind = kind_of(cycle)
        if kind != self._kind:
            self._kind, self._phase = kind, self._of_the_blind(cycle, skipped)
        found = self._phase.copy()
        for index, plugin in self._others:
            if plugin.name not in skipped:
                found.enter(index, plugin, cycle, cycle.state.all_nodes)
        return found

    def _of_the_blind(self, cycle: Cycle, skipped: set[str]) -> FilterPhase:
        nodes = cycle.state.all_nodes
        found = FilterPhase.blank(len(nodes), PASSED, Code.SUCCESS)
        for index, plugin in self._blind:
            if plugin.name not in skipped:
                if isinstance(plugin, PreFilterPlugin):
                    # The cycle in which it was asked before may have been another pod's.
                    plugin.pre_filter(cycle)
                found.enter(index, plugin, cycle, nodes)
        return found


_pre_filter: type[PreFilterPlugin] = PreFilterOnce
_filters: tuple[type[FilterPlugin], ...] = BLIND_TO_AMOUNTS
