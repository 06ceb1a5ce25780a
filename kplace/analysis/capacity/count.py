"""Copies of pods placed one after another until one finds no node."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from kplace.analysis.specs import Spec
from kplace.analysis.trial import Trial, waiting_pods
from kplace.columns import ClusterColumns
from kplace.columns.addition import free_names, with_pods
from kplace.dtypes import I32, I64, NO_NODE
from kplace.engine.attempt import Attempt
from kplace.engine.diagnose import diagnose
from kplace.engine.moving.filler import Filler
from kplace.frames.usage import holding_nodes, offered, usage


@dataclass(frozen=True)
class Count:
    """How many copies found a node, and what became of the one that did not.

    Attributes
    ----------
    before : ClusterColumns
        The cluster without the copies.
    specs : tuple of Spec
        The kinds of pods.
    nodes : int32 ndarray, shape (n_placed,)
        The node of each copy, in the order in which they were placed.
    kinds : int64 ndarray, shape (n_placed,)
        Which of the kinds each is of.
    stopped_by : int
        The kind of the copy that found no node; -1 if a limit ended it.
    message : str
        What the scheduler says of that copy.
    reasons : tuple of (str, str, int)
        Plugin, reason and number of nodes.
    """

    before: ClusterColumns
    specs: tuple[Spec, ...]
    nodes: I32
    kinds: I64
    stopped_by: int
    message: str
    reasons: tuple[tuple[str, str, int], ...]

    @cached_property
    def columns(self) -> ClusterColumns:
        """The cluster with the copies that were placed, and behind them the one that found no node, which waits."""
        kinds, nodes = self.kinds, self.nodes
        if self.stopped_by >= 0:
            kinds, nodes = np.append(kinds, self.stopped_by), np.append(nodes, np.int32(NO_NODE))
        return _with_copies(self.before, self.specs, kinds, nodes)

    def rounds(self, sizes: Sequence[int]) -> int:
        """Whole rounds among the copies, each of so many of each kind."""
        return len(self.nodes) // sum(sizes)


def count(
    trial: Trial,
    columns: ClusterColumns,
    specs: Sequence[Spec],
    *,
    sizes: Sequence[int] | None = None,
    limit: int | None = None,
) -> tuple[Count, Attempt | None]:
    """Place copies, round by round, until one finds no node.

    Parameters
    ----------
    specs : sequence of Spec
    sizes : sequence of int, optional
        Copies of each kind in a round; by default one.
    limit : int, optional
        The most rounds.

    Returns
    -------
    count : Count
    attempt : Attempt or None
        At the copy that found no node.

    Notes
    -----
    Copies come one after another: each finds all earlier ones placed, as with the tool cluster-capacity, whatever their
    priorities. No more are made than free amounts allow, and one round.
    """
    shares = list(sizes) if sizes is not None else [1] * len(specs)
    most = most_rounds(columns, specs, shares) + 1
    rounds = most if limit is None else min(limit, most)
    kinds = np.tile(np.repeat(np.arange(len(specs)), shares), rounds)
    samples = _with_copies(columns, specs, np.arange(len(specs)))
    filler = Filler(samples, trial.setup.profiles, trial.options, waiting_pods(samples, len(columns.pods)), len(kinds))
    if not filler.knows_all:
        return _count_pods(trial, columns, tuple(specs), kinds)
    nodes, attempt = filler.fill((len(columns.pods) + kinds).astype(np.int32))
    reasons, message = diagnose(attempt) if attempt is not None else ((), "")
    stopped = int(kinds[len(nodes)]) if attempt is not None else -1
    return Count(columns, tuple(specs), nodes, kinds[: len(nodes)], stopped, message, reasons), attempt


def _count_pods(
    trial: Trial, columns: ClusterColumns, specs: tuple[Spec, ...], kinds: I64
) -> tuple[Count, Attempt | None]:
    """Make pods of all copies, and place them."""
    queue = _in_given_order(_with_copies(columns, specs, kinds), len(columns.pods))
    pods = waiting_pods(queue, len(columns.pods))
    outcome = trial.place(queue, pods)
    rows = np.flatnonzero(np.isin(outcome.pod, pods))
    order = rows[np.argsort(outcome.pod[rows], kind="stable")]
    nodes = outcome.node[order]
    failed = np.flatnonzero(nodes == NO_NODE)
    if not len(failed):
        return Count(columns, specs, nodes, kinds, -1, "", ()), None
    placed, row = int(failed[0]), int(order[failed[0]])
    found = Count(
        columns,
        specs,
        nodes[:placed],
        kinds[:placed],
        int(kinds[placed]),
        outcome.messages[row],
        outcome.reasons[row],
    )
    return found, trial.attempt(found.columns, len(found.columns.pods) - 1, asks_others=False)


def most_rounds(columns: ClusterColumns, specs: Sequence[Spec], sizes: Sequence[int]) -> int:
    """No more rounds than these fit, by free amounts alone: in sum, and node by node for each kind by itself."""
    free = np.maximum(offered(columns) - usage(columns, holding_nodes(columns)).requested, 0)
    requests = np.array([[*columns.templates[spec.template].request.tolist(), 1] for spec in specs], np.int64)
    per_round = (requests * np.array(sizes, np.int64)[:, None]).sum(axis=0)
    asked = per_round > 0
    total = free.sum(axis=1)
    best = int((total[asked] // per_round[asked]).min())
    for request, size in zip(requests, sizes, strict=True):
        if size:
            own = request > 0
            fits = (free[own] // request[own, None]).min(axis=0).sum() if free.shape[1] else 0
            best = min(best, int(fits) // size)
    return best


def _with_copies(
    columns: ClusterColumns, specs: Sequence[Spec], kinds: I64, nodes: I32 | None = None
) -> ClusterColumns:
    """The cluster with copies, in the order given; without nodes they wait."""
    names: list[str] = [""] * len(kinds)
    called = np.array([spec.name for spec in specs])[kinds] if len(kinds) else np.zeros(0, np.str_)
    for name in {spec.name for spec in specs}:
        space, _, stem = name.partition("/")
        where = np.flatnonzero(called == name)
        for position, free in zip(where.tolist(), free_names(columns, space, stem, len(where)), strict=True):
            names[position] = free
    templates = np.array([spec.template for spec in specs], np.int64)[kinds] if len(kinds) else np.zeros(0, np.int64)
    return with_pods(columns, templates.tolist(), names, nodes if nodes is None else nodes.tolist())


def _in_given_order(columns: ClusterColumns, first: int) -> ClusterColumns:
    """The cluster with pods from an index on of one priority in the queue."""
    priority = columns.pods.priority.copy()
    priority[first:] = 0
    return replace(columns, pods=replace(columns.pods, priority=priority))
