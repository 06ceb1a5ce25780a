"""Whether a pod may push others out at all."""

import numpy as np

from kplace.dtypes import NO_NODE, Code
from kplace.framework.failure import Failure

NEVER = "not eligible due to preemptionPolicy=Never."
POD_GONE = "pod is gone"
"""Kept in an attempt's memory if the pod was deleted while it was tried."""
WAITING = "not eligible due to a terminating pod on the nominated node."


def ineligibility(failure: Failure) -> str:
    """Why the pod must not preempt; empty if it may.

    A pod that has a nominated node waits for the victims there to be gone, unless no departure can help on that node
    any more. Mirrors ``PodEligibleToPreemptOthers``.
    """
    cycle = failure.cycle
    if cycle.template.spec.preemption_policy == "Never":
        return NEVER
    nominated = int(cycle.state.nominations.node_of_pod[cycle.pod])
    if nominated == NO_NODE or failure.codes[nominated] == Code.UNSCHEDULABLE_AND_UNRESOLVABLE:
        return ""
    pods = cycle.state.columns.pods
    leaving = pods.preempted & (cycle.state.node_of_pod == nominated) & (pods.priority < cycle.template.priority)
    return WAITING if np.any(leaving) else ""
