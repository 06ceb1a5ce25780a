"""What the configuration must know of the in-tree plugins of v1.34: points, arguments, default order and weights."""

from kplace.config.catalogue import Catalogue, DefaultPlugin, PluginSpec, by_name
from kplace.config.gates import DYNAMIC_RESOURCE_ALLOCATION
from kplace.config.points import MULTI_POINT, ExtensionPoint
from kplace.plugins import names
from kplace.plugins.defaultpreemption import args as default_preemption
from kplace.plugins.dynamicresources import args as dynamic_resources
from kplace.plugins.interpodaffinity import args as inter_pod_affinity
from kplace.plugins.nodeaffinity import args as node_affinity
from kplace.plugins.nodelabel import args as node_label
from kplace.plugins.noderesources import args as node_resources
from kplace.plugins.noderesources import older_args as older_node_resources
from kplace.plugins.podtopologyspread import args as pod_topology_spread
from kplace.plugins.serviceaffinity import args as service_affinity
from kplace.plugins.volumebinding import args as volume_binding

DEFAULT_ORDER = (
    (names.SCHEDULING_GATES, 0),
    (names.PRIORITY_SORT, 0),
    (names.NODE_UNSCHEDULABLE, 0),
    (names.NODE_NAME, 0),
    (names.TAINT_TOLERATION, 3),
    (names.NODE_AFFINITY, 2),
    (names.NODE_PORTS, 0),
    (names.NODE_RESOURCES_FIT, 1),
    (names.VOLUME_RESTRICTIONS, 0),
    (names.NODE_VOLUME_LIMITS, 0),
    (names.VOLUME_BINDING, 0),
    (names.VOLUME_ZONE, 0),
    (names.POD_TOPOLOGY_SPREAD, 2),
    (names.INTER_POD_AFFINITY, 2),
    (names.DYNAMIC_RESOURCES, 0),
    (names.DEFAULT_PREEMPTION, 0),
    (names.NODE_RESOURCES_BALANCED_ALLOCATION, 1),
    (names.IMAGE_LOCALITY, 1),
    (names.DEFAULT_BINDER, 0),
)
"""The default multiPoint set with its weights; 0: none is given (``apis/config/v1/default_plugins.go``)."""

_DISK_LIMITS = ("AzureDiskLimits", "CinderLimits", "EBSLimits", "GCEPDLimits")
_STRATEGIES = ("NodeResourcesLeastAllocated", "NodeResourcesMostAllocated", "RequestedToCapacityRatio")
REMOVED = dict.fromkeys(_DISK_LIMITS, "v1")
"""Plugins of earlier releases that v1 refuses by name."""

_BY_NODE_VOLUME_LIMITS = "NodeVolumeLimits does its work now"
_BY_FIT = "NodeResourcesFit does its work, with this type in its scoringStrategy"
FORMER = {
    **dict.fromkeys(_DISK_LIMITS, _BY_NODE_VOLUME_LIMITS),
    **dict.fromkeys(_STRATEGIES, _BY_FIT),
    "SelectorSpread": "PodTopologySpread with its default constraints does its work",
    "NodeLabel": "NodeAffinity with addedAffinity does its work",
    "ServiceAffinity": "InterPodAffinity does its work",
    "NodePreferAvoidPods": "a taint with the effect PreferNoSchedule does its work",
}
"""What to tell people who name a plugin of earlier releases."""


def _at(*points: str) -> frozenset[ExtensionPoint]:
    return frozenset(map(ExtensionPoint, points))


_PRE_FILTER_AND_FILTER = _at("preFilter", "filter")
_FILTER_AND_SCORE = _at("preFilter", "filter", "preScore", "score")

_PLUGINS = (
    PluginSpec(names.SCHEDULING_GATES, _at("preEnqueue")),
    PluginSpec(names.PRIORITY_SORT, _at("queueSort")),
    PluginSpec(names.NODE_UNSCHEDULABLE, _at("filter")),
    PluginSpec(names.NODE_NAME, _at("filter")),
    PluginSpec(names.TAINT_TOLERATION, _at("filter", "preScore", "score")),
    PluginSpec(names.NODE_AFFINITY, _FILTER_AND_SCORE, node_affinity.SPEC),
    PluginSpec(names.NODE_PORTS, _PRE_FILTER_AND_FILTER),
    PluginSpec(names.NODE_RESOURCES_FIT, _FILTER_AND_SCORE, node_resources.FIT),
    PluginSpec(names.VOLUME_RESTRICTIONS, _PRE_FILTER_AND_FILTER),
    PluginSpec(names.NODE_VOLUME_LIMITS, _PRE_FILTER_AND_FILTER),
    PluginSpec(names.VOLUME_BINDING, _FILTER_AND_SCORE | _at("reserve", "preBind"), volume_binding.SPEC),
    PluginSpec(names.VOLUME_ZONE, _PRE_FILTER_AND_FILTER),
    PluginSpec(names.POD_TOPOLOGY_SPREAD, _FILTER_AND_SCORE, pod_topology_spread.SPEC),
    PluginSpec(names.INTER_POD_AFFINITY, _FILTER_AND_SCORE, inter_pod_affinity.SPEC),
    PluginSpec(
        names.DYNAMIC_RESOURCES,
        _PRE_FILTER_AND_FILTER | _at("preEnqueue", "postFilter", "reserve", "preBind"),
        dynamic_resources.SPEC,
        gate=DYNAMIC_RESOURCE_ALLOCATION,
    ),
    PluginSpec(names.DEFAULT_PREEMPTION, _at("preEnqueue", "postFilter"), default_preemption.SPEC),
    PluginSpec(names.NODE_RESOURCES_BALANCED_ALLOCATION, _at("preScore", "score"), node_resources.BALANCED_ALLOCATION),
    PluginSpec(names.IMAGE_LOCALITY, _at("score")),
    PluginSpec(names.DEFAULT_BINDER, _at("bind")),
)

_RETIRED = (
    *(PluginSpec(name, _at("filter")) for name in _DISK_LIMITS),
    PluginSpec("SelectorSpread", _at("preScore", "score")),
    PluginSpec("NodePreferAvoidPods", _at("score")),
    PluginSpec("NodeLabel", _at("filter", "score"), node_label.SPEC),
    PluginSpec("ServiceAffinity", _at("preFilter", "filter", "score"), service_affinity.SPEC),
    PluginSpec("NodeResourcesLeastAllocated", _at("score"), older_node_resources.LEAST_ALLOCATED),
    PluginSpec("NodeResourcesMostAllocated", _at("score"), older_node_resources.MOST_ALLOCATED),
    PluginSpec("RequestedToCapacityRatio", _at("score"), older_node_resources.REQUESTED_TO_CAPACITY_RATIO),
)

IN_TREE = Catalogue(
    by_name(_PLUGINS),
    {MULTI_POINT: tuple(DefaultPlugin(name, weight) for name, weight in DEFAULT_ORDER)},
    removed=REMOVED,
    former=FORMER,
    retired=by_name(_RETIRED),
    older_args={
        "v1beta1": {
            names.NODE_RESOURCES_FIT: older_node_resources.FIT,
            names.POD_TOPOLOGY_SPREAD: pod_topology_spread.V1BETA1_SPEC,
        }
    },
)
