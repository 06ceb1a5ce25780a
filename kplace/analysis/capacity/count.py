"""Copies of pods placed one after another until one finds no node."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from kplace.analysis.specs import Spec
from kplace.analysis.trial import Trial, waiting_pods
from kplace.columns import ClusterColumns
from kplace.columns.addition import free_names, with_pods
from kplace.dtypes import I32, I64, NO_NODE
from kplace.engine.results import PlacementColumns
from kplace.frames.usage import holding_nodes, offered, usage


@dataclass(frozen=True, slots=True)
class Count:
    """How many copies found a node, and what became of the one that did not.

    Attributes
    ----------
    columns : ClusterColumns
        The cluster with the copies that were placed, and one more that waits.
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

    columns: ClusterColumns
    nodes: I32
    kinds: I64
    stopped_by: int
    message: str
    reasons: tuple[tuple[str, str, int], ...]

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
) -> Count:
    """Place copies, round by round, until one finds no node.

    Parameters
    ----------
    specs : sequence of Spec
    sizes : sequence of int, optional
        Copies of each kind in a round; by default one.
    limit : int, optional
        The most rounds.

    Notes
    -----
    Copies come one after another: each finds all earlier ones placed, as with the tool cluster-capacity, whatever their
    priorities. No more are made than free amounts allow, and one round.
    """
    shares = list(sizes) if sizes is not None else [1] * len(specs)
    most = most_rounds(columns, specs, shares) + 1
    rounds = most if limit is None else min(limit, most)
    in_round = np.repeat(np.arange(len(specs)), shares)
    kinds = np.tile(in_round, rounds)
    queue = _with_copies(columns, specs, kinds)
    pods = waiting_pods(queue, len(columns.pods))
    outcome = trial.place(queue, pods)
    rows = np.flatnonzero(np.isin(outcome.pod, pods))
    order = rows[np.argsort(outcome.pod[rows], kind="stable")]
    nodes = outcome.node[order]
    failed = np.flatnonzero(nodes == NO_NODE)
    placed = int(failed[0]) if len(failed) else len(nodes)
    after = _kept(queue, pods, nodes, placed)
    stopped = int(kinds[placed]) if len(failed) else -1
    message, reasons = _why(outcome, int(order[placed])) if len(failed) else ("", ())
    return Count(after, nodes[:placed], kinds[:placed], stopped, message, reasons)


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


def _with_copies(columns: ClusterColumns, specs: Sequence[Spec], kinds: I64) -> ClusterColumns:
    """The cluster with the copies waiting, in the order given and of one priority in the queue."""
    names: list[str] = [""] * len(kinds)
    for kind, spec in enumerate(specs):
        space, _, stem = spec.name.partition("/")
        where = np.flatnonzero(kinds == kind)
        for position, name in zip(where.tolist(), free_names(columns, space, stem, len(where)), strict=True):
            names[position] = name
    templates = np.array([spec.template for spec in specs], np.int64)[kinds] if len(kinds) else np.zeros(0, np.int64)
    queue = with_pods(columns, templates.tolist(), names)
    priority = queue.pods.priority.copy()
    priority[len(columns.pods) :] = 0
    return replace(queue, pods=replace(queue.pods, priority=priority))


def _kept(queue: ClusterColumns, pods: I32, nodes: I32, placed: int) -> ClusterColumns:
    """The cluster with the copies that were placed on their nodes; all others wait."""
    node = queue.pods.node.copy()
    node[pods[:placed]] = nodes[:placed]
    return replace(queue, pods=replace(queue.pods, node=node))


def _why(outcome: PlacementColumns, row: int) -> tuple[str, tuple[tuple[str, str, int], ...]]:
    return outcome.messages[row], outcome.reasons[row]
