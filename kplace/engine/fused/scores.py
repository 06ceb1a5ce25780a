"""Scores that depend on the sample: taints, node affinity, topology spread, pod affinity, normalised over the window."""

import numpy as np

from kplace._jit import kernel
from kplace.dtypes import F64, I8, I16, I32, MAX_NODE_SCORE
from kplace.engine.fused.layout import Run
from kplace.engine.fused.window import Window
from kplace.plugins.interpodaffinity.kernels import normalized
from kplace.plugins.podtopologyspread.kernels import count_score, relative_score, round_half_away, size_weight

MAX_ITEMS = 64
"""More soft constraints than a template can have here."""

OUTSIDE = -1
"""Total of a node that is not in the sample."""


@kernel
def add_up(run: Run, template: int, base: I16, window: Window, stamp: int) -> None:
    """Write the totals of the window's nodes: base scores and everything that is normalised over the sample.

    Parameters
    ----------
    stamp : int
        A number that no earlier decision had.
    """
    constant = constant_part(run, template)
    start_totals(run, base, constant, window.low, window.high)
    start_totals(run, base, constant, 0, window.wrapped)
    if run.weights.taint > 0 and run.templates.taint[template] >= 0:
        add_taints(run, run.templates.taint[template], window)
    if run.weights.affinity > 0 and run.templates.affinity[template] >= 0:
        add_node_affinity(run, run.templates.affinity[template], window)
    spreads = run.templates.spreads.start
    if run.weights.spread > 0 and spreads[template + 1] > spreads[template]:
        add_spread(run, template, window, stamp)
    affinities = run.templates.affinities.start
    if run.weights.pod_affinity > 0 and affinities[template + 1] > affinities[template]:
        add_pod_affinity(run, template, window)


@kernel
def constant_part(run: Run, template: int) -> int:
    """What every node has: full marks for taints where no node has a taint to avoid."""
    if run.templates.taint[template] < 0:
        return run.weights.taint * MAX_NODE_SCORE
    return 0


@kernel
def start_totals(run: Run, base: I16, constant: int, low: int, high: int) -> None:
    """Begin with the base scores."""
    total = run.scratch.total
    feasible = run.scratch.feasible
    for n in range(low, high):
        total[n] = np.int32(base[n] + constant) if feasible[n] != 0 else np.int32(OUTSIDE)


@kernel
def highest_raw(raw: I32, feasible: I8, low: int, high: int, highest: int) -> int:
    """The highest raw score of feasible nodes, at least ``highest``."""
    top = np.int32(highest)
    for n in range(low, high):
        value = raw[n] if feasible[n] != 0 else np.int32(0)
        top = max(top, value)
    return top


@kernel
def add_taints(run: Run, row: int, window: Window) -> None:
    """TaintToleration: fewer taints to avoid are better (``DefaultNormalizeScore``, reversed)."""
    raw = run.statics.taint[row]
    feasible = run.scratch.feasible
    top = highest_raw(raw, feasible, window.low, window.high, 0)
    top = highest_raw(raw, feasible, 0, window.wrapped, top)
    add_share(run, raw, top, -run.weights.taint, window.low, window.high)
    add_share(run, raw, top, -run.weights.taint, 0, window.wrapped)


@kernel
def add_node_affinity(run: Run, row: int, window: Window) -> None:
    """NodeAffinity: more weight is better (``DefaultNormalizeScore``)."""
    raw = run.statics.affinity[row]
    feasible = run.scratch.feasible
    top = highest_raw(raw, feasible, window.low, window.high, 0)
    top = highest_raw(raw, feasible, 0, window.wrapped, top)
    add_share(run, raw, top, run.weights.affinity, window.low, window.high)
    add_share(run, raw, top, run.weights.affinity, 0, window.wrapped)


@kernel
def add_share(run: Run, raw: I32, top: int, weight: int, low: int, high: int) -> None:
    """Add each node's share of the highest raw score, 0 to 100, times the weight; a negative weight counts from 100 down."""
    total = run.scratch.total
    feasible = run.scratch.feasible
    full = -weight * MAX_NODE_SCORE if weight < 0 else 0
    for n in range(low, high):
        if feasible[n] != 0:
            share = raw[n] * MAX_NODE_SCORE // top if top > 0 else 0
            total[n] += np.int32(full + weight * share)


@kernel
def add_spread(run: Run, template: int, window: Window, stamp: int) -> None:
    """PodTopologySpread: fewer pods in a node's domains are better; nodes that lack a label get nothing."""
    spreads = run.templates.spreads
    ignored = run.templates.ignored[template]
    first = spreads.start[template]
    n_items = spreads.start[template + 1] - first
    for i in range(n_items):
        size = domains_in_sample(run, spreads.size_code[first + i], ignored, window, stamp * MAX_ITEMS + i)
        fill_terms(run, spreads.counter[first + i], spreads.max_skew[first + i], size_weight(size), run.scratch.term[i])
    sum_terms(run, template, ignored, window.low, window.high)
    sum_terms(run, template, ignored, 0, window.wrapped)
    low, high = np.int32(2**31 - 1), np.int32(0)
    low, high = spread_range(run, ignored, window.low, window.high, low, high)
    low, high = spread_range(run, ignored, 0, window.wrapped, low, high)
    add_relative(run, ignored, low, high, window.low, window.high)
    add_relative(run, ignored, low, high, 0, window.wrapped)


@kernel
def is_scored(run: Run, ignored: int, n: int) -> bool:
    """Whether a node is in the sample and has all the labels."""
    return run.scratch.feasible[n] != 0 and (ignored < 0 or run.statics.ignored[ignored, n] == 0)


@kernel
def domains_in_sample(run: Run, code: int, ignored: int, window: Window, stamp: int) -> int:
    """Number of domains among the nodes that are scored."""
    return new_domains(run, code, ignored, window.low, window.high, stamp) + new_domains(
        run, code, ignored, 0, window.wrapped, stamp
    )


@kernel
def new_domains(run: Run, code: int, ignored: int, low: int, high: int, stamp: int) -> int:
    """Number of domains that nodes of a range are the first in this decision to have."""
    size = 0
    seen = run.scratch.stamp
    if code < 0:
        for n in range(low, high):
            size += is_scored(run, ignored, n)
        return size
    codes = run.counters.codes[code]
    for n in range(low, high):
        if is_scored(run, ignored, n) and seen[codes[n] + 1] != stamp:
            seen[codes[n] + 1] = stamp
            size += 1
    return size


@kernel
def fill_terms(run: Run, k: int, max_skew: int, weight: float, term: F64) -> None:
    """What each domain of a counter adds to a raw score; the first place is for no domain."""
    first = run.counters.start[k]
    if run.counters.code[k] >= 0:
        term[0] = 0.0
        for d in range(run.counters.size[k]):
            term[d + 1] = count_score(run.counters.pool[first + d], max_skew, weight)
    else:
        term[0] = weight
        term[1] = max_skew


@kernel
def sum_terms(run: Run, template: int, ignored: int, low: int, high: int) -> None:
    """Raw scores of a range of nodes, the terms added in the order of the constraints. Writes ``scratch.raw``."""
    spreads = run.templates.spreads
    first = spreads.start[template]
    n_items = spreads.start[template + 1] - first
    raw = run.scratch.raw
    for n in range(low, high):
        if not is_scored(run, ignored, n):
            continue
        total = 0.0
        for i in range(n_items):
            total += term_at(run, spreads.counter[first + i], run.scratch.term[i], n)
        raw[n] = np.int32(round_half_away(total))


@kernel
def term_at(run: Run, k: int, term: F64, n: int) -> float:
    """What a node's domain adds to its raw score."""
    code = run.counters.code[k]
    if code >= 0:
        return term[run.counters.codes[code, n] + 1]
    return count_score(run.counters.pool[run.counters.start[k] + n], int(term[1]), term[0])


@kernel
def spread_range(run: Run, ignored: int, low: int, high: int, lowest: int, highest: int) -> tuple[int, int]:
    """Lowest and highest raw score of a range, beginning with those given."""
    raw = run.scratch.raw
    for n in range(low, high):
        if is_scored(run, ignored, n):
            lowest = min(lowest, raw[n])
            highest = max(highest, raw[n])
    return lowest, highest


@kernel
def add_relative(run: Run, ignored: int, lowest: int, highest: int, low: int, high: int) -> None:
    """Add the normalised spread scores of a range to the totals."""
    raw = run.scratch.raw
    total = run.scratch.total
    for n in range(low, high):
        if is_scored(run, ignored, n):
            total[n] += np.int32(run.weights.spread * relative_score(np.int64(raw[n]), lowest, highest))


@kernel
def add_pod_affinity(run: Run, template: int, window: Window) -> None:
    """InterPodAffinity: the place of a node's weighted pods between the lowest and the highest."""
    sum_affinity(run, template, window.low, window.high)
    sum_affinity(run, template, 0, window.wrapped)
    lowest, highest = np.int64(2**62), np.int64(-(2**62))
    lowest, highest = affinity_range(run, window.low, window.high, lowest, highest)
    lowest, highest = affinity_range(run, 0, window.wrapped, lowest, highest)
    if highest > lowest:
        add_normalized(run, lowest, highest, window.low, window.high)
        add_normalized(run, lowest, highest, 0, window.wrapped)


@kernel
def sum_affinity(run: Run, template: int, low: int, high: int) -> None:
    """Raw scores of a range: the sum of a template's counters at each node. Writes ``scratch.raw``."""
    affinities = run.templates.affinities
    raw = run.scratch.raw
    counters = run.counters
    raw[low:high] = 0
    for i in range(affinities.start[template], affinities.start[template + 1]):
        k = affinities.counter[i]
        first = counters.start[k]
        code = counters.code[k]
        if code < 0:
            for n in range(low, high):
                raw[n] += counters.pool[first + n]
        else:
            codes = counters.codes[code]
            for n in range(low, high):
                if codes[n] >= 0:
                    raw[n] += counters.pool[first + codes[n]]


@kernel
def affinity_range(run: Run, low: int, high: int, lowest: int, highest: int) -> tuple[int, int]:
    """Lowest and highest raw score of a range of feasible nodes, beginning with those given."""
    raw = run.scratch.raw
    feasible = run.scratch.feasible
    for n in range(low, high):
        if feasible[n] != 0:
            lowest = min(lowest, np.int64(raw[n]))
            highest = max(highest, np.int64(raw[n]))
    return lowest, highest


@kernel
def add_normalized(run: Run, lowest: int, highest: int, low: int, high: int) -> None:
    """Add the normalised pod affinity scores of a range to the totals."""
    raw = run.scratch.raw
    total = run.scratch.total
    feasible = run.scratch.feasible
    for n in range(low, high):
        if feasible[n] != 0:
            total[n] += np.int32(run.weights.pod_affinity * normalized(np.int64(raw[n]), lowest, highest))
