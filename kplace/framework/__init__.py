"""What a plugin is, and what runs plugins in order: extension points, status codes, weights, messages."""

from kplace.framework.cycle import Cycle
from kplace.framework.interface import (
    PROCEED,
    SKIP,
    BindPlugin,
    FilterPlugin,
    NormalizeScorePlugin,
    PermitPlugin,
    Plugin,
    PostBindPlugin,
    PostFilterPlugin,
    PostFilterResult,
    PreBindPlugin,
    PreEnqueuePlugin,
    PreFilterExtensions,
    PreFilterPlugin,
    PreFilterResult,
    PreScorePlugin,
    QueueSortPlugin,
    ReservePlugin,
    ScorePlugin,
    Verdict,
)
from kplace.framework.node_view import NodeView
from kplace.framework.profile import Profile, WeightedPlugin
from kplace.framework.registry import PluginRegistry, plugin
from kplace.framework.status import PermitResult, PluginStatus
from kplace.framework.waiting import WaitingPod, WaitingPods

__all__ = [
    "PROCEED",
    "SKIP",
    "BindPlugin",
    "Cycle",
    "FilterPlugin",
    "NodeView",
    "NormalizeScorePlugin",
    "PermitPlugin",
    "PermitResult",
    "Plugin",
    "PluginRegistry",
    "PluginStatus",
    "PostBindPlugin",
    "PostFilterPlugin",
    "PostFilterResult",
    "PreBindPlugin",
    "PreEnqueuePlugin",
    "PreFilterExtensions",
    "PreFilterPlugin",
    "PreFilterResult",
    "PreScorePlugin",
    "Profile",
    "QueueSortPlugin",
    "ReservePlugin",
    "ScorePlugin",
    "Verdict",
    "WaitingPod",
    "WaitingPods",
    "WeightedPlugin",
    "plugin",
]
