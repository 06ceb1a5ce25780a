"""Runs a profile's plugins over one pod: PreFilter, Filter, PostFilter, PreScore, Score.

Mirrors the rules of upstream's ``runtime/framework.go``: who is skipped, whose word on a node counts (the first that
fails it), how raw scores become weighted ones.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from kplace._jit import kernel
from kplace.columns.templates import Template
from kplace.dtypes import I8, I16, I32, I64, MAX_NODE_SCORE, NO_NODE, Code, Mask
from kplace.errors import AttemptError, PluginError
from kplace.framework.answers import (
    check_filter_code,
    narrowed_to,
    normalize,
    prepares,
    result_of,
    verdict_on,
    whole_scores,
)
from kplace.framework.cycle import Cycle
from kplace.framework.interface import (
    FilterPlugin,
    Plugin,
    PreFilterExtensions,
    PreFilterPlugin,
    PreFilterResult,
    PreScorePlugin,
    Verdict,
)
from kplace.framework.profile import Profile, WeightedPlugin

PASSED = -1
"""In a column of plugins: no filter objects to the node."""
ABSENT = -2
"""In a column of plugins: nobody has a word on the node, as where it lies outside what the PreFilters left."""
REFUSED = -3
"""In a column of plugins: an extender objects to the node."""


class Remark(NamedTuple):
    """An extender's name and why it objects."""

    extender: str
    reason: str


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

    @staticmethod
    def silent() -> "PreFilterPhase":
        """What it is before any PreFilter was asked."""
        return PreFilterPhase(None, PreFilterResult(), None, [], set())


@dataclass(slots=True)
class FilterPhase:
    """What became of every node of the snapshot, or of those that were asked about.

    Attributes
    ----------
    plugin : int16 ndarray, shape (k,)
        Index into the profile's filters of the first that failed the node; `PASSED`, `ABSENT` or `REFUSED`.
    code : int8 ndarray, shape (k,)
    detail : int64 ndarray, shape (k,)
        As in `Verdict`, of that plugin; for `REFUSED` an index into ``remarks``.
    remarks : tuple of Remark
    strangers : tuple of Remark
        What extenders have against nodes that do not exist.
    """

    plugin: I16
    code: I8
    detail: I64
    remarks: tuple[Remark, ...] = ()
    strangers: tuple[Remark, ...] = ()

    @staticmethod
    def blank(n_nodes: int, plugin: int, code: Code) -> "FilterPhase":
        """The same for all nodes."""
        return FilterPhase(
            np.full(n_nodes, plugin, np.int16), np.full(n_nodes, code, np.int8), np.zeros(n_nodes, np.int64)
        )

    @staticmethod
    def join(parts: Iterable["FilterPhase"]) -> "FilterPhase":
        """What became of the nodes of several lists."""
        listed = [FilterPhase.blank(0, PASSED, Code.SUCCESS), *parts]
        return FilterPhase(
            np.concatenate([part.plugin for part in listed]),
            np.concatenate([part.code for part in listed]),
            np.concatenate([part.detail for part in listed]),
        )

    def copy(self) -> "FilterPhase":
        """The same once more, to be modified."""
        return FilterPhase(self.plugin.copy(), self.code.copy(), self.detail.copy(), self.remarks, self.strangers)

    def enter(self, index: int, plugin: FilterPlugin, cycle: Cycle, nodes: I32) -> None:
        """Ask a filter, and write what it has against nodes that no earlier one fails. Modified in place.

        Parameters
        ----------
        index : int
            Of the filter in the profile.
        nodes : int32 ndarray, shape (k,)
            The nodes that this is about.

        Raises
        ------
        PluginError
            Its verdict is none.
        """
        verdict = verdict_on(plugin, plugin.filter(cycle, nodes), len(nodes))
        check_filter_code(plugin, merge_verdict(self.plugin, self.code, self.detail, verdict, index))

    def refuse(self, node: int, code: Code, remark: Remark) -> None:
        """Write that an extender objects to a node, by position. Modified in place."""
        if remark not in self.remarks:
            self.remarks += (remark,)
        self.plugin[node], self.code[node], self.detail[node] = REFUSED, code, self.remarks.index(remark)

    def replace(self, nodes: I32 | I64, other: "FilterPhase") -> None:
        """Write what became of some nodes, by position. Modified in place."""
        self.plugin[nodes] = other.plugin
        self.code[nodes] = other.code
        self.detail[nodes] = other.detail

    def replace_failures(self, nodes: I64, other: "FilterPhase") -> None:
        """Write what became of those of some nodes, by position, that failed. Modified in place."""
        failed = other.plugin != PASSED
        self.replace(nodes[failed], FilterPhase(other.plugin[failed], other.code[failed], other.detail[failed]))


@dataclass(slots=True)
class ScorePhase:
    """Scores of the sampled feasible nodes.

    Attributes
    ----------
    raw, normalised, final : dict of str to int64 ndarray, shape (k,)
        By plugin: before normalisation, brought to 0 to 100, and that times the weight.
    total : int64 ndarray, shape (k,)
    skipped : set of str
        Names of the plugins whose Score was left out.
    """

    raw: dict[str, I64]
    normalised: dict[str, I64]
    final: dict[str, I64]
    total: I64
    skipped: set[str]


def run_pre_filters(profile: Profile, cycle: Cycle) -> PreFilterPhase:
    """Run the PreFilters in order.

    An UnschedulableAndUnresolvable result ends the phase at once; an Unschedulable one is kept while the others still
    run, the last such result counts. Node sets are intersected; an empty intersection rejects the pod.

    Raises
    ------
    AttemptError
        A PreFilter cannot do its work.
    """
    phase = PreFilterPhase.silent()
    unknown: frozenset[str] = frozenset()
    for plugin in profile.pre_filter:
        result = _pre_filter(plugin, cycle)
        if result is None or result.code is Code.SUCCESS:
            if result is None or result.nodes is None:
                continue
            is_first = phase.nodes is None
            unknown = frozenset(result.unknown) if is_first else unknown & frozenset(result.unknown)
            phase.narrowed_by = sorted([*phase.narrowed_by, plugin.name])
            phase.nodes = result.nodes if phase.nodes is None else np.intersect1d(phase.nodes, result.nodes)
            if not len(phase.nodes) and not unknown:
                phase.rejected_by = plugin
                phase.rejection = PreFilterResult(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, (_nothing_left(phase),))
                return phase
        elif result.code is Code.SKIP:
            phase.skipped.add(plugin.name)
        else:
            phase.rejected_by, phase.rejection = plugin, result
            if result.code is Code.UNSCHEDULABLE_AND_UNRESOLVABLE:
                return phase
    return phase


_PRE_FILTER_CODES = (Code.SUCCESS, Code.SKIP, Code.UNSCHEDULABLE, Code.UNSCHEDULABLE_AND_UNRESOLVABLE)


def _pre_filter(plugin: PreFilterPlugin, cycle: Cycle) -> PreFilterResult | None:
    """Ask one PreFilter; any code that upstream does not expect of it is an error."""
    try:
        result = result_of(plugin, "pre_filter", plugin.pre_filter(cycle), PreFilterResult)
        if result is not None and result.code not in _PRE_FILTER_CODES:
            raise AttemptError(", ".join(result.reasons))
    except AttemptError as error:
        msg = f'running PreFilter plugin "{plugin.name}": {error}'
        raise AttemptError(msg, plugin.name) from error
    if result is not None and result.nodes is not None:
        narrowed_to(plugin, result.nodes, cycle.state.n_nodes)
    return result


def _nothing_left(phase: PreFilterPhase) -> str:
    """Why a pod is rejected for which PreFilters leave no node."""
    if len(phase.narrowed_by) == 1:
        return f"node(s) didn't satisfy plugin {phase.narrowed_by[0]}"
    return f"node(s) didn't satisfy plugin(s) [{' '.join(phase.narrowed_by)}] simultaneously"


class Filtering:
    """A profile's Filters for one pod, and other pods that are tried on or off nodes meanwhile.

    Plugins that PreFilter skipped stay skipped whatever pods come and go, as upstream.

    Parameters
    ----------
    profile : Profile
    cycle : Cycle
    skipped : set of str
        Names of the plugins whose Filter is left out.
    """

    def __init__(self, profile: Profile, cycle: Cycle, skipped: set[str]) -> None:
        self._profile = profile
        self._cycle = cycle
        self._skipped = skipped

    def couples(self, pods: I32) -> Mask:
        """By pod, whether its coming or going on a node may change some filter's word on another node."""
        found = np.zeros(len(pods), np.bool_)
        for plugin in self._coupling:
            found |= self._matters_to(plugin, pods)
        return found

    def _matters_to(self, plugin: Plugin, pods: I32) -> Mask:
        """By pod, whether it matters to a plugin beyond what the node's own columns say."""
        couples = getattr(plugin, "couples", None)
        if couples is None:
            return np.ones(len(pods), np.bool_)
        state = self._cycle.state
        known = self._cycle.compiled((plugin, "couples"), _nothing_known)
        codes, kind = np.unique(state.columns.pods.template[pods], return_inverse=True)
        for code in codes.tolist():
            if code not in known:
                known[code] = couples(self._cycle, state.columns.templates[code])
        return np.array([known[code] for code in codes.tolist()], np.bool_)[kind]

    @cached_property
    def _coupling(self) -> list[FilterPlugin]:
        running = (plugin for plugin in self._profile.filter if plugin.name not in self._skipped)
        return [plugin for plugin in running if not getattr(plugin, "is_local", False)]

    def judge(self, nodes: I32) -> FilterPhase:
        """Run the filters over some nodes, with and without the nominated pods that have to be left room for.

        A node passes if it does so in both cases. Where it does not with them, that is its word. Mirrors
        ``RunFilterPluginsWithNominatedPods``.
        """
        outcome = self._judge_as_it_is(nodes)
        if len(self._cycle.state.nominations):
            self._judge_with_nominated(nodes, outcome)
        return outcome

    def shift(self, pods: I32, nodes: I32, sign: int) -> None:
        """Try pods on nodes (``sign`` 1) or off (-1): state and PreFilter counts see it until the opposite call."""
        self._cycle.state.shift(pods, nodes, sign)
        for plugin in self._extensions:
            counted = self._matters_to(plugin, pods)
            for pod, node in zip(pods[counted].tolist(), nodes[counted].tolist(), strict=True):
                plugin.count_pod(self._cycle, pod, node, sign)

    @cached_property
    def _extensions(self) -> list[PreFilterExtensions]:
        running = (plugin for plugin in self._profile.pre_filter if plugin.name not in self._skipped)
        return [plugin for plugin in running if isinstance(plugin, PreFilterExtensions)]

    def _judge_as_it_is(self, nodes: I32) -> FilterPhase:
        outcome = FilterPhase.blank(len(nodes), PASSED, Code.SUCCESS)
        for index, plugin in enumerate(self._profile.filter):
            if plugin.name not in self._skipped:
                outcome.enter(index, plugin, self._cycle, nodes)
        return outcome

    def _judge_with_nominated(self, nodes: I32, outcome: FilterPhase) -> None:
        """Overwrite the outcome of the nodes that fail with the nominated pods on them."""
        position = np.full(self._cycle.state.n_nodes, -1, np.int64)
        position[nodes] = np.arange(len(nodes))
        pods, where = self._cycle.state.nominations.rivals(self._cycle.pod)
        concerned = np.flatnonzero(position[where] >= 0)
        if not len(concerned):
            return
        pods, where = pods[concerned], where[concerned]
        # A node is judged with its own nominated pods alone, hence those that matter elsewhere come one node at a time.
        apart = np.unique(where[self.couples(pods)])
        for asked in [np.setdiff1d(where, apart), *np.split(apart, len(apart))] if len(apart) else [np.unique(where)]:
            coming = np.isin(where, asked)
            self.shift(pods[coming], where[coming], 1)
            try:
                found = self._judge_as_it_is(asked)
            finally:
                self.shift(pods[coming], where[coming], -1)
            outcome.replace_failures(position[asked], found)


def _nothing_known(_template: Template) -> dict[int, bool]:
    return {}


def run_filters(profile: Profile, cycle: Cycle, phase: PreFilterPhase) -> FilterPhase:
    """Run the Filters of a pod that its PreFilters let through, over all nodes they left and the nominated one.

    Every node is judged, whatever part of them the sampling will visit: each filter is one call on columns.
    """
    filtering = Filtering(profile, cycle, phase.skipped)
    if phase.nodes is None:
        return filtering.judge(cycle.state.all_nodes)
    outcome = FilterPhase.blank(cycle.state.n_nodes, ABSENT, Code.UNSCHEDULABLE_AND_UNRESOLVABLE)
    nominated = int(cycle.state.nominations.node_of_pod[cycle.pod])
    nodes = phase.nodes if nominated == NO_NODE else np.union1d(phase.nodes, nominated).astype(np.int32)
    outcome.replace(nodes, filtering.judge(nodes))
    return outcome


def run_scores(profile: Profile, cycle: Cycle, nodes: I32) -> ScorePhase:
    """Run PreScore, Score and NormalizeScore over the sampled nodes, check the range, weigh and add up.

    A profile without score plugins gives every node a total of 1, and its PreScores are not asked.

    Raises
    ------
    AttemptError
        A plugin cannot do its work.
    PluginError
        A normalised score lies outside [0, 100], or is no whole number for each node.
    """
    phase = ScorePhase({}, {}, {}, np.full(len(nodes), 0 if profile.score else 1, np.int64), set())
    for plugin in profile.pre_score if profile.score else ():
        if not _prepares(plugin, cycle, nodes):
            phase.skipped.add(plugin.name)
    for item in profile.score:
        name = item.plugin.name
        if name in phase.skipped:
            continue
        raw, final = _score(item, cycle, nodes)
        weighted = np.empty(len(nodes), np.int64)
        if not weigh(final, item.weight, weighted, phase.total):
            msg = f"plugin {name} returned a score outside [0, {MAX_NODE_SCORE}]: from {final.min()} to {final.max()}"
            raise PluginError(msg)
        phase.raw[name] = raw
        phase.normalised[name] = final
        phase.final[name] = weighted
    return phase


def _prepares(plugin: PreScorePlugin, cycle: Cycle, nodes: I32) -> bool:
    """Whether a PreScore lets its plugin score; one that returns nothing does."""
    try:
        return prepares(plugin, plugin.pre_score(cycle, nodes))
    except AttemptError as error:
        msg = f'running PreScore plugin "{plugin.name}": {error}'
        raise AttemptError(msg, plugin.name) from error


def _score(item: WeightedPlugin, cycle: Cycle, nodes: I32) -> tuple[I64, I64]:
    """Raw and normalised scores of one plugin."""
    step = "Score"
    try:
        raw = whole_scores(item.plugin, item.plugin.score(cycle, nodes), len(nodes))
        if item.normalizer is None:
            return raw, raw
        step = "Normalize on Score"
        final = raw.copy()
        normalize(item.normalizer, cycle, nodes, final)
    except AttemptError as error:
        msg = f'running {step} plugins: plugin "{item.plugin.name}" failed with: {error}'
        raise AttemptError(msg, item.plugin.name) from error
    return raw, final


@kernel
def merge_verdict(plugin: I16, code: I8, detail: I64, verdict: Verdict, index: int) -> int:
    """Enter a filter's failures for the nodes that no earlier filter of the profile failed. Modified in place.

    Parameters
    ----------
    index : int
        Of the filter in the profile; filters may be entered in any order.

    Returns
    -------
    int
        The highest of the verdict's codes, each taken as an unsigned byte.
    """
    highest = 0
    for i in range(plugin.shape[0]):
        given = verdict.code[i]
        if given != 0:
            highest = max(highest, int(given) & 0xFF)
            if plugin[i] == PASSED or plugin[i] > index:
                plugin[i] = index
                code[i] = given
                detail[i] = verdict.detail[i]
    return highest


@kernel
def weigh(scores: I64, weight: int, weighted: I64, total: I64) -> bool:
    """Multiply scores by a weight and add them to the totals. Modifies ``weighted`` and ``total``.

    Returns
    -------
    bool
        Whether all scores are from 0 to `MAX_NODE_SCORE`.
    """
    n_outside = 0
    for i in range(scores.shape[0]):
        n_outside += scores[i] < 0 or scores[i] > MAX_NODE_SCORE
        weighted[i] = scores[i] * weight
        total[i] += weighted[i]
    return n_outside == 0
