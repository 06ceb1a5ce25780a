"""Extenders that bind, and whole runs with extenders."""

from dataclasses import replace

import numpy as np
import pytest

from kplace.dtypes import NO_NODE, Code, Status, TieBreak
from kplace.engine.batch import place_batch
from kplace.engine.cycle import Options
from kplace.engine.place import MAX_BINDINGS, place_waiting
from kplace.framework.status import PluginStatus
from kplace.testing import make_node, make_pod, state_of
from tests.engine.extenders import PROFILE, Scripted, everything, names, only


class Binder:
    """A Bind plugin that counts, and fails if it is told so."""

    name = "Binder"

    def __init__(self, code=Code.SUCCESS):
        self.code = code
        self.bound = []

    def bind(self, cycle, node):
        self.bound.append(cycle.pod_name)
        return PluginStatus(self.code, ("no",) if self.code else ())


def cluster(*pods):
    return state_of(*(make_node(f"n{i}").capacity(cpu="4", memory="8Gi") for i in range(3)), *pods)


def run(state, *extenders, profile=PROFILE):
    return place_waiting(state, [profile], Options(TieBreak.FIRST, extenders=extenders))


def test_an_extender_binds_in_the_place_of_plugins():
    plugin = Binder()
    extender = Scripted(binding="", passes=only("n1"))
    state = cluster(make_pod("web"))
    columns = run(state, extender, profile=replace(PROFILE, bind=(plugin,)))
    assert extender.asked == [("filter", ["n0", "n1", "n2"]), ("bind", "n1")]
    assert not plugin.bound
    assert names(state, columns.node) == ["n1"]


def test_it_leaves_the_pods_it_has_no_interest_in_to_them():
    plugin = Binder()
    extender = Scripted(binding="", wants="gpu")
    state = cluster(make_pod("web"), make_pod("train").label(gpu="yes"))
    run(state, extender, profile=replace(PROFILE, bind=(plugin,)))
    assert plugin.bound == ["web"]
    assert [verb for verb, _ in extender.asked] == ["bind"]


def test_a_binding_that_fails_is_tried_again_and_gives_the_node_back():
    extender = Scripted(binding="already bound")
    state = cluster(make_pod("web").req(cpu="3"))
    columns = run(state, extender)
    assert columns.status.tolist() == [Status.ERROR]
    assert columns.node.tolist() == [NO_NODE]
    assert columns.messages == ["already bound"]
    assert columns.reasons == [()]
    assert len(extender.asked) == MAX_BINDINGS
    assert state.resources.requested.sum() == 0


def test_an_ignorable_extender_that_cannot_bind_is_passed_over():
    plugin = Binder()
    extender = Scripted(binding="timed out", is_ignorable=True)
    state = cluster(make_pod("web"))
    columns = run(state, extender, profile=replace(PROFILE, bind=(plugin,)))
    assert plugin.bound == ["web"]
    assert columns.status.tolist() == [Status.SCHEDULED]


def test_a_run_goes_on_after_an_error():
    # The first pod's filter call fails, the second's does not; the third is asked about the room that is left.
    answers = iter(["reset", everything, only("n2")])
    extender = Scripted(passes=lambda asked: answer(asked) if callable(answer := next(answers)) else answer)
    state = cluster(make_pod("a"), make_pod("b").req(cpu="4"), make_pod("c").req(cpu="1"))
    columns = run(state, extender)
    assert columns.status.tolist() == [Status.ERROR, Status.SCHEDULED, Status.SCHEDULED]
    assert columns.messages == ["reset", "", ""]
    assert names(state, columns.node[1:]) == ["n0", "n2"]
    assert [asked for _, asked in extender.asked] == [["n0", "n1", "n2"], ["n0", "n1", "n2"], ["n1", "n2"]]


def test_an_error_takes_a_nomination_away():
    state = cluster(make_pod("web").nominated("n1"))
    run(state, Scripted(passes=lambda _: "reset"))
    assert state.nominations.node_of_pod.tolist() == [NO_NODE]


@pytest.mark.parametrize("place", [place_waiting, place_batch])
def test_either_engine_asks_extenders(place):
    pods = [make_pod(f"web-{i}").req(cpu="1") for i in range(4)]
    extender = Scripted(passes=only("n2", "n1"), scores={"n1": 10}, weight=5)
    columns = place(cluster(*pods), [PROFILE], Options(TieBreak.FIRST, extenders=(extender,)))
    assert columns.node.tolist() == [1, 1, 1, 1]
    assert len(extender.asked) == 8


def test_the_same_answers_give_the_same_placements():
    def placed():
        pods = [make_pod(f"web-{i}").req(cpu="500m") for i in range(12)]
        extender = Scripted(passes=lambda asked: asked[::-1], scores={"n0": 2, "n2": 2})
        options = Options(TieBreak.RANDOM, 7, extenders=(extender,))
        return place_waiting(cluster(*pods), [PROFILE], options).node

    assert np.array_equal(placed(), placed())
