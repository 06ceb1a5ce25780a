"""The tables of nodes: as the input has them, and as a run left them."""

import numpy as np
import pandas as pd

from kplace.columns import ClusterColumns
from kplace.columns.node_order import REGION_LABELS, ZONE_LABELS
from kplace.columns.nodes import NodeColumns
from kplace.dtypes import I32, NO_NODE, NO_VALUE
from kplace.frames import schema
from kplace.frames.build import Values, category, frame, node_category, objects, texts
from kplace.frames.taints import taint_text
from kplace.frames.usage import Usage, holding_nodes, offered, usage

INSTANCE_TYPE_LABELS = ("beta.kubernetes.io/instance-type", "node.kubernetes.io/instance-type")


def nodes_frame(columns: ClusterColumns) -> pd.DataFrame:
    """One row per node of the input, in its order.

    Returns
    -------
    DataFrame
        The columns are those of `kplace.frames.schema.NODES`.
    """
    table = _node_part(columns, usage(columns, holding_nodes(columns)))
    return schema.stamp(_in_input_order(columns, table), schema.NODES)


def placed_nodes_frame(columns: ClusterColumns, placed: I32, gone: I32) -> pd.DataFrame:
    """One row per node as a run left it, in input order.

    Parameters
    ----------
    placed : int32 ndarray, shape (n_pods,)
        The node on which the run placed each pod; negative if it placed it nowhere.
    gone : int32 ndarray
        Pods that left in the run.

    Returns
    -------
    DataFrame
        The columns are those of `kplace.frames.schema.PLACED_NODES`.
    """
    held = holding_nodes(columns)
    before = usage(columns, held)
    after = np.where(placed >= 0, placed, held)
    after[gone] = NO_NODE
    table = _node_part(columns, usage(columns, after))
    for row, resource in enumerate(_resources(columns)):
        table[f"requested_before_{resource}"] = before.requested[row]
    table["pods_placed"] = np.bincount(placed[placed >= 0], minlength=len(columns.nodes)).astype(np.int64)
    left = held[gone]
    table["pods_preempted"] = np.bincount(left[left >= 0], minlength=len(columns.nodes)).astype(np.int64)
    return schema.stamp(_in_input_order(columns, table), schema.PLACED_NODES)


def node_labels(nodes: NodeColumns) -> list[dict[str, str]]:
    """Labels of each node as a dict, in snapshot order."""
    labels: list[dict[str, str]] = [{} for _ in range(len(nodes))]
    for key, column in nodes.labels.items():
        has = np.flatnonzero(column.codes != NO_VALUE)
        for n, code in zip(has.tolist(), column.codes[has].tolist(), strict=True):
            labels[n][key] = column.values[code]
    return labels


def node_images(nodes: NodeColumns) -> list[dict[str, int]]:
    """Images that each node holds, with their sizes in bytes, in snapshot order."""
    images: list[dict[str, int]] = [{} for _ in range(len(nodes))]
    for name, image in nodes.images.items():
        for n in image.nodes.tolist():
            images[n][name] = image.size
    return images


def _resources(columns: ClusterColumns) -> list[str]:
    return [schema.resource_column(name) for name in (*columns.resources, "pods")]


def _node_part(columns: ClusterColumns, used: Usage) -> dict[str, Values]:
    nodes = columns.nodes
    taints = [taint_text(taints) for taints in nodes.taint_sets]
    allocatable = offered(columns)
    free = allocatable - used.requested
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(allocatable > 0, used.requested / allocatable, np.nan)
    table: dict[str, Values] = {
        "node": node_category(nodes, np.arange(len(nodes), dtype=np.int32)),
        "position": np.arange(len(nodes), dtype=np.int32),
        "zone": label_column(nodes, ZONE_LABELS),
        "region": label_column(nodes, REGION_LABELS),
        "instance_type": label_column(nodes, INSTANCE_TYPE_LABELS),
        "unschedulable": nodes.unschedulable,
        "taints": texts([taints[code] for code in nodes.taint_set]),
        "labels": objects(node_labels(nodes)),
        "images": objects(node_images(nodes)),
    }
    names = _resources(columns)
    for prefix, values in (
        ("allocatable", allocatable),
        ("requested", used.requested),
        ("free", free),
        ("utilisation", share),
    ):
        table |= {f"{prefix}_{name}": values[row] for row, name in enumerate(names)}
    table["nonzero_requested_cpu_milli"], table["nonzero_requested_memory_bytes"] = used.non_zero
    return table


def label_column(nodes: NodeColumns, keys: tuple[str, ...]) -> Values:
    """Column of the first of some labels that a node has."""
    merged: dict[str, int] = {}
    codes = np.full(len(nodes), -1, np.int32)
    for key in keys:
        own = nodes.label_codes(key)
        table = np.array([merged.setdefault(value, len(merged)) for value in nodes.label_values(key)], np.int32)
        missing = (codes < 0) & (own != NO_VALUE)
        codes[missing] = table[own[missing]]
    return category(codes, list(merged))


def _in_input_order(columns: ClusterColumns, table: dict[str, Values]) -> pd.DataFrame:
    order = np.argsort(columns.nodes.arrival, kind="stable")
    return frame(table, len(columns.nodes)).take(order).reset_index(drop=True)
