"""Where extenders come in, what their word counts for, and what becomes of it when a call comes to nothing."""

import numpy as np
import pytest

from kplace.dtypes import NO_NODE, Code, Status
from kplace.engine.cycle import Options, find_way_out, wanted
from kplace.engine.diagnose import diagnose
from kplace.frames.explain import explain_frame
from kplace.framework.extending import Skipped
from kplace.framework.runtime import ABSENT, PASSED, REFUSED
from kplace.io.trace import full_record
from kplace.testing import make_node, make_pod, state_of
from tests.engine.extenders import PROFILE, Scripted, attempt, everything, names, only, unscoring


def cluster(n_nodes=4, *pods):
    return state_of(*(make_node(f"n{i}").capacity(cpu="4", memory="8Gi") for i in range(n_nodes)), *pods)


def waiting(**fields):
    return make_pod("web").req(cpu="1", memory="1Gi").label(**fields)


# Filter.


def test_extenders_are_asked_one_after_the_other_about_what_is_left():
    first, second = Scripted(passes=only("n3", "n1", "n0")), Scripted(passes=only("n0", "n3"))
    state = cluster(4, waiting())
    tried = attempt(state, first, second)
    assert first.asked == [("filter", ["n0", "n1", "n2", "n3"])]
    # The order is that of the extender before.
    assert second.asked == [("filter", ["n3", "n1", "n0"])]
    assert names(state, tried.feasible) == ["n0", "n3"]
    assert tried.sample.evaluated == 4
    assert tried.extenders.has_refused


def test_the_choice_is_among_what_the_last_one_leaves_in_its_order():
    # All nodes score the same, and the first of them is taken.
    state = cluster(4, waiting())
    assert names(state, [attempt(state, Scripted(passes=only("n2", "n0"))).node]) == ["n2"]


def test_who_has_no_verb_or_no_interest_is_not_asked():
    stranger, mute = Scripted(passes=only("n0"), wants="gpu"), Scripted()
    state = cluster(4, waiting(app="web"))
    tried = attempt(state, stranger, mute)
    assert not stranger.asked
    assert not mute.asked
    assert len(tried.feasible) == 4
    assert not tried.extenders.has_refused


def test_nobody_is_asked_about_no_nodes():
    first, second = Scripted(passes=only()), Scripted(passes=everything)
    tried = attempt(cluster(4, waiting()), first, second)
    assert tried.node == NO_NODE
    assert not second.asked
    alone = Scripted(passes=everything)
    attempt(cluster(4, make_pod("huge").req(cpu="64")), alone)
    assert not alone.asked


def test_filters_come_first():
    state = state_of(
        make_node("full").capacity(cpu="1", memory="8Gi"), make_node("free").capacity(cpu="4"), waiting().req(cpu="2")
    )
    extender = Scripted(passes=everything)
    tried = attempt(state, extender)
    assert extender.asked == [("filter", ["free"])]
    assert names(state, [tried.node]) == ["free"]
    # One feasible node is taken without a score; nor is a total of 0 or 1 of any interest then.
    assert not tried.extenders.has_refused


# What is said about nodes that do not pass.


def message_of(state, *extenders, **options):
    tried = attempt(state, *extenders, **options)
    assert tried.node == NO_NODE
    return diagnose(tried)


def test_reasons():
    extender = Scripted(passes=only(), failed={"n0": "too hot", "n1": "too hot"}, unresolvable={"n2": "too old"})
    state = cluster(4, waiting())
    reasons, message = message_of(state, extender)
    # n3 did not come back, and nobody says why.
    assert message == "0/4 nodes are available: 1 too old, 2 too hot."
    assert reasons == ((extender.name, "too hot", 2), (extender.name, "too old", 1))


def test_reasons_of_filters_and_extenders_add_up():
    state = state_of(
        make_node("small").capacity(cpu="1", memory="8Gi"), make_node("n0"), make_node("n1"), waiting().req(cpu="2")
    )
    one = Scripted("http://one", passes=only("n1"), failed={"n0": "Insufficient cpu"})
    two = Scripted("http://two", passes=only(), failed={"n1": "no licence"})
    reasons, message = message_of(state, one, two)
    assert message == "0/3 nodes are available: 1 no licence, 2 Insufficient cpu."
    assert set(reasons) == {
        ("NodeResourcesFit", "Insufficient cpu", 1),
        ("http://one", "Insufficient cpu", 1),
        ("http://two", "no licence", 1),
    }


def test_unresolvable_counts_where_a_node_is_in_both():
    extender = Scripted(passes=only(), failed={"n0": "full", "n1": "full"}, unresolvable={"n0": "gone"})
    tried = attempt(cluster(2, waiting()), extender)
    assert diagnose(tried)[1] == "0/2 nodes are available: 1 full, 1 gone."
    assert tried.filters.code.tolist() == [Code.UNSCHEDULABLE_AND_UNRESOLVABLE, Code.UNSCHEDULABLE]


def test_the_later_word_counts():
    one = Scripted("http://one", passes=only("n1"), failed={"n0": "full"})
    two = Scripted("http://two", passes=only(), failed={"n0": "cold", "n1": "cold"})
    assert message_of(cluster(2, waiting()), one, two)[1] == "0/2 nodes are available: 2 cold."


def test_an_extender_may_speak_of_nodes_it_was_not_asked_about():
    state = state_of(make_node("small").capacity(cpu="1", memory="8Gi"), make_node("n0"), waiting().req(cpu="2"))
    extender = Scripted(passes=only(), failed={"small": "not this one", "ghost": "what ghost"})
    reasons, message = message_of(state, extender)
    # Its word takes the place of the filter's; a node that does not exist is counted too.
    assert message == "0/2 nodes are available: 1 not this one, 1 what ghost."
    assert set(reasons) == {(extender.name, "not this one", 1), (extender.name, "what ghost", 1)}


def test_nothing_at_all_said():
    reasons, message = message_of(cluster(3, waiting()), Scripted(passes=only()))
    assert (reasons, message) == ((), "0/3 nodes are available:")


def narrowed():
    """A pod that NodeAffinity's PreFilter keeps to n0 and n1."""
    return waiting().require_node(name="n0").require_node(name="n1")


def test_nodes_that_do_not_come_back_are_taken_for_those_the_prefilters_left_out():
    # n0 is refused with a reason; n1, n2 and n3 have no status, and there is a reason for all that have none.
    state = cluster(4, narrowed())
    extender = Scripted(passes=only(), failed={"n0": "full"})
    _, message = message_of(state, extender)
    assert extender.asked == [("filter", ["n0", "n1"])]
    assert message == "0/4 nodes are available: 1 full, 3 node(s) didn't satisfy plugin(s) [NodeAffinity]."
    # A node that does not exist has a status all the same: upstream counts one less without.
    extender.failed = {"n0": "full", "ghost": "gone"}
    _, message = message_of(state, extender)
    assert message == "0/4 nodes are available: 1 full, 1 gone, 2 node(s) didn't satisfy plugin(s) [NodeAffinity]."


def test_nodes_that_the_search_did_not_come_to_have_no_reason():
    # 300 nodes, every other one too small: 144 feasible ones are wanted, the search ends with the 145th, at node 288.
    nodes = [make_node(f"n{i:03}").capacity(cpu="4" if i % 2 == 0 else "1", memory="8Gi") for i in range(300)]
    state = state_of(*nodes, waiting().req(cpu="2"))
    extender = Scripted(passes=only(), failed={"n000": "full"})
    tried = attempt(state, extender)
    assert len(extender.asked[0][1]) == 144
    assert tried.sample.evaluated == 288
    assert tried.next_start_index == 288
    assert diagnose(tried)[1] == "0/300 nodes are available: 1 full, 144 Insufficient cpu."
    # Of the other 143 that were asked about and the 12 that were not come to, preemption does not want to hear.
    assert np.bincount(tried.filters.plugin + 3).tolist()[:3] == [1, 155, 0]
    assert set(tried.filters.code[tried.filters.plugin == ABSENT].tolist()) == {Code.UNSCHEDULABLE_AND_UNRESOLVABLE}
    # A pod that finds a node: everything that is known of every node.
    extender.passes = only("n002")
    tried = attempt(state, extender)
    assert np.bincount(tried.filters.plugin + 3).tolist()[:3] == [1, 142, 7]
    assert (tried.filters.plugin >= 0).sum() == 150


# Calls that come to nothing.


def test_an_error_ends_the_attempt():
    state = cluster(4, waiting().nominated("n9"))
    tried = attempt(state, Scripted(passes=lambda _: "connection refused"), Scripted(passes=everything))
    assert tried.error == "connection refused"
    assert tried.status is Status.ERROR
    assert (tried.node, len(tried.feasible)) == (NO_NODE, 0)
    assert tried.scores is None
    # The search has taken place, and the next one begins after it.
    assert (tried.sample.evaluated, tried.next_start_index) == (4, 0)
    assert diagnose(tried) == ((), "connection refused")
    assert find_way_out(tried, Options()) is None


def test_an_ignorable_extender_is_passed_over():
    lenient = Scripted("http://lenient", passes=lambda _: "timed out", is_ignorable=True, failed={"n0": "never said"})
    state = cluster(4, waiting())
    tried = attempt(state, lenient, Scripted(passes=only("n1")))
    assert names(state, [tried.node]) == ["n1"]
    assert tried.extenders.skipped == [Skipped("http://lenient", "filter", "timed out")]
    assert "n0" not in tried.extenders.refusals


@pytest.mark.parametrize("is_ignorable", [False, True])
def test_scores_that_do_not_come_are_done_without(is_ignorable):
    extender = Scripted(scores="timed out", is_ignorable=is_ignorable)
    tried = attempt(cluster(4, waiting()), extender, Scripted("http://other", scores={"n2": 1}))
    assert tried.node == 2
    assert tried.extenders.skipped == [Skipped(extender.name, "prioritize", "timed out")]
    assert not tried.error


# Prioritize.


def test_scores_are_weighted_and_added():
    plain = attempt(cluster(4, waiting()))
    one = Scripted("http://one", scores={"n1": 3, "n2": 10}, weight=2)
    two = Scripted("http://two", scores={"n1": 8, "n3": -1})
    tried = attempt(cluster(4, waiting()), one, two)
    # times the weight, times 100 / 10
    assert tried.scores.raw["http://one"].tolist() == [0, 3, 10, 0]
    assert tried.scores.final["http://one"].tolist() == [0, 60, 200, 0]
    assert tried.scores.final["http://two"].tolist() == [0, 80, 0, -10]
    assert (tried.scores.total - plain.scores.total).tolist() == [0, 140, 200, -10]
    assert tried.node == 2


def test_two_extenders_at_one_url_add_up():
    tried = attempt(cluster(2, waiting()), Scripted(scores={"n1": 3}), Scripted(scores={"n1": 4, "n0": 1}))
    assert tried.scores.raw["http://extender"].tolist() == [1, 7]


def test_they_are_asked_about_the_nodes_that_are_left():
    extender = Scripted(passes=only("n3", "n1"), scores={})
    attempt(cluster(4, waiting()), extender)
    assert extender.asked[1:] == [("prioritize", ["n3", "n1"])]


def test_a_single_node_is_not_scored():
    extender = Scripted(passes=only("n3"), scores={"n3": 7})
    tried = attempt(cluster(4, waiting()), extender)
    assert [verb for verb, _ in extender.asked] == ["filter"]
    assert tried.node == 3


def test_totals_without_score_plugins():
    state = cluster(4, waiting())
    # With nobody to score, every node has 1, and one node is enough.
    assert attempt(state, profile=unscoring()).scores.total.tolist() == [1]
    # With any extender they begin at 0.
    silent = Scripted(passes=everything)
    assert attempt(state, silent, profile=unscoring()).scores.total.tolist() == [0, 0, 0, 0]
    assert attempt(state, Scripted(scores={"n1": 2}), profile=unscoring()).scores.total.tolist() == [0, 20, 0, 0]


@pytest.mark.parametrize(
    ("extenders", "number"),
    [
        ((), 1),
        ((Scripted(claims=[]), Scripted(binding="")), 1),
        ((Scripted(passes=everything),), 144),
        ((Scripted(scores={}),), 144),
        # Whether they care for the pod does not matter.
        ((Scripted(passes=everything, wants="gpu"),), 144),
    ],
)
def test_how_many_nodes_are_looked_for_without_score_plugins(extenders, number):
    assert wanted(unscoring(), 300, Options(extenders=extenders)) == number


# The nominated node.


def test_the_nominated_node_is_tried_first():
    extender = Scripted(passes=everything, scores={})
    state = cluster(4, waiting().nominated("n2"))
    tried = attempt(state, extender)
    assert extender.asked == [("filter", ["n2"])]
    assert names(state, [tried.node]) == ["n2"]
    assert (tried.sample.evaluated, tried.next_start_index) == (1, 0)


def test_a_nominated_node_that_extenders_do_not_let_pass():
    # The word on n2 stands from the first call on: it counts as a node more, beside the four that pass the filters.
    extender = Scripted(passes=only("n3"), failed={"n2": "too hot"})
    state = cluster(4, waiting().nominated("n2"))
    tried = attempt(state, extender)
    assert extender.asked == [("filter", ["n2"]), ("filter", ["n0", "n1", "n2", "n3"])]
    assert names(state, [tried.node]) == ["n3"]
    assert (tried.sample.evaluated, tried.next_start_index) == (5, 1)


def test_a_nominated_node_that_just_does_not_come_back():
    extender = Scripted(passes=only("n3"))
    tried = attempt(cluster(4, waiting().nominated("n2")), extender)
    assert (tried.sample.evaluated, tried.next_start_index) == (4, 0)


def test_an_error_about_the_nominated_node_is_no_reason_to_stop():
    extender = Scripted(passes=lambda asked: "hiccup" if len(asked) == 1 else asked)
    state = cluster(4, waiting().nominated("n2"))
    tried = attempt(state, extender)
    assert not tried.error
    assert tried.node == 0
    assert tried.extenders.skipped == [Skipped(extender.name, "filter", "hiccup")]


def test_a_refused_node_that_the_filters_had_ruled_out_is_not_counted_twice():
    # small fails the filters; the extender says so too, when asked about the nominated n1.
    state = state_of(
        make_node("small").capacity(cpu="1", memory="8Gi"),
        make_node("n1"),
        make_node("n2"),
        waiting().req(cpu="2").nominated("n1"),
    )
    extender = Scripted(passes=only("n2"), failed={"small": "small", "ghost": "gone"})
    tried = attempt(state, extender)
    # three nodes, and ghost
    assert (tried.sample.evaluated, tried.next_start_index) == (4, 1)
    assert names(state, [tried.node]) == ["n2"]


# Nodes that come back as objects.


def test_nodes_that_come_back_as_objects_look_idle():
    busy = [make_pod(f"busy-{i}").req(cpu="1", memory="1Gi").label(app="web").on("n0") for i in range(3)]
    pod = waiting(app="web").image("example.com/web:1").spread("hostname", max_skew=1, soft=True, app="web")
    pod = pod.spread("zone", max_skew=1, soft=True, app="web")
    nodes = [make_node(f"n{i}").zone(f"z{i}").capacity(cpu="4", memory="8Gi") for i in range(3)]
    nodes[1] = nodes[1].image("example.com/web:1", size=10**9)
    idle = state_of(*nodes[:1], *(node for node in nodes[1:]), pod)
    state = state_of(*nodes, *busy, pod)
    pods = {"pod": len(busy)}
    fair = attempt(state, Scripted(passes=everything), **pods)
    bare = attempt(state, Scripted(passes=everything, is_bare=True), **pods)
    unplaced = attempt(idle, Scripted(passes=everything))
    for plugin in ("NodeResourcesFit", "NodeResourcesBalancedAllocation"):
        assert len(set(fair.scores.raw[plugin].tolist())) > 1
        assert bare.scores.raw[plugin].tolist() == unplaced.scores.raw[plugin].tolist()
    assert fair.scores.raw["ImageLocality"].tolist()[1] > 0
    assert bare.scores.raw["ImageLocality"].tolist() == [0, 0, 0]
    # Hosts have no pods, zones have theirs.
    spread = {
        tried: tried_.scores.raw["PodTopologySpread"].tolist() for tried, tried_ in (("fair", fair), ("bare", bare))
    }
    assert spread["fair"][0] > spread["bare"][0] > spread["bare"][1] == spread["fair"][1]
    assert names(state, [fair.node]) != ["n0"]
    # Filters saw what is there, and so does the next attempt.
    assert attempt(state, **pods).scores.total.tolist() == attempt(state, Scripted(), **pods).scores.total.tolist()


def test_names_from_a_later_extender_do_not_help():
    state = cluster(2, make_pod("busy").req(cpu="2", memory="2Gi").on("n0"), waiting())
    objects, by_name = Scripted(passes=everything, is_bare=True), Scripted(passes=everything)
    for extenders in ((objects, by_name), (by_name, objects)):
        tried = attempt(state, *extenders, pod=1)
        assert len(set(tried.scores.raw["NodeResourcesFit"].tolist())) == 1


# What is written of it.


def test_the_trace_and_the_table():
    state = cluster(3, waiting())
    extender = Scripted(passes=only("n2", "n0"), failed={"n1": "too hot"}, scores={"n0": 5}, weight=2)
    tried = attempt(state, extender)
    record = full_record(tried, "", Options())
    assert record["rejected"] == {"n1": [extender.name, "Unschedulable", ["too hot"]]}
    assert record["sample"]["feasible"] == ["n2", "n0"]
    assert record["scores"][extender.name] == {"n2": [0, 0], "n0": [5, 100]}
    table = explain_frame(tried).set_index("node")
    assert table.loc["n1", ["verdict", "plugin", "code", "reasons"]].tolist() == [
        "rejected",
        extender.name,
        "Unschedulable",
        "too hot",
    ]
    scored = [f"{kind}_{extender.name}" for kind in ("raw", "normalised", "weighted")]
    assert table.loc["n0", scored].tolist() == [5, 50, 100]
    assert table.loc["n2", scored].tolist() == [0, 0, 0]


def test_without_extenders_nothing_is_different():
    state = cluster(4, waiting())
    tried = attempt(state)
    assert (tried.filters.plugin == PASSED).all()
    assert tried.extenders.extenders == ()
    assert {ABSENT, REFUSED, PASSED} == {-2, -3, -1}
    assert PROFILE.score
