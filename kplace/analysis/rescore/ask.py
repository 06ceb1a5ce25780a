"""The question: where would the scheduler have the pods today."""

from collections.abc import Iterable
from typing import Unpack

import numpy as np

from kplace.analysis.budgets import allowance
from kplace.analysis.rescore.chosen import chosen_bound
from kplace.analysis.rescore.drift import Rejection, rejection
from kplace.analysis.rescore.judge import Judge
from kplace.analysis.rescore.moves import Moves, greedy_moves
from kplace.analysis.rescore.result import Rescore
from kplace.analysis.trial import Progress, Scheduling, Trial
from kplace.api import Cluster
from kplace.columns import ClusterColumns
from kplace.dtypes import I32
from kplace.engine.fused.scores import OUTSIDE
from kplace.engine.moving.rescore import Rescored
from kplace.errors import UsageError

SHARE = 0.8


def rescore(
    cluster: Cluster,
    *,
    namespaces: str | Iterable[str] = (),
    workloads: str | Iterable[str] = (),
    where: str | Iterable[str] = (),
    moves: int | None = None,
    share: float = SHARE,
    progress: Progress | None = None,
    **scheduling: Unpack[Scheduling],
) -> Rescore:
    """Score pods on nodes against the cluster without them: where would the scheduler have them today, and how far off.

    Each pod is taken off its node, the others staying where they are, and tried as if it were made anew; all feasible
    nodes are scored, as with ``percentageOfNodesToScore: 100``.

    - *Regret*: the total of the best node less that of the node that it is on. 0: the scheduler would be content.
    - *Drift*: a filter rejects the node that the pod is on, by a taint or a label that came later, or by a neighbour
      that should not be there. Such a pod has no regret, as its node has no total.
    - A pod *would move* if its own node is not among the best.

    Pods of DaemonSets, static pods, pods that have run to their end, are being deleted or belong to other schedulers
    are left out, as are pods that wait.

    Parameters
    ----------
    cluster : Cluster
    namespaces : str or iterable of str
        Pods of these only.
    workloads : str or iterable of str
        ``NAMESPACE/NAME`` of workloads or pods; pods of these only.
    where : str or iterable of str
        Pods on nodes of these only: ``zone=NAME``, ``instance_type=NAME`` or ``LABEL=VALUE``; several conditions must
        all be met. They may go anywhere.
    moves : int, optional
        How many moves to try, one after another; 0 for none. By default as many as do good.
    share : float
        Of the gain of all moves, the part that few moves are to bring: more than 0, at most 1.
    progress : callable, optional
        Called after each round of moves.
    **scheduling
        As for `kplace.capacity`; ``percentage_of_nodes_to_score`` has no effect.

    Returns
    -------
    Rescore
        `Rescore.pods`, `Rescore.by_plugin`, `Rescore.workloads`, `Rescore.moves` and `Rescore.figures` are tables,
        `Rescore.cluster` is the cluster after the moves.

    Raises
    ------
    UsageError
        A number lies outside its range, nothing has such a name, or no pod is left to be asked about.

    Notes
    -----
    What the moves are to lower is the *standing*: first the number of pods that have drifted, then the regret of all
    others together, of all pods that are asked about. It is what the scheduler itself prefers, by its plugins and
    weights, and nothing else: not how full nodes are, not cost.

    Pods with most to gain go first, each to where the scheduler would put it at that moment. After each round of moves
    the standing is worked out anew over all pods, exactly; rounds that do not lower it are not made. A round is one
    move, and in large clusters, or with many moves, several. The moves are found greedily: there may be better ones. In
    large clusters the search ends after a number of scorings, with ``greedy.ended`` False: more moves may do good.

    A pod is not moved while one of its disruption budgets allows no eviction. Moves are one at a time: a pod that has
    moved is taken to run again before the next goes.

    Examples
    --------
    >>> import pandas as pd
    >>> cluster = Cluster.from_frames(
    ...     pd.DataFrame({"node": ["a", "b"], "cpu": [4, 4], "memory": "8Gi"}),
    ...     pd.DataFrame({"pod": ["web", "db"], "node": ["a", "a"], "cpu": "1", "memory": "1Gi"}),
    ... )
    >>> found = rescore(cluster)
    >>> found.pods[["pod", "node", "best_node", "regret"]].to_dict("records")[0]
    {'pod': 'web', 'node': 'a', 'best_node': 'b', 'regret': 25}
    >>> found.moves["regret"].tolist()
    [0]
    """
    _check(moves, share)
    trial = Trial.of(cluster, {**scheduling, "percentage_of_nodes_to_score": 100})
    view = trial.view_of(cluster)
    columns = view.columns
    rows = chosen_bound(view, trial.schedulers, namespaces=namespaces, workloads=workloads, where=where)
    judge = Judge(trial, rows)
    found = judge.rescore(columns)
    budgets = allowance(columns)
    blocking = [
        ",".join(budgets.names[budget] for budget in budgets.of_pod(pod).tolist() if not budgets.allowed[budget])
        for pod in rows.tolist()
    ]
    blocked = np.array([bool(names) for names in blocking], np.bool_)
    if moves == 0:
        steps = Moves((), columns, ended=False)
    else:
        steps = greedy_moves(judge, columns, found, blocked, moves, progress)
    return Rescore(
        before=view,
        rows=rows,
        plugins=judge.plugins,
        scored=found,
        rejections=_rejections(judge, columns, rows, found),
        blocking=blocking,
        greedy=steps,
        share=share,
    )


def _check(moves: int | None, share: float) -> None:
    if moves is not None and (isinstance(moves, bool) or not isinstance(moves, int) or moves < 0):
        msg = f"moves: expected a number, 0 or more, or None, got {moves!r}"
        raise UsageError(msg)
    if isinstance(share, bool) or not isinstance(share, int | float) or not 0 < share <= 1:
        msg = f"share: expected a number above 0, at most 1, got {share!r}"
        raise UsageError(msg)


def _rejections(judge: Judge, columns: ClusterColumns, rows: I32, found: Rescored) -> dict[int, Rejection]:
    """Why pods' own nodes would not do, by position."""
    drifted = np.flatnonzero(found.own == OUTSIDE)
    nodes = columns.pods.node[rows[drifted]].tolist()
    attempts = judge.attempts(columns, rows[drifted])
    return {at: rejection(attempt, node) for at, attempt, node in zip(drifted.tolist(), attempts, nodes, strict=True)}
