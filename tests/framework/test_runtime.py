"""How a profile's plugins make one decision: who is skipped, whose word counts, how scores are weighed."""

from dataclasses import dataclass, field

import numpy as np
import pytest

from kplace.dtypes import I32, I64, Code
from kplace.errors import PluginError
from kplace.framework import Cycle, Profile, Verdict
from kplace.framework.interface import PROCEED, SKIP, PreFilterResult
from kplace.framework.profile import WeightedPlugin
from kplace.framework.runtime import (
    ABSENT,
    PASSED,
    PreFilterPhase,
    ScorePhase,
    run_filters,
    run_pre_filters,
    run_scores,
)
from kplace.plugins.queuesort.plugin import PrioritySort
from kplace.testing import make_node, make_pod, state_of

NEVER, LATER = Code.UNSCHEDULABLE_AND_UNRESOLVABLE, Code.UNSCHEDULABLE


@dataclass
class Looks:
    """A PreFilter with a fixed result that notes when it is called."""

    name: str
    result: PreFilterResult
    called: list[str] = field(default_factory=list)

    def pre_filter(self, cycle: Cycle) -> PreFilterResult:
        self.called.append(self.name)
        return self.result


@dataclass
class Judges:
    """A Filter that fails some nodes."""

    name: str
    failing: set[int]
    code: Code = LATER

    def filter(self, cycle: Cycle, nodes: I32) -> Verdict:
        passes = np.array([node not in self.failing for node in nodes.tolist()], np.bool_)
        return Verdict.of_mask(passes, self.code, len(self.name))

    def reasons(self, cycle: Cycle, detail: int) -> tuple[str, ...]:
        return (f"{self.name} {detail}",)


@dataclass
class Scores:
    """A Score with one number per node."""

    name: str
    numbers: list[int]
    skips: bool = False

    def pre_score(self, cycle: Cycle, nodes: I32) -> bool:
        return not self.skips

    def score(self, cycle: Cycle, nodes: I32) -> I64:
        return np.array(self.numbers, np.int64)[nodes]


class Doubles(Scores):
    """One that normalises."""

    def normalize_score(self, cycle: Cycle, nodes: I32, scores: I64) -> None:
        scores *= 2


def cycle_of(n_nodes: int = 4) -> Cycle:
    return Cycle(state_of(*(make_node(f"n{number}") for number in range(n_nodes)), make_pod("web")), 0)


def profile_of(**plugins: tuple) -> Profile:
    return Profile("default-scheduler", PrioritySort(), **plugins)


def narrowing(*nodes: int) -> PreFilterResult:
    return PreFilterResult(nodes=np.array(nodes, np.int32))


def looked(*results: PreFilterResult) -> tuple[PreFilterPhase, list[str]]:
    called: list[str] = []
    plugins = tuple(Looks(name, result, called) for name, result in zip("ABCD", results, strict=False))
    return run_pre_filters(profile_of(pre_filter=plugins), cycle_of()), called


def test_skips_are_noted():
    phase, called = looked(PROCEED, SKIP, PROCEED, SKIP)
    assert (phase.skipped, phase.rejected_by, phase.nodes) == ({"B", "D"}, None, None)
    assert called == ["A", "B", "C", "D"]


def test_what_cannot_be_resolved_ends_it_at_once():
    phase, called = looked(PROCEED, PreFilterResult(NEVER, ("no",)), PROCEED)
    assert (phase.rejected_by.name, phase.rejection.reasons, called) == ("B", ("no",), ["A", "B"])


def test_what_is_unschedulable_only_counts_if_nothing_worse_comes():
    one, two = PreFilterResult(LATER, ("one",)), PreFilterResult(LATER, ("two",))
    phase, called = looked(one, PROCEED, two)
    assert (phase.rejected_by.name, phase.rejection.reasons, called) == ("C", ("two",), ["A", "B", "C"])
    phase, called = looked(one, PreFilterResult(NEVER, ("no",)), two)
    assert (phase.rejected_by.name, phase.rejection.code, called) == ("B", NEVER, ["A", "B"])


def test_sets_of_nodes_are_intersected():
    phase, _ = looked(narrowing(0, 1, 2), PROCEED, narrowing(1, 2, 3))
    assert (phase.nodes.tolist(), phase.narrowed_by) == ([1, 2], ["A", "C"])
    phase, called = looked(narrowing(0), narrowing(1), PROCEED)
    assert phase.rejection.code is NEVER
    assert phase.rejection.reasons == ("node(s) didn't satisfy plugin(s) [A B] simultaneously",)
    assert called == ["A", "B"]
    phase, _ = looked(narrowing())
    assert phase.rejection.reasons == ("node(s) didn't satisfy plugin A",)


def filtered(phase: PreFilterPhase, *plugins: Judges) -> list:
    outcome = run_filters(profile_of(filter=plugins), cycle_of(), phase)
    return list(zip(outcome.plugin.tolist(), outcome.code.tolist(), outcome.detail.tolist(), strict=True))


def through(skipped: set[str] | None = None, nodes: list[int] | None = None) -> PreFilterPhase:
    listed = None if nodes is None else np.array(nodes, np.int32)
    return PreFilterPhase(None, PreFilterResult(), listed, [], skipped or set())


OK = (PASSED, Code.SUCCESS, 0)


def test_the_first_filter_that_fails_a_node_speaks_for_it():
    judges = Judges("one", {0, 1}), Judges("other", {1, 2}, NEVER)
    assert filtered(through(), *judges) == [(0, LATER, 3), (0, LATER, 3), (1, NEVER, 5), OK]
    assert filtered(through(), *reversed(judges)) == [(1, LATER, 3), (0, NEVER, 5), (0, NEVER, 5), OK]


def test_skipped_filters_do_not_speak():
    assert filtered(through({"one"}), Judges("one", {0, 1}), Judges("other", {1})) == [OK, (1, LATER, 5), OK, OK]


def test_nodes_outside_of_a_narrowed_search_are_absent():
    absent = (ABSENT, NEVER, 0)
    assert filtered(through(nodes=[1, 3]), Judges("one", {0, 1})) == [absent, (0, LATER, 3), absent, OK]


def test_a_verdict_of_the_wrong_length_is_refused():
    class Short(Judges):
        def filter(self, cycle: Cycle, nodes: I32) -> Verdict:
            return super().filter(cycle, nodes[:2])

    with pytest.raises(PluginError, match=r"plugin short judged \(2,\) nodes where 4 were given"):
        filtered(through(), Short("short", set()))


def scored(*plugins: tuple[Scores, int], nodes: tuple[int, ...] = (0, 1)) -> ScorePhase:
    listed = tuple(WeightedPlugin.of(plugin, weight) for plugin, weight in plugins)
    profile = profile_of(pre_score=tuple(plugin for plugin, _ in plugins), score=listed)
    return run_scores(profile, cycle_of(), np.array(nodes, np.int32))


def test_scores_are_normalised_weighed_and_added_up():
    phase = scored((Scores("plain", [10, 20]), 3), (Doubles("double", [50, 7]), 2))
    assert phase.raw["double"].tolist() == [50, 7]  # as it was before
    assert {name: final.tolist() for name, final in phase.final.items()} == {"plain": [30, 60], "double": [200, 28]}
    assert phase.total.tolist() == [230, 88]


def test_skipped_scores_add_nothing():
    phase = scored((Scores("plain", [10, 20]), 3), (Scores("idle", [99, 99], skips=True), 1))
    assert (phase.total.tolist(), phase.skipped, list(phase.raw)) == ([30, 60], {"idle"}, ["plain"])


def test_without_score_plugins_all_nodes_are_worth_one():
    assert scored(nodes=(2, 0, 1)).total.tolist() == [1, 1, 1]


@pytest.mark.parametrize("numbers", [[-1, 50], [50, 101]])
def test_scores_outside_of_the_range_are_refused(numbers: list[int]):
    with pytest.raises(PluginError, match=rf"plugin wild .* from {min(numbers)} to {max(numbers)}"):
        scored((Scores("wild", numbers), 1))


def test_a_normaliser_may_take_any_raw_score():
    assert scored((Doubles("double", [50, 0]), 1)).total.tolist() == [100, 0]
    with pytest.raises(PluginError, match="from 0 to 102"):
        scored((Doubles("double", [51, 0]), 1))
