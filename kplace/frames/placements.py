"""The tables of a run: where each pod went, why the others stay pending, which pods leave for others."""

import numpy as np
import pandas as pd

from kplace.columns import ClusterColumns
from kplace.dtypes import I32, NO_NODE, Status
from kplace.engine.results import NO_SCORE, PlacementColumns, PreemptionColumns
from kplace.frames import schema
from kplace.frames.build import Values, category, category_of, frame, node_category, nullable, texts
from kplace.frames.pods import owner_part

STATUSES = [status.name.lower() for status in Status]


def placed_pods_frame(columns: ClusterColumns, placements: PlacementColumns) -> pd.DataFrame:
    """One row per pod that the run looked at, in the order of `PlacementColumns`.

    Returns
    -------
    DataFrame
        The columns are those of `kplace.frames.schema.PLACED_PODS`.
    """
    pods, rows = columns.pods, placements.pod
    table: dict[str, Values] = {
        "namespace": category(pods.namespace[rows], list(pods.namespaces)),
        "pod": texts([pods.names[pod] for pod in rows.tolist()]),
        "status": category(placements.status, STATUSES),
        "node": node_category(columns.nodes, placements.node),
        "attempt": placements.attempt,
        "evaluated": placements.evaluated,
        "feasible": placements.feasible,
        "total": nullable(placements.total, NO_SCORE),
        "runner_up": nullable(placements.runner_up, NO_SCORE),
        "ties": placements.ties,
        "next_start_index": placements.next_start_index,
        "message": texts(placements.messages),
        **owner_part(columns, pods.template[rows]),
        "priority": pods.priority[rows],
        "made": pods.made[rows],
        "row": rows,
    }
    return schema.stamp(frame(table, len(rows)), schema.PLACED_PODS)


def reasons_frame(columns: ClusterColumns, placements: PlacementColumns) -> pd.DataFrame:
    """One row per pending pod, plugin and reason.

    Returns
    -------
    DataFrame
        The columns are those of `kplace.frames.schema.REASONS`.
    """
    pods = columns.pods
    numbers = np.array([len(reasons) for reasons in placements.reasons], np.int64)
    rows: I32 = np.repeat(placements.pod, numbers)
    flat = [reason for reasons in placements.reasons for reason in reasons]
    table: dict[str, Values] = {
        "namespace": category(pods.namespace[rows], list(pods.namespaces)),
        "pod": texts([pods.names[pod] for pod in rows.tolist()]),
        "plugin": category_of([plugin for plugin, _, _ in flat]),
        "reason": category_of([reason for _, reason, _ in flat]),
        "nodes": np.array([number for _, _, number in flat], np.int32),
        "row": rows,
    }
    return schema.stamp(frame(table, len(rows)), schema.REASONS)


def preemptions_frame(columns: ClusterColumns, preemptions: PreemptionColumns) -> pd.DataFrame:
    """One row per victim.

    Returns
    -------
    DataFrame
        The columns are those of `kplace.frames.schema.PREEMPTIONS`.
    """
    pods, namespaces = columns.pods, list(columns.pods.namespaces)
    table: dict[str, Values] = {
        "namespace": category(pods.namespace[preemptions.pod], namespaces),
        "pod": texts([pods.names[pod] for pod in preemptions.pod.tolist()]),
        "attempt": preemptions.attempt,
        "node": node_category(columns.nodes, preemptions.node),
        "victim_namespace": category(pods.namespace[preemptions.victim], namespaces),
        "victim": texts([pods.names[pod] for pod in preemptions.victim.tolist()]),
        "victim_priority": pods.priority[preemptions.victim],
        "violates_budget": preemptions.violates_budget,
        "carried_out": preemptions.carried_out,
        "row": preemptions.pod,
        "victim_row": preemptions.victim,
    }
    return schema.stamp(frame(table, len(preemptions)), schema.PREEMPTIONS)


def node_of_placed(columns: ClusterColumns, placements: PlacementColumns) -> I32:
    """Node on which the run placed each pod of the cluster; `NO_NODE` for all other pods."""
    placed = np.full(len(columns.pods), NO_NODE, np.int32)
    placed[placements.pod] = placements.node
    return placed
