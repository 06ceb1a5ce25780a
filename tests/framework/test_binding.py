"""Reserve, Permit, PreBind, Bind, PostBind: who is called, in which order, and what is said of a failure."""

from dataclasses import replace

import pytest

from kplace.dtypes import Code
from kplace.errors import AttemptError
from kplace.framework import Cycle, PermitResult, PluginStatus
from kplace.framework.binding import run_binding, run_permit, run_reserve, run_unreserve
from kplace.framework.extending import ExtenderPhase
from kplace.framework.status import MAX_TIMEOUT_NS
from kplace.plugins.defaults import default_profile
from kplace.testing import make_node, make_pod, state_of

NO = PluginStatus(Code.UNSCHEDULABLE, ("no licence left", "none at all"))
PENDING = PluginStatus(Code.PENDING, ("later",))
FAILED = PluginStatus(Code.ERROR, ("timed out",))
SKIP = PluginStatus(Code.SKIP)


class Recorder:
    """Runs everywhere from Reserve to PostBind, says what it is told to say, and writes down that it was called."""

    def __init__(self, name, calls, **answers):
        self.name = name
        self.calls = calls
        self.answers = answers

    def _answer(self, point, node):
        self.calls.append(f"{point} {self.name}")
        assert node == 0
        answer = self.answers.get(point)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def reserve(self, cycle, node):
        return self._answer("reserve", node)

    def unreserve(self, cycle, node):
        self._answer("unreserve", node)

    def permit(self, cycle, node):
        return self._answer("permit", node)

    def pre_bind(self, cycle, node):
        return self._answer("pre_bind", node)

    def bind(self, cycle, node):
        return self._answer("bind", node)

    def post_bind(self, cycle, node):
        return self._answer("post_bind", node)


@pytest.fixture
def cycle():
    return Cycle(state_of(make_node("n"), make_pod("p")), 0)


def profile_of(*plugins):
    points = dict.fromkeys(("reserve", "permit", "pre_bind", "bind", "post_bind"), plugins)
    return replace(default_profile(), **points)


def test_the_calls_of_a_pod_that_is_bound(cycle):
    calls = []
    profile = profile_of(Recorder("a", calls), Recorder("b", calls))
    assert run_reserve(profile, cycle, 0) is None
    assert run_permit(profile, cycle, 0) is None
    assert run_binding(profile, cycle, 0, ExtenderPhase()) is None
    # The first that binds is the only one.
    points = ("reserve a", "reserve b", "permit a", "permit b", "pre_bind a", "pre_bind b", "bind a", "post_bind a")
    assert calls == [*points, "post_bind b"]
    assert 0 not in cycle.waiting


def test_a_failed_reserve_ends_the_phase_and_all_unreserve_in_reverse(cycle):
    calls = []
    profile = profile_of(*(Recorder(name, calls, reserve=NO if name == "b" else None) for name in "abc"))
    setback = run_reserve(profile, cycle, 0)
    assert (setback.plugin, setback.is_error, setback.is_retried) == ("b", False, False)
    assert setback.message == "0/1 nodes are available: 1 no licence left, 1 none at all."
    assert setback.reasons == (("b", "no licence left", 1), ("b", "none at all", 1))
    run_unreserve(profile, cycle, 0)
    assert calls == ["reserve a", "reserve b", "unreserve c", "unreserve b", "unreserve a"]


@pytest.mark.parametrize(
    ("point", "answer", "message", "is_error", "is_retried"),
    [
        ("reserve", FAILED, 'running Reserve plugin "a": timed out', True, True),
        ("reserve", AttemptError("lost"), 'running Reserve plugin "a": lost', True, True),
        ("reserve", PENDING, "0/1 nodes are available: 1 later.", False, False),
        ("pre_bind", FAILED, 'running PreBind plugin "a": timed out', True, True),
        ("pre_bind", NO, "no licence left, none at all", False, True),
        ("bind", FAILED, 'running Bind plugin "a": timed out', True, True),
        ("bind", NO, "no licence left, none at all", False, True),
        ("bind", SKIP, "no Bind plugin took the pod", True, True),
        ("bind", AttemptError("lost"), 'running Bind plugin "a": lost', True, True),
    ],
)
def test_what_is_said_of_a_failure(cycle, point, answer, message, is_error, is_retried):
    calls = []
    profile = profile_of(Recorder("a", calls, **{point: answer}))
    setback = run_reserve(profile, cycle, 0) or run_binding(profile, cycle, 0, ExtenderPhase())
    assert (setback.message, setback.is_error, setback.is_retried) == (message, is_error, is_retried)
    assert not is_error or setback.reasons == ()
    assert not any(call.startswith("post_bind") for call in calls)


def test_bind_plugins_are_asked_until_one_does_not_skip(cycle):
    calls = []
    profile = profile_of(Recorder("a", calls, bind=SKIP), Recorder("b", calls), Recorder("c", calls))
    assert run_binding(profile, cycle, 0, ExtenderPhase()) is None
    assert [call for call in calls if call.startswith("bind")] == ["bind a", "bind b"]


def test_permit_denies(cycle):
    profile = profile_of(*(Recorder(name, [], permit=PermitResult(NO) if name == "b" else None) for name in "ab"))
    setback = run_permit(profile, cycle, 0)
    assert (setback.plugin, setback.message) == ("b", "0/1 nodes are available: 1 no licence left, 1 none at all.")


def test_a_denial_after_a_wait_leaves_nobody_waiting(cycle):
    profile = profile_of(Recorder("a", [], permit=PermitResult.wait(5)), Recorder("b", [], permit=PermitResult(FAILED)))
    assert run_permit(profile, cycle, 0).message == 'running Permit plugin "b": timed out'
    assert 0 not in cycle.waiting


def test_every_plugin_that_says_wait_must_allow_the_pod(cycle):
    profile = profile_of(
        Recorder("a", [], permit=PermitResult.wait(5)),
        Recorder("b", []),
        Recorder("c", [], permit=PermitResult.wait(2 * MAX_TIMEOUT_NS)),
    )
    assert run_permit(profile, cycle, 0) is None
    assert cycle.waiting.get(0).timeouts_ns == {"a": 5, "c": MAX_TIMEOUT_NS}


def test_a_profile_binds_plainly_only_if_nothing_happens_beside():
    assert default_profile().binds_plainly
    assert replace(default_profile(), bind=()).binds_plainly
    for point in ("reserve", "permit", "pre_bind", "bind", "post_bind"):
        assert not replace(default_profile(), **{point: (Recorder("a", []),)}).binds_plainly
