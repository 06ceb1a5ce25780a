"""Google's trace of 2019: events of machines, collections and instances (CSV, or JSON with an object a line)."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from kplace.traces.tables import GIB, RACK, Faults, Trace, dns, mebibytes, milli, moments, read_frame

_MICRO = 1_000_000
_CORES, _MEMORY = 64, 256 * GIB
"""What a machine of the size 1 has; the trace has everything normalised."""
_FILES = ("machine_events", "collection_events", "instance_events")
_MACHINE = {"ADD": 1, "REMOVE": 2, "UPDATE": 3}
_EVENTS = {
    **{"SUBMIT": 0, "QUEUE": 1, "ENABLE": 2, "SCHEDULE": 3, "EVICT": 4, "FAIL": 5, "FINISH": 6, "KILL": 7, "LOST": 8},
    **{"UPDATE_PENDING": 9, "UPDATE_RUNNING": 10},
}
_ENDS = (5, 6, 7, 8)
_ALLOC_SETS = {"1", "ALLOC_SET"}


def read_google(files: Sequence[str | Path]) -> Trace:
    """Read events of machines, instances and, if they are there, collections; files are told by their names.

    A machine is as its last event says; one that was removed is left out. An instance is a pod: created when it was
    submitted first, of the size that it asked for first, and it lasts from its first start to its last end. Instances
    of alloc sets hold the room for the tasks inside of them, which are left out. Switches become racks. Collections
    that allow one instance a machine get a required anti-affinity. A machine of size 1 counts as 64 cpus and 256Gi.

    Raises
    ------
    InputError
    """
    found: dict[str, list[tuple[str, pd.DataFrame]]] = {name: [] for name in _FILES}
    faults = Faults()
    for file in files:
        kind = next((name for name in _FILES if name in Path(file).name), None)
        if kind is None:
            faults.add(str(file), "", "", f"expected a file called after one of {', '.join(_FILES)}")
        else:
            found[kind].append((str(file), read_frame(file)))
    for needed in ("machine_events", "instance_events"):
        if not found[needed]:
            faults.add(", ".join(map(str, files)), "", "", f"there is no file of {needed}")
    faults.check()
    notes: list[str] = []
    nodes = _machines(*_joined(found["machine_events"]), faults)
    collections = _joined(found["collection_events"])[1] if found["collection_events"] else None
    pods = _instances(*_joined(found["instance_events"]), collections, faults, notes)
    faults.check()
    return Trace(nodes, pods, notes)


def _joined(parts: list[tuple[str, pd.DataFrame]]) -> tuple[str, pd.DataFrame]:
    return ", ".join(name for name, _ in parts), pd.concat([frame for _, frame in parts], ignore_index=True)


def _codes(frame: pd.DataFrame, source: str, known: dict[str, int], faults: Faults) -> pd.Series:
    """The type of each event as a number, whether it is written as one or by its name."""
    if "type" not in frame:
        faults.add(source, "", "type", "there is no such column")
        return pd.Series(-1, frame.index)
    given = frame["type"].fillna(0).astype("str").str.removesuffix(".0")
    codes = given.map(known).fillna(pd.to_numeric(given, errors="coerce"))
    for row in frame.index[codes.isna()]:
        faults.add(source, f"row {int(row) + 1}", "type", f'"{given[row]}" is none of {", ".join(known)}')
    return codes.fillna(-1).astype("int64")


def _machines(source: str, frame: pd.DataFrame, faults: Faults) -> pd.DataFrame:
    numbers = {
        "at": faults.numbers(frame, "time", source).fillna(0),
        "what": _codes(frame, source, _MACHINE, faults),
        "cpus": faults.numbers(frame, "capacity.cpus", source),
        "bytes": faults.numbers(frame, "capacity.memory", source),
    }
    frame = frame.assign(**numbers).sort_values("at", kind="stable")
    by_machine = frame.groupby("machine_id", sort=False)
    last = by_machine.last()  # of each column what was said last
    kept = last[last["what"] != _MACHINE["REMOVE"]]
    name = "machine-" + dns(kept.index.to_series())
    switch = kept["switch_id"] if "switch_id" in kept else pd.Series("none", kept.index)
    table = {
        "node": name,
        "cpu": milli(kept["cpus"].fillna(0) * _CORES),
        "memory": mebibytes(kept["bytes"].fillna(0) * _MEMORY),
        "pods": 1000,
        RACK: "switch-" + dns(switch.fillna("none")).str[:40],
        "label:kubernetes.io/hostname": name,
    }
    if "platform_id" in kept:
        table["label:platform"] = "platform-" + dns(kept["platform_id"].fillna("none")).str[:40]
    return pd.DataFrame(table).reset_index(drop=True)


def _instances(
    source: str, frame: pd.DataFrame, collections: pd.DataFrame | None, faults: Faults, notes: list[str]
) -> pd.DataFrame:
    for column in ("collection_id", "instance_index"):
        if column not in frame:
            faults.add(source, "", column, "there is no such column")
    faults.check()
    events = pd.DataFrame(
        {
            "collection": frame["collection_id"].astype("str"),
            "index": frame["instance_index"].fillna(0).astype("str").str.removesuffix(".0"),
            "at": faults.numbers(frame, "time", source).fillna(0) / _MICRO,
            "what": _codes(frame, source, _EVENTS, faults),
            "cpus": faults.numbers(frame, "resource_request.cpus", source),
            "bytes": faults.numbers(frame, "resource_request.memory", source),
            "priority": faults.numbers(frame, "priority", source),
            "inside": _is_inside(frame),
        }
    ).sort_values("at", kind="stable")
    faults.check()
    groups = events.groupby(["collection", "index"], sort=False)
    first = groups.first()
    starts = events[events["what"] == _EVENTS["SCHEDULE"]].groupby(["collection", "index"])["at"].min()
    ends = events[events["what"].isin(_ENDS)].groupby(["collection", "index"])["at"].max()
    lasts = (ends - starts).reindex(first.index)
    kept = first[~first["inside"].astype("bool") & first["cpus"].notna() & first["bytes"].notna()]
    if len(kept) < len(first):
        left = len(first) - len(kept)
        notes.append(f"{left:,} instances inside of others, or without a request, are left out")
    collection, index = (kept.index.get_level_values(level).to_series(index=kept.index) for level in (0, 1))
    table = {
        "pod": "c" + dns(collection) + "-" + index,
        "cpu": milli(kept["cpus"] * _CORES),
        "memory": mebibytes(kept["bytes"] * _MEMORY),
        "priority": kept["priority"].fillna(0).astype("int64"),
        "label:app": "c" + dns(collection),
        "created": moments(kept["at"]),
        "lasts": lasts.loc[kept.index].where(lasts.loc[kept.index] > 0),
    }
    if collections is not None:
        table["spec"] = _apart(collections, collection)
    return pd.DataFrame(table).reset_index(drop=True)


def _is_inside(frame: pd.DataFrame) -> pd.Series:
    """Whether a task runs inside of an alloc instance."""
    if "alloc_collection_id" not in frame:
        return pd.Series(False, frame.index)
    alloc = frame["alloc_collection_id"].fillna("0").astype("str").str.removesuffix(".0")
    is_set = frame["collection_type"].astype("str").isin(_ALLOC_SETS) if "collection_type" in frame else False
    return ~alloc.isin(["0", "", "nan"]) & ~pd.Series(is_set, frame.index)


def _apart(collections: pd.DataFrame, collection: pd.Series) -> pd.Series:
    """Specs of pods of which a machine may have one only."""
    if "max_per_machine" not in collections:
        return pd.Series(None, collection.index, dtype="object")
    most = pd.to_numeric(collections["max_per_machine"], errors="coerce")
    single = set(collections.loc[most == 1, "collection_id"].astype("str"))
    made = {name: _one_per_machine(name) for name in collection.unique().tolist() if name in single}
    specs = np.empty(len(collection), np.object_)
    specs[:] = [made.get(name) for name in collection.tolist()]
    return pd.Series(specs, collection.index)


def _one_per_machine(collection: str) -> dict[str, object]:
    selector = {"matchLabels": {"app": f"c{collection}"}}
    term = {"labelSelector": selector, "topologyKey": "kubernetes.io/hostname"}
    affinity = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    return {"containers": [{"name": "main"}], "affinity": affinity}
