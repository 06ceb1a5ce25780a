"""The table of a cluster's pods."""

import msgspec
import numpy as np
import pandas as pd

from kplace.columns import ClusterColumns
from kplace.columns.templates import Template
from kplace.dtypes import NO_TIME, Phase
from kplace.frames import schema
from kplace.frames.build import Values, category, category_of, frame, node_category, objects, texts, times
from kplace.frames.taints import toleration_text
from kplace.frames.usage import non_zero_matrix, request_matrix

PHASES = [phase.name.capitalize() for phase in Phase]


def pods_frame(columns: ClusterColumns) -> pd.DataFrame:
    """One row per pod, in input order.

    Returns
    -------
    DataFrame
        The columns are those of `kplace.frames.schema.PODS`. Pods of one template share their dicts: copy one before
        changing it.
    """
    pods, template = columns.pods, columns.pods.template
    table: dict[str, Values] = {
        "namespace": category(pods.namespace, list(pods.namespaces)),
        "pod": texts(pods.names),
        **owner_part(columns, template),
        "scheduler": category(pods.scheduler, list(pods.schedulers)),
        "priority": pods.priority,
        "phase": category(pods.phase, PHASES),
        "node": node_category(columns.nodes, pods.node),
        "waiting": pods.waiting,
        "gated": np.array([item.is_gated for item in columns.templates], np.bool_)[template],
        "terminating": pods.terminating,
        "made": pods.made,
        "created": times(pods.created_ns),
        "started": times(pods.started_ns),
        "lasts": np.where(pods.lasts_ns == NO_TIME, np.nan, pods.lasts_ns / 1e9),
    }
    requests, non_zero = request_matrix(columns), non_zero_matrix(columns)
    for row, resource in enumerate(columns.resources):
        table[f"requested_{schema.resource_column(resource)}"] = requests[row, template]
    table["nonzero_requested_cpu_milli"] = non_zero[0, template]
    table["nonzero_requested_memory_bytes"] = non_zero[1, template]
    table |= _spec_part(columns.templates, template)
    return schema.stamp(frame(table, len(pods)), schema.PODS)


def owner_part(columns: ClusterColumns, template: np.ndarray) -> dict[str, Values]:
    """Columns of the controlling owners of pods of the templates given."""
    owners = [item.owner for item in columns.templates]
    kinds = category_of([owner.kind if owner else None for owner in owners])
    names = texts([owner.name if owner else None for owner in owners])
    return {"owner_kind": kinds.take(template), "owner": names.take(template)}


def _spec_part(templates: list[Template], template: np.ndarray) -> dict[str, Values]:
    return {
        "labels": objects([item.labels for item in templates])[template],
        "node_selector": objects([item.spec.node_selector or {} for item in templates])[template],
        "tolerations": texts([toleration_text(item.spec.tolerations or ()) for item in templates]).take(template),
        "spec": objects([msgspec.to_builtins(item.spec) for item in templates])[template],
    }
