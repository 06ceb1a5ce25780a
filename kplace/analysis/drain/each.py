"""Every node tried on its own, and the largest set of nodes that can go together."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Unpack

import numpy as np
import pandas as pd

from kplace.analysis.budgets import Allowance, allowance
from kplace.analysis.drain.ask import closing_nodes, drained, view_for
from kplace.analysis.drain.bound import fewest_left
from kplace.analysis.drain.evictable import evicted_from, hard_to_move, in_queue_order, stays_with_node
from kplace.analysis.plots import moves
from kplace.analysis.schema import DRAIN_EACH
from kplace.analysis.subject import By
from kplace.analysis.trial import Progress, Scheduling, Trial
from kplace.api import Cluster
from kplace.columns import ClusterColumns
from kplace.dtypes import I32, I64, NO_NODE, Mask
from kplace.engine.moving.mover import Mover, can_move
from kplace.frames.schema import stamp

if TYPE_CHECKING:
    from kplace.analysis.plots.figure import Figure


@dataclass(frozen=True)
class EachDrain:
    """What would come of draining each node by itself.

    Attributes
    ----------
    before : Cluster
    moving, pending : int64 ndarrays, shape (n_nodes,)
        Pods that have to move from each node, and those among them that find no other one.
    blocking : int64 ndarray, shape (n_nodes,)
        Disruption budgets that allow no eviction of a pod of the node.
    together : int32 ndarray
        The largest set found of nodes that can be drained one after another, in that order, with no pod left pending.
    at_least : int
        No fewer nodes of this cluster offer what is requested: no more than all but these can go, however one packs.
    """

    before: Cluster
    moving: I64
    pending: I64
    blocking: I64
    together: I32
    at_least: int

    def __repr__(self) -> str:
        able = int(self.can_go.sum())
        return f"<EachDrain: {able} of {len(self.pending)} nodes can go alone, {len(self.together)} together>"

    @property
    def can_go(self) -> Mask:
        """Nodes that can be drained by themselves, in snapshot order."""
        return (self.pending == 0) & (self.blocking == 0)

    @cached_property
    def nodes(self) -> pd.DataFrame:
        """One row per node: `kplace.analysis.schema.DRAIN_EACH`."""
        table = self.before.nodes
        at = table["position"].to_numpy()
        columns = self.before.columns
        daemons = np.flatnonzero(columns.pods.holding & stays_with_node(columns))
        in_set = np.zeros(len(at), np.bool_)
        in_set[self.together] = True
        found = pd.DataFrame(
            {
                "node": table["node"],
                "zone": table["zone"],
                "instance_type": table["instance_type"],
                "pods": self.moving[at],
                "daemon": np.bincount(columns.pods.node[daemons], minlength=len(at)).astype(np.int64)[at],
                "pending": self.pending[at],
                "budgets_blocking": self.blocking[at],
                "can_go": self.can_go[at],
                "in_set": in_set[at],
            }
        )
        return stamp(found, DRAIN_EACH)

    def plot(self, by: By = "zone") -> "Figure":
        """Which nodes can go, as a picture: by zone, pool, or other columns of `nodes`."""
        return moves.spare_nodes(self.nodes, by)


def drain_each(
    cluster: Cluster,
    *,
    together: bool = True,
    progress: Progress | None = None,
    **scheduling: Unpack[Scheduling],
) -> EachDrain:
    """Try to drain every node on its own, each time in the cluster as it is, and find many that can go together.

    Parameters
    ----------
    cluster : Cluster
    together : bool
        Look for the largest set as well: nodes that can go by themselves are drained for good, those with the fewest
        pods first, as long as nothing stays pending. It is the largest set found, not a proof that there is no larger.
    progress : callable, optional
        Called after each node.
    **scheduling
        As for `kplace.capacity`.

    Returns
    -------
    EachDrain

    Notes
    -----
    Each answer is that of `kplace.drain` for the node. All are worked out on one state of the cluster: the pods of a
    node are taken off it, placed, and put back; nodes with pods whose volumes are shared, or not settled yet, take
    longer, and in a large cluster they are left out of the set.
    """
    trial = Trial.of(cluster, scheduling)
    view = view_for(trial, cluster)
    columns = view.columns
    steps = _pods_by_node(columns)
    budgets = allowance(columns)
    moving = np.array([len(pods) for pods in steps], np.int64)
    blocking = np.array([_blocking(budgets, pods) for pods in steps], np.int64)
    everybody = np.concatenate([np.zeros(0, np.int32), *steps]).astype(np.int32)
    if len(everybody) and can_move(trial.setup.profiles, trial.options):
        mover = Mover(columns, trial.setup.profiles[0], trial.options, everybody)
        careful = _careful(columns, hard_to_move(mover, trial.setup.profiles[0]))[columns.pods.template]
        pending = _each(trial, mover, steps, careful, progress)
        candidates = _candidates(columns, moving, (pending == 0) & (blocking == 0)) if together else _NONE
        plain = np.array([not careful[pods].any() for pods in steps], np.bool_)
        if len(candidates) > FEW or plain[candidates].all():
            chosen = _greedy(columns, mover, candidates[plain[candidates]], steps)
        else:
            chosen = _greedy_slowly(trial, columns, candidates)
    else:
        pending = np.array([_pending_alone(trial, columns, n, pods) for n, pods in enumerate(steps)], np.int64)
        candidates = _candidates(columns, moving, (pending == 0) & (blocking == 0)) if together else _NONE
        chosen = _greedy_slowly(trial, columns, candidates)
    return EachDrain(view, moving, pending, blocking, chosen, fewest_left(columns))


_NONE = np.zeros(0, np.int32)
FEW = 64
"""Up to so many candidates are tried together the slow way, which knows of volumes."""


def _pods_by_node(columns: ClusterColumns) -> list[I32]:
    """Pods of every node that have to move, as they are tried."""
    pods = columns.pods
    chosen = np.flatnonzero(pods.holding & ~stays_with_node(columns) & ~pods.terminating).astype(np.int32)
    order = in_queue_order(columns, chosen)
    order = order[np.argsort(pods.node[order], kind="stable")]
    # What is split nowhere is one part: of no nodes there are none.
    return np.split(order, np.searchsorted(pods.node[order], np.arange(1, len(columns.nodes))))[: len(columns.nodes)]


def _blocking(budgets: Allowance, pods: I32) -> int:
    return int((budgets.violated(pods) & (budgets.allowed == 0)).sum()) if len(budgets.names) else 0


def _each(trial: Trial, mover: Mover, steps: Sequence[I32], careful: Mask, progress: Progress | None) -> I64:
    """Pods of each node that find no other one; ``careful`` are those that are tried in a changed cluster."""
    pending = np.zeros(len(steps), np.int64)
    columns = mover.state.columns
    for n, pods in enumerate(steps):
        if len(pods) and careful[pods].any():
            pending[n] = _pending_alone(trial, columns, n, pods)
        elif len(pods):
            here = np.full(len(pods), n, np.int32)
            mover.close(n)
            mover.take_off(pods)
            found = mover.find_nodes(pods)
            pending[n] = int((found == NO_NODE).sum())
            mover.take_off(pods[found != NO_NODE])
            mover.reopen(n)
            mover.put_on(pods, here)
        if progress is not None:
            progress(n + 1, len(steps))
    return pending


def _careful(columns: ClusterColumns, hard: Mask) -> Mask:
    """Templates that the common state of all nodes does not do justice to.

    Those whose volumes are hard to move; and those with a spread constraint that leaves tainted nodes out, since that a
    node is cordoned changes what they count.
    """
    honours = [
        any(item.node_taints_policy == "Honor" for item in template.spec.topology_spread_constraints or ())
        for template in columns.templates
    ]
    return hard | np.array(honours, np.bool_)


def _pending_alone(trial: Trial, columns: ClusterColumns, n: int, pods: I32) -> int:
    if not len(pods):
        return 0
    return int((drained(trial, columns, np.array([n], np.int32))[pods] == NO_NODE).sum())


def _candidates(columns: ClusterColumns, moving: I64, can_go: Mask) -> I32:
    """Nodes that may go, cordoned ones first, then those with the fewest pods; of equal ones in snapshot order."""
    chosen = np.flatnonzero(can_go)
    keys = np.lexsort((chosen, moving[chosen], ~columns.nodes.unschedulable[chosen]))
    return chosen[keys].astype(np.int32)


def _greedy(columns: ClusterColumns, mover: Mover, candidates: I32, steps: Sequence[I32]) -> I32:
    """Drain candidates for good, each with the pods that others have left to it, as long as nothing stays pending."""
    there: dict[int, list[I32]] = {}
    chosen = []
    for n in candidates.tolist():
        pods = in_queue_order(columns, np.sort(np.concatenate([steps[n], *there.pop(n, [])]).astype(np.int32)))
        if len(pods):
            mover.close(n)
            mover.take_off(pods)
            found = mover.find_nodes(pods)
            if (found == NO_NODE).any():
                mover.take_off(pods[found != NO_NODE])
                mover.reopen(n)
                mover.put_on(pods, np.full(len(pods), n, np.int32))
                there[n] = [pods[~np.isin(pods, steps[n])]]
                continue
            for node in np.unique(found).tolist():
                there.setdefault(node, []).append(pods[found == node])
        else:
            mover.close(n)
        chosen.append(n)
    return np.array(chosen, np.int32)


def _greedy_slowly(trial: Trial, columns: ClusterColumns, candidates: I32) -> I32:
    """Do the same by way of changed clusters, which know of volumes."""
    chosen = []
    for n in candidates.tolist():
        pods = evicted_from(columns, n)
        node = drained(trial, columns, np.array([n], np.int32))
        if not (node[pods] == NO_NODE).any():
            moved = replace(columns, pods=replace(columns.pods, node=node))
            columns = closing_nodes(moved, np.array([n], np.int32))
            chosen.append(n)
    return np.array(chosen, np.int32)
