"""VolumeRestrictions (upstream ``plugins/volumerestrictions``): its PreFilter; the rest comes with the storage work."""

from kplace.framework import Cycle
from kplace.framework.interface import PROCEED, SKIP, PreFilterPlugin, PreFilterResult
from kplace.plugins import names
from kplace.plugins.volumes import has_disk_or_claim


class VolumeRestrictions:
    """Concerns pods with volumes only; all others skip it."""

    name = names.VOLUME_RESTRICTIONS

    def pre_filter(self, cycle: Cycle) -> PreFilterResult:
        """Skip a pod with no disk and no claim."""
        return PROCEED if has_disk_or_claim(cycle.template.spec) else SKIP


_: type[PreFilterPlugin] = VolumeRestrictions
