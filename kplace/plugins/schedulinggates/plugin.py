"""SchedulingGates (upstream ``plugins/schedulinggates``)."""

from kplace.columns.templates import Template
from kplace.framework import PreEnqueuePlugin
from kplace.plugins import names


class SchedulingGates:
    """Keeps pods with ``spec.schedulingGates`` out of the queue."""

    name = names.SCHEDULING_GATES

    def pre_enqueue(self, template: Template) -> bool:
        """Whether the pod has no gate left."""
        return not template.is_gated


_: type[PreEnqueuePlugin] = SchedulingGates
