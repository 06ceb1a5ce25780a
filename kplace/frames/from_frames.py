"""DataFrames in, columns out: a cluster from tables of nodes and pods."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import msgspec
import pandas as pd
from msgspec import Struct

from kplace.columns import ClusterBuilder, ClusterColumns
from kplace.columns.builder import Check
from kplace.frames.node_rows import DEFAULT_PODS, read_nodes
from kplace.frames.pod_rows import Fit, read_pods
from kplace.frames.rows import RowReader

NODES_SOURCE = "<frame nodes>"
PODS_SOURCE = "<frame pods>"
"""What the frames are called in faults, in the place of files."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What is known of objects in general, wherever they come from.

    Attributes
    ----------
    checks : mapping of str to callable
        What is wrong with a node or a pod beyond its types: `kplace.io.validate.CHECKS`.
    fit : callable
        What is wrong with the types in a dict: `kplace.io.shape.fit`.
    api_version : callable
        The ``apiVersion`` of a kind: `kplace.io.manifests.api_version_of`.
    """

    checks: Mapping[str, Check]
    fit: Fit
    api_version: Callable[[str], str]


def columns_from_frames(
    nodes: pd.DataFrame,
    pods: pd.DataFrame,
    rules: Rules,
    *,
    others: ClusterColumns | None = None,
) -> ClusterColumns:
    """Columns of the cluster that two tables describe; see `kplace.Cluster.from_frames` for what they may hold.

    Parameters
    ----------
    nodes, pods : DataFrame
    rules : Rules
    others : ClusterColumns, optional
        Where the objects of all other kinds come from.

    Raises
    ------
    InputError
        With every fault of both tables.
    """
    builder = ClusterBuilder(rules.checks)
    if others is not None:
        builder.objects |= {kind: list(items) for kind, items in others.objects.items()}
    node_rows, pod_rows = RowReader(nodes, NODES_SOURCE), RowReader(pods, PODS_SOURCE)
    for node in read_nodes(node_rows):
        builder.add("Node", node, _as_json("Node", node), NODES_SOURCE)
    for pod in read_pods(pod_rows, rules.fit, rules.api_version):
        builder.add("Pod", pod, _as_json("Pod", pod), PODS_SOURCE)
    builder.faults[:0] = [*node_rows.faults, *pod_rows.faults]
    _say_what_was_taken(builder, node_rows, pod_rows)
    columns = builder.finish()
    if others is None:
        return columns
    kept = [source for source in others.sources if source.kind not in ("Node", "Pod")]
    return replace(columns, sources=[*kept, *columns.sources])


def _as_json(kind: str, item: Struct) -> bytes:
    return b'{"apiVersion":"v1","kind":"%b",%b' % (kind.encode(), _ENCODER.encode(item)[1:])


_ENCODER = msgspec.json.Encoder()


def _say_what_was_taken(builder: ClusterBuilder, node_rows: RowReader, pod_rows: RowReader) -> None:
    for rows, what in ((node_rows, "nodes"), (pod_rows, "pods")):
        if rows.unread:
            builder.note("unknown-columns", f"columns of the {what} left out: {', '.join(rows.unread)}")
    if "pods" not in node_rows and "allocatable_pods" not in node_rows and len(node_rows):
        builder.note("default-pods", f"the nodes do not say how many pods they allow: {DEFAULT_PODS} is taken")
