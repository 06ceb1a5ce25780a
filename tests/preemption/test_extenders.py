"""What extenders make of the candidates for preemption."""

import numpy as np
import pytest

from kplace.dtypes import NO_NODE, Code, PreemptionMode, Status, TieBreak
from kplace.engine.cycle import Options, find_way_out
from kplace.engine.diagnose import diagnose
from kplace.engine.place import place_waiting
from kplace.framework.extending import Skipped
from kplace.io.trace import full_record
from kplace.testing import make_node, make_pod, state_of
from tests.engine.extenders import PROFILE, Scripted, attempt, everything, names, only

PDB = {
    "apiVersion": "policy/v1",
    "kind": "PodDisruptionBudget",
    "metadata": {"name": "kept", "namespace": "default"},
    "spec": {"selector": {"matchLabels": {"app": "kept"}}},
    "status": {"disruptionsAllowed": 0},
}


def victim(name, node, priority, start="2026-01-01T00:00:00Z", **labels):
    return make_pod(name).req(cpu="1").priority(priority).started(start).label(**labels).on(node).phase("Running")


def cluster(*more):
    """The urgent pod, 0, needs a whole node: cheap's two pods cost least, then dear's, then the protected one's."""
    return state_of(
        *(make_node(name).capacity(cpu="2", memory="8Gi") for name in ("dear", "cheap", "protected")),
        make_pod("urgent").req(cpu="2").priority(100),
        victim("d1", "dear", 50),
        victim("c1", "cheap", 10),
        victim("c2", "cheap", 5),
        victim("p1", "protected", 1, app="kept"),
        PDB,
        *more,
    )


def way_out(state, *extenders):
    """The pod's way out with some extenders: the attempt, the node, and the victims' names."""
    tried = attempt(state, *extenders)
    tried.post_filters = find_way_out(tried, Options(TieBreak.FIRST, extenders=extenders))
    found = tried.preemption
    if found is None:
        return tried, "", []
    pods = state.columns.pods.names
    return tried, state.columns.nodes.names[found.node], [pods[pod] for pod in found.victims]


def test_without_a_word_from_extenders():
    _, node, victims = way_out(cluster(), Scripted(passes=everything), Scripted(claims=[], wants="gpu"))
    assert (node, victims) == ("cheap", ["c1", "c2"])


def test_what_they_are_asked():
    extender = Scripted(claims=[("dear", ["d1"], 0)])
    way_out(cluster(), extender)
    ((verb, (victims, violations)),) = extender.asked
    assert verb == "preempt"
    assert victims == {"dear": ["d1"], "cheap": ["c1", "c2"], "protected": ["p1"]}
    assert dict(zip(victims, violations, strict=True)) == {"dear": 0, "cheap": 0, "protected": 1}


def test_candidates_can_be_taken_away():
    assert way_out(cluster(), Scripted(claims=[("protected", ["p1"], 1), ("dear", ["d1"], 0)]))[1:] == ("dear", ["d1"])


def test_victims_can_be_others():
    # Fewer than needed: what the extender says goes, it is not tried out again.
    assert way_out(cluster(), Scripted(claims=[("cheap", ["c2"], 0)]))[1:] == ("cheap", ["c2"])


def test_a_node_can_come_in_that_was_no_candidate():
    state = cluster(make_node("full").capacity(cpu="2"), victim("f1", "full", 500))
    assert way_out(state, Scripted(claims=[("full", ["f1"], 0)]))[1:] == ("full", ["f1"])


def test_the_number_of_violations_is_the_extenders():
    claims = [("dear", ["d1"], 1), ("cheap", ["c1", "c2"], 2), ("protected", ["p1"], 0)]
    tried, node, victims = way_out(cluster(), Scripted(claims=claims))
    assert (node, victims) == ("protected", ["p1"])
    # Whether a victim breaks a budget was found out before, and is not forgotten.
    assert tried.preemption.violating.tolist() == [True]
    record = full_record(tried, "", Options())["postFilter"]
    assert record["candidates"]["cheap"] == {"victims": ["default/c1", "default/c2"], "pdbViolations": 2}


def test_the_first_victim_counts_as_the_most_important_one():
    # c2 first: 5 is taken for the highest priority of cheap, hence dear, with 6, loses, though cheap's c1 has 10.
    state = cluster(victim("d2", "dear", 6))
    claims = [("dear", ["d2"], 0), ("cheap", ["c2", "c1"], 0)]
    assert way_out(state, Scripted(claims=claims))[1:] == ("cheap", ["c2", "c1"])


def test_start_times_are_those_of_the_highest_priority_all_the_same():
    # Equal in all but start: of priority 9 on a there is one of 12:00, on b of 13:00; the first victims' are the other
    # way round.
    pods = [
        victim("a1", "a", 3, "2026-01-01T23:00:00Z"),
        victim("a2", "a", 9, "2026-01-01T12:00:00Z"),
        victim("b1", "b", 3, "2026-01-01T01:00:00Z"),
        victim("b2", "b", 9, "2026-01-01T13:00:00Z"),
    ]
    nodes = [make_node(name).capacity(cpu="2", memory="8Gi") for name in "ab"]
    state = state_of(*nodes, make_pod("urgent").req(cpu="2").priority(100), *pods)
    claims = [("a", ["a1", "a2"], 0), ("b", ["b1", "b2"], 0)]
    assert way_out(state, Scripted(claims=claims))[1] == "b"


def test_one_after_the_other():
    first = Scripted("http://first", claims=[("cheap", ["c1"], 0), ("dear", ["d1"], 0)])
    second = Scripted("http://second", claims=[("dear", ["d1"], 3)])
    assert way_out(cluster(), first, second)[1] == "dear"
    assert second.asked[0][1] == ({"cheap": ["c1"], "dear": ["d1"]}, [0, 0])


def test_nothing_left():
    silent = Scripted(claims=[])
    never = Scripted("http://never", claims=[("dear", ["d1"], 0)])
    tried, node, _ = way_out(cluster(), silent, never)
    assert (node, never.asked) == ("", [])
    result = tried.post_filters.result
    assert (result.code, result.reasons[-1]) == (Code.UNSCHEDULABLE, "preemption: no candidate node for preemption")
    # Upstream leaves an earlier nomination alone.
    assert result.nomination is None
    message = diagnose(tried)[1]
    assert message.startswith("0/3 nodes are available: 3 Insufficient cpu. ")
    assert message.endswith("preemption: no candidate node for preemption")


def test_a_call_that_comes_to_nothing():
    tried, _, _ = way_out(cluster(), Scripted(claims="timed out"))
    assert tried.post_filters.result.code is Code.ERROR
    assert tried.post_filters.result.reasons == ("preemption: timed out",)
    lenient = Scripted(claims="timed out", is_ignorable=True)
    tried, node, _ = way_out(cluster(), lenient)
    assert node == "cheap"
    assert tried.extenders.skipped == [Skipped(lenient.name, "preempt", "timed out")]


def test_a_node_without_victims():
    claims = [("cheap", [], 0), ("dear", ["d1"], 0)]
    tried, _, _ = way_out(cluster(), Scripted(claims=claims))
    assert tried.post_filters.result.reasons == ('preemption: expected at least one victim pod on node "cheap"',)
    assert tried.post_filters.result.code is Code.ERROR
    assert way_out(cluster(), Scripted(claims=claims, is_ignorable=True))[1:] == ("dear", ["d1"])


def test_nodes_that_an_extender_refused_are_candidates_only_if_they_can_be_helped():
    # cheap is beyond help, protected was refused for a reason that may pass away, dear just did not come back.
    state = state_of(
        *(make_node(name).capacity(cpu="4", memory="8Gi") for name in ("dear", "cheap", "protected")),
        make_pod("urgent").req(cpu="2").priority(100),
        victim("d1", "dear", 50),
        victim("c1", "cheap", 10),
        victim("p1", "protected", 1),
    )
    refusing = Scripted(
        passes=only(), failed={"protected": "hot"}, unresolvable={"cheap": "old"}, claims=[("dear", ["d1"], 0)]
    )
    tried = attempt(state, refusing)
    assert names(state, np.flatnonzero(tried.filters.code == Code.UNSCHEDULABLE)) == ["protected"]


@pytest.mark.parametrize(
    ("mode", "status"), [(PreemptionMode.IMMEDIATE, "SCHEDULED"), (PreemptionMode.DRY_RUN, "UNSCHEDULABLE")]
)
def test_the_victims_that_it_says_leave(mode, status):
    state = cluster()
    extender = Scripted(claims=[("dear", ["d1"], 0)])
    options = Options(TieBreak.FIRST, preemption=mode, extenders=(extender,))
    columns = place_waiting(state, [PROFILE], options)
    assert columns.status.tolist() == [Status[status]]
    assert columns.preemptions.victim.tolist() == [1]
    is_gone = mode is PreemptionMode.IMMEDIATE
    assert (int(state.node_of_pod[1]) == NO_NODE) == is_gone
