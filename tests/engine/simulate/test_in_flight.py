"""Events that come while a pod is being tried."""

from kplace.testing.builders import make_node, make_pod
from tests.engine.simulate.story import Story

SMALL = make_node("n1").capacity(cpu="1", memory="8Gi")
ROOMY = make_node("n2").capacity(cpu="16", memory="64Gi")


def test_an_event_that_helps_sends_the_pod_to_backoff():
    story = Story().there(SMALL, make_pod("p").req(cpu="4")).during("p").add(ROOMY)
    tale = story.run(5)
    assert tale.moves("p")[1] == (0, "inflight", "backoff", "ScheduleAttemptFailure")
    # The attempt saw the nodes that there were when it began.
    assert tale.attempt("p", 1)["message"].startswith("0/1 nodes are available: 1 Insufficient cpu.")
    assert tale.attempts("p") == [(0, "unschedulable"), (0, "scheduled")]


def test_an_event_that_does_not_help_leaves_it_in_the_pool():
    story = Story().there(SMALL, make_pod("p").req(cpu="4")).during("p").add(make_node("n3").capacity(cpu="2"))
    assert story.run(5).moves("p")[1] == (0, "inflight", "unschedulable", "ScheduleAttemptFailure")


def test_events_of_others_attempts_count_only_from_the_own_pop_on():
    # a's attempt is under way when n2 comes; b is popped afterwards and finds it.
    story = Story().there(SMALL, make_pod("a").req(cpu="4"), make_pod("b").req(cpu="4")).at(0.5).add(ROOMY)
    tale = story.run(20, cycle_time=1)
    assert tale.attempts("b") == [(2, "scheduled")]
    assert tale.attempts("a") == [(1, "unschedulable"), (3, "scheduled")]


def test_the_own_update_is_heard_and_the_newest_version_is_put_back():
    story = Story().there(SMALL, make_pod("p").req(cpu="4")).during("p").update(make_pod("p").req(cpu="500m"))
    assert story.run(5).attempts("p") == [(0, "unschedulable"), (0, "scheduled")]


def test_a_pod_deleted_in_flight_is_not_put_back_and_cannot_preempt():
    low = make_pod("low").req(cpu="1").on("n1")
    story = Story().there(SMALL, low, make_pod("p").req(cpu="1").priority(10)).during("p").delete(make_pod("p"))
    tale = story.run(5)
    text = '0/1 nodes are available: 1 Insufficient cpu. preemption: pod "p" not found'
    assert tale.attempt("p", 1)["message"] == text
    assert tale.end("p") is None
    assert tale.end("low") == {"node": "n1", "attempts": 0}


def test_a_pod_bound_in_flight_is_not_put_back():
    story = Story().there(SMALL, make_pod("p").req(cpu="4")).during("p").update(make_pod("p").req(cpu="4").on("n1"))
    tale = story.run(400)
    assert tale.times("p") == [0]
    assert tale.end("p") == {"node": "n1", "attempts": 1}


def test_the_flush_of_others_sends_a_pod_in_flight_to_backoff():
    # q is in flight at 330, when p has waited for more than 300 s.
    story = Story().there(SMALL, make_pod("p").req(cpu="4")).at(329.5).add(make_pod("q").req(cpu="4"))
    tale = story.run(335, cycle_time=1)
    assert (330.5, "inflight", "backoff", "ScheduleAttemptFailure") in tale.moves("q")


def test_nodes_that_come_and_go_in_flight_do_not_disturb_the_attempt():
    gone = make_node("n0").capacity(cpu="16", memory="64Gi")
    story = Story().there(gone, SMALL, make_pod("p").req(cpu="4")).during("p").delete(gone).add(ROOMY)
    tale = story.run(5)
    assert tale.attempt("p", 1)["node"] == "n0"
    assert tale.end("p") == {"node": "n0", "attempts": 1}
