"""What a plugin that cannot do its work, or answers oddly, does to the attempt."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest

from kplace.dtypes import Code
from kplace.errors import AttemptError, PluginError
from kplace.framework import Cycle, PreFilterResult, Verdict, WeightedPlugin
from kplace.framework.runtime import PASSED, run_filters, run_pre_filters, run_scores
from kplace.plugins.defaults import default_profile
from kplace.testing import make_node, make_pod, state_of


@dataclass
class Says:
    """Answers at each point what it is told to answer."""

    name: str = "Says"
    answers: dict[str, Any] = field(default_factory=dict)
    called: list[str] = field(default_factory=list)

    def _answer(self, point):
        self.called.append(point)
        answer = self.answers.get(point)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def pre_filter(self, cycle):
        return self._answer("pre_filter")

    def filter(self, cycle, nodes):
        return self._answer("filter")

    def reasons(self, cycle, detail):
        return ("no",)

    def pre_score(self, cycle, nodes):
        return self._answer("pre_score")

    def score(self, cycle, nodes):
        return self._answer("score")

    def normalize_score(self, cycle, nodes, scores):
        self._answer("normalize_score")


@pytest.fixture
def cycle():
    return Cycle(state_of(make_node("a"), make_node("b"), make_node("c"), make_pod("p")), 0)


def profile_of(*plugins):
    score = tuple(WeightedPlugin.of(plugin, 1) for plugin in plugins)
    return replace(default_profile(), pre_filter=plugins, filter=plugins, pre_score=plugins, score=score)


def looks(*results):
    return profile_of(*(Says(name, {"pre_filter": result}) for name, result in zip("ABC", results, strict=False)))


def only(*nodes, unknown=()):
    return PreFilterResult(nodes=np.array(nodes, np.int32), unknown=unknown)


def test_a_pre_filter_that_returns_nothing_goes_on(cycle):
    phase = run_pre_filters(looks(None), cycle)
    assert phase.rejected_by is None
    assert not phase.skipped


@pytest.mark.parametrize("code", [Code.ERROR, Code.PENDING, Code.WAIT])
def test_a_pre_filter_with_a_code_that_is_not_for_it_is_an_error(cycle, code):
    with pytest.raises(AttemptError) as caught:
        run_pre_filters(looks(PreFilterResult(code, ("oh", "dear"))), cycle)
    assert str(caught.value) == 'running PreFilter plugin "A": oh, dear'
    assert caught.value.plugin == "A"


def test_a_pre_filter_that_raises_is_an_error(cycle):
    with pytest.raises(AttemptError, match='running PreFilter plugin "A": lost'):
        run_pre_filters(looks(AttemptError("lost")), cycle)


@pytest.mark.parametrize(
    ("results", "reason"),
    [
        ([only()], "node(s) didn't satisfy plugin A"),
        ([only(0, 1), only(2)], "node(s) didn't satisfy plugin(s) [A B] simultaneously"),
        ([only(0, unknown=("x",)), only(1, unknown=("y",))], "node(s) didn't satisfy plugin(s) [A B] simultaneously"),
    ],
)
def test_nothing_left_rejects_the_pod(cycle, results, reason):
    phase = run_pre_filters(looks(*results), cycle)
    assert phase.rejection.code is Code.UNSCHEDULABLE_AND_UNRESOLVABLE
    assert phase.rejection.reasons == (reason,)


@pytest.mark.parametrize("results", [[only(unknown=("x",))], [only(0, unknown=("x", "y")), only(1, unknown=("y",))]])
def test_a_name_that_nobody_has_is_something_left(cycle, results):
    # Upstream counts the names and only then drops those of no node.
    phase = run_pre_filters(looks(*results), cycle)
    assert phase.rejected_by is None
    assert phase.nodes.tolist() == []


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (None, "must return a Verdict, got NoneType"),
        (np.ones(3, np.bool_), "must return a Verdict, got ndarray"),
        (Verdict(np.zeros(2, np.int8), np.zeros(2, np.int64)), "judged (2,) nodes where 3 were given"),
        (
            Verdict(np.zeros(3, np.int64), np.zeros(3, np.int64)),
            "must return codes of int8 and details of int64, got int64",
        ),
    ],
)
def test_answers_of_filters_that_are_no_verdict(cycle, answer, message):
    profile = profile_of(Says(answers={"filter": answer}))
    with pytest.raises(PluginError) as caught:
        run_filters(profile, cycle, run_pre_filters(profile, cycle))
    assert message in str(caught.value)
    assert str(caught.value).startswith("plugin Says")


def test_an_error_of_a_filter_is_a_word_on_the_node(cycle):
    verdict = Verdict(np.array([0, Code.ERROR, 0], np.int8), np.zeros(3, np.int64))
    profile = profile_of(Says(answers={"filter": verdict}))
    outcome = run_filters(profile, cycle, run_pre_filters(profile, cycle))
    assert outcome.plugin.tolist() == [PASSED, 0, PASSED]
    assert outcome.code.tolist() == [0, Code.ERROR, 0]


SCORES = np.array([1, 2, 3])


@pytest.mark.parametrize("answer", [None, True, np.True_])
def test_a_pre_score_that_does_not_say_false_lets_the_plugin_score(cycle, answer):
    profile = profile_of(Says(answers={"pre_score": answer, "score": SCORES}))
    assert run_scores(profile, cycle, cycle.state.all_nodes).total.tolist() == [1, 2, 3]


@pytest.mark.parametrize("answer", [False, np.False_])
def test_a_pre_score_that_says_false_skips_it(cycle, answer):
    phase = run_scores(profile_of(Says(answers={"pre_score": answer})), cycle, cycle.state.all_nodes)
    assert phase.skipped == {"Says"}
    assert phase.raw == {}


@pytest.mark.parametrize(
    ("point", "message"),
    [
        ("pre_score", 'running PreScore plugin "Says": lost'),
        ("score", 'running Score plugins: plugin "Says" failed with: lost'),
        ("normalize_score", 'running Normalize on Score plugins: plugin "Says" failed with: lost'),
    ],
)
def test_errors_of_scoring_are_told_in_upstreams_words(cycle, point, message):
    profile = profile_of(Says(answers={"score": SCORES, point: AttemptError("lost")}))
    with pytest.raises(AttemptError) as caught:
        run_scores(profile, cycle, cycle.state.all_nodes)
    assert (str(caught.value), caught.value.plugin) == (message, "Says")


@pytest.mark.parametrize(
    ("scores", "shown"),
    [
        (np.array([1.0, 2.0, 3.0]), "float64 (3,)"),
        (np.array([1, 2]), "int64 (2,)"),
        ([1, 2, 3], "list"),
        (7, "int"),
    ],
)
def test_scores_that_are_no_whole_numbers(cycle, scores, shown):
    with pytest.raises(PluginError, match="one whole number for each of 3 nodes as an array, got ") as caught:
        run_scores(profile_of(Says(answers={"score": scores})), cycle, cycle.state.all_nodes)
    assert str(caught.value).endswith(shown)


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int32, np.bool_])
def test_whole_numbers_of_any_width_are_scores(cycle, dtype):
    given = SCORES.astype(dtype)
    phase = run_scores(profile_of(Says(answers={"score": given})), cycle, cycle.state.all_nodes)
    assert phase.raw["Says"].dtype == np.int64
    assert phase.total.tolist() == given.astype(np.int64).tolist()


def test_without_a_score_plugin_nobody_prepares(cycle):
    plugin = Says(answers={"pre_score": AttemptError("lost")})
    profile = replace(default_profile(), pre_score=(plugin,), score=())
    assert run_scores(profile, cycle, cycle.state.all_nodes).total.tolist() == [1, 1, 1]
    assert plugin.called == []
