"""PostFilters in order: whose word counts, which reasons are joined."""

import pytest

from kplace.dtypes import NO_NODE, Code
from kplace.framework.failure import Failure, run_post_filters
from kplace.framework.interface import PostFilterResult
from kplace.framework.profile import Profile
from kplace.plugins.queuesort.plugin import PrioritySort


class Says:
    """A PostFilter with a fixed answer."""

    def __init__(self, name: str, result: PostFilterResult) -> None:
        self.name = name
        self.result = result

    def post_filter(self, cycle, failure) -> PostFilterResult:
        return self.result


NO = PostFilterResult(Code.UNSCHEDULABLE, ("no",))
CLEARS = PostFilterResult(Code.UNSCHEDULABLE, ("no", "way"), NO_NODE)
YES = PostFilterResult(Code.SUCCESS, (), 3)
NEVER = PostFilterResult(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, ("never",))
BROKEN = PostFilterResult(Code.ERROR, ("broken",), 4)


@pytest.mark.parametrize(
    ("answers", "plugin", "expected"),
    [
        ([NO, CLEARS], "p0", PostFilterResult(Code.UNSCHEDULABLE, ("no", "no", "way"), NO_NODE)),
        ([CLEARS, NO], "p0", PostFilterResult(Code.UNSCHEDULABLE, ("no", "way", "no"), NO_NODE)),
        ([NO, NO], "p0", PostFilterResult(Code.UNSCHEDULABLE, ("no", "no"))),
        ([NO, YES, CLEARS], "", YES),
        ([NO, NEVER, YES], "p1", NEVER),
        # An error drops what was said before, and says nothing of a nomination.
        ([NO, BROKEN, YES], "p1", PostFilterResult(Code.ERROR, ("broken",))),
        ([PostFilterResult(Code.PENDING, ("wait",)), NO], "p0", PostFilterResult(Code.UNSCHEDULABLE, ("wait", "no"))),
    ],
)
def test_whose_word_counts(answers, plugin, expected):
    plugins = tuple(Says(f"p{i}", answer) for i, answer in enumerate(answers))
    profile = Profile("default-scheduler", PrioritySort(), post_filter=plugins)
    phase = run_post_filters(Failure(profile, None, None, None, lambda _n: 0))
    assert (phase.plugin, phase.result) == (plugin, expected)
    assert phase.result.message == ", ".join(expected.reasons)
