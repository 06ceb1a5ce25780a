"""What plugins answer that is not what they were asked for."""

from types import SimpleNamespace

import numpy as np
import pytest

from kplace.dtypes import Code
from kplace.errors import PluginError
from kplace.framework import PermitResult, PluginStatus, PreFilterResult, Verdict
from kplace.framework.answers import (
    check_verdict,
    may_enter,
    narrowed_to,
    normalize,
    prepares,
    rank_of,
    reasons_of,
    result_of,
    sorted_pods,
    whole_scores,
)
from kplace.framework.masks import as_filter
from kplace.framework.ranks import as_queue_sort


def plugin(**methods):
    """A plugin whose methods return what is given, whatever they are asked."""
    return SimpleNamespace(name="Odd", **{name: lambda *_, told=told: told for name, told in methods.items()})


def refusal(call, *arguments):
    with pytest.raises(PluginError) as caught:
        call(*arguments)
    return str(caught.value)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("ok", "permit returned str: expected a PermitResult or None"),
        (False, "permit returned bool: expected a PermitResult or None"),
        (PluginStatus(), "permit returned PluginStatus: expected a PermitResult or None"),
        (PermitResult("no"), "permit returned a status that is str: expected a PluginStatus"),
        (PermitResult(PluginStatus(2)), "permit returned a code that is int: expected a kplace.dtypes.Code"),
        (PermitResult.reject("no", 3), "permit gave ('no', 3) for reasons: expected a tuple of texts"),
    ],
)
def test_results_of_another_kind(answer, expected):
    assert refusal(result_of, plugin(), "permit", answer, PermitResult) == f"plugin Odd: {expected}"


def test_one_text_is_no_tuple_of_reasons():
    # Its letters would be taken for reasons.
    wrong = PluginStatus(Code.UNSCHEDULABLE, "full")
    assert refusal(result_of, plugin(), "reserve", wrong, PluginStatus).startswith("plugin Odd: reserve gave 'full'")
    assert refusal(reasons_of, plugin(reasons="full"), None, 0).startswith("plugin Odd: reasons gave 'full'")


def test_what_is_as_expected_is_handed_on():
    waits = PermitResult.wait(5)
    assert result_of(plugin(), "permit", waits, PermitResult) is waits
    assert result_of(plugin(), "pre_filter", None, PreFilterResult) is None
    assert reasons_of(plugin(reasons=("a", "b")), None, 0) == ("a", "b")
    assert rank_of(plugin(), (1, np.int64(2))) == (1, 2)
    narrowed_to(plugin(), np.array([0, 2], np.int32), 3)
    narrowed_to(plugin(), np.array([], np.int32), 0)


@pytest.mark.parametrize(
    ("nodes", "expected"),
    [
        ([0, 1], "to list: expected indexes of nodes as int32 (k,)"),
        (np.array([True, False, True]), "to bool (3,): expected indexes of nodes as int32 (k,)"),
        (np.array([[0]], np.int32), "to int32 (1, 1): expected indexes of nodes as int32 (k,)"),
        (np.array([0, 3], np.int32), "to nodes from 0 to 2, each once, in ascending order"),
        (np.array([-1, 0], np.int32), "to nodes from 0 to 2, each once, in ascending order"),
        (np.array([1, 0], np.int32), "to nodes from 0 to 2, each once, in ascending order"),
        (np.array([1, 1], np.int32), "to nodes from 0 to 2, each once, in ascending order"),
    ],
)
def test_nodes_that_a_search_cannot_be_narrowed_to(nodes, expected):
    assert refusal(narrowed_to, plugin(), nodes, 3).endswith(expected)


@pytest.mark.parametrize("highest", [4, 6, 9, -1])
def test_codes_that_are_not_for_filters(highest):
    verdict = Verdict(np.array([0, highest], np.int8), np.zeros(2, np.int64))
    found = refusal(check_verdict, plugin(), verdict, 2)
    assert found.startswith(f"plugin Odd: filter gave the code {highest % 256}: expected Success (0), Error (1), ")


def test_a_gate_that_says_neither_yes_nor_no():
    assert refusal(may_enter, plugin(pre_enqueue=None), None).endswith("NoneType: expected True or False")
    assert may_enter(plugin(pre_enqueue=np.True_), None)


@pytest.mark.parametrize("answer", ["skip", 0, Code.SKIP])
def test_a_pre_score_that_says_something_else(answer):
    assert "expected False to skip the score, or None" in refusal(prepares, plugin(), answer)


def test_a_normalised_copy_would_be_lost():
    found = refusal(normalize, plugin(normalize_score=np.zeros(2, np.int64)), None, None, None)
    assert found == (
        "plugin Odd: normalize_score returned int64: it must change the scores in place, and return nothing"
    )


@pytest.mark.parametrize("scores", [None, [1, 2], np.ones(2), np.ones(3, np.int64), np.ones((2, 1), np.int64)])
def test_scores_that_are_none(scores):
    assert "must return one whole number for each of 2 nodes" in refusal(whole_scores, plugin(), scores, 2)


@pytest.mark.parametrize("rank", ["a", 1, [1], (1.0,), ("a",), None])
def test_ranks_that_are_none(rank):
    assert "expected a tuple of whole numbers" in refusal(rank_of, plugin(), rank)
    sorter = as_queue_sort(plugin(rank=rank))
    assert "expected a tuple of whole numbers" in refusal(sorter.rank, None, 0)


@pytest.mark.parametrize("order", [None, [0], np.array([0, 1], np.int32), np.array([0, 2, 2], np.int32)])
def test_a_sort_that_loses_pods(order):
    waiting = np.array([0, 1, 2], np.int32)
    assert "the very pods that it was given" in refusal(sorted_pods, plugin(sort=order), None, waiting)
    turned = sorted_pods(plugin(sort=waiting[::-1].astype(np.int64)), None, waiting)
    assert (turned.tolist(), turned.dtype) == ([2, 1, 0], np.int32)


def test_a_reason_that_is_no_text():
    odd = SimpleNamespace(name="Odd", reason=5, filter=lambda *_: None)
    assert refusal(as_filter, odd) == "plugin Odd: its reason must be a text, got 5"
