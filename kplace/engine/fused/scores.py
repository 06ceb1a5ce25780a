"""Scores that depend on the sample: taints, node affinity, topology spread, pod affinity, normalised over the window.

The window is at most two ranges of nodes; every step is a tight loop over a slice of each.
"""

import numpy as np

from kplace._jit import inner_kernel
from kplace.dtypes import F64, I8, I16, I32, I64, MAX_NODE_SCORE, U8
from kplace.engine.fused.layout import (
    AFFINITIES,
    AFFINITY,
    CODE,
    COUNTER,
    IGNORED,
    MAX_SKEW,
    SIZE,
    SIZE_CODE,
    SPREADS,
    START,
    TAINT,
    Counters,
    Run,
    Scratch,
    ShapeTable,
)
from kplace.engine.fused.window import Window, count
from kplace.plugins.helper import quotient, round_half_away
from kplace.plugins.interpodaffinity.kernels import normalized
from kplace.plugins.podtopologyspread.kernels import count_score, size_weight

MAX_ITEMS = 64
"""More soft constraints than a template can have here."""

OUTSIDE = -1
"""Total of a node that is not in the sample."""

TAINTS, PREFERENCES, DOMAINS, NEIGHBOURS = range(4)
"""Steps of `add_step`: TaintToleration, NodeAffinity, PodTopologySpread, InterPodAffinity."""
N_STEPS = 4


@inner_kernel
def add_up(run: Run, s: int, base: I16, window: Window, stamp: int) -> None:
    """Write the totals of the window's nodes: base scores and everything that is normalised over the sample.

    Parameters
    ----------
    stamp : int
        A number that no earlier decision had.
    """
    begin(run, s, base, window)
    add_taints(run, s, window)
    add_preferences(run, s, window)
    add_domains(run, s, window, stamp)
    add_neighbours(run, s, window)


@inner_kernel
def begin(run: Run, s: int, base: I16, window: Window) -> None:
    """Begin the totals of the window's nodes with their base scores."""
    scratch, constant = run.scratch, constant_of(run, s)
    for part in range(2):
        low, high = piece(window, part)
        start_totals(base[low:high], scratch.feasible[low:high], constant, scratch.total[low:high])


@inner_kernel
def constant_of(run: Run, s: int) -> int:
    """What the taints add everywhere: where no node has one to avoid, every node has full marks."""
    return run.cells.weights.taint * MAX_NODE_SCORE if run.shapes.table[TAINT, s] < 0 else 0


@inner_kernel
def add_step(run: Run, s: int, window: Window, stamp: int, step: int) -> None:
    """Add one of the scores that are normalised over the window, if the shape has it."""
    if step == TAINTS:
        add_taints(run, s, window)
    elif step == PREFERENCES:
        add_preferences(run, s, window)
    elif step == DOMAINS:
        add_domains(run, s, window, stamp)
    else:
        add_neighbours(run, s, window)


@inner_kernel
def add_taints(run: Run, s: int, window: Window) -> None:
    """Add TaintToleration's scores where any node has a taint to avoid."""
    taint = run.shapes.table[TAINT, s]
    if run.cells.weights.taint > 0 and taint >= 0:
        add_shares(run.cells.statics.raw[taint], run.scratch, window, -run.cells.weights.taint)


@inner_kernel
def add_preferences(run: Run, s: int, window: Window) -> None:
    """Add NodeAffinity's scores if the shape prefers any node."""
    affinity = run.shapes.table[AFFINITY, s]
    if run.cells.weights.affinity > 0 and affinity >= 0:
        add_shares(run.cells.statics.raw[affinity], run.scratch, window, run.cells.weights.affinity)


@inner_kernel
def add_domains(run: Run, s: int, window: Window, stamp: int) -> None:
    """Add PodTopologySpread's scores if the shape has constraints that score."""
    starts = run.shapes.starts
    if run.cells.weights.spread > 0 and starts[SPREADS, s + 1] > starts[SPREADS, s]:
        ignored = run.shapes.table[IGNORED, s]
        mark_scored(run.cells.statics.marks[max(ignored, 0)], ignored >= 0, run.scratch, window)
        sum_spread(run.counters, run.shapes, run.scratch, s, window, stamp)
        add_spread(run.scratch, window, run.cells.weights.spread)


@inner_kernel
def add_neighbours(run: Run, s: int, window: Window) -> None:
    """Add InterPodAffinity's scores if there are terms that count for the shape."""
    starts = run.shapes.starts
    if run.cells.weights.pod_affinity > 0 and starts[AFFINITIES, s + 1] > starts[AFFINITIES, s]:
        sum_affinity(run.counters, run.shapes, run.scratch, s, window)
        add_affinity(run.scratch, window, run.cells.weights.pod_affinity)


@inner_kernel
def piece(window: Window, part: int) -> tuple[int, int]:
    """One of the two ranges of a window."""
    if part == 0:
        return window.low, window.high
    return 0, window.wrapped


@inner_kernel
def start_totals(base: I16, feasible: I8, constant: int, total: I32) -> None:
    """Begin with the base scores."""
    for i in range(base.shape[0]):
        total[i] = np.int32(base[i] + constant) if feasible[i] != 0 else np.int32(OUTSIDE)


@inner_kernel
def add_shares(raw: I32, scratch: Scratch, window: Window, weight: int) -> None:
    """Add each node's share of the highest raw score, 0 to 100, times the weight (``DefaultNormalizeScore``).

    A negative weight is that of a score of which less is better: it counts from 100 down.
    """
    top = np.int32(0)
    for part in range(2):
        low, high = piece(window, part)
        top = max(top, highest_raw(raw[low:high], scratch.feasible[low:high]))
    for part in range(2):
        low, high = piece(window, part)
        add_share(raw[low:high], scratch.feasible[low:high], top, weight, scratch.total[low:high])


@inner_kernel
def highest_raw(raw: I32, feasible: I8) -> int:
    """The highest raw score of feasible nodes, at least 0."""
    top = np.int32(0)
    for i in range(raw.shape[0]):
        value = raw[i] if feasible[i] != 0 else np.int32(0)
        top = max(top, value)
    return top


@inner_kernel
def add_share(raw: I32, feasible: I8, top: int, weight: int, total: I32) -> None:
    """Add the shares of a range of nodes."""
    full = np.int32(-weight * MAX_NODE_SCORE if weight < 0 else 0)
    # Without any raw score above zero all shares are zero, whatever they are divided by.
    whole = float(max(top, 1))
    for i in range(raw.shape[0]):
        share = np.int32(quotient(float(raw[i]) * MAX_NODE_SCORE, whole))
        added = full + np.int32(weight) * share
        total[i] += added if feasible[i] != 0 else np.int32(0)


@inner_kernel
def mark_scored(kept: I8, some_ignored: bool, scratch: Scratch, window: Window) -> None:
    """Mark the feasible nodes that have all the labels of the soft constraints."""
    for part in range(2):
        low, high = piece(window, part)
        for n in range(low, high):
            scratch.scored[n] = scratch.feasible[n] & kept[n] if some_ignored else scratch.feasible[n]


@inner_kernel
def sum_spread(counters: Counters, shapes: ShapeTable, scratch: Scratch, s: int, window: Window, stamp: int) -> None:
    """Raw topology spread scores: the weighted counts of each node's domains. Writes ``scratch.sum`` and ``raw``."""
    first_item = shapes.starts[SPREADS, s]
    for i in range(first_item, shapes.starts[SPREADS, s + 1]):
        k = shapes.spreads[COUNTER, i]
        size = domains_in_sample(
            counters, scratch, shapes.spreads[SIZE_CODE, i], window, stamp * MAX_ITEMS + i - first_item
        )
        weight = size_weight(size)
        skew = shapes.spreads[MAX_SKEW, i]
        first = counters.table[START, k]
        code = counters.table[CODE, k]
        domains = counters.pool[first : first + counters.table[SIZE, k]]
        if code >= 0:
            fill_terms(domains, skew, weight, scratch.term)
        for part in range(2):
            low, high = piece(window, part)
            total = scratch.sum[low:high]
            if i == first_item:
                total[:] = 0.0
            if code < 0:
                add_counts(domains[low:high], skew, weight, total)
            else:
                add_terms(counters.codes[code, low:high], scratch.term, total)
    for part in range(2):
        low, high = piece(window, part)
        round_all(scratch.sum[low:high], scratch.raw[low:high])


@inner_kernel
def domains_in_sample(counters: Counters, scratch: Scratch, code: int, window: Window, stamp: int) -> int:
    """Number of domains among the nodes that are scored."""
    size = 0
    flags = np.int64(0)
    for part in range(2):
        low, high = piece(window, part)
        if code < 0:
            size += count(scratch.scored[low:high])
        elif counters.flags[code, 0] != 0:
            flags |= flags_seen(counters.flags[code, low:high], scratch.scored[low:high])
        else:
            size += new_domains(counters.codes[code, low:high], scratch.scored[low:high], scratch.stamp, stamp)
    return size + bits_of(flags)


@inner_kernel
def flags_seen(flags: U8, scored: I8) -> int:
    """All flags of the scored nodes of a range."""
    seen = np.uint8(0)
    for i in range(flags.shape[0]):
        seen |= flags[i] if scored[i] != 0 else np.uint8(0)
    return np.int64(seen)


@inner_kernel
def bits_of(flags: int) -> int:
    """Number of flags set."""
    n_bits = 0
    for bit in range(8):
        n_bits += (flags >> bit) & 1
    return n_bits


@inner_kernel
def new_domains(codes: I32, scored: I8, seen: I64, stamp: int) -> int:
    """Number of domains that the nodes of a range are the first in this decision to have."""
    size = 0
    for i in range(codes.shape[0]):
        if scored[i] != 0 and seen[codes[i] + 1] != stamp:
            seen[codes[i] + 1] = stamp
            size += 1
    return size


@inner_kernel
def fill_terms(counts: I32, max_skew: int, weight: float, term: F64) -> None:
    """What each domain adds to a raw score, each one place further; place 0 is for no domain."""
    term[0] = 0.0
    for d in range(counts.shape[0]):
        term[d + 1] = count_score(counts[d], max_skew, weight)


@inner_kernel
def add_terms(codes: I32, term: F64, total: F64) -> None:
    """Add to each node what its domain adds."""
    for i in range(codes.shape[0]):
        total[i] += term[codes[i] + 1]


@inner_kernel
def add_counts(counts: I32, max_skew: int, weight: float, total: F64) -> None:
    """Add to each node, being a domain of its own, what that adds."""
    for i in range(counts.shape[0]):
        total[i] += count_score(counts[i], max_skew, weight)


@inner_kernel
def round_all(total: F64, raw: I32) -> None:
    """Round raw scores, halves away from zero."""
    for i in range(total.shape[0]):
        raw[i] = np.int32(round_half_away(total[i]))


@inner_kernel
def add_spread(scratch: Scratch, window: Window, weight: int) -> None:
    """Normalise raw spread scores over the scored nodes and add them to the totals: fewer pods are better."""
    lowest, highest = range_of(scratch.raw, scratch.scored, window)
    highest = max(highest, 0)
    for part in range(2):
        low, high = piece(window, part)
        add_relative(
            scratch.raw[low:high], scratch.scored[low:high], (lowest, highest), weight, scratch.total[low:high]
        )


@inner_kernel
def add_relative(raw: I32, scored: I8, extremes: tuple[int, int], weight: int, total: I32) -> None:
    """Add normalised spread scores: `kplace.plugins.podtopologyspread.kernels.relative_score` of many nodes."""
    lowest, highest = extremes
    whole = float(max(highest, 1))
    # Where no node is scored, lowest is above all that fits its type.
    sum_of_extremes = float(min(lowest, highest)) + float(highest)
    for i in range(raw.shape[0]):
        score = np.int32(quotient((sum_of_extremes - float(raw[i])) * MAX_NODE_SCORE, whole))
        if highest == 0:
            score = np.int32(MAX_NODE_SCORE)
        total[i] += np.int32(weight) * score if scored[i] != 0 else np.int32(0)


@inner_kernel
def range_of(raw: I32, marks: I8, window: Window) -> tuple[int, int]:
    """Lowest and highest raw score of the marked nodes of a window."""
    lowest = np.int32(2**31 - 1)
    highest = np.int32(-(2**31))
    for part in range(2):
        low, high = piece(window, part)
        lowest = min(lowest, lowest_of(raw[low:high], marks[low:high]))
        highest = max(highest, highest_of(raw[low:high], marks[low:high]))
    return lowest, highest


@inner_kernel
def lowest_of(raw: I32, marks: I8) -> int:
    """Lowest raw score of the marked nodes."""
    lowest = np.int32(2**31 - 1)
    for i in range(raw.shape[0]):
        value = raw[i] if marks[i] != 0 else np.int32(2**31 - 1)
        lowest = min(lowest, value)
    return lowest


@inner_kernel
def highest_of(raw: I32, marks: I8) -> int:
    """Highest raw score of the marked nodes."""
    highest = np.int32(-(2**31))
    for i in range(raw.shape[0]):
        value = raw[i] if marks[i] != 0 else np.int32(-(2**31))
        highest = max(highest, value)
    return highest


@inner_kernel
def sum_affinity(counters: Counters, shapes: ShapeTable, scratch: Scratch, s: int, window: Window) -> None:
    """Raw pod affinity scores: the sum of a template's counters at each node. Writes ``scratch.raw``."""
    for part in range(2):
        low, high = piece(window, part)
        raw = scratch.raw[low:high]
        raw[:] = 0
        for i in range(shapes.starts[AFFINITIES, s], shapes.starts[AFFINITIES, s + 1]):
            k = np.int64(shapes.affinities[i])
            first = counters.table[START, k]
            code = counters.table[CODE, k]
            if code < 0:
                add_plain(counters.pool[first + low : first + high], raw)
            else:
                domains = counters.pool[first : first + counters.table[SIZE, k]]
                add_coded(counters.codes[code, low:high], domains, raw)


@inner_kernel
def add_plain(counts: I32, raw: I32) -> None:
    """Add the counts of nodes that are domains of their own."""
    for i in range(counts.shape[0]):
        raw[i] += counts[i]


@inner_kernel
def add_coded(codes: I32, counts: I32, raw: I32) -> None:
    """Add the counts of the nodes' domains."""
    for i in range(codes.shape[0]):
        if codes[i] >= 0:
            raw[i] += counts[codes[i]]


@inner_kernel
def add_affinity(scratch: Scratch, window: Window, weight: int) -> None:
    """Normalise raw pod affinity scores over the sample and add them to the totals."""
    lowest, highest = range_of(scratch.raw, scratch.feasible, window)
    if highest <= lowest:
        return
    for part in range(2):
        low, high = piece(window, part)
        add_normalized(
            scratch.raw[low:high], scratch.feasible[low:high], (lowest, highest), weight, scratch.total[low:high]
        )


@inner_kernel
def add_normalized(raw: I32, feasible: I8, extremes: tuple[int, int], weight: int, total: I32) -> None:
    """Add normalised pod affinity scores of many nodes."""
    lowest, highest = extremes
    for i in range(raw.shape[0]):
        score = np.int32(normalized(np.int64(raw[i]), np.int64(lowest), np.int64(highest)))
        total[i] += np.int32(weight) * score if feasible[i] != 0 else np.int32(0)
