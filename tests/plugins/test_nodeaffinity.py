"""NodeAffinity: skipping, narrowing, the affinity that args add, scores by hand."""

from typing import Any

import msgspec
import numpy as np
import pytest

from kplace.dtypes import Code, TieBreak
from kplace.engine.cycle import Options, try_pod
from kplace.errors import ConfigError
from kplace.framework import Cycle
from kplace.objects.core import NodeAffinity as Affinity
from kplace.plugins.defaults import default_profile
from kplace.plugins.nodeaffinity.args import NodeAffinityArgs
from kplace.plugins.nodeaffinity.plugin import REASON_CONFLICT, REASON_ENFORCED, REASON_POD, NodeAffinity
from tests.plugins.clusters import cycle_of, names_of, node

NODES = [node("a", {"zone": "z1"}), node("b", {"zone": "z1"}), node("c", {"zone": "z2"}), node("d")]
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def zone(*values: str) -> dict:
    return {"matchExpressions": [{"key": "zone", "operator": "In", "values": list(values)}]}


def named(*lists: list[str]) -> dict:
    return {"matchFields": [{"key": "metadata.name", "operator": "In", "values": values} for values in lists]}


def required(*terms: dict) -> dict:
    return {REQUIRED: {"nodeSelectorTerms": list(terms)}}


def preferred(*terms: tuple[int, dict]) -> dict:
    return {PREFERRED: [{"weight": weight, "preference": term} for weight, term in terms]}


def cycle(affinity: dict | None = None, **spec: Any) -> Cycle:
    return cycle_of(NODES, {"affinity": {"nodeAffinity": affinity or {}}, **spec})


def plugin(added: dict | None = None) -> NodeAffinity:
    return NodeAffinity(NodeAffinityArgs(msgspec.convert(added, Affinity) if added is not None else None))


@pytest.mark.parametrize(
    ("spec", "added", "code"),
    [
        ({}, None, Code.SKIP),
        ({"nodeSelector": {}}, None, Code.SKIP),
        ({"affinity": preferred((1, zone("z1")))}, None, Code.SKIP),
        ({"nodeSelector": {"zone": "z1"}}, None, Code.SUCCESS),
        ({"affinity": required(zone("z1"))}, None, Code.SUCCESS),
        ({"affinity": required()}, None, Code.SUCCESS),
        ({}, required(zone("z1")), Code.SUCCESS),
        ({}, preferred((1, zone("z1"))), Code.SKIP),
    ],
)
def test_filter_is_skipped_only_if_nothing_is_asked_for(spec: dict, added: dict | None, code: Code):
    result = plugin(added).pre_filter(cycle(**spec))
    assert result.code is code
    assert result.nodes is None


@pytest.mark.parametrize(
    ("terms", "nodes", "unknown"),
    [
        ([named(["c"])], ["c"], ()),
        ([named(["c"]), named(["a"])], ["a", "c"], ()),  # united, in snapshot order
        ([named(["a", "b"], ["b", "c"])], ["b"], ()),  # intersected
        ([named(["a", "b"])], ["a", "b"], ()),  # malformed for the filter, but read here
        ([named(["a"], ["b"]), named(["d"])], ["d"], ()),  # the first term contradicts itself
        ([named(["x", "c"]), named(["w"])], ["c"], ("w", "x")),
        ([named(["x"])], [], ("x",)),
        ([named(["a"]), zone("z2")], None, ()),  # the second term names no node
        ([named(["a"]), {}], None, ()),
        ([zone("z2")], None, ()),
    ],
)
def test_narrowing(terms: list, nodes: list | None, unknown: tuple):
    attempt = cycle(required(*terms))
    result = plugin().pre_filter(attempt)
    assert result.code is Code.SUCCESS
    assert (None if result.nodes is None else names_of(attempt.state, result.nodes)) == nodes
    assert result.unknown == unknown


def test_not_in_does_not_narrow():
    term = {"matchFields": [{"key": "metadata.name", "operator": "NotIn", "values": ["a"]}]}
    assert plugin().pre_filter(cycle(required(term))).nodes is None


def test_contradicting_names_reject_the_pod():
    result = plugin().pre_filter(cycle(required(named(["a"], ["b"]), named(["c"], ["d"]))))
    assert (result.code, result.reasons) == (Code.UNSCHEDULABLE_AND_UNRESOLVABLE, (REASON_CONFLICT,))


@pytest.mark.parametrize(
    ("added", "expected"),
    [
        (None, ["", "", REASON_POD, REASON_POD]),
        (required(zone("z1")), ["", "", REASON_ENFORCED, REASON_ENFORCED]),  # speaks before the pod's own
        (required(zone("z2")), [REASON_ENFORCED, REASON_ENFORCED, REASON_POD, REASON_ENFORCED]),
    ],
)
def test_reasons(added: dict | None, expected: list):
    affinity, attempt = plugin(added), cycle(required(zone("z1")))
    verdict = affinity.filter(attempt, attempt.state.all_nodes)
    words = [affinity.reasons(attempt, int(detail))[0] for detail in verdict.detail]
    assert [word if code else "" for word, code in zip(words, verdict.code, strict=True)] == expected
    assert set(verdict.code.tolist()) <= {Code.SUCCESS, Code.UNSCHEDULABLE_AND_UNRESOLVABLE}


def test_filter_judges_the_nodes_it_is_given_in_their_order():
    attempt = cycle(nodeSelector={"zone": "z1"})
    verdict = plugin().filter(attempt, np.array([3, 1, 2], np.int32))
    assert verdict.code.tolist() == [3, 0, 3]


@pytest.mark.parametrize(
    ("own", "added", "scored"),
    [
        ({}, None, False),
        (required(zone("z1")), None, False),
        ({PREFERRED: []}, None, False),
        (preferred((1, {})), None, True),  # given, though it matches nothing
        ({}, preferred((1, zone("z1"))), True),
        ({}, required(zone("z1")), False),
    ],
)
def test_score_is_skipped_only_without_preferences(own: dict, added: dict | None, scored: bool):
    attempt = cycle(own)
    assert plugin(added).pre_score(attempt, attempt.state.all_nodes) == scored


@pytest.mark.parametrize(
    ("own", "added", "raw", "final"),
    [
        # a and b get 10 of at most 40: 100*10/40 = 25
        (preferred((10, zone("z1")), (40, zone("z2"))), None, [10, 10, 40, 0], [25, 25, 100, 0]),
        # a: 1, b: 1+1, c: 3; 100*1/3 = 33, 100*2/3 = 66 (integer division)
        (preferred((1, zone("z1")), (1, named(["b"])), (3, zone("z2"))), None, [1, 2, 3, 0], [33, 66, 100, 0]),
        # added by the args: a and b 5, c 20 of its own
        (preferred((20, zone("z2"))), preferred((5, zone("z1"))), [5, 5, 20, 0], [25, 25, 100, 0]),
        (preferred((50, zone("z9"))), None, [0, 0, 0, 0], [0, 0, 0, 0]),
    ],
)
def test_scores(own: dict, added: dict | None, raw: list, final: list):
    affinity, attempt = plugin(added), cycle(own)
    nodes = attempt.state.all_nodes
    scores = affinity.score(attempt, nodes)
    assert scores.tolist() == raw
    affinity.normalize_score(attempt, nodes, scores)
    assert scores.tolist() == final
    assert affinity.score(attempt, nodes).tolist() == raw  # normalising has not touched what is kept


def test_normalising_looks_at_the_given_nodes_only():
    affinity, attempt = plugin(), cycle(preferred((10, zone("z1")), (40, zone("z2"))))
    nodes = np.array([3, 0], np.int32)
    scores = affinity.score(attempt, nodes)
    affinity.normalize_score(attempt, nodes, scores)
    assert scores.tolist() == [0, 100]  # 10 is the highest of these two


@pytest.mark.parametrize("added", [required(named(["a", "b"])), preferred((3, named([])))])
def test_malformed_added_affinity_is_refused(added: dict):
    with pytest.raises(ConfigError, match="term 0 is malformed"):
        plugin(added)


def test_malformed_added_preference_of_no_weight_is_let_through():
    assert plugin(preferred((0, named([]))))


def test_search_starts_within_the_narrowed_nodes_and_goes_on_from_all():
    attempt = cycle(required(named(["d"]), named(["b"])))
    state = attempt.state
    state.next_start_index = 3
    found = try_pod(state, default_profile(), attempt.pod, 0, Options(TieBreak.FIRST))
    # 3 modulo the two narrowed nodes (b, d): from d; 3 + 2 visited modulo all four
    assert names_of(state, found.feasible) == ["d", "b"]
    assert (found.sample.evaluated, found.next_start_index) == (2, 1)
