"""The dry run: on which nodes room could be made, until enough of them are found."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from kplace.dtypes import I32, I64, Code, Mask
from kplace.framework.failure import Failure
from kplace.framework.preemption import Candidates
from kplace.framework.runtime import PASSED, FilterPhase
from kplace.preemption.budgets import Budgets, find_budgets
from kplace.preemption.victims import Selection, select_victims


@dataclass(frozen=True, slots=True)
class DryRun:
    """What a dry run found.

    Attributes
    ----------
    candidates : Candidates
        Those without violations first, each kind in the order they were looked at.
    without_victims : int
        Nodes that hold no pod of a lower priority.
    judged : FilterPhase
        The filters' word on each of the other nodes that were looked at, without its pods of a lower priority.
    untouched : int32 ndarray
        Nodes where all pods may stay, although the pod does not fit: some plugin contradicts itself.
    """

    candidates: Candidates
    without_victims: int
    judged: FilterPhase
    untouched: I32


def potential_nodes(failure: Failure) -> I32:
    """Nodes where it may help if pods leave, in snapshot order from a place that is drawn.

    Upstream takes them out of a map and begins anywhere: which ones are looked at first is a matter of chance.
    """
    nodes = np.flatnonzero(failure.codes == Code.UNSCHEDULABLE).astype(np.int32)
    return np.roll(nodes, -failure.draw(len(nodes))) if len(nodes) else nodes


def dry_run(failure: Failure, potential: I32, wanted: int) -> DryRun:
    """Look for candidates until there are enough, at least one of them without violations.

    Where nodes are independent of each other many are looked at together, else one after the other.

    Parameters
    ----------
    potential : int32 ndarray
        The nodes to look at, in order.
    wanted : int
        Number of candidates that is enough.

    Notes
    -----
    Mirrors ``DryRunPreemption`` with one worker.
    """
    state = failure.cycle.state
    numbers = state.lower_pods(potential, failure.cycle.template.priority)
    tempting = np.flatnonzero(numbers)
    budgets = state.shared(Budgets, find_budgets)
    found: list[Selection] = []
    n_sound = n_breaking = 0
    for batch in _batches(failure, potential, numbers, wanted):
        found.append(select_victims(failure, budgets, potential[batch], numbers[batch]))
        breaks = _candidates(found[-1]).violations > 0
        sound, breaking = n_sound + np.cumsum(~breaks), n_breaking + np.cumsum(breaks)
        if np.any(_enough(sound, breaking, wanted)):
            break
        n_sound, n_breaking = n_sound + int(np.sum(~breaks)), n_breaking + int(np.sum(breaks))
    return DryRun(
        candidates=_best_first(Candidates.join(map(_candidates, found)), wanted),
        without_victims=len(potential) - len(tempting),
        judged=FilterPhase.join(item.judged for item in found),
        untouched=np.concatenate([np.zeros(0, np.int32), *map(_untouched, found)]),
    )


def _batches(failure: Failure, potential: I32, numbers: I64, wanted: int) -> Iterator[I64]:
    """Positions of the nodes that hold pods of a lower priority, in batches that can be looked at together.

    Each time as many are taken as before altogether, for there may be enough candidates among few. A node with pods
    that filters count elsewhere too is looked at alone.
    """
    tempting = np.flatnonzero(numbers)
    begin = 0
    while begin < len(tempting):
        part = tempting[begin : begin + max(begin, wanted, 1)]
        begin += len(part)
        pods = failure.cycle.state.node_pods.least_important(potential[part], numbers[part])
        ends = np.cumsum(numbers[part])
        alone = np.logical_or.reduceat(failure.filtering.couples(pods), ends - numbers[part])
        # A cut before and after each such node.
        cuts = np.flatnonzero(alone[1:] | alone[:-1]) + 1
        yield from np.split(part, cuts)


def _enough(sound: I64, breaking: I64, wanted: int) -> Mask:
    """Whether so many candidates without and with violations are enough; no more than ``wanted`` of a kind count."""
    sound, breaking = np.minimum(sound, wanted), np.minimum(breaking, wanted)
    return (sound > 0) & (sound + breaking >= wanted)


def _best_first(candidates: Candidates, wanted: int) -> Candidates:
    """Candidates up to where the search ends, those without violations first, at most ``wanted`` of each kind."""
    breaks = candidates.violations > 0
    done = _enough(np.cumsum(~breaks), np.cumsum(breaks), wanted)
    breaks = breaks[: int(np.argmax(done)) + 1] if done.any() else breaks
    return candidates.take(np.concatenate([np.flatnonzero(~breaks)[:wanted], np.flatnonzero(breaks)[:wanted]]))


def _candidates(found: Selection) -> Candidates:
    """The nodes that have victims."""
    has = np.diff(found.start) > 0
    start = np.append(found.start[:-1][has], found.start[-1])
    return Candidates(found.nodes[has], start, found.victims, found.violating)


def _untouched(found: Selection) -> I32:
    return found.nodes[(found.judged.plugin == PASSED) & (np.diff(found.start) == 0)]
