"""VolumeZone (upstream ``plugins/volumezone``): its PreFilter; the rest comes with the storage work."""

from kplace.framework import Cycle
from kplace.framework.interface import PROCEED, SKIP, PreFilterPlugin, PreFilterResult
from kplace.plugins import names
from kplace.plugins.volumes import has_claim


class VolumeZone:
    """Concerns pods with volumes only; all others skip it."""

    name = names.VOLUME_ZONE

    def pre_filter(self, cycle: Cycle) -> PreFilterResult:
        """Skip a pod with no claim."""
        return PROCEED if has_claim(cycle.template.spec) else SKIP


_: type[PreFilterPlugin] = VolumeZone
