"""The question: these nodes go, and what becomes of their pods."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Unpack

import numpy as np

from kplace.analysis.budgets import Allowance, allowance
from kplace.analysis.drain.evictable import Leaving, adopted, evicted_from, hard_to_move, leaving
from kplace.analysis.drain.result import Drain
from kplace.analysis.nodesets import chosen_nodes
from kplace.analysis.trial import Scheduling, Trial
from kplace.api import Cluster
from kplace.columns import ClusterColumns
from kplace.columns.release import cordoned, released
from kplace.columns.removal import without_nodes
from kplace.dtypes import I32, NO_NODE, PreemptionMode
from kplace.engine.moving.mover import Mover, can_move


def drain(
    cluster: Cluster,
    nodes: str | Iterable[str] = (),
    *,
    where: str | Iterable[str] = (),
    fail: bool = False,
    preemption: str = "dry-run",
    **scheduling: Unpack[Scheduling],
) -> Drain:
    """Take nodes away and say where each of their pods goes, what stays pending and why.

    All of the nodes are cordoned, then one after another is drained: its pods are made anew by their controllers and
    tried in the order of their priorities. They find the cluster as it is, with the pods that the drain has moved;
    other pods that wait are left waiting. What found no node is tried once more at the end. Pods of DaemonSets and
    static pods end with their node. A pod without a controller is treated as if somebody made it anew, and one of a
    scheduler that there is no profile for is tried by the first.

    Parameters
    ----------
    cluster : Cluster
    nodes : str or iterable of str
        Names.
    where : str or iterable of str
        Further nodes, by ``zone=NAME``, ``instance_type=NAME`` or ``LABEL=VALUE``; several conditions must all be met.
    fail : bool
        The nodes fail instead of being drained: all are gone at once, and all pods come back together. Their labels and
        taints are gone too: a zone that has no node left is no domain any more.
    preemption : {"dry-run", "immediate", "off"}
        Whether pods that find no node may push others out, at the end.
    **scheduling
        As for `kplace.capacity`.

    Returns
    -------
    Drain
        `Drain.pods` and `Drain.nodes` are tables, `Drain.cluster` is the cluster afterwards.

    Raises
    ------
    UsageError
        There is no such node, or none was named.

    Notes
    -----
    The order of a drain: first nodes with no disruption budget in the way, of these the ones with the fewest pods to
    move. A node that is drained takes no pods, not even those that tolerate cordoned nodes.

    Examples
    --------
    >>> import pandas as pd
    >>> nodes = pd.DataFrame({"node": ["a", "b"], "cpu": [4, 4]})
    >>> pods = pd.DataFrame({"pod": ["web", "db"], "node": ["a", "b"], "cpu": ["3", "1"]})
    >>> found = drain(Cluster.from_frames(nodes, pods), ["b"])
    >>> found.pods[["pod", "outcome", "node"]].to_dict("records")
    [{'pod': 'db', 'outcome': 'moves', 'node': 'a'}]
    """
    trial = Trial.of(cluster, scheduling, preemption)
    view = view_for(trial, cluster)
    chosen = chosen_nodes(view, nodes, where)
    budgets = allowance(view.columns)
    gone = leaving(view.columns, chosen)
    order = _order(view.columns, chosen, budgets)
    if fail:
        columns = released(view.columns, gone.evicted)
        return _finished(trial, view, order, gone, (without_nodes(columns, chosen), budgets))
    node = drained(trial, view.columns, order)
    columns = _afterwards(view.columns, gone, node, order)
    return _finished(trial, view, order, gone, (columns, budgets))


def view_for(trial: Trial, cluster: Cluster) -> Cluster:
    """The cluster as the scheduler sees it, every pod on a node left to one that is there."""
    view = trial.view_of(cluster)
    return Cluster(adopted(view.columns, trial.schedulers), view.case)


def drained(trial: Trial, columns: ClusterColumns, order: I32) -> I32:
    """Node of every pod after some nodes have been drained one after another; shape (n_pods,).

    Parameters
    ----------
    order : int32 ndarray
        The nodes: all are closed before the first is drained.
    """
    steps = [evicted_from(columns, n) for n in order.tolist()]
    everybody = np.concatenate([np.zeros(0, np.int32), *steps]).astype(np.int32)
    profiles = trial.setup.profiles
    closed = closing_nodes(columns, order)
    if len(everybody) and can_move(profiles, trial.options):
        mover = Mover(closed, profiles[0], trial.options, everybody)
        if not hard_to_move(mover, profiles[0])[columns.pods.template[everybody]].any():
            for pods in steps:
                mover.take_off(pods)
                mover.find_nodes(pods)
            return mover.node_of_pod.copy()
    quiet = trial.with_preemption(PreemptionMode.OFF)
    for pods in steps:
        if len(pods):
            closed = released(closed, pods)
            outcome = quiet.place(closed, pods)
            node = closed.pods.node.copy()
            node[outcome.pod] = np.where(outcome.node == NO_NODE, node[outcome.pod], outcome.node)
            closed = replace(closed, pods=replace(closed.pods, node=node))
    return closed.pods.node


def closing_nodes(columns: ClusterColumns, nodes: I32) -> ClusterColumns:
    """The cluster with some nodes cordoned, and without room even for pods that tolerate that."""
    closed = cordoned(columns, nodes)
    allowed = closed.nodes.allowed_pods.copy()
    allowed[nodes] = 0
    return replace(closed, nodes=replace(closed.nodes, allowed_pods=allowed))


def _afterwards(columns: ClusterColumns, gone: Leaving, node: I32, order: I32) -> ClusterColumns:
    """The cluster with the nodes cordoned and the evicted pods where they went; daemons stay where they are."""
    moved = released(columns, gone.evicted)
    where = moved.pods.node.copy()
    where[gone.evicted] = node[gone.evicted]
    return closing_nodes(replace(moved, pods=replace(moved.pods, node=where)), order)


def _finished(
    trial: Trial, before: Cluster, order: I32, gone: Leaving, state: tuple[ClusterColumns, Allowance]
) -> Drain:
    """Try what found no node once more, and tell where everything is."""
    columns, budgets = state
    index = {columns.pods.key(pod): pod for pod in range(len(columns.pods))}
    own = np.array([index[before.columns.pods.key(pod)] for pod in gone.evicted.tolist()], np.int32)
    waiting = own[columns.pods.node[own] == NO_NODE]
    placements = trial.placements(Cluster(columns, before.case), waiting)
    outcome = placements.columns
    node = columns.pods.node.copy()
    node[outcome.pod] = np.where(outcome.node == NO_NODE, node[outcome.pod], outcome.node)
    names = columns.nodes.names
    where = [before.columns.nodes.index[names[n]] if n >= 0 else NO_NODE for n in node[own].tolist()]
    said = dict(zip(outcome.pod.tolist(), outcome.messages, strict=True))
    messages = {pod: said[at] for pod, at in zip(gone.evicted.tolist(), own.tolist(), strict=True) if said.get(at)}
    return Drain(before, order, gone, np.array(where, np.int32), messages, placements, budgets)


def _order(columns: ClusterColumns, nodes: I32, budgets: Allowance) -> I32:
    """Nodes as they are drained: those that no budget blocks first, of these the ones with the fewest pods."""
    steps = [evicted_from(columns, n) for n in nodes.tolist()]
    blocked = [bool((budgets.violated(pods) & (budgets.allowed == 0)).any()) for pods in steps]
    keys = sorted(range(len(nodes)), key=lambda at: (blocked[at], len(steps[at]), int(nodes[at])))
    return nodes[keys]
