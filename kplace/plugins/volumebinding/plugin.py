"""VolumeBinding (upstream ``plugins/volumebinding``): its PreFilter; the rest comes with the storage work."""

import numpy as np

from kplace.dtypes import I32, I64
from kplace.framework import Cycle, PreScorePlugin, ScorePlugin
from kplace.framework.interface import PROCEED, SKIP, PreFilterPlugin, PreFilterResult
from kplace.plugins import names
from kplace.plugins.volumes import has_claim


class VolumeBinding:
    """Concerns pods with volumes only; all others skip it."""

    name = names.VOLUME_BINDING

    def pre_filter(self, cycle: Cycle) -> PreFilterResult:
        """Skip a pod with no claim."""
        return PROCEED if has_claim(cycle.template.spec) else SKIP

    def pre_score(self, cycle: Cycle, nodes: I32) -> bool:
        """Skip: free storage is not scored by default."""
        return False

    def score(self, cycle: Cycle, nodes: I32) -> I64:
        """Score nothing."""
        return np.zeros(len(nodes), np.int64)


_: type[PreFilterPlugin] = VolumeBinding
_score: type[ScorePlugin] = VolumeBinding
_pre_score: type[PreScorePlugin] = VolumeBinding
