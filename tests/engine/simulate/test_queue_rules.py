"""The queue's rules on whole simulations: backoff, flushes, order, early pops, updates, deletions."""

import pytest

from kplace.testing.builders import make_node, make_pod
from tests.engine.simulate.story import Story

SMALL = make_node("n1").capacity(cpu="1", memory="8Gi")
ROOMY = make_node("n2").capacity(cpu="16", memory="64Gi")


def big(name: str, **fields):
    return make_pod(name).req(cpu="4").spec(**fields)


def filler(i: int):
    return make_pod(f"f{i}").req(cpu="10m").on("n1").priority(1000)


def test_an_idle_scheduler_retries_a_woken_pod_at_once():
    # Every departure wakes the pod; it is backing off, but nothing else is there to be tried.
    story = Story().there(SMALL, *map(filler, range(3)), big("p"))
    tale = story.at(0.5).delete(filler(0)).at(0.6).delete(filler(1)).run(5)
    assert tale.times("p") == [0, 0.5, 0.6]
    assert tale.moves("p")[3:5] == [
        (0.5, "backoff", "active", "PopFromBackoffQ"),
        (0.5, "inflight", "unschedulable", "ScheduleAttemptFailure"),
    ]


def test_backoff_doubles_up_to_ten_seconds():
    # No node at all is an error: it counts by itself, and only time helps. Failing at T with d it ends at T + d + 1.
    tale = Story().there(make_pod("p")).run(60)
    assert tale.times("p") == [0, 2, 5, 10, 19, 30, 41, 52]
    assert tale.end("p") == {"queue": "backoff", "attempts": 8, "errorCount": 8, "backoffExpires": 62}


def test_errors_are_not_popped_early_but_let_others_pass():
    story = Story().there(make_pod("p")).at(0.2).add(ROOMY).at(0.3).add(make_pod("q"))
    tale = story.run(10)
    assert tale.attempts("q") == [(0.3, "scheduled")]
    assert tale.attempts("p") == [(0, "unschedulable"), (2, "scheduled")]


def test_a_rejection_resets_the_errors_and_has_a_count_of_its_own():
    story = Story().there(make_pod("p").req(cpu="4")).at(3).add(SMALL).at(6).add(ROOMY)
    tale = story.run(10, pops_early=False)
    # Errors at 0 and 2; at 2 + 2 + 1 = 5 the node is too small, the first rejection: 1 s. Woken at 6, released at 7.
    assert tale.attempts("p")[2:] == [(5, "unschedulable"), (7, "scheduled")]


def test_active_pods_go_first_whatever_their_priority():
    # At the deletion h is woken into backoff, for it has just failed; l is new and active.
    story = Story().there(SMALL, filler(0), filler(1), big("h", priority=9))
    story.at(0.5).delete(filler(0)).add(make_pod("l").req(cpu="10m").priority(-1))
    assert story.run(5).order(0.5) == ["l", "h"]


def test_in_backoff_an_earlier_second_beats_priority():
    story = Story().there(SMALL, *map(filler, range(3)), big("early", priority=1))
    story.at(1.2).add(big("late", priority=9)).at(1.5).delete(filler(0))
    # early failed at 0, expiry 1; late failed at 1.2, expiry 2.
    assert story.run(3).order(1.5) == ["early", "late"]


def test_within_one_second_of_backoff_priority_counts():
    story = Story().there(SMALL, *map(filler, range(3)), big("low", priority=1))
    story.at(0.3).add(big("high", priority=9)).at(0.5).delete(filler(0))
    assert story.run(3).order(0.5) == ["high", "low"]


def test_without_the_gate_backoff_is_seen_and_not_aligned():
    story = Story().there(SMALL, *map(filler, range(2)))
    story.at(0.3).add(big("p")).at(0.5).delete(filler(0))
    # 0.3 + 1 = 1.3: released by the flush at 2.
    assert story.run(10, pops_early=False).times("p") == [0.3, 2]


def test_the_pool_is_flushed_after_more_than_five_minutes():
    story = Story().there(SMALL, big("a")).at(29.5).add(big("b")).at(30).add(big("c"))
    tale = story.run(700)
    assert tale.times("a") == [0, 330, 660]
    assert tale.times("b") == [29.5, 330, 660]
    assert tale.times("c") == [30, 360, 690]


def test_gated_pods_are_never_flushed():
    story = Story().there(ROOMY, make_pod("g").gate("a", "b")).at(400).update(make_pod("g").gate("b"))
    tale = story.at(500).update(make_pod("g")).run(600)
    assert tale.attempts("g") == [(500, "scheduled")]
    assert tale.moves("g") == [
        (0, "", "gated", "UnschedulablePodAdd"),
        (500, "gated", "active", "UnschedulablePodUpdatePodSchedulingGatesEliminated"),
    ]


def test_moves_keep_the_time_of_the_last_failure():
    # b arrived later but failed earlier than a's second failure.
    story = (
        Story().there(SMALL, filler(0), big("a")).at(1).add(big("b")).at(2).update(big("a", tolerations=[_TOLERATION]))
    )
    tale = story.at(20).add(ROOMY).run(30)
    # a's own toleration does not matter to NodeResourcesFit: it is not woken, so a failed at 0 and b at 1.
    assert tale.order(20) == ["a", "b"]


_TOLERATION = {"key": "k", "operator": "Exists"}


def test_a_pod_that_is_being_deleted_is_skipped_and_then_nowhere():
    story = Story().there(SMALL, filler(0), big("p")).at(1).update(big("p").terminating())
    tale = story.at(2).delete(filler(0)).at(5).update(big("p", priority=1).terminating()).run(6)
    assert tale.attempts("p") == [(0, "unschedulable"), (2, "skipped"), (5, "skipped")]
    assert tale.attempt("p", 2)["message"] == "skip schedule deleting pod: default/p"
    # The second update added it anew.
    assert [item["attempt"] for item in tale.record["attempts"] if item["pod"] == "default/p"] == [1, 2, 1]
    assert tale.end("p") == {"queue": "none", "attempts": 1}


def test_pods_of_other_schedulers_are_left_alone():
    tale = Story().there(ROOMY, make_pod("p").scheduler("mine")).run(5)
    assert tale.record["attempts"] == tale.record["moves"] == []
    assert tale.end("p") == {"queue": "none", "attempts": 0}


def test_a_pod_created_again_starts_from_zero():
    story = Story().there(SMALL, big("p")).at(2).delete(big("p")).at(3).add(big("p"))
    tale = story.run(10)
    assert tale.end("p")["attempts"] == 1
    assert tale.moves("p")[2] == (2, "unschedulable", "", "UnschedulablePodDelete")


@pytest.mark.parametrize(
    "update",
    [
        pytest.param(big("p").label(a="b"), id="a label that no rejecting plugin cares for"),
        pytest.param(big("p", tolerations=[_TOLERATION]), id="a toleration, rejected for want of cpu"),
        pytest.param(big("p").status(phase="Pending"), id="the status alone"),
    ],
)
def test_own_updates_that_do_not_help_move_nothing(update):
    story = Story().there(SMALL, big("p")).at(2).update(update)
    tale = story.run(5)
    assert tale.times("p") == [0]
    assert len(tale.moves("p")) == 2


def test_asking_for_less_wakes_the_pod_itself():
    story = Story().there(SMALL, big("p")).at(5).update(make_pod("p").req(cpu="500m"))
    tale = story.run(6)
    assert tale.attempts("p")[1] == (5, "scheduled")
    assert tale.moves("p")[2] == (5, "unschedulable", "active", "UnschedulablePodUpdatePodScaleDown")


def test_an_update_in_backoff_stays_there():
    story = Story().there(make_pod("p")).at(0.5).update(make_pod("p").label(a="b")).at(1).add(ROOMY)
    assert story.run(5).times("p") == [0, 2]


def test_finished_pods_count_as_deleted():
    done = make_pod("f0").req(cpu="1").on("n1")
    story = Story().there(SMALL, done, make_pod("p").req(cpu="1")).at(5).update(done.phase("Succeeded"))
    tale = story.run(6)
    assert tale.attempts("p") == [(0, "unschedulable"), (5, "scheduled")]
    assert tale.moves("p")[2] == (5, "unschedulable", "active", "AssignedPodDelete")
    assert tale.end("f0") is None


def test_a_pod_bound_by_somebody_else_leaves_the_queue():
    story = Story().there(SMALL, big("p")).at(5).update(big("p").on("n1"))
    tale = story.run(400)
    assert tale.times("p") == [0]
    assert tale.end("p") == {"node": "n1", "attempts": 1}
