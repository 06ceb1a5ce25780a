"""What a plugin is, and what runs plugins in order: extension points, status codes, weights, messages."""

from kplace.framework.cycle import Cycle
from kplace.framework.interface import (
    FilterPlugin,
    NormalizeScorePlugin,
    Plugin,
    PostFilterPlugin,
    PostFilterResult,
    PreEnqueuePlugin,
    PreFilterPlugin,
    PreFilterResult,
    PreScorePlugin,
    QueueSortPlugin,
    ScorePlugin,
    Verdict,
)
from kplace.framework.profile import Profile, WeightedPlugin

__all__ = [
    "Cycle",
    "FilterPlugin",
    "NormalizeScorePlugin",
    "Plugin",
    "PostFilterPlugin",
    "PostFilterResult",
    "PreEnqueuePlugin",
    "PreFilterPlugin",
    "PreFilterResult",
    "PreScorePlugin",
    "Profile",
    "QueueSortPlugin",
    "ScorePlugin",
    "Verdict",
    "WeightedPlugin",
]
