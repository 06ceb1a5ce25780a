"""Tables of a run as a file had them, brought back to the dtypes of the schema, and to columns."""

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from kplace.dtypes import I32, NO_NODE, Status
from kplace.engine.results import NO_SCORE, PlacementColumns, PreemptionColumns
from kplace.frames import schema
from kplace.frames.placements import STATUSES


def conform(frame: pd.DataFrame, table: schema.Table, node_names: Sequence[str]) -> pd.DataFrame:
    """Give every column of a table the dtype that the schema says.

    Parameters
    ----------
    frame : DataFrame
        As read from Parquet or JSON.
    table : Table
        One of `kplace.frames.schema`.
    node_names : sequence of str
        In snapshot order: the categories of the column ``node``.

    Raises
    ------
    KeyError
        A column is missing.
    ValueError, TypeError
        A column holds something else.
    """
    fixed = {"node": list(node_names), "status": STATUSES}
    columns = {}
    for name, dtype in _dtypes(frame, table).items():
        if dtype == "category":
            names = fixed.get(name)
            texts = frame[name].astype("str")
            columns[name] = pd.Categorical(texts, categories=names if names is not None else texts.dropna().unique())
        else:
            columns[name] = frame[name].astype(dtype).array  # type: ignore[call-overload]
    return schema.stamp(pd.DataFrame(columns, index=pd.RangeIndex(len(frame))), table)


def node_names(nodes: pd.DataFrame) -> list[str]:
    """Names of the nodes in snapshot order, from the table of nodes."""
    return [str(name) for name in nodes.sort_values("position")["node"]]


def placement_columns(pods: pd.DataFrame, reasons: pd.DataFrame, preemptions: pd.DataFrame) -> PlacementColumns:
    """Columns of a run from its tables: undoes `placed_pods_frame`, `reasons_frame` and `preemptions_frame`."""
    integers: Callable[[str], I32] = lambda name: pods[name].to_numpy(np.int32)  # noqa: E731 - read six times below
    return PlacementColumns(
        pod=integers("row"),
        status=np.array([Status[name.upper()] for name in STATUSES], np.int8)[pods["status"].cat.codes],
        node=np.where(pods["node"].isna(), NO_NODE, pods["node"].cat.codes).astype(np.int32),
        attempt=integers("attempt"),
        evaluated=integers("evaluated"),
        feasible=integers("feasible"),
        total=pods["total"].to_numpy(np.int64, na_value=NO_SCORE),
        runner_up=pods["runner_up"].to_numpy(np.int64, na_value=NO_SCORE),
        ties=integers("ties"),
        next_start_index=integers("next_start_index"),
        reasons=_reasons(pods, reasons),
        messages=pods["message"].tolist(),
        preemptions=PreemptionColumns(
            pod=preemptions["row"].to_numpy(np.int32),
            attempt=preemptions["attempt"].to_numpy(np.int32),
            node=preemptions["node"].cat.codes.to_numpy().astype(np.int32),
            victim=preemptions["victim_row"].to_numpy(np.int32),
            violates_budget=preemptions["violates_budget"].to_numpy(np.bool_),
            carried_out=preemptions["carried_out"].to_numpy(np.bool_),
        ),
    )


def _reasons(pods: pd.DataFrame, reasons: pd.DataFrame) -> list[tuple[tuple[str, str, int], ...]]:
    by_row: dict[int, list[tuple[str, str, int]]] = {}
    for row, plugin, reason, nodes in zip(
        reasons["row"].tolist(), reasons["plugin"], reasons["reason"], reasons["nodes"].tolist(), strict=True
    ):
        by_row.setdefault(row, []).append((str(plugin), str(reason), nodes))
    return [tuple(by_row.get(row, ())) for row in pods["row"].tolist()]


def _dtypes(frame: pd.DataFrame, table: schema.Table) -> dict[str, str]:
    """Dtype of each column of the frame by the table; columns that the table lacks are left out."""
    known = {column.name: column.dtype for column in table.columns if "{" not in column.name}
    families = [(column.name[: column.name.index("{")], column.dtype) for column in table.columns if "{" in column.name]
    families.sort(key=lambda family: -len(family[0]))
    absent = [name for name in known if name not in frame.columns]
    if absent:
        msg = f"no column {absent[0]}"
        raise KeyError(msg)
    dtypes: dict[str, str] = {}
    for column in map(str, frame.columns):
        family = next((dtype for prefix, dtype in families if column.startswith(prefix)), None)
        dtype = known.get(column, family)
        if dtype is not None:
            dtypes[column] = dtype
    return dtypes
