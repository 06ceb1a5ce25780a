"""DynamicResources (upstream ``plugins/dynamicresources``): its PreFilter."""

from kplace.framework import Cycle
from kplace.framework.interface import PROCEED, SKIP, PreFilterPlugin, PreFilterResult
from kplace.plugins import names


class DynamicResources:
    """Concerns pods with resource claims only; all others skip it."""

    name = names.DYNAMIC_RESOURCES

    def pre_filter(self, cycle: Cycle) -> PreFilterResult:
        """Skip a pod without resource claims."""
        return PROCEED if cycle.template.spec.resource_claims else SKIP


_: type[PreFilterPlugin] = DynamicResources
