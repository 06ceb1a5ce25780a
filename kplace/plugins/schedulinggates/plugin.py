"""SchedulingGates (upstream ``plugins/schedulinggates``)."""

from collections.abc import Sequence

from kplace.columns.templates import Template
from kplace.framework import PreEnqueuePlugin
from kplace.framework.events import Registration
from kplace.plugins import names
from kplace.plugins.schedulinggates import hints


class SchedulingGates:
    """Keeps pods with ``spec.schedulingGates`` out of the queue."""

    name = names.SCHEDULING_GATES

    def events_to_register(self) -> Sequence[Registration]:
        """Events that may help a pod which was rejected here."""
        return hints.REGISTRATIONS

    def pre_enqueue(self, template: Template) -> bool:
        """Whether the pod has no gate left."""
        return not template.is_gated


_: type[PreEnqueuePlugin] = SchedulingGates
