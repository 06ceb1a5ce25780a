"""What predicates and priorities of a Policy come to as plugins, as 1.22 had it (``plugins/legacy_registry.go``)."""

_FILTER, _PRE_FILTER = "filter", "preFilter"
Placement = tuple[str, str]
"""An extension point and a plugin."""


def _filter(*plugins: str) -> tuple[Placement, ...]:
    return tuple((_FILTER, plugin) for plugin in plugins)


def _both(*plugins: str) -> tuple[Placement, ...]:
    return tuple((point, plugin) for plugin in plugins for point in (_FILTER, _PRE_FILTER))


NODE_LABEL, SERVICE_AFFINITY = "CheckNodeLabelPresence", "CheckServiceAffinity"

PREDICATES: dict[str, tuple[Placement, ...]] = {
    "CheckNodeUnschedulable": _filter("NodeUnschedulable"),
    "GeneralPredicates": (
        *_both("NodeResourcesFit"),
        *_filter("NodeName"),
        *_both("NodePorts"),
        *_both("NodeAffinity"),
    ),
    "HostName": _filter("NodeName"),
    "PodFitsHostPorts": _both("NodePorts"),
    "MatchNodeSelector": _both("NodeAffinity"),
    "PodFitsResources": _both("NodeResourcesFit"),
    "NoDiskConflict": _filter("VolumeRestrictions"),
    "PodToleratesNodeTaints": _filter("TaintToleration"),
    NODE_LABEL: _filter("NodeLabel"),
    SERVICE_AFFINITY: _both("ServiceAffinity"),
    "MaxEBSVolumeCount": _filter("EBSLimits"),
    "MaxGCEPDVolumeCount": _filter("GCEPDLimits"),
    "MaxCSIVolumeCountPred": _filter("NodeVolumeLimits"),
    "MaxAzureDiskVolumeCount": _filter("AzureDiskLimits"),
    "MaxCinderVolumeCount": _filter("CinderLimits"),
    "CheckVolumeBinding": (*_both("VolumeBinding"), ("reserve", "VolumeBinding"), ("preBind", "VolumeBinding")),
    "NoVolumeZoneConflict": _filter("VolumeZone"),
    "EvenPodsSpread": _both("PodTopologySpread"),
    "MatchInterPodAffinity": _both("InterPodAffinity"),
}
"""In the order in which they are run."""

MANDATORY = ("CheckNodeUnschedulable", "PodToleratesNodeTaints")
DEFAULT_PREDICATES = (
    "NoVolumeZoneConflict",
    "MaxEBSVolumeCount",
    "MaxGCEPDVolumeCount",
    "MaxAzureDiskVolumeCount",
    "MaxCSIVolumeCountPred",
    "MatchInterPodAffinity",
    "NoDiskConflict",
    "GeneralPredicates",
    "CheckVolumeBinding",
    "EvenPodsSpread",
    *MANDATORY,
)
SAME_PREDICATE = {"PodFitsPorts": "PodFitsHostPorts"}
FORMER_PREDICATES = dict.fromkeys(
    ("CheckNodeCondition", "CheckNodeMemoryPressure", "CheckNodeDiskPressure", "CheckNodePIDPressure"),
    "leave it out: since 1.12 the conditions of nodes are taints",
)

RATIO, PREFER_LABEL, PREFER_SERVICE = "RequestedToCapacityRatio", "NodeLabel", "ServiceAffinity"
EVEN_SPREAD, SELECTOR_SPREAD, POD_AFFINITY = (
    "EvenPodsSpreadPriority",
    "SelectorSpreadPriority",
    "InterPodAffinityPriority",
)

PRIORITIES: dict[str, tuple[str, bool]] = {
    "BalancedResourceAllocation": ("NodeResourcesBalancedAllocation", False),
    EVEN_SPREAD: ("PodTopologySpread", True),
    "ImageLocalityPriority": ("ImageLocality", False),
    POD_AFFINITY: ("InterPodAffinity", True),
    "LeastRequestedPriority": ("NodeResourcesLeastAllocated", False),
    "MostRequestedPriority": ("NodeResourcesMostAllocated", False),
    "NodeAffinityPriority": ("NodeAffinity", True),
    PREFER_LABEL: ("NodeLabel", False),
    "NodePreferAvoidPodsPriority": ("NodePreferAvoidPods", False),
    RATIO: ("RequestedToCapacityRatio", False),
    SELECTOR_SPREAD: ("PodTopologySpread", True),
    PREFER_SERVICE: ("ServiceAffinity", False),
    "TaintTolerationPriority": ("TaintToleration", True),
}
"""The plugin, and whether it runs at PreScore as well; in the order in which they are taken."""

DEFAULT_PRIORITIES = {
    SELECTOR_SPREAD: 1,
    POD_AFFINITY: 1,
    "LeastRequestedPriority": 1,
    "BalancedResourceAllocation": 1,
    "NodePreferAvoidPodsPriority": 10000,
    "NodeAffinityPriority": 1,
    "TaintTolerationPriority": 1,
    "ImageLocalityPriority": 1,
    EVEN_SPREAD: 2,
}
SAME_PRIORITY = {"ServiceSpreadingPriority": SELECTOR_SPREAD}
IGNORED_PRIORITY = "EqualPriority"
