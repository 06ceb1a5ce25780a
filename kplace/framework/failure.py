"""A pod that found no node, as PostFilters see it, and how they are run."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kplace.dtypes import I8, Code
from kplace.framework.answers import result_of
from kplace.framework.cycle import Cycle
from kplace.framework.extending import ExtenderPhase
from kplace.framework.interface import PostFilterPlugin, PostFilterResult
from kplace.framework.profile import Profile
from kplace.framework.runtime import Filtering, FilterPhase, PreFilterPhase


class Failure:
    """What PostFilters are given of an attempt that found no node.

    Parameters
    ----------
    profile : Profile
    cycle : Cycle
    pre_filters : PreFilterPhase
    filters : FilterPhase or None
        None if a PreFilter rejected the pod.
    draw : callable
        One of so many equal things, by its number; each call draws anew.
    extenders : ExtenderPhase, optional
        The extenders of the run, those that look through victims among them.
    """

    def __init__(
        self,
        profile: Profile,
        cycle: Cycle,
        pre_filters: PreFilterPhase,
        filters: FilterPhase | None,
        draw: Callable[[int], int],
        extenders: ExtenderPhase | None = None,
    ) -> None:
        self.profile = profile
        self.cycle = cycle
        self.pre_filters = pre_filters
        self.filters = filters
        self.draw = draw
        self.extenders = extenders or ExtenderPhase()

    @property
    def codes(self) -> I8:
        """Status code of every node, shape (n_nodes,)."""
        if self.filters is None:
            return np.full(self.cycle.state.n_nodes, self.pre_filters.rejection.code, np.int8)
        return self.filters.code

    @cached_property
    def filtering(self) -> Filtering:
        """The pod's filters, to ask what they would say if other pods came or went."""
        filtering = Filtering(self.profile, self.cycle, self.pre_filters.skipped)
        if self.filters is None:
            # What plugins count they begin to count when first asked, which must not be while pods are tried out.
            filtering.judge(self.cycle.state.all_nodes[:1])
        return filtering


@dataclass(frozen=True, slots=True)
class PostFilterPhase:
    """What the PostFilters of a profile said.

    Attributes
    ----------
    plugin : str
        Name of the plugin that the status is put down to; empty for a success.
    result : PostFilterResult
    """

    plugin: str
    result: PostFilterResult


def run_post_filters(failure: Failure) -> PostFilterPhase:
    """Run the PostFilters in order until one succeeds, errs or calls the pod unresolvable.

    Otherwise the reasons of all are joined, the last nomination counts, and the first plugin answers for it. An error
    stands alone: what the plugins before it said is dropped. Mirrors ``RunPostFilterPlugins``.
    """
    reasons: list[str] = []
    nomination: int | None = None
    for plugin in failure.profile.post_filter:
        result = _post_filter(plugin, failure)
        if result.code is Code.SUCCESS:
            return PostFilterPhase("", result)
        if result.code is Code.UNSCHEDULABLE_AND_UNRESOLVABLE:
            return PostFilterPhase(plugin.name, result)
        if result.code not in (Code.UNSCHEDULABLE, Code.PENDING):
            return PostFilterPhase(plugin.name, PostFilterResult(Code.ERROR, result.reasons))
        if result.nomination is not None:
            nomination = result.nomination
        reasons += result.reasons
    first = failure.profile.post_filter[0].name
    return PostFilterPhase(first, PostFilterResult(Code.UNSCHEDULABLE, tuple(reasons), nomination))


def _post_filter(plugin: PostFilterPlugin, failure: Failure) -> PostFilterResult:
    """Ask one PostFilter; one that returns nothing has nothing to offer."""
    answer = plugin.post_filter(failure.cycle, failure)
    return result_of(plugin, "post_filter", answer, PostFilterResult) or PostFilterResult(Code.UNSCHEDULABLE)
