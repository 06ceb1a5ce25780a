"""A cluster without some of its pods."""

from dataclasses import fields, replace

import numpy as np

from kplace.columns.cluster import ClusterColumns, SourceObject
from kplace.columns.pods import PodColumns
from kplace.dtypes import I32


def without_pods(columns: ClusterColumns, gone: I32) -> ClusterColumns:
    """Build the same cluster without some pods; the others keep their order and get new indexes.

    Parameters
    ----------
    gone : int32 ndarray
        Indexes of the pods to leave out.
    """
    if not len(gone):
        return columns
    stays = np.ones(len(columns.pods), np.bool_)
    stays[gone] = False
    index = np.cumsum(stays) - 1
    sources = [
        item if item.pod < 0 else SourceObject(item.kind, item.source, item.raw, int(index[item.pod]))
        for item in columns.sources
        if item.pod < 0 or stays[item.pod]
    ]
    kept = np.flatnonzero(stays)
    changes: dict[str, object] = {}
    for field in fields(PodColumns):
        column = getattr(columns.pods, field.name)
        if isinstance(column, np.ndarray):
            changes[field.name] = column[kept]
        elif isinstance(column, list):
            changes[field.name] = [column[pod] for pod in kept.tolist()]
    return replace(columns, pods=replace(columns.pods, **changes), sources=sources)  # type: ignore[arg-type]
