"""Filters that return booleans, and what they look like to the runtime."""

import numpy as np
import pytest

from kplace.dtypes import Code
from kplace.errors import PluginError
from kplace.framework import Cycle
from kplace.framework.masks import as_filter
from kplace.plugins.nodename.plugin import NodeName
from kplace.testing import make_node, make_pod, state_of


class Odd:
    name = "Odd"
    reason = "node(s) were even"

    def __init__(self, answer=None):
        self._answer = answer

    def filter(self, cycle, nodes):
        return nodes % 2 == 1 if self._answer is None else self._answer


@pytest.fixture
def cycle():
    return Cycle(state_of(*(make_node(f"n{i}") for i in range(3)), make_pod("p")), 0)


def test_nodes_outside_the_mask_get_the_reason(cycle):
    filtering = as_filter(Odd())
    verdict = filtering.filter(cycle, cycle.state.all_nodes)
    assert verdict.code.tolist() == [Code.UNSCHEDULABLE, Code.SUCCESS, Code.UNSCHEDULABLE]
    assert filtering.reasons(cycle, int(verdict.detail[0])) == ("node(s) were even",)
    assert filtering.name == "Odd"


def test_unresolvable_and_local_are_taken_over(cycle):
    plugin = Odd()
    plugin.unresolvable = plugin.is_local = True
    filtering = as_filter(plugin)
    assert filtering.filter(cycle, cycle.state.all_nodes).code[0] == Code.UNSCHEDULABLE_AND_UNRESOLVABLE
    assert filtering.is_local
    assert not as_filter(Odd()).is_local


def test_couples_is_asked_if_there_is_one(cycle):
    plugin = Odd()
    assert as_filter(plugin).couples(cycle, cycle.template)
    plugin.couples = lambda cycle, template: template.namespace == "elsewhere"
    assert not as_filter(plugin).couples(cycle, cycle.template)


@pytest.mark.parametrize(
    ("answer", "shown"),
    [
        (np.array([1, 0, 1]), "int64 (3,)"),
        (np.array([True, False]), "bool (2,)"),
        ([True, False, True], "list"),
        ("yes", "str"),
    ],
)
def test_answers_that_are_no_mask(cycle, answer, shown):
    with pytest.raises(PluginError) as caught:
        as_filter(Odd(answer)).filter(cycle, cycle.state.all_nodes)
    assert str(caught.value) == f"plugin Odd must return one boolean for each of 3 nodes as an array, got {shown}"


def test_a_filter_with_reasons_of_its_own_stays_as_it_is():
    plugin = NodeName()
    assert as_filter(plugin) is plugin
    assert as_filter(object()) is None
