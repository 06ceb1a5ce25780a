"""How the fused engine holds a run: a few flat arrays, grouped by what they are about.

Axes: ``t`` templates, ``c`` classes (templates that share requests, static verdicts and images), ``k`` counters, ``i``
items of a template's lists, ``n`` nodes. Columns of one dtype stand in one table, whose rows the constants below name:
a compiled function is passed every array it may touch, and many arrays make for slow compiling. Lists of lists are held
as one table of all items and one row of starts.
"""

from typing import NamedTuple

from kplace.dtypes import F64, I8, I16, I32, I64, U8, Mask
from kplace.plugins.noderesources.kernels import Shape
from kplace.state.node_resources import NodeResources

FEW = 7
"""Domains that the bits of a byte can tell apart beside "none"."""

INFEASIBLE = -1
"""Base score of a node that a class cannot use."""

SPREAD = 0
"""Kind of a filter: at most ``limit`` pods above the counter's lowest domain."""
SPREAD_FROM_ZERO = 1
"""Kind of a filter: at most ``limit`` pods; too few domains hold the minimum at zero."""
NEAR = 2
"""Kind of a filter: the domain must hold a pod, unless there is none anywhere and the pod may be the first."""
FAR = 3
"""Kind of a filter: the domain must not hold any pod."""

# Rows of ClassTable.table
PASSES, IMAGE, KEPT_TAINT, KEPT_AFFINITY, TOP_TAINT, TOP_AFFINITY, N_TOP_TAINT, N_TOP_AFFINITY = range(8)
# How a shape's totals are made: ShapeTable.table[MANNER]
FROM_WINDOW, FROM_BASE, FROM_KEPT = range(3)
# Rows of BaseRows.table
ROW, SEEN, SPENT, STANDS = range(4)
# Positions in Log.clock
LENGTH, USED_ROWS = range(2)
# Rows of Counters.table
START, SIZE, CODE, COUNTED, ELIGIBLE, LOWEST, N_LOWEST = range(7)
# Rows of ShapeTable.table
TAINT, AFFINITY, IGNORED, MANNER = range(4)
# Rows of ShapeTable.starts
FILTERS, SPREADS, AFFINITIES, TOUCHES = range(4)
# Rows of ShapeTable.filters
COUNTER, KIND, LIMIT = range(3)
# Rows of ShapeTable.spreads, after COUNTER
SIZE_CODE, MAX_SKEW = 1, 2
# Rows of ShapeTable.touches, after COUNTER
WEIGHT = 1


class Weights(NamedTuple):
    """Weights of the score plugins, 0 where the profile lacks one.

    Beside them the strategy of NodeResourcesFit, and what NodeResourcesBalancedAllocation looks at, by the constants of
    `kplace.engine.fused.cells`.
    """

    fit: int
    balanced: int
    image: int
    taint: int
    affinity: int
    spread: int
    pod_affinity: int
    strategy: int
    balance: int


class ClassTable(NamedTuple):
    """Classes: everything that the base score of a node depends on.

    Attributes
    ----------
    table : int32 ndarray, shape (8, n_classes)
        `PASSES`: row of ``Statics.marks``; `IMAGE`: row of ``Statics.image``, -1 if no image is anywhere; `KEPT_TAINT`,
        `KEPT_AFFINITY`: rows of ``Statics.raw`` that kept totals take in, -1 for none; `TOP_TAINT`, `TOP_AFFINITY`: the
        highest raw score of a feasible node; `N_TOP_TAINT`, `N_TOP_AFFINITY`: how many feasible nodes have it.
    fit : int64 ndarray, shape (n_resources + n_drivers, n_classes)
        What the filter looks for, volumes to be attached included; 0 for nothing.
    scored, balanced : int64 ndarray, shape (k, n_classes)
        What the fit score and the balance score look at, `UNWANTED` for resources that are left out for the class.
    unmoved : int64 ndarray, shape (k, n_classes)
        The same as ``balanced`` for a pod that requests none of it.
    """

    table: I32
    fit: I64
    scored: I64
    balanced: I64
    unmoved: I64


class ScoredResources(NamedTuple):
    """Which resources a score looks at.

    Attributes
    ----------
    rows : int32 ndarray, shape (k,)
    weights : int64 ndarray, shape (k,)
    small : bool ndarray, shape (k,)
        No node offers so much of it that its shares would have to be divided as integers.
    """

    rows: I32
    weights: I64
    small: Mask


class Statics(NamedTuple):
    """What depends on templates and nodes only, a row for each distinct outcome.

    Attributes
    ----------
    marks : int8 ndarray, shape (n_rows, n_nodes)
        1 where no static filter objects; or 1 where topology spread scores a node.
    image : int16 ndarray, shape (n_rows, n_nodes)
        ImageLocality's scores.
    raw : int32 ndarray, shape (n_rows, n_nodes)
        Raw scores of TaintToleration and NodeAffinity.
    """

    marks: I8
    image: I16
    raw: I32


class CellWork(NamedTuple):
    """Workspace of base scores.

    Attributes
    ----------
    sum, weight : int64 ndarray, shape (n_nodes,)
    share, other : float64 ndarray, shape (n_nodes,)
    """

    sum: I64
    weight: I64
    share: F64
    other: F64


class CellPlan(NamedTuple):
    """What base scores are made from."""

    nodes: NodeResources
    weights: Weights
    shape: Shape
    scored: ScoredResources
    balanced: ScoredResources
    classes: ClassTable
    statics: Statics
    work: CellWork


class BaseRows(NamedTuple):
    """Base scores kept from one pod of a class to the next.

    Attributes
    ----------
    base : int16 ndarray, shape (n_rows, n_nodes)
        Weighted fit, balance and image scores; `INFEASIBLE` where static filters or the requests rule a node out.
    table : int64 ndarray, shape (4, n_classes)
        `ROW`: the class's row, -1 if it has none; `SEEN`: how much of the log the row has taken in; `SPENT`: cells
        computed without a row since it was last up to date; `STANDS`: 1 if pods of the class are decided by totals that
        stand ready, which takes summaries of them.
    kept : int16 ndarray, shape (n_rows, n_nodes), or (1, 1) if no class keeps totals
        Base scores with normalised taint and affinity scores, see `kplace.engine.fused.kept`.
    blocks : int16 ndarray, shape (n_rows, 4, n_blocks)
        Summaries of ``base`` or, for classes that keep totals, of ``kept``; see `kplace.engine.fused.blocks`.
    """

    base: I16
    table: I64
    kept: I16
    blocks: I16


class Log(NamedTuple):
    """Nodes in the order in which pods came to or left them.

    Attributes
    ----------
    nodes : int32 ndarray, shape (capacity,)
    clock : int64 ndarray, shape (2,)
        `LENGTH` of the log; `USED_ROWS`: number of base rows given out.
    """

    nodes: I32
    clock: I64


class Counters(NamedTuple):
    """Weighted numbers of pods by domain.

    Attributes
    ----------
    table : int64 ndarray, shape (7, n_counters)
        `START`: where a counter's domains begin in ``pool``; `SIZE`: their number; `CODE`: row of ``codes`` with each
        node's domain, -1 if node ``n`` is domain ``n``; `COUNTED`: row of ``masks`` with the nodes whose pods count, -1
        for all; `ELIGIBLE`: number of domains, the first ones, whose lowest count is kept; `LOWEST` and `N_LOWEST`:
        that count and the number of domains that have it.
    pool : int32 ndarray
        The counts of all counters, one after another.
    codes : int32 ndarray, shape (n_rows, n_nodes)
    flags : uint8 ndarray, shape (n_rows, n_nodes)
        Beside a row of codes with at most `FEW` domains: a single bit for each node, bit 0 for no domain and bit ``d +
        1`` for domain ``d``. A mask of bits is tested on many nodes at once, which looking up marks is not.
    masks : int8 ndarray, shape (n_rows, n_nodes)
    """

    table: I64
    pool: I32
    codes: I32
    flags: U8
    masks: I8


class ShapeTable(NamedTuple):
    """Shapes of templates: all about a template but the amounts that it requests.

    Attributes
    ----------
    table : int32 ndarray, shape (4, n_shapes)
        `TAINT`, `AFFINITY`: rows of ``Statics.raw``, -1 if all nodes have 0; `IGNORED`: row of ``Statics.marks``, -1 if
        no node is ignored; `MANNER`: whether the totals depend on the window or stand ready as base scores or kept
        totals.
    starts : int32 ndarray, shape (4, n_shapes + 1)
        Where a shape's `FILTERS`, `SPREADS`, `AFFINITIES` and `TOUCHES` begin and end.
    filters : int64 ndarray, shape (3, n_items)
        `COUNTER`, `KIND`, `LIMIT`: for spread, maxSkew less the pod itself; for `NEAR`, the counter of pods anywhere if
        the pod may be the first, else -1.
    spreads : int64 ndarray, shape (3, n_items)
        Soft constraints: `COUNTER`, `SIZE_CODE` (row of ``Counters.codes`` by which the sample's domains are told
        apart, -1 if every node is one), `MAX_SKEW`.
    affinities : int32 ndarray, shape (n_items,)
        Counters whose sum is the raw pod affinity score.
    touches : int32 ndarray, shape (2, n_items)
        What a placed pod adds: `COUNTER`, `WEIGHT`.
    """

    table: I32
    starts: I32
    filters: I64
    spreads: I64
    affinities: I32
    touches: I32


class TemplateTable(NamedTuple):
    """Templates.

    Attributes
    ----------
    shape, class_of : int32 ndarray, shape (n_templates,)
        A template's shape and class; class -1 for templates that the fused engine leaves to the cycle.
    plain : int64 ndarray, shape (n_templates, n_resources + n_drivers)
    non_zero : int64 ndarray, shape (n_templates, 2)
        What a pod takes, as `kplace.state.node_resources.Request` has it.
    """

    shape: I32
    class_of: I32
    plain: I64
    non_zero: I64


class Scratch(NamedTuple):
    """Workspace of one decision.

    Attributes
    ----------
    base : int16 ndarray, shape (n_nodes,)
        Base scores of a class without a row, as far as the window reaches.
    feasible, scored : int8 ndarray, shape (n_nodes,)
    total, raw : int32 ndarray, shape (n_nodes,)
    sum : float64 ndarray, shape (n_nodes,)
    stamp : int64 ndarray, shape (largest number of domains + 1,)
        The last decision that saw a domain.
    term : float64 ndarray, shape (largest number of domains + 1,)
    """

    base: I16
    feasible: I8
    scored: I8
    total: I32
    raw: I32
    sum: F64
    stamp: I64
    term: F64


class Run(NamedTuple):
    """Everything that the loop works on."""

    cells: CellPlan
    rows: BaseRows
    log: Log
    counters: Counters
    shapes: ShapeTable
    templates: TemplateTable
    scratch: Scratch


class Results(NamedTuple):
    """One entry per pod of the run; the columns of `kplace.engine.results.PlacementColumns`.

    ``reason`` is the number of the diagnosis of a pod that fits nowhere; ``attempt`` that of the pod's last attempt.
    """

    node: I32
    evaluated: I32
    feasible: I32
    total: I64
    runner_up: I64
    ties: I32
    next_start: I32
    reason: I32
    attempt: I32
