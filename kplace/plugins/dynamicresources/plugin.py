"""DynamicResources (upstream ``plugins/dynamicresources``): its PreFilter and its PostFilter.

The rest comes with the storage work.
"""

from kplace.dtypes import Code
from kplace.framework import Cycle
from kplace.framework.failure import Failure
from kplace.framework.interface import (
    PROCEED,
    SKIP,
    PostFilterPlugin,
    PostFilterResult,
    PreFilterPlugin,
    PreFilterResult,
)
from kplace.plugins import names

NO_CLAIMS = "no new claims to deallocate"
STILL_NOT = "still not schedulable"
NO_STATE = "not found"
"""What upstream says if it looks for what PreFilter should have kept, and another plugin had ended that phase."""


class DynamicResources:
    """Concerns pods with resource claims only; all others skip it, but its PostFilter speaks for every pod."""

    name = names.DYNAMIC_RESOURCES

    def pre_filter(self, cycle: Cycle) -> PreFilterResult:
        """Skip a pod without resource claims."""
        has_claims = bool(cycle.template.spec.resource_claims)
        cycle.write(self.name, has_claims)
        return PROCEED if has_claims else SKIP

    def post_filter(self, cycle: Cycle, failure: Failure) -> PostFilterResult:
        """Say that no claim can be given back to help the pod; fail if PreFilter was never reached."""
        if not cycle.holds(self.name):
            return PostFilterResult(Code.ERROR, (NO_STATE,))
        reason = STILL_NOT if cycle.read(self.name, bool) else NO_CLAIMS
        return PostFilterResult(Code.UNSCHEDULABLE, (reason,))


_pre_filter: type[PreFilterPlugin] = DynamicResources
_post_filter: type[PostFilterPlugin] = DynamicResources
