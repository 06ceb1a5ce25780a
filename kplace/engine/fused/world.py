"""What the loop needs to know to let pods preempt, and whether it may."""

import numpy as np

from kplace.dtypes import I8, PreemptionMode
from kplace.engine.cycle import Options
from kplace.engine.fused.layout import FILTERS, Run
from kplace.engine.fused.preempt import Kept, Preempting
from kplace.framework import Profile
from kplace.objects.policy import PodDisruptionBudget
from kplace.plugins.defaultpreemption.plugin import DefaultPreemption
from kplace.plugins.dynamicresources.plugin import DynamicResources
from kplace.plugins.noderesources.fit import NodeResourcesFit
from kplace.state import ClusterState
from kplace.state.node_pods import Importance, PodLists

_NO_I32 = np.zeros(0, np.int32)
_NO_I64 = np.zeros(0, np.int64)
_NO_LISTS = PodLists(_NO_I64, _NO_I64, _NO_I64, _NO_I32, _NO_I32, np.zeros(0, np.bool_))


def world_of(state: ClusterState, profile: Profile, options: Options, run: Run) -> Preempting:
    """Pods and limits for the loop; it is switched off where only the cycle knows how to preempt."""
    preemption = next((plugin for plugin in profile.post_filter if isinstance(plugin, DefaultPreemption)), None)
    is_on = preemption is not None and _loop_may_preempt(state, profile, options)
    n_nodes = state.n_nodes if is_on else 0
    pods = state.columns.pods
    return Preempting(
        is_on=is_on,
        priority=np.array([template.priority for template in state.columns.templates], np.int64),
        may=_may_preempt(state, run),
        template_of=pods.template,
        importance=Importance(pods.priority, pods.started_ns),
        lists=state.node_pods.lists if is_on else _NO_LISTS,
        percentage=preemption.limits.percentage if preemption is not None else 0,
        absolute=preemption.limits.absolute if preemption is not None else 0,
        kept=Kept(
            clock=np.array([-1, 0, 0], np.int64),
            potential=np.zeros(n_nodes, np.int8),
            outcome=np.zeros((4, n_nodes), np.int64),
            left=np.zeros(len(state.loads.allocatable), np.int64),
        ),
        victims=np.zeros((2, len(pods) if is_on else 0), np.int32),
        n_victims=np.zeros(1, np.int64),
    )


def _loop_may_preempt(state: ClusterState, profile: Profile, options: Options) -> bool:
    """Whether pods leave at once, and neither budgets nor terminating pods nor other PostFilters have a say."""
    pods = state.columns.pods
    return (
        options.preemption is PreemptionMode.IMMEDIATE
        and all(type(plugin) in (DynamicResources, DefaultPreemption) for plugin in profile.post_filter)
        and all(plugin.tells_hopeless for plugin in profile.filter if isinstance(plugin, NodeResourcesFit))
        and not state.columns.of_kind(PodDisruptionBudget)
        and not bool(np.any(pods.terminating))
        and (state.attached is None or state.attached.adds_up)
    )


def _may_preempt(state: ClusterState, run: Run) -> I8:
    """Templates that may preempt, and that no filter on counters keeps from a node."""
    starts = run.shapes.starts[FILTERS]
    counts = np.diff(starts)
    return np.array(
        [
            template.spec.preemption_policy != "Never" and counts[template.shape] == 0 and not template.spec.volumes
            for template in state.columns.templates
        ],
        np.int8,
    )
