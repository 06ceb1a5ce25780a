"""Runs a profile's plugins over one pod: PreFilter, Filter, PreScore, Score.

Mirrors the rules of upstream's ``runtime/framework.go``: who is skipped, whose word on a node counts (the first that
fails it), how raw scores become weighted ones.
"""

from dataclasses import dataclass

import numpy as np

from kplace._jit import kernel
from kplace.dtypes import I8, I16, I32, I64, MAX_NODE_SCORE, Code
from kplace.errors import PluginError
from kplace.framework.cycle import Cycle
from kplace.framework.interface import FilterPlugin, PreFilterPlugin, PreFilterResult, Verdict
from kplace.framework.profile import Profile

PASSED = -1
"""In a column of plugins: no filter objects to the node."""
ABSENT = -2
"""In a column of plugins: the node lies outside what the PreFilters narrowed the search to."""


@dataclass(slots=True)
class PreFilterPhase:
    """What the PreFilters of a profile said.

    Attributes
    ----------
    rejected_by : PreFilterPlugin or None
        The plugin that rejected the pod, if any.
    rejection : PreFilterResult
        Its result.
    nodes : int32 ndarray or None
        The nodes the search is narrowed to; None for all.
    narrowed_by : list of str
        Names of the plugins that narrowed it, in order.
    skipped : set of str
        Names of the plugins whose Filter is left out.
    """

    rejected_by: PreFilterPlugin | None
    rejection: PreFilterResult
    nodes: I32 | None
    narrowed_by: list[str]
    skipped: set[str]


@dataclass(slots=True)
class FilterPhase:
    """What became of every node of the snapshot.

    Attributes
    ----------
    plugin : int16 ndarray, shape (n_nodes,)
        Index into the profile's filters of the first that failed the node; `PASSED`, or `ABSENT`.
    code : int8 ndarray, shape (n_nodes,)
    detail : int64 ndarray, shape (n_nodes,)
        As in `Verdict`, of that plugin.
    """

    plugin: I16
    code: I8
    detail: I64


@dataclass(slots=True)
class ScorePhase:
    """Scores of the sampled feasible nodes.

    Attributes
    ----------
    raw, final : dict of str to int64 ndarray, shape (k,)
        By plugin: before normalisation, and normalised times weight.
    total : int64 ndarray, shape (k,)
    skipped : set of str
        Names of the plugins whose Score was left out.
    """

    raw: dict[str, I64]
    final: dict[str, I64]
    total: I64
    skipped: set[str]


def run_pre_filters(profile: Profile, cycle: Cycle) -> PreFilterPhase:
    """Run the PreFilters in order.

    An UnschedulableAndUnresolvable result ends the phase at once; an Unschedulable one is kept while the others still
    run, the last such result counts. Node sets are intersected; an empty intersection of several plugins' sets rejects
    the pod.
    """
    phase = PreFilterPhase(None, PreFilterResult(), None, [], set())
    for plugin in profile.pre_filter:
        result = plugin.pre_filter(cycle)
        if result.code is Code.SKIP:
            phase.skipped.add(plugin.name)
            continue
        if result.code is not Code.SUCCESS:
            phase.rejected_by, phase.rejection = plugin, result
            if result.code is Code.UNSCHEDULABLE_AND_UNRESOLVABLE:
                return phase
            continue
        if result.nodes is not None:
            phase.narrowed_by.append(plugin.name)
            phase.nodes = result.nodes if phase.nodes is None else np.intersect1d(phase.nodes, result.nodes)
            if len(phase.narrowed_by) > 1 and not len(phase.nodes):
                reason = f"node(s) didn't satisfy plugin(s) [{' '.join(phase.narrowed_by)}] simultaneously"
                phase.rejected_by = plugin
                phase.rejection = PreFilterResult(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, (reason,))
                return phase
    return phase


def run_filters(profile: Profile, cycle: Cycle, phase: PreFilterPhase) -> FilterPhase:
    """Run the Filters of a pod that its PreFilters let through, over all nodes they left.

    Every node is judged, whatever part of them the sampling will visit: each filter is one call on columns.
    """
    n_nodes = cycle.state.n_nodes
    outcome = FilterPhase(np.full(n_nodes, PASSED, np.int16), np.zeros(n_nodes, np.int8), np.zeros(n_nodes, np.int64))
    nodes = cycle.state.all_nodes
    if phase.nodes is not None:
        outcome.plugin[:] = ABSENT
        outcome.plugin[phase.nodes] = PASSED
        outcome.code[outcome.plugin == ABSENT] = Code.UNSCHEDULABLE_AND_UNRESOLVABLE
        nodes = phase.nodes
    for index, plugin in enumerate(profile.filter):
        if plugin.name not in phase.skipped:
            verdict = plugin.filter(cycle, nodes)
            _check_verdict(plugin, verdict, len(nodes))
            merge_verdict(outcome.plugin, outcome.code, outcome.detail, nodes, verdict, index)
    return outcome


def run_scores(profile: Profile, cycle: Cycle, nodes: I32) -> ScorePhase:
    """Run PreScore, Score and NormalizeScore over the sampled nodes, check the range, weigh and add up.

    A profile without score plugins gives every node a total of 1.

    Raises
    ------
    PluginError
        A normalised score lies outside [0, 100].
    """
    phase = ScorePhase({}, {}, np.full(len(nodes), 0 if profile.score else 1, np.int64), set())
    for plugin in profile.pre_score:
        if not plugin.pre_score(cycle, nodes):
            phase.skipped.add(plugin.name)
    for item in profile.score:
        name = item.plugin.name
        if name in phase.skipped:
            continue
        raw = item.plugin.score(cycle, nodes)
        final = raw
        if item.normalizer is not None:
            final = raw.copy()
            item.normalizer.normalize_score(cycle, nodes, final)
        if len(final) and not (final.min() >= 0 and final.max() <= MAX_NODE_SCORE):
            msg = f"plugin {name} returned a score outside [0, {MAX_NODE_SCORE}]: from {final.min()} to {final.max()}"
            raise PluginError(msg)
        phase.raw[name] = raw
        phase.final[name] = final * item.weight
        phase.total += phase.final[name]
    return phase


def _check_verdict(plugin: FilterPlugin, verdict: Verdict, n_nodes: int) -> None:
    if verdict.code.shape != (n_nodes,) or verdict.detail.shape != (n_nodes,):
        msg = f"plugin {plugin.name} judged {verdict.code.shape} nodes where {n_nodes} were given"
        raise PluginError(msg)


@kernel
def merge_verdict(plugin: I16, code: I8, detail: I64, nodes: I32, verdict: Verdict, index: int) -> None:
    """Enter a filter's failures for the nodes that no earlier filter failed. Modified in place."""
    for i in range(nodes.shape[0]):
        n = nodes[i]
        if verdict.code[i] != 0 and plugin[n] == -1:
            plugin[n] = index
            code[n] = verdict.code[i]
            detail[n] = verdict.detail[i]
