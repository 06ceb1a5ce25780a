"""One pod after another: the loop that the fused engine is."""

from typing import NamedTuple

import numpy as np

from kplace._jit import bare_kernel, inner_kernel
from kplace.dtypes import I32, I64, MAX_NODE_SCORE, NO_NODE
from kplace.engine.fused.cell import compute_cell
from kplace.engine.fused.choose import Best, find_best, nth_best
from kplace.engine.fused.counters import touch
from kplace.engine.fused.layout import FROM_KEPT, FROM_WINDOW, LENGTH, MANNER, ROW, SPENT, TAINT, Results, Run
from kplace.engine.fused.plain import best_of_window, nth_of_window, search_row
from kplace.engine.fused.preempt import Preempting, find_node, list_victims
from kplace.engine.fused.rows import has_current_row
from kplace.engine.fused.scores import add_up
from kplace.engine.fused.window import Window, search
from kplace.engine.results import NO_SCORE
from kplace.state.groups import add_to_rows
from kplace.state.node_pods import append, remove
from kplace.state.node_resources import Request, add_pod
from kplace.state.rng import draw

DONE = 0
"""The loop came to the end of the run."""
NEEDS_CYCLE = 1
"""The next pod is of a template that the fused engine does not know."""
NEEDS_REASONS = 2
"""The next pod fits nowhere, and nobody has yet said why."""
NEEDS_ROOM = 3
"""The node of the next pod has no room in its list of pods."""


class Placing(NamedTuple):
    """The groups of the state that a placed pod counts in.

    Attributes
    ----------
    row_start : int32 ndarray, shape (n_shapes + 1,)
    rows : int32 ndarray
        Rows of the group counts.
    counts : int32 ndarray, shape (n_groups, n_nodes)
    totals : int64 ndarray, shape (n_groups,)
    """

    row_start: I32
    rows: I32
    counts: I32
    totals: I64


class Failures(NamedTuple):
    """What is known of templates that fit nowhere.

    Attributes
    ----------
    since : int64 ndarray, shape (n_templates,)
        Length of the log when the template last failed; -1 if it never did. As long as the log has that length, nothing
        has changed.
    reason : int32 ndarray, shape (n_templates,)
        Number of the diagnosis made then.
    """

    since: I64
    reason: I32


class Outside(NamedTuple):
    """What the loop shares with the world around it."""

    placing: Placing
    failures: Failures
    world: Preempting


class Search(NamedTuple):
    """Settings of the search and of the choice, and whether somebody says why a pod fits nowhere."""

    want: int
    draws: bool
    seed: int
    explains: bool


@bare_kernel
def run_pods(
    run: Run,
    outside: Outside,
    settings: Search,
    queue: tuple[I32, I32, I64],
    results: Results,
    span: tuple[int, int],
) -> tuple[int, int]:
    """Place pods one after another.

    Parameters
    ----------
    queue : (int32 ndarray, int32 ndarray, int64 ndarray), shape (n_pods,)
        The pods, their templates and the numbers of their first attempts.
    results : Results
        Written. The entry of ``next_start`` before the span says where the first search starts; before 0 it is the
        last.
    span : (int, int)
        The positions to start from and to end before.

    Returns
    -------
    position : int
        The pod that the loop stopped at, or the end of the span.
    why : int
        `DONE`, `NEEDS_CYCLE`, `NEEDS_REASONS` or `NEEDS_ROOM`.
    """
    placing, failures, world = outside
    queued, templates, numbers = queue
    at, end = span
    start = np.int64(results.next_start[at - 1])
    window = settings.want
    for p in range(at, end):
        t = np.int64(templates[p])
        c = np.int64(run.templates.class_of[t])
        if c < 0:
            return p, NEEDS_CYCLE
        if failures.since[t] == run.log.clock[LENGTH]:
            record_failure(run.scratch.feasible.shape[0], failures.reason[t], results, p, start)
            continue
        has_row = has_current_row(run.cells, run.rows, run.log, c, window)
        pod = (np.int64(run.templates.shape[t]), c, numbers[p])
        if has_row and run.shapes.table[MANNER, pod[0]] != FROM_WINDOW:
            window = decide_from_row(run, settings, pod, results, p, start)
        else:
            window = decide_from_window(run, settings, pod, results, p, start, has_row)
        n = np.int64(results.node[p])
        if n != NO_NODE:
            if world.is_on and world.lists.length[n] == world.lists.room[n]:
                return p, NEEDS_ROOM
            start = (start + window) % run.scratch.feasible.shape[0]
        else:
            if not settings.explains:
                failures.since[t] = run.log.clock[LENGTH]
                record_failure(run.scratch.feasible.shape[0], failures.reason[t], results, p, start)
                continue
            if not (world.is_on and world.may[t] != 0):
                return p, NEEDS_REASONS
            n = np.int64(find_node(run, world, t, settings.draws, (settings.seed, numbers[p])))
            if n < 0:
                return p, NEEDS_REASONS
            push_out(run, placing, world, (t, n), p)
            record_alone(run, pod, results, p, n)
        results.next_start[p] = start
        place(run, placing, t, n, np.int64(1))
        if world.is_on:
            append(world.lists, np.int64(queued[p]), n)
    return end, DONE


@inner_kernel
def decide_from_window(
    run: Run, settings: Search, pod: tuple[int, int, int], results: Results, p: int, start: int, has_row: bool
) -> int:
    """Choose a node by way of the window: filters that read counters, scores that are normalised over the sample.

    Parameters
    ----------
    pod : (int, int, int)
        Its shape, its class and the number of its attempt.

    Returns
    -------
    int
        Number of nodes evaluated.
    """
    s, c, number = pod
    base = run.rows.base[run.rows.table[ROW, c]] if has_row else run.scratch.base
    seen = search(run, (s, c), base, has_row, start, settings.want)
    if not has_row:
        run.rows.table[SPENT, c] += seen.evaluated
    if seen.found > 0:
        add_up(run, s, base, seen, p + 1)
        best = find_best(run.scratch.total, seen)
        rank = draw(settings.seed, number, best.ties) if settings.draws else 0
        record(results, p, seen, best, nth_best(run.scratch.total, seen, best.total, rank))
    return seen.evaluated


@inner_kernel
def decide_from_row(run: Run, settings: Search, pod: tuple[int, int, int], results: Results, p: int, start: int) -> int:
    """Choose a node by the totals that stand ready in the class's row; returns the number of nodes evaluated."""
    s, c, number = pod
    row = run.rows.table[ROW, c]
    manner = run.shapes.table[MANNER, s]
    totals = run.rows.kept[row] if manner == FROM_KEPT else run.rows.base[row]
    blocks = run.rows.blocks[row]
    seen = search_row(totals, blocks, start, settings.want)
    if seen.found > 0:
        best = best_of_window(totals, blocks, seen)
        rank = draw(settings.seed, number, best.ties) if settings.draws else 0
        n = nth_of_window(totals, blocks, seen, best.top, rank)
        # Kept totals have the taints in them, if there are any.
        has_taints = manner == FROM_KEPT and run.shapes.table[TAINT, s] >= 0
        constant = 0 if has_taints else run.cells.weights.taint * MAX_NODE_SCORE
        record(
            results,
            p,
            seen,
            Best(np.int64(best.top + constant), np.int64(best.ties), np.int64(best.second + constant)),
            n,
        )
    return seen.evaluated


@inner_kernel
def record(results: Results, p: int, seen: Window, best: Best, n: int) -> None:
    """Write the result of a pod that has found a node."""
    results.node[p] = n
    results.evaluated[p] = seen.evaluated
    results.feasible[p] = seen.found
    results.total[p] = best.total
    second = best.total if best.ties > 1 else best.runner_up
    results.runner_up[p] = second if seen.found > 1 else NO_SCORE
    results.ties[p] = best.ties


@inner_kernel
def push_out(run: Run, placing: Placing, world: Preempting, pod: tuple[int, int], p: int) -> None:
    """Let the victims for a pod of a template leave a node."""
    t, n = pod
    first = world.n_victims[0]
    for i in range(first, first + list_victims(run, world, t, n, p)):
        victim = np.int64(world.victims[0, i])
        remove(world.lists, victim, n)
        place(run, placing, np.int64(world.template_of[victim]), n, np.int64(-1))


@inner_kernel
def record_alone(run: Run, pod: tuple[int, int, int], results: Results, p: int, n: int) -> None:
    """Write the result of a pod whose second attempt finds the node that others have left for it."""
    s, c, _ = pod
    seen = Window(n, n + 1, 0, 1, 1)
    run.scratch.base[n] = compute_cell(run.cells, c, n)
    run.scratch.feasible[n] = 1
    add_up(run, s, run.scratch.base, seen, p + 1)
    record(results, p, seen, Best(np.int64(run.scratch.total[n]), 1, 0), n)
    results.attempt[p] = 1


@inner_kernel
def record_failure(n_nodes: int, reason: int, results: Results, p: int, start: int) -> None:
    """Write the result of a pod that fits nowhere: every node was evaluated, the start index is where it was."""
    results.node[p] = NO_NODE
    results.evaluated[p] = n_nodes
    results.feasible[p] = 0
    results.total[p] = NO_SCORE
    results.runner_up[p] = NO_SCORE
    results.ties[p] = 0
    results.next_start[p] = start
    results.reason[p] = reason


@inner_kernel
def place(run: Run, placing: Placing, t: int, n: int, sign: int) -> None:
    """Put a pod of a template on a node (``sign`` 1) or take it off (-1): in the state, the counters and the log."""
    add_pod(run.cells.nodes, Request(run.templates.plain[t], run.templates.non_zero[t]), n, sign)
    s = run.templates.shape[t]
    rows = placing.rows[placing.row_start[s] : placing.row_start[s + 1]]
    if rows.shape[0] > 0:
        add_to_rows(placing.counts, placing.totals, rows, n, sign)
    note_change(run, t, n, sign)


@bare_kernel
def note_change(run: Run, t: int, n: int, sign: int) -> None:
    """Let the counters and the log know that a pod of a template came to (``sign`` 1) or left (-1) a node."""
    touch(run.counters, run.shapes, np.int64(run.templates.shape[t]), n, sign)
    run.log.nodes[run.log.clock[LENGTH]] = n
    run.log.clock[LENGTH] += 1


@bare_kernel
def note_changes(run: Run, templates: I32, nodes: I32) -> None:
    """Let the counters and the log know of pods that somebody else has placed."""
    for i in range(templates.shape[0]):
        note_change(run, np.int64(templates[i]), np.int64(nodes[i]), np.int64(1))
