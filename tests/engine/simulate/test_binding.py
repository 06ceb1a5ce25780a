"""Bindings that take their time, and bindings that fail."""

from kplace.engine.simulate.binding import FAILED, RandomBinding
from kplace.testing.builders import make_node, make_pod
from tests.engine.simulate.story import Story

NODE = make_node("n1").capacity(cpu="1", memory="8Gi")


def test_a_pod_takes_its_room_before_it_is_bound():
    story = Story().there(NODE, make_pod("a").req(cpu="1").priority(1), make_pod("b").req(cpu="1"))
    tale = story.run(2, bind_delay=3)
    assert tale.attempts("b") == [(0, "unschedulable")]
    assert tale.end("a") == {"queue": "binding", "attempts": 1}


def test_a_binding_that_fails_frees_the_room_and_brings_the_pod_back():
    story = Story().there(NODE, make_pod("a").req(cpu="1").priority(1), make_pod("b").req(cpu="1"))
    tale = story.run(0.6, bind_delay=0.5, bind_failures=1.0)
    assert tale.attempts("a") == [(0, "scheduled"), (0.5, "bind-error")]
    assert tale.attempt("a", 2) == {
        "at": 0.5,
        "pod": "default/a",
        "attempt": 1,
        "result": "bind-error",
        "node": "n1",
        "plugins": [],
        "message": f"binding rejected: {FAILED}",
    }
    # An error: only time helps. b was woken by the room that a gave back.
    assert tale.end("a") == {"queue": "backoff", "attempts": 1, "errorCount": 1, "backoffExpires": 1}
    assert (0.5, "unschedulable", "backoff", "AssignedPodDelete") in tale.moves("b")


def test_a_pod_deleted_while_it_is_bound_keeps_its_room_until_the_binding_fails():
    story = Story().there(NODE, make_pod("a").req(cpu="1").priority(1), make_pod("b").req(cpu="1"))
    tale = story.at(1).delete(make_pod("a")).run(10, bind_delay=3)
    assert tale.attempt("a", 2)["message"] == 'binding rejected: pods "a" not found'
    assert tale.attempts("b") == [(0, "unschedulable"), (3, "scheduled")]
    assert tale.end("a") is None


def test_updates_of_a_pod_that_is_being_bound_are_seen_with_the_binding():
    apart = make_pod("b").label(app="x").anti_affinity("hostname", {"app": "x"})
    story = Story().there(NODE, make_pod("a").label(app="x").priority(1), apart)
    tale = story.at(1).update(make_pod("a").label(app="y")).run(10, bind_delay=3)
    # At 1 nothing happens; at 3 the pod is added with its new label, which does not wake b: it was never seen without.
    assert tale.times("b") == [0]
    assert tale.moves("b")[1:] == [(0, "inflight", "unschedulable", "ScheduleAttemptFailure")]


def test_pods_end_when_their_time_is_over():
    story = Story().at(0).there(NODE).add(make_pod("a").req(cpu="1"), lasts=10).add(make_pod("b").req(cpu="1"))
    tale = story.run(20, bind_delay=1)
    assert tale.attempts("b")[-1] == (11, "scheduled")
    assert tale.end("a") is None


def test_draws_depend_on_seed_pod_and_attempt_alone():
    binding = RandomBinding(seed=3, delay=10, mean_extra=1000, failure_rate=0.5)
    outcomes = [binding(pod, attempt) for pod in range(40) for attempt in (1, 2)]
    assert outcomes == [RandomBinding(3, 10, 1000, 0.5)(pod, attempt) for pod in range(40) for attempt in (1, 2)]
    assert len({outcome.delay for outcome in outcomes}) > 70
    assert min(outcome.delay for outcome in outcomes) >= 10
    assert 20 < sum(bool(outcome.error) for outcome in outcomes) < 60


def test_the_mean_delay_is_what_it_should_be():
    binding = RandomBinding(seed=1, mean_extra=1_000_000)
    delays = [binding(pod, 1).delay for pod in range(4000)]
    # Exponential: the mean of 4,000 draws lies within five standard errors of the mean, 1e6 / sqrt(4000) each.
    assert abs(sum(delays) / len(delays) - 1_000_000) < 5 * 1_000_000 / 4000**0.5
