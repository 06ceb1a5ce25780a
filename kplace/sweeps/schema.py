"""The table that a study writes: its columns, their dtypes and what they mean."""

import pyarrow as pa

from kplace.frames.schema import Column, Table

SCHEMA_VERSION = 1
"""Raised when a column changes its name, its dtype or its meaning."""

METRICS = Table(
    "sweep.metrics",
    "A run of a study and one of its metrics; a run that failed has a single row, without a metric.",
    (
        Column("run", "str", "Id of the run: a hash of its parameters."),
        Column("input", "str", "Axis: the cluster, by its name in the study."),
        Column("what_if", "str", "Axis: what was changed of it; `none` for nothing."),
        Column("node_scale", "float64", "Axis: its number of nodes as a multiple of the input's."),
        Column("load", "float64", "Axis: percent of the resource that all pods request; NA for the input's own pods."),
        Column("seed", "int64", "Axis: of the draws."),
        Column("configuration", "str", "Axis: by its name in the study."),
        Column("kube_version", "str", "Axis: the release of Kubernetes."),
        Column("tie_break", "str", "Axis."),
        Column("preemption", "str", "Axis; NA for what the input says."),
        Column("percentage_of_nodes_to_score", "Int64", "Axis; NA for what the configuration says."),
        Column("settings", "str", "Axes: values of single settings by their paths, as JSON."),
        Column("metric", "str", "`NAME` or `NAME:RESOURCE`; NA if the run failed."),
        Column("value", "float64", "NaN where the metric is not defined."),
        Column("error", "str", "What was raised, with the place in the code; NA if nothing was."),
        Column("result_hash", "str", "As `Placements.result_hash`; empty if the run failed."),
        Column("seconds", "float64", "That placing took; the only column that differs from one time to the next."),
        Column("kplace", "str", "The version that did the run."),
    ),
)
TABLES = (METRICS,)
WHERE = {
    "sweep.metrics": "`Results.metrics`; the files in `OUT/metrics/study=NAME`, where `study` is one more column",
}

_ARROW = {"str": pa.string(), "float64": pa.float64(), "int64": pa.int64(), "Int64": pa.int64()}
ARROW = pa.schema(
    [pa.field(column.name, _ARROW[column.dtype]) for column in METRICS.columns],
    metadata={"kplace_table": METRICS.name, "kplace_sweep_schema": str(SCHEMA_VERSION)},
)
"""The same for Parquet."""
