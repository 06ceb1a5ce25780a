"""Scores of pods on nodes as tables."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from kplace.columns import ClusterColumns
from kplace.dtypes import I32, I64, NO_NODE
from kplace.engine.matrix.arrays import VERDICTS, ScoreArrays
from kplace.engine.matrix.decide import NOTHING, Decisions
from kplace.engine.matrix.kernels import REJECTED, SCORED
from kplace.frames import schema
from kplace.frames.build import Values, category, frame, node_category, nullable, texts

KINDS = ("raw", "normalised", "weighted")
"""What a plugin's score can be shown as."""


def pod_part(columns: ClusterColumns, pods: I32, repeat: int | I64 = 1) -> dict[str, Values]:
    """Columns that name pods, each so many times."""
    which = np.repeat(np.arange(len(pods)), repeat)
    names = texts([columns.pods.names[pod] for pod in pods.tolist()])
    return {
        "namespace": category(columns.pods.namespace[pods[which]], list(columns.pods.namespaces)),
        "pod": names.take(which),
    }


def decisions_frame(
    columns: ClusterColumns, pods: I32, row: I32, decisions: Decisions, names: Sequence[str], messages: Sequence[str]
) -> pd.DataFrame:
    """One row per pod: what decided where it would go.

    Parameters
    ----------
    row : int32 ndarray, shape (n_pods,)
        The row of each pod in ``decisions`` and ``messages``.
    names : sequence of str
        Of the plugins.

    Returns
    -------
    DataFrame
        The columns are those of `kplace.frames.schema.SCORE_DECISIONS`.
    """
    nodes = columns.nodes
    table: dict[str, Values] = {
        **pod_part(columns, pods),
        "feasible": decisions.feasible[row],
        "node": node_category(nodes, decisions.node[row]),
        "total": nullable(decisions.total[row], NOTHING),
        "ties": decisions.ties[row],
        "runner_up": node_category(nodes, decisions.runner_up[row]),
        "margin": nullable(decisions.margin[row], NOTHING),
        "decided_by": category(decisions.decider[row], list(names)),
        "flip_plugin": category(decisions.flip_plugin[row], list(names)),
        "flip_weight": nullable(decisions.flip_weight[row], NOTHING),
        "flip_node": node_category(nodes, decisions.flip_node[row]),
        "message": texts(messages).take(row),
        "kind": row,
        "row": pods,
    }
    return schema.stamp(frame(table, len(pods)), schema.SCORE_DECISIONS)


def top_frame(
    columns: ClusterColumns, pods: I32, row: I32, top: "TopRows", names: Sequence[str], kinds: Sequence[str]
) -> pd.DataFrame:
    """One row per pod and one of its best nodes.

    Returns
    -------
    DataFrame
        The columns are those of `kplace.frames.schema.SCORE_TOP`.
    """
    count = (top.nodes != NO_NODE).sum(axis=1)
    starts = np.cumsum(count) - count
    number = count[row]
    # Where the entries of each pod's row are in the flat columns.
    within = np.arange(int(number.sum())) - np.repeat(np.cumsum(number) - number, number)
    at = np.repeat(starts[row], number) + within
    is_there = top.nodes != NO_NODE
    table: dict[str, Values] = {
        **pod_part(columns, pods, number),
        "rank": (within + 1).astype(np.int32),
        "node": node_category(columns.nodes, top.nodes[is_there][at]),
        "total": top.total[is_there][at],
    }
    for kind in kinds:
        values = getattr(top, kind)
        for plugin, name in enumerate(names):
            table[f"{kind}_{name}"] = nullable(values[:, plugin][is_there][at], NOTHING)
    return schema.stamp(frame(table, len(at)), schema.SCORE_TOP)


class TopRows:
    """The best nodes of rows with their scores, block after block.

    Parameters
    ----------
    n_rows, n_plugins, k : int

    Attributes
    ----------
    nodes : int32 ndarray, shape (n_rows, k)
    total : int64 ndarray, shape (n_rows, k)
    raw, normalised, weighted : int64 ndarrays, shape (n_rows, n_plugins, k)
        `NOTHING` of a plugin that did not score.
    """

    def __init__(self, n_rows: int, n_plugins: int, k: int) -> None:
        self.nodes: I32 = np.full((n_rows, k), NO_NODE, np.int32)
        self.total: I64 = np.zeros((n_rows, k), np.int64)
        self.raw, self.normalised, self.weighted = (np.full((n_rows, n_plugins, k), NOTHING) for _ in KINDS)

    def enter(self, at: int, arrays: ScoreArrays, nodes: I32) -> None:
        """Write the best nodes of some rows, from row ``at`` on."""
        end = at + len(arrays)
        self.nodes[at:end] = nodes
        self.total[at:end] = np.take_along_axis(arrays.total, nodes.astype(np.int64), axis=1)
        where = nodes.astype(np.int64)
        for plugin in range(len(arrays.axes.plugins)):
            scores = arrays.scores[:, plugin, None]
            normalised = np.take_along_axis(arrays.normalised[:, plugin], where, axis=1).astype(np.int64)
            raw = np.take_along_axis(arrays.raw(plugin), where, axis=1)
            self.normalised[at:end, plugin] = np.where(scores, normalised, NOTHING)
            self.weighted[at:end, plugin] = np.where(scores, normalised * arrays.weights[:, plugin, None], NOTHING)
            self.raw[at:end, plugin] = np.where(scores, raw, NOTHING)


def wide_frame(columns: ClusterColumns, pods: I32, row: I32, arrays: ScoreArrays) -> pd.DataFrame:
    """One row per pod and node, all nodes of a pod in snapshot order.

    Returns
    -------
    DataFrame
        The columns are those of `kplace.frames.schema.SCORE_WIDE`.
    """
    n_nodes, axes = arrays.axes.n_nodes, arrays.axes
    verdict = arrays.verdict[row]
    is_scored = verdict == SCORED
    rejected_by = np.where(verdict == REJECTED, arrays.rejecter[row], -1)
    table: dict[str, Values] = {
        **pod_part(columns, pods, n_nodes),
        "node": node_category(columns.nodes, np.tile(np.arange(n_nodes, dtype=np.int32), len(pods))),
        "verdict": category(verdict.ravel(), VERDICTS),
        "plugin": category(rejected_by.ravel(), axes.rejecters),
        "total": _where(arrays.total[row], is_scored),
    }
    for kind in KINDS:
        for plugin, name in enumerate(axes.plugins):
            values = (arrays.raw(plugin) if kind == "raw" else arrays.normalised[:, plugin])[row].astype(np.int64)
            if kind == "weighted":
                values *= arrays.weights[row, plugin, None]
            table[f"{kind}_{name}"] = _where(values, is_scored & arrays.scores[row, plugin, None])
    return schema.stamp(frame(table, len(pods) * n_nodes), schema.SCORE_WIDE)


def long_frame(columns: ClusterColumns, pods: I32, row: I32, arrays: ScoreArrays) -> pd.DataFrame:
    """One row per pod, node and plugin that scored.

    Returns
    -------
    DataFrame
        The columns are those of `kplace.frames.schema.SCORE_LONG`.
    """
    is_there = (arrays.verdict[row] == SCORED)[:, :, None] & arrays.scores[row][:, None, :]
    pod, node, plugin = np.nonzero(is_there)
    at = row[pod]
    normalised = arrays.normalised[at, plugin, node].astype(np.int64)
    weight = arrays.weights[at, plugin]
    raw = normalised.copy()
    for number in range(len(arrays.axes.normalizing)):
        which = plugin == arrays.axes.plugin_index[arrays.axes.normalizing[number]]
        raw[which] = arrays.raw_normalizing[at[which], number, node[which]]
    names = texts([columns.pods.names[one] for one in pods.tolist()])
    table: dict[str, Values] = {
        "namespace": category(columns.pods.namespace[pods[pod]], list(columns.pods.namespaces)),
        "pod": names.take(pod),
        "node": node_category(columns.nodes, node.astype(np.int32)),
        "plugin": category(plugin, arrays.axes.plugins),
        "raw": raw,
        "normalised": normalised,
        "weight": weight,
        "weighted": normalised * weight,
    }
    return schema.stamp(frame(table, len(pod)), schema.SCORE_LONG)


def _where(values: np.ndarray, is_there: np.ndarray) -> Values:
    return pd.arrays.IntegerArray(values.astype(np.int64).ravel(), ~is_there.ravel())
