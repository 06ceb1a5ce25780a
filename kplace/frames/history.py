"""The tables of a simulation: attempts, events, the lives of pods, the cluster over time."""

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from kplace.dtypes import F64
from kplace.engine.simulate.history import AttemptRow, EventRow, Life, Sample
from kplace.frames import schema
from kplace.frames.build import Values, category_of, frame, texts
from kplace.queue import SECOND


def attempts_frame(rows: Sequence[AttemptRow]) -> pd.DataFrame:
    """One row per attempt: `kplace.frames.schema.ATTEMPTS`."""
    table: dict[str, Values] = {
        "at": _seconds(row.at for row in rows),
        "popped_at": _seconds(row.popped_at for row in rows),
        **_names([row.pod for row in rows]),
        "attempt": np.array([row.attempt for row in rows], np.int32),
        "result": category_of([row.result for row in rows]),
        "node": category_of([row.node or None for row in rows]),
        "plugins": texts([",".join(row.plugins) for row in rows]),
        "message": texts([row.message for row in rows]),
        "nominated": texts([row.nominated for row in rows]),
        "victims": texts([",".join(row.victims) for row in rows]),
        "evaluated": np.array([row.evaluated for row in rows], np.int32),
        "feasible": np.array([row.feasible for row in rows], np.int32),
        "total": pd.array([row.total for row in rows], dtype="Int64"),
    }
    return schema.stamp(frame(table, len(rows)), schema.ATTEMPTS)


def events_frame(rows: Sequence[EventRow]) -> pd.DataFrame:
    """One row per event: `kplace.frames.schema.EVENTS`."""
    table: dict[str, Values] = {
        "at": _seconds(row.at for row in rows),
        "type": category_of([row.type for row in rows]),
        "reason": category_of([row.reason for row in rows]),
        **_names([row.pod for row in rows]),
        "message": texts([row.message for row in rows]),
    }
    return schema.stamp(frame(table, len(rows)), schema.EVENTS)


def lives_frame(rows: Sequence[Life]) -> pd.DataFrame:
    """One row per pod that was tried: `kplace.frames.schema.LIVES`."""
    entered, active = _seconds(row.entered for row in rows), _seconds(row.active for row in rows)
    bound = _seconds(row.bound for row in rows)
    scheduled = np.where(np.isnan(bound), np.nan, _seconds(row.scheduled for row in rows))
    table: dict[str, Values] = {
        **_names([row.pod for row in rows]),
        "entered": entered,
        "active": active,
        "scheduled": scheduled,
        "bound": bound,
        "node": category_of([row.node or None for row in rows]),
        "attempts": np.array([row.attempts for row in rows], np.int32),
        "queueing": scheduled - entered,
        "latency": bound - active,
    }
    return schema.stamp(frame(table, len(rows)), schema.LIVES)


def timeline_frame(rows: Sequence[Sample]) -> pd.DataFrame:
    """One row per sample: `kplace.frames.schema.TIMELINE`."""
    table: dict[str, Values] = {"at": _seconds(row.at for row in rows)}
    for name in ("nodes", "bound", "binding", "active", "backoff", "unschedulable", "gated"):
        table[name] = np.array([getattr(row, name) for row in rows], np.int32)
    resources = list(rows[0].requested) if rows else []
    amounts = {
        resource: (
            np.array([row.requested[resource] for row in rows], np.int64),
            np.array([row.allocatable[resource] for row in rows], np.int64),
        )
        for resource in resources
    }
    columns = {resource: schema.resource_column(resource) for resource in resources}
    table |= {f"requested_{columns[name]}": requested for name, (requested, _) in amounts.items()}
    table |= {f"allocatable_{columns[name]}": offered for name, (_, offered) in amounts.items()}
    table |= {
        f"utilisation_{columns[name]}": np.divide(requested, offered, out=np.full(len(rows), np.nan), where=offered > 0)
        for name, (requested, offered) in amounts.items()
    }
    for plugin in sorted({plugin for row in rows for plugin in row.by_plugin}):
        table[f"rejected_by_{plugin}"] = np.array([row.by_plugin.get(plugin, 0) for row in rows], np.int32)
    return schema.stamp(frame(table, len(rows)), schema.TIMELINE)


def _seconds(times: Iterable[int]) -> F64:
    """Nanoseconds as seconds; negative ones are NaN."""
    numbers = np.array(list(times), np.int64)
    return np.where(numbers < 0, np.nan, numbers / SECOND)


def _names(keys: Sequence[str]) -> dict[str, Values]:
    """Namespace and name of pods."""
    pairs = [key.split("/", maxsplit=1) for key in keys]
    return {"namespace": category_of([pair[0] for pair in pairs]), "pod": texts([pair[1] for pair in pairs])}
