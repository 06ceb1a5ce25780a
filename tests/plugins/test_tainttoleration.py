"""Taints: which toleration covers which, what is said, and how many PreferNoSchedule taints are left."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kplace.dtypes import Code
from kplace.framework import Cycle
from kplace.plugins.nodeunschedulable.plugin import NodeUnschedulable
from kplace.plugins.tainttoleration.plugin import TaintToleration
from kplace.testing import make_node, make_pod, state_of
from tests.naive import taints as naive

FITS, NEVER = Code.SUCCESS, Code.UNSCHEDULABLE_AND_UNRESOLVABLE


def cycle_of(nodes: list, *tolerations: str) -> Cycle:
    waiting = make_pod("waiting")
    return Cycle(state_of(*nodes, waiting.tolerate(*tolerations) if tolerations else waiting), 0)


@pytest.mark.parametrize(
    ("taint", "toleration", "tolerated"),
    [
        ("k=v:NoSchedule", "k=v:NoSchedule", True),
        ("k=v:NoSchedule", "k=v", True),  # no effect: all effects
        ("k=v:NoSchedule", "k:NoSchedule", True),  # any value
        ("k=v:NoSchedule", "*", True),
        ("k=v:NoExecute", "*:NoExecute", True),
        ("k=v:NoExecute", "*:NoSchedule", False),
        ("k=v:NoSchedule", "k=w:NoSchedule", False),
        ("k=v:NoSchedule", "k=v:NoExecute", False),
        ("k:NoSchedule", "k=:NoSchedule", True),  # the empty value equals the empty value
        ("k:NoSchedule", "l", False),
        ("k=v:PreferNoSchedule", "l", True),  # keeps nobody away
    ],
)
def test_filter(taint: str, toleration: str, tolerated: bool):
    cycle = cycle_of([make_node("a").taint(taint)], toleration)
    assert TaintToleration().filter(cycle, cycle.state.all_nodes).code[0] == (FITS if tolerated else NEVER)


def test_the_first_taint_that_is_not_tolerated_is_named():
    taints = ["spot:PreferNoSchedule", "gpu=yes:NoSchedule", "dead:NoExecute"]
    cycle = cycle_of([make_node("free"), make_node("a").taint(*taints), make_node("b").taint(*reversed(taints))])
    plugin = TaintToleration()
    verdict = plugin.filter(cycle, cycle.state.all_nodes)
    assert verdict.code.tolist() == [FITS, NEVER, NEVER]
    assert plugin.reasons(cycle, int(verdict.detail[1])) == ("node(s) had untolerated taint {gpu: yes}",)
    assert plugin.reasons(cycle, int(verdict.detail[2])) == ("node(s) had untolerated taint {dead: }",)


def test_score():
    nodes = [make_node("a"), make_node("b").taint("k:PreferNoSchedule"), make_node("c").taint("x:NoSchedule")]
    nodes.append(make_node("d").taint("k:PreferNoSchedule", "l:PreferNoSchedule", "m=1:PreferNoSchedule"))
    # Tolerations of other effects do not count: d keeps l and m, though m is tolerated as NoSchedule.
    cycle = cycle_of(nodes, "k:PreferNoSchedule", "m=1:NoSchedule", "x")
    plugin, listed = TaintToleration(), cycle.state.all_nodes
    raw = plugin.score(cycle, listed)
    assert raw.tolist() == [0, 0, 0, 2]
    plugin.normalize_score(cycle, listed, raw)
    assert raw.tolist() == [100, 100, 100, 0]
    assert plugin.score(cycle, listed).tolist() == [0, 0, 0, 2]  # normalising has not touched what is kept


def test_normalising_truncates_before_it_reverses():
    scores = np.array([1, 3, 2], np.int64)
    TaintToleration().normalize_score(cycle_of([make_node("a")]), np.zeros(3, np.int32), scores)
    assert scores.tolist() == [67, 0, 34]  # 100 - 33, 100 - 100, 100 - 66


@pytest.mark.parametrize(
    ("tolerations", "code"),
    [
        ([], NEVER),
        (["node.kubernetes.io/unschedulable"], FITS),
        (["node.kubernetes.io/unschedulable:NoSchedule"], FITS),
        (["node.kubernetes.io/unschedulable:NoExecute"], NEVER),
        (["*"], FITS),
    ],
)
def test_cordoned_nodes(tolerations: list[str], code: Code):
    cycle = cycle_of([make_node("open"), make_node("shut").cordon()], *tolerations)
    verdict = NodeUnschedulable().filter(cycle, cycle.state.all_nodes)
    assert verdict.code.tolist() == [FITS, code]
    assert NodeUnschedulable().reasons(cycle, int(verdict.detail[1])) == ("node(s) were unschedulable",)


WORDS = st.sampled_from(["", "a", "b"])
EFFECTS = ["NoSchedule", "PreferNoSchedule", "NoExecute"]
TAINTS = st.lists(
    st.fixed_dictionaries({"key": st.sampled_from(["k", "l"]), "value": WORDS, "effect": st.sampled_from(EFFECTS)}),
    max_size=3,
)
EQUAL = st.fixed_dictionaries(
    {"key": st.sampled_from(["k", "l", "m"])},
    optional={"operator": st.just("Equal"), "value": WORDS, "effect": st.sampled_from(["", *EFFECTS])},
)
EXISTS = st.fixed_dictionaries(
    {"operator": st.just("Exists")},
    optional={"key": st.sampled_from(["", "k", "l"]), "effect": st.sampled_from(["", *EFFECTS])},
)


@settings(max_examples=150)
@given(st.lists(TAINTS, min_size=1, max_size=5), st.lists(EQUAL | EXISTS, max_size=3))
def test_against_the_oracle(fleet: list, tolerations: list):
    nodes = [make_node(f"n{number}").spec(taints=taints) for number, taints in enumerate(fleet)]
    cycle = Cycle(state_of(*nodes, make_pod("waiting").spec(tolerations=tolerations)), 0)
    plugin, listed = TaintToleration(), cycle.state.all_nodes
    verdict = plugin.filter(cycle, listed)
    for taints, code, detail in zip(fleet, verdict.code, verdict.detail, strict=True):
        first = naive.forbidding(taints, tolerations)
        assert code == (FITS if first is None else NEVER)
        if first is not None:
            text = f"node(s) had untolerated taint {{{first['key']}: {first['value']}}}"
            assert plugin.reasons(cycle, int(detail)) == (text,)
    raw = plugin.score(cycle, listed)
    assert raw.tolist() == [naive.disliked(taints, tolerations) for taints in fleet]
    plugin.normalize_score(cycle, listed, raw)
    assert raw.tolist() == naive.normalized([naive.disliked(taints, tolerations) for taints in fleet])
