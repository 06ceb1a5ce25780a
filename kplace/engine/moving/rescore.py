"""Pods scored against the cluster without them, each taken off its node and put back, in one compiled loop."""

from typing import NamedTuple

import numpy as np

from kplace._jit import bare_kernel, inner_kernel
from kplace.dtypes import I32, I64
from kplace.engine.fused.cell import balance_score, compute_cell, fit_score
from kplace.engine.fused.cells import compute_range, is_balanced
from kplace.engine.fused.choose import find_best, nth_best
from kplace.engine.fused.counters import touch
from kplace.engine.fused.layout import IMAGE, Run
from kplace.engine.fused.loop import Search
from kplace.engine.fused.scores import N_STEPS, OUTSIDE, add_step, begin, constant_of
from kplace.engine.fused.window import search
from kplace.state.node_resources import Request, add_pod
from kplace.state.rng import draw

FIT, BALANCED, IMAGES, FIRST_STEP = range(4)
"""Rows of `Rescored.parts`: the scores that a base score is made of, then those of the steps of `add_step`."""
N_PARTS = FIRST_STEP + N_STEPS


class Rescored(NamedTuple):
    """What the scheduler would say of pods today, each in the cluster without it, with all feasible nodes scored.

    Attributes
    ----------
    own : int64 ndarray, shape (k,)
        Total of the node that the pod is on; `OUTSIDE` if a filter rejects it.
    best : int64 ndarray, shape (k,)
        The highest total; `OUTSIDE` if no node is feasible.
    node : int32 ndarray, shape (k,)
        Where the pod would go: its own node if that is among the best, else one of these; `NO_NODE` if nowhere.
    ties : int32 ndarray, shape (k,)
        Number of nodes that have the highest total.
    feasible : int32 ndarray, shape (k,)
        Number of nodes that no filter rejects.
    parts : int64 ndarray, shape (2, n_plugins, k)
        Weighted scores by plugin, of the pod's own node and of ``node``; 0 for one that is not feasible.
    """

    own: I64
    best: I64
    node: I32
    ties: I32
    feasible: I32
    parts: I64


@bare_kernel
def rescore_pods(
    run: Run, settings: Search, pods: tuple[I32, I32, I64], levels: I32, stamp: int, found: Rescored
) -> None:
    """Score pods against the cluster without them. The state is in the end what it was.

    Parameters
    ----------
    settings : Search
        That wants all nodes.
    pods : (int32 ndarray, int32 ndarray, int64 ndarray), shape (k,)
        Templates, all known to the run, the nodes that the pods are on, and the numbers that draws are made with. Pods
        of one class should stand together: its base scores are made when the class changes.
    levels : int32 ndarray, shape (N_STEPS + 1, n_nodes)
        Workspace: the totals after each step.
    stamp : int
        This number and the ``k`` after it have not been used with the run.
    found : Rescored
        Of as many pods. Written where a node is feasible.
    """
    templates, nodes, numbers = pods
    base = run.scratch.base
    last = np.int64(-1)
    for i in range(templates.shape[0]):
        t, n = np.int64(templates[i]), np.int64(nodes[i])
        c = np.int64(run.templates.class_of[t])
        if c != last:
            compute_range(run.cells, c, np.int64(0), base.shape[0], base)
            last = c
        before = base[n]
        lift(run, t, n, np.int64(-1))
        base[n] = compute_cell(run.cells, c, n)
        rescore(run, settings, (t, n, numbers[i]), levels, (i, stamp + i), found)
        base[n] = before
        lift(run, t, n, np.int64(1))


@inner_kernel
def lift(run: Run, t: int, n: int, sign: int) -> None:
    """Take a pod of a template off a node (``sign`` -1) or put it back (1), for as long as one decision takes."""
    add_pod(run.cells.nodes, Request(run.templates.plain[t], run.templates.non_zero[t]), n, sign)
    touch(run.counters, run.shapes, np.int64(run.templates.shape[t]), n, sign)


@inner_kernel
def rescore(
    run: Run, settings: Search, pod: tuple[int, int, int], levels: I32, at: tuple[int, int], found: Rescored
) -> None:
    """Score a pod that is off its node, with the base scores of its class in the scratch. Writes ``found``.

    Parameters
    ----------
    pod : (int, int, int)
        Template, node, number of its draw.
    at : (int, int)
        Position in ``found``, and a stamp.
    """
    t, n, number = pod
    i, stamp = at
    s = np.int64(run.templates.shape[t])
    c = np.int64(run.templates.class_of[t])
    seen = search(run, (s, c), run.scratch.base, True, np.int64(0), settings.want)
    found.feasible[i] = seen.found
    if seen.found == 0:
        return
    total = run.scratch.total
    begin(run, s, run.scratch.base, seen)
    copy(total, levels[0])
    for step in range(N_STEPS):
        add_step(run, s, seen, stamp, step)
        copy(total, levels[step + 1])
    best = find_best(total, seen)
    where = n
    if total[n] != best.total:
        rank = draw(settings.seed, number, best.ties) if settings.draws else 0
        where = np.int64(nth_best(total, seen, best.total, rank))
    found.own[i] = total[n]
    found.best[i] = best.total
    found.node[i] = where
    found.ties[i] = best.ties
    take_apart(run, (s, c), n, levels, found.parts[0, :, i])
    take_apart(run, (s, c), where, levels, found.parts[1, :, i])


@inner_kernel
def copy(values: I32, into: I32) -> None:
    """Copy values. Writes ``into``."""
    for i in range(values.shape[0]):
        into[i] = values[i]


@inner_kernel
def take_apart(run: Run, pod: tuple[int, int], n: int, levels: I32, parts: I64) -> None:
    """Take a node's total apart by plugin. Writes ``parts``, unless the node is not feasible."""
    s, c = pod
    if levels[0, n] == OUTSIDE:
        return
    weights = run.cells.weights
    if weights.fit > 0:
        parts[FIT] = weights.fit * fit_score(run.cells, c, n)
    if weights.balanced > 0 and is_balanced(run.cells, c):
        parts[BALANCED] = weights.balanced * balance_score(run.cells, c, n)
    image = run.cells.classes.table[IMAGE, c]
    if image >= 0:
        parts[IMAGES] = weights.image * run.cells.statics.image[image, n]
    for step in range(N_STEPS):
        parts[FIRST_STEP + step] = levels[step + 1, n] - levels[step, n]
    parts[FIRST_STEP] += constant_of(run, s)
