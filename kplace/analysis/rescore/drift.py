"""Why a pod's own node would not do today."""

from typing import NamedTuple

from kplace.engine.attempt import Attempt
from kplace.framework.diagnosis import node_reasons, rejecter


class Rejection(NamedTuple):
    """Whose word keeps a pod from the node that it is on, and the word.

    The plugin is the first filter that rejects the node, the PreFilter that rejects the pod, or an extender; empty if
    an error ended the attempt.
    """

    plugin: str
    reason: str


def rejection(attempt: Attempt, node: int) -> Rejection:
    """Say why an attempt does not find a node feasible."""
    if attempt.error:
        return Rejection("", attempt.error)
    phase, filters = attempt.pre_filters, attempt.filters
    if phase.rejected_by is not None or filters is None:
        assert phase.rejected_by is not None
        return Rejection(phase.rejected_by.name, ", ".join(phase.rejection.reasons))
    plugin, detail = int(filters.plugin[node]), int(filters.detail[node])
    reasons = node_reasons(attempt.profile, attempt.cycle, phase, filters, plugin, detail)
    # Nodes that PreFilters leave out have nobody's word, but the names of those who did it.
    name = rejecter(attempt.profile, filters, plugin, detail) or ",".join(phase.narrowed_by)
    return Rejection(name, ", ".join(reasons))
