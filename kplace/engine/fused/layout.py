"""How the fused engine holds a run: flat arrays of templates, request classes, counters and their workspace.

Axes: ``t`` templates, ``c`` classes (templates that share requests, static verdicts and images), ``k`` counters, ``i`` items
of a template's lists, ``n`` nodes. Lists of lists are held as one array of all items and one of starts.
"""

from typing import NamedTuple

from kplace.dtypes import F64, I8, I16, I32, I64
from kplace.plugins.noderesources.kernels import Shape
from kplace.state.node_resources import NodeResources

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


class Weights(NamedTuple):
    """Weights of the score plugins, 0 where the profile lacks one, and the strategy of NodeResourcesFit."""

    fit: int
    balanced: int
    image: int
    taint: int
    affinity: int
    spread: int
    pod_affinity: int
    strategy: int


class Demands(NamedTuple):
    """A `Demand` for each class.

    Attributes
    ----------
    start : int32 ndarray, shape (n_classes + 1,)
    rows, amounts, weights : ndarrays, shape (n_items,)
    """

    start: I32
    rows: I32
    amounts: I64
    weights: I64


class ClassTable(NamedTuple):
    """Classes: everything that the base score of a node depends on.

    Attributes
    ----------
    fit, scored, balanced : Demands
        What the filter, the fit score and the balance score look at.
    balances : int8 ndarray, shape (n_classes,)
        0 if the balance score is skipped.
    passes : int32 ndarray, shape (n_classes,)
        Row of ``Statics.passes``.
    image : int32 ndarray, shape (n_classes,)
        Row of ``Statics.image``; -1 if no image is anywhere.
    """

    fit: Demands
    scored: Demands
    balanced: Demands
    balances: I8
    passes: I32
    image: I32


class Statics(NamedTuple):
    """What depends on templates and nodes only, a row for each distinct outcome.

    Attributes
    ----------
    passes : int8 ndarray, shape (n_rows, n_nodes)
        1 where no static filter objects.
    image : int16 ndarray, shape (n_rows, n_nodes)
        ImageLocality's scores.
    taint, affinity : int32 ndarray, shape (n_rows, n_nodes)
        Raw scores of TaintToleration and NodeAffinity.
    ignored : int8 ndarray, shape (n_rows, n_nodes)
        1 where topology spread does not score a node.
    """

    passes: I8
    image: I16
    taint: I32
    affinity: I32
    ignored: I8


class BaseRows(NamedTuple):
    """Base scores kept from one pod of a class to the next.

    Attributes
    ----------
    base : int16 ndarray, shape (n_rows, n_nodes)
        Weighted fit, balance and image scores; `INFEASIBLE` where static filters or the requests rule a node out.
    row : int32 ndarray, shape (n_classes,)
        The class's row; -1 if it has none.
    seen : int64 ndarray, shape (n_classes,)
        How much of the log of touched nodes the row has taken in.
    spent : int64 ndarray, shape (n_classes,)
        Cells computed without a row since it was last up to date.
    used : int64 ndarray, shape (1,)
        Number of rows given out.
    """

    base: I16
    row: I32
    seen: I64
    spent: I64
    used: I64


class Log(NamedTuple):
    """Nodes in the order in which pods came to or left them.

    Attributes
    ----------
    nodes : int32 ndarray, shape (capacity,)
    length : int64 ndarray, shape (1,)
    """

    nodes: I32
    length: I64


class Counters(NamedTuple):
    """Weighted numbers of pods by domain.

    Attributes
    ----------
    pool : int32 ndarray
        The counts of all counters, one after another.
    start : int64 ndarray, shape (n_counters,)
        Where a counter's domains begin in ``pool``.
    size : int32 ndarray, shape (n_counters,)
        Number of domains.
    code : int32 ndarray, shape (n_counters,)
        Row of ``codes`` that holds each node's domain; -1 if node ``n`` is domain ``n``.
    counted : int32 ndarray, shape (n_counters,)
        Row of ``masks`` with the nodes whose pods count; -1 for all.
    eligible : int32 ndarray, shape (n_counters,)
        Number of domains, the first ones, among which the lowest is kept; 0 if it is not wanted.
    lowest, n_lowest : int64 ndarray, shape (n_counters,)
        Lowest count of an eligible domain and the number of domains that have it.
    codes : int32 ndarray, shape (n_rows, n_nodes)
    masks : int8 ndarray, shape (n_rows, n_nodes)
    """

    pool: I32
    start: I64
    size: I32
    code: I32
    counted: I32
    eligible: I32
    lowest: I64
    n_lowest: I64
    codes: I32
    masks: I8


class FilterItems(NamedTuple):
    """The filters of each template that read counters.

    Attributes
    ----------
    start : int32 ndarray, shape (n_templates + 1,)
    counter, kind : int32 ndarray, shape (n_items,)
    limit : int64 ndarray, shape (n_items,)
        For spread: maxSkew less the pod itself; for `NEAR`: the counter of pods anywhere if the pod may be the first,
        else -1.
    """

    start: I32
    counter: I32
    kind: I32
    limit: I64


class SpreadItems(NamedTuple):
    """The soft spread constraints of each template.

    Attributes
    ----------
    size_code : int32 ndarray, shape (n_items,)
        Row of ``Counters.codes`` by which domains of the sample are told apart; -1 if every node is one. It differs
        from the counter's own where nodes without the label are spread over as well.
    """

    start: I32
    counter: I32
    size_code: I32
    max_skew: I64


class AffinityItems(NamedTuple):
    """The counters whose sum is each template's raw pod affinity score."""

    start: I32
    counter: I32


class Touches(NamedTuple):
    """What a placed pod of each template adds to counters."""

    start: I32
    counter: I32
    weight: I32


class TemplateTable(NamedTuple):
    """Templates.

    Attributes
    ----------
    class_of : int32 ndarray, shape (n_templates,)
        -1 for templates that the fused engine leaves to the cycle.
    taint, affinity, ignored : int32 ndarray, shape (n_templates,)
        Rows of ``Statics``; -1 if all nodes have 0.
    """

    class_of: I32
    taint: I32
    affinity: I32
    ignored: I32
    filters: FilterItems
    spreads: SpreadItems
    affinities: AffinityItems
    touches: Touches


class Scratch(NamedTuple):
    """Workspace of one decision.

    Attributes
    ----------
    base : int16 ndarray, shape (n_nodes,)
        Base scores of a class without a row, as far as the window reaches.
    feasible : int8 ndarray, shape (n_nodes,)
    total, raw : int32 ndarray, shape (n_nodes,)
    allowed : int8 ndarray, shape (largest number of domains,)
    stamp : int64 ndarray, shape (largest number of domains,)
        The last decision that saw a domain.
    term : float64 ndarray, shape (largest number of items, largest number of domains)
    """

    base: I16
    feasible: I8
    total: I32
    raw: I32
    allowed: I8
    stamp: I64
    term: F64


class Run(NamedTuple):
    """Everything that the loop works on."""

    nodes: NodeResources
    weights: Weights
    shape: Shape
    templates: TemplateTable
    classes: ClassTable
    statics: Statics
    rows: BaseRows
    log: Log
    counters: Counters
    scratch: Scratch


class Results(NamedTuple):
    """One entry per pod of the run; the columns of `kplace.engine.results.PlacementColumns`.

    ``reason`` is the number of the diagnosis of a pod that fits nowhere.
    """

    node: I32
    evaluated: I32
    feasible: I32
    total: I64
    runner_up: I64
    ties: I32
    next_start: I32
    reason: I32


