"""What the fused engine knows: the plugins that it can do without asking them node by node."""

from collections.abc import Iterable, Sequence
from typing import TypeVar

from kplace.dtypes import MAX_NODE_SCORE
from kplace.framework import Plugin, Profile
from kplace.plugins.dynamicresources.plugin import DynamicResources
from kplace.plugins.imagelocality.plugin import ImageLocality
from kplace.plugins.interpodaffinity.plugin import InterPodAffinity
from kplace.plugins.nodeaffinity.plugin import NodeAffinity
from kplace.plugins.nodename.plugin import NodeName
from kplace.plugins.nodeports.plugin import NodePorts
from kplace.plugins.noderesources.balanced_allocation import NodeResourcesBalancedAllocation
from kplace.plugins.noderesources.fit import NodeResourcesFit
from kplace.plugins.nodeunschedulable.plugin import NodeUnschedulable
from kplace.plugins.nodevolumelimits.older import InTreeLimits
from kplace.plugins.nodevolumelimits.plugin import NodeVolumeLimits
from kplace.plugins.podtopologyspread.plugin import PodTopologySpread
from kplace.plugins.tainttoleration.plugin import TaintToleration
from kplace.plugins.volumebinding.plugin import VolumeBinding
from kplace.plugins.volumerestrictions.plugin import VolumeRestrictions
from kplace.plugins.volumezone.plugin import VolumeZone

P = TypeVar("P", bound=Plugin)

STATIC = (NodeUnschedulable, TaintToleration, NodeAffinity)
"""Filters whose word on a node depends on the template alone."""
COUNTING = (NodePorts, PodTopologySpread, InterPodAffinity)
"""Filters that read counters."""
STORAGE = (VolumeRestrictions, NodeVolumeLimits, InTreeLimits, VolumeBinding, VolumeZone)
"""Filters by a pod's volumes: see `kplace.engine.fused.volumes`."""
BYPASSED = (DynamicResources,)
"""Plugins that have nothing to say to the pods of most templates; the others are left to the cycle."""
_OTHERS = (NodeName, NodeResourcesFit, NodeResourcesBalancedAllocation, ImageLocality)
KNOWN = (*STATIC, *COUNTING, *STORAGE, *BYPASSED, *_OTHERS)


def can_fuse(profile: Profile) -> bool:
    """Whether the fused engine knows all that filters and scores in a profile, and its totals stay in range."""
    scored = [(item.plugin, item.weight) for item in profile.score]
    plugins: list[Plugin] = [
        *profile.pre_filter,
        *profile.filter,
        *profile.pre_score,
        *(plugin for plugin, _ in scored),
    ]
    if not all(type(plugin) in KNOWN for plugin in plugins):
        return False
    if not scored or not any(isinstance(plugin, NodeResourcesFit) for plugin in profile.filter):
        return False
    prepared = {*profile.pre_filter, *profile.pre_score}
    needy = [plugin for plugin in plugins if isinstance(plugin, (PodTopologySpread, InterPodAffinity))]
    if not all(plugin in prepared for plugin in needy):
        return False
    return _in_range(scored)


def _in_range(scored: Sequence[tuple[Plugin, int]]) -> bool:
    """Whether base scores fit into 16 bits and totals into 32."""
    base = sum(
        w for p, w in scored if isinstance(p, (NodeResourcesFit, NodeResourcesBalancedAllocation, ImageLocality))
    )
    return base * MAX_NODE_SCORE < 2**15 and sum(w for _, w in scored) * MAX_NODE_SCORE < 2**31


def first_of(plugins: Iterable[object], kind: type[P]) -> P | None:
    """The first plugin of a kind; None if there is none."""
    return next((plugin for plugin in plugins if isinstance(plugin, kind)), None)
