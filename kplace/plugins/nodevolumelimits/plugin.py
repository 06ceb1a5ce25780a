"""NodeVolumeLimits (upstream ``plugins/nodevolumelimits``): its PreFilter; the rest comes with the storage work."""

from kplace.framework import Cycle
from kplace.framework.interface import PROCEED, SKIP, PreFilterPlugin, PreFilterResult
from kplace.plugins import names
from kplace.plugins.volumes import has_attachable


class NodeVolumeLimits:
    """Concerns pods with volumes only; all others skip it."""

    name = names.NODE_VOLUME_LIMITS

    def pre_filter(self, cycle: Cycle) -> PreFilterResult:
        """Skip a pod with no claim and no volume that could be attached."""
        return PROCEED if has_attachable(cycle.template.spec) else SKIP


_: type[PreFilterPlugin] = NodeVolumeLimits
