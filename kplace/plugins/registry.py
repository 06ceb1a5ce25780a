"""All in-tree plugins by name (``plugins/registry.go``)."""

from collections.abc import Callable

from kplace.framework import Plugin
from kplace.plugins import names
from kplace.plugins.defaultbinder.plugin import DefaultBinder
from kplace.plugins.defaultpreemption.plugin import DefaultPreemption
from kplace.plugins.dynamicresources.plugin import DynamicResources
from kplace.plugins.imagelocality.plugin import ImageLocality
from kplace.plugins.interpodaffinity.plugin import InterPodAffinity
from kplace.plugins.nodeaffinity.plugin import NodeAffinity
from kplace.plugins.nodename.plugin import NodeName
from kplace.plugins.nodeports.plugin import NodePorts
from kplace.plugins.noderesources.balanced_allocation import NodeResourcesBalancedAllocation
from kplace.plugins.noderesources.fit import NodeResourcesFit
from kplace.plugins.nodeunschedulable.plugin import NodeUnschedulable
from kplace.plugins.nodevolumelimits.plugin import NodeVolumeLimits
from kplace.plugins.podtopologyspread.plugin import PodTopologySpread
from kplace.plugins.queuesort.plugin import PrioritySort
from kplace.plugins.schedulinggates.plugin import SchedulingGates
from kplace.plugins.tainttoleration.plugin import TaintToleration
from kplace.plugins.volumebinding.plugin import VolumeBinding
from kplace.plugins.volumerestrictions.plugin import VolumeRestrictions
from kplace.plugins.volumezone.plugin import VolumeZone

Factory = Callable[[], Plugin]


def in_tree_registry() -> dict[str, Factory]:
    """Factories of the in-tree plugins, each making the plugin with its default args."""
    return {
        names.SCHEDULING_GATES: SchedulingGates,
        names.PRIORITY_SORT: PrioritySort,
        names.NODE_UNSCHEDULABLE: NodeUnschedulable,
        names.NODE_NAME: NodeName,
        names.TAINT_TOLERATION: TaintToleration,
        names.NODE_AFFINITY: NodeAffinity,
        names.NODE_PORTS: NodePorts,
        names.NODE_RESOURCES_FIT: NodeResourcesFit,
        names.NODE_RESOURCES_BALANCED_ALLOCATION: NodeResourcesBalancedAllocation,
        names.IMAGE_LOCALITY: ImageLocality,
        names.INTER_POD_AFFINITY: InterPodAffinity,
        names.DYNAMIC_RESOURCES: DynamicResources,
        names.DEFAULT_PREEMPTION: DefaultPreemption,
        names.VOLUME_RESTRICTIONS: VolumeRestrictions,
        names.NODE_VOLUME_LIMITS: NodeVolumeLimits,
        names.VOLUME_BINDING: VolumeBinding,
        names.VOLUME_ZONE: VolumeZone,
        names.POD_TOPOLOGY_SPREAD: PodTopologySpread,
        names.DEFAULT_BINDER: DefaultBinder,
    }
