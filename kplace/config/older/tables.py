"""The default plugins of older versions, with the weights of their time (``apis/config/<version>/default_plugins.go``).

Each version is taken as its last release had it: v1beta1 as 1.22, v1beta2 as 1.27, v1beta3 as 1.28.
"""

from kplace.config.catalogue import DefaultPlugin
from kplace.config.points import MULTI_POINT

DefaultSets = dict[str, tuple[DefaultPlugin, ...]]


def _plain(*names: str) -> tuple[DefaultPlugin, ...]:
    return tuple(map(DefaultPlugin, names))


def _weighted(**weights: int) -> tuple[DefaultPlugin, ...]:
    return tuple(DefaultPlugin(name, weight) for name, weight in weights.items())


_FILTER = _plain(
    "NodeUnschedulable",
    "NodeName",
    "TaintToleration",
    "NodeAffinity",
    "NodePorts",
    "NodeResourcesFit",
    "VolumeRestrictions",
    "EBSLimits",
    "GCEPDLimits",
    "NodeVolumeLimits",
    "AzureDiskLimits",
    "VolumeBinding",
    "VolumeZone",
    "PodTopologySpread",
    "InterPodAffinity",
)
_COMMON: DefaultSets = {
    "queueSort": _plain("PrioritySort"),
    "filter": _FILTER,
    "postFilter": _plain("DefaultPreemption"),
    "preScore": _plain("InterPodAffinity", "PodTopologySpread", "TaintToleration", "NodeAffinity"),
    "reserve": _plain("VolumeBinding"),
    "preBind": _plain("VolumeBinding"),
    "bind": _plain("DefaultBinder"),
}

V1BETA1: DefaultSets = _COMMON | {
    "preFilter": _plain(
        "NodeResourcesFit", "NodePorts", "PodTopologySpread", "InterPodAffinity", "VolumeBinding", "NodeAffinity"
    ),
    "score": _weighted(
        NodeResourcesBalancedAllocation=1,
        ImageLocality=1,
        InterPodAffinity=1,
        NodeResourcesLeastAllocated=1,
        NodeAffinity=1,
        NodePreferAvoidPods=10000,
        PodTopologySpread=2,
        TaintToleration=1,
    ),
}

V1BETA2: DefaultSets = _COMMON | {
    "preEnqueue": _plain("SchedulingGates"),
    "preFilter": _plain(
        "NodeResourcesFit",
        "NodePorts",
        "VolumeRestrictions",
        "PodTopologySpread",
        "InterPodAffinity",
        "VolumeBinding",
        "VolumeZone",
        "NodeAffinity",
    ),
    "score": _weighted(
        NodeResourcesBalancedAllocation=1,
        ImageLocality=1,
        InterPodAffinity=1,
        NodeResourcesFit=1,
        NodeAffinity=1,
        PodTopologySpread=2,
        TaintToleration=1,
    ),
}

V1BETA3: DefaultSets = {
    MULTI_POINT: (
        *_plain("PrioritySort", "NodeUnschedulable", "NodeName"),
        *_weighted(TaintToleration=3, NodeAffinity=2),
        *_plain("NodePorts"),
        *_weighted(NodeResourcesFit=1),
        *_plain(
            "VolumeRestrictions",
            "EBSLimits",
            "GCEPDLimits",
            "NodeVolumeLimits",
            "AzureDiskLimits",
            "VolumeBinding",
            "VolumeZone",
        ),
        *_weighted(PodTopologySpread=2, InterPodAffinity=2),
        *_plain("DefaultPreemption"),
        *_weighted(NodeResourcesBalancedAllocation=1, ImageLocality=1),
        *_plain("DefaultBinder", "SchedulingGates"),
    )
}

LEAST_ALLOCATED, MOST_ALLOCATED = "NodeResourcesLeastAllocated", "NodeResourcesMostAllocated"
"""What ClusterAutoscalerProvider replaces, and by what."""

DISK_LIMITS = ("EBSLimits", "GCEPDLimits", "AzureDiskLimits", "CinderLimits")
REMOVED_IN_V1BETA2 = (
    "NodeLabel",
    "ServiceAffinity",
    "NodePreferAvoidPods",
    LEAST_ALLOCATED,
    MOST_ALLOCATED,
    "RequestedToCapacityRatio",
)
REMOVED_IN_V1BETA3 = ("SelectorSpread",)
