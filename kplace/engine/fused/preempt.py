"""Preemption inside the loop: for pods that nothing but a lack of resources keeps from a node.

What would have to leave a node depends then on the node and the pod's template alone. It is found out once, kept, and
found out anew for nodes that were touched. The rules are those of `kplace.preemption`, which does the rest: budgets,
filters that couple nodes, nominated pods.
"""

from typing import NamedTuple

import numpy as np

from kplace._jit import inner_kernel
from kplace.dtypes import I8, I32, I64, NO_TIME
from kplace.engine.fused.layout import LENGTH, PASSES, Run
from kplace.preemption.choice import PRIORITY_SHIFT
from kplace.state.node_pods import Importance, PodLists, rank_node
from kplace.state.rng import draw

# Positions in Kept.clock
TEMPLATE, SEEN_LOG, N_POTENTIAL = range(3)
# Rows of Kept.outcome
NUMBER, TOP_PRIORITY, SUM, STARTED = range(4)

UNKNOWN = -1
"""Number of victims of a node that has not been looked at."""

MAX_SEED = 2**63 - 1
OFFSET_STREAM = 0x5851F42D4C957F2D
"""Added to the seed for the draw of where candidates are looked for first, as the cycle has it."""
TIE_STREAM = 2 * OFFSET_STREAM & MAX_SEED
"""Added to the seed for the draw among equally good candidates."""


class Kept(NamedTuple):
    """What is known of the nodes for the template that preempted last.

    Attributes
    ----------
    clock : int64 ndarray, shape (3,)
        `TEMPLATE`: that template, -1 for none; `SEEN_LOG`: how much of the log of touched nodes has been taken in;
        `N_POTENTIAL`: number of nodes where it may help if pods leave.
    potential : int8 ndarray, shape (n_nodes,)
        1 for those nodes.
    outcome : int64 ndarray, shape (4, n_nodes)
        `NUMBER` of victims, 0 if their leaving does not help, `UNKNOWN`; the `TOP_PRIORITY` among them, the `SUM` of
        their shifted priorities, the earliest time at which one of that priority has `STARTED`.
    left : int64 ndarray, shape (n_resources,)
        Workspace.
    """

    clock: I64
    potential: I8
    outcome: I64
    left: I64


class Preempting(NamedTuple):
    """Pods, where they are, and who may push whom out.

    Attributes
    ----------
    is_on : bool
        Whether pods preempt at once, and nothing in the cluster rules it out that the loop does so.
    priority : int64 ndarray, shape (n_templates,)
    may : int8 ndarray, shape (n_templates,)
        1 for templates whose pods may preempt and are kept from nodes by static filters and resources alone.
    template_of : int32 ndarray, shape (n_pods,)
    importance : Importance
    lists : PodLists
    percentage, absolute : int
        Limits of the number of candidates that are looked for.
    kept : Kept
    victims : int32 ndarray, shape (2, n_pods)
        Written: the pods pushed out, and the position in the queue of the pod each of them left for.
    n_victims : int64 ndarray, shape (1,)
    """

    is_on: bool
    priority: I64
    may: I8
    template_of: I32
    importance: Importance
    lists: PodLists
    percentage: int
    absolute: int
    kept: Kept
    victims: I32
    n_victims: I64


@inner_kernel
def find_node(run: Run, world: Preempting, t: int, draws: bool, seeds: tuple[int, int]) -> int:
    """The node where the least important pods would have to leave for a pod of a template; -1 if there is none.

    Parameters
    ----------
    seeds : (int, int)
        The run's seed and the number of the attempt.
    """
    refresh(run, world, t)
    n_potential = world.kept.clock[N_POTENTIAL]
    if n_potential == 0:
        return -1
    seed, number = seeds
    wanted = min(max(n_potential * world.percentage // 100, world.absolute), n_potential)
    offset = draw((seed + OFFSET_STREAM) & MAX_SEED, number, n_potential) if draws else 0
    first = nth_marked(world.kept.potential, offset)
    best, ties = best_candidate(run, world, t, first, (wanted, np.int64(0)))
    if best < 0:
        return -1
    rank = draw((seed + TIE_STREAM) & MAX_SEED, number, ties) if draws else 0
    return best_candidate(run, world, t, first, (wanted, rank))[0] if rank > 0 else best


@inner_kernel
def refresh(run: Run, world: Preempting, t: int) -> None:
    """Forget what is no longer true: all of it for another template, else what concerns touched nodes."""
    kept = world.kept
    n_nodes = kept.potential.shape[0]
    if kept.clock[TEMPLATE] != t:
        kept.clock[TEMPLATE] = t
        kept.clock[N_POTENTIAL] = 0
        kept.potential[:] = 0
        for n in range(n_nodes):
            look_again(run, world, t, n)
    else:
        for i in range(kept.clock[SEEN_LOG], run.log.clock[LENGTH]):
            look_again(run, world, t, np.int64(run.log.nodes[i]))
    kept.clock[SEEN_LOG] = run.log.clock[LENGTH]


@inner_kernel
def look_again(run: Run, world: Preempting, t: int, n: int) -> None:
    """Find out whether it may help on a node if pods leave: the pod does not fit, but would on the empty node."""
    kept = world.kept
    kept.outcome[NUMBER, n] = UNKNOWN
    c = run.templates.class_of[t]
    fits = run.cells.nodes.pods[n] < run.cells.nodes.allowed_pods[n]
    is_hopeless = False
    for r in range(run.cells.classes.fit.shape[0]):
        amount = run.cells.classes.fit[r, c]
        allocatable = run.cells.nodes.allocatable[r, n]
        if amount > 0 and amount > allocatable - run.cells.nodes.requested[r, n]:
            fits = False
            is_hopeless = is_hopeless or amount > allocatable
    passes = run.cells.statics.marks[run.cells.classes.table[PASSES, c], n] != 0
    potential = np.int8(passes and not fits and not is_hopeless)
    kept.clock[N_POTENTIAL] += potential - kept.potential[n]
    kept.potential[n] = potential


@inner_kernel
def nth_marked(marks: I8, rank: int) -> int:
    """Position of the mark that has ``rank`` marks before it."""
    left = rank
    for n in range(marks.shape[0]):
        if marks[n] != 0:
            if left == 0:
                return n
            left -= 1
    return 0


@inner_kernel
def best_candidate(run: Run, world: Preempting, t: int, first: int, search: tuple[int, int]) -> tuple[int, int]:
    """Look through candidates from a node on, wrapping around, until there are enough.

    Parameters
    ----------
    search : (int, int)
        How many candidates are enough, and how many equally good ones are to be passed over.

    Returns
    -------
    node : int
        -1 if there is no candidate.
    ties : int
        Number of candidates that no criterion sets apart from the best.
    """
    wanted, rank = search
    kept = world.kept
    n_nodes = kept.potential.shape[0]
    best = np.int64(-1)
    ties = 0
    found = 0
    for i in range(n_nodes):
        n = first + i
        n = n - n_nodes if n >= n_nodes else n
        if kept.potential[n] == 0:
            continue
        if kept.outcome[NUMBER, n] == UNKNOWN:
            dry_run(run, world, t, n)
        if kept.outcome[NUMBER, n] == 0:
            continue
        order = -1 if best < 0 else compare(kept.outcome, n, best)
        if order < 0:
            best, ties = n, 1
        elif order == 0:
            ties += 1
            best = n if ties == rank + 1 else best
        found += 1
        if found == wanted:
            break
    return best, ties


@inner_kernel
def compare(outcome: I64, one: int, other: int) -> int:
    """Below 0 if the victims of one node are the better choice, above 0 if those of the other, 0 if they are equal.

    Lowest top priority, smallest sum, fewest, latest start: mirrors ``pickOneNodeForPreemption``.
    """
    for row in (TOP_PRIORITY, SUM, NUMBER):
        if outcome[row, one] != outcome[row, other]:
            return -1 if outcome[row, one] < outcome[row, other] else 1
    if outcome[STARTED, one] != outcome[STARTED, other]:
        return -1 if outcome[STARTED, one] > outcome[STARTED, other] else 1
    return 0


@inner_kernel
def dry_run(run: Run, world: Preempting, t: int, n: int) -> None:
    """Find out what the victims on a node would be. Writes the node's outcome."""
    outcome = world.kept.outcome
    outcome[NUMBER, n] = 0
    outcome[SUM, n] = 0
    outcome[STARTED, n] = NO_TIME
    lower = rank_lower(world, t, n)
    end = world.lists.start[n] + world.lists.length[n]
    if lower == end or not take_off(run, world, t, n, (lower, end)):
        return
    room = world.kept.left
    places = run.cells.nodes.allowed_pods[n] - run.cells.nodes.pods[n] + (end - lower) - 1
    for i in range(lower, end):
        pod = world.lists.ranked[i]
        if places > 0 and may_stay(run, world, room, pod):
            places -= 1
            continue
        priority = world.importance.priority[pod]
        if outcome[NUMBER, n] == 0:
            outcome[TOP_PRIORITY, n] = priority
        if priority == outcome[TOP_PRIORITY, n]:
            outcome[STARTED, n] = min(outcome[STARTED, n], world.importance.started_ns[pod])
        outcome[NUMBER, n] += 1
        outcome[SUM, n] += priority + PRIORITY_SHIFT


@inner_kernel
def rank_lower(world: Preempting, t: int, n: int) -> int:
    """Rank a node's pods by importance; returns where those of a lower priority begin, up to the list's end."""
    lists = world.lists
    first = lists.start[n]
    end = first + lists.length[n]
    rank_node(lists, world.importance, n)
    at = end
    while at > first and world.importance.priority[lists.ranked[at - 1]] < world.priority[t]:
        at -= 1
    return at


@inner_kernel
def take_off(run: Run, world: Preempting, t: int, n: int, span: tuple[int, int]) -> bool:
    """Work out what a node would have left with the pod on it and the listed pods gone; False if the pod does not fit.

    Writes ``kept.left``: what may still be given back of each resource that the filter looks at.
    """
    low, high = span
    c = run.templates.class_of[t]
    nodes = run.cells.nodes
    left = world.kept.left
    fits = nodes.pods[n] - (high - low) < nodes.allowed_pods[n]
    for r in range(left.shape[0]):
        left[r] = nodes.allocatable[r, n] - nodes.requested[r, n] - run.cells.classes.fit[r, c]
    for i in range(low, high):
        gone = world.template_of[world.lists.ranked[i]]
        for r in range(left.shape[0]):
            left[r] += run.templates.plain[gone, r]
    for r in range(left.shape[0]):
        if run.cells.classes.fit[r, c] <= 0:
            # The filter does not look at what the pod does not ask for, however overcommitted it is.
            left[r] = MAX_SEED
        elif left[r] < 0:
            fits = False
    return fits


@inner_kernel
def may_stay(run: Run, world: Preempting, left: I64, pod: int) -> bool:
    """Whether a pod may be put back, and what is left then. Modifies ``left``."""
    t = world.template_of[pod]
    for r in range(left.shape[0]):
        if left[r] != MAX_SEED and run.templates.plain[t, r] > left[r]:
            return False
    for r in range(left.shape[0]):
        if left[r] != MAX_SEED:
            left[r] -= run.templates.plain[t, r]
    return True


@inner_kernel
def list_victims(run: Run, world: Preempting, t: int, n: int, position: int) -> int:
    """Write the victims on the chosen node, the most important first; returns how many they are."""
    lower = rank_lower(world, t, n)
    end = world.lists.start[n] + world.lists.length[n]
    take_off(run, world, t, n, (lower, end))
    places = run.cells.nodes.allowed_pods[n] - run.cells.nodes.pods[n] + (end - lower) - 1
    number = 0
    for i in range(lower, end):
        pod = world.lists.ranked[i]
        if places > 0 and may_stay(run, world, world.kept.left, pod):
            places -= 1
            continue
        at = world.n_victims[0]
        world.victims[0, at] = pod
        world.victims[1, at] = position
        world.n_victims[0] += 1
        number += 1
    return number
