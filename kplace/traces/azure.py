"""Azure's trace for packing of 2020: types of machines and requests for VMs (sqlite)."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pandas as pd

from kplace.errors import Fault, InputError
from kplace.traces.tables import GIB, Trace, dns, mebibytes, milli, moments

_DAY = 86_400.0
_CORES, _MEMORY, _DISK = 64, 256 * GIB, 1024 * GIB
"""What a machine has; the trace counts everything in shares of one."""
_PODS = 1000
N_NODES = 1000
HIGH_PRIORITY = 1000
_SCHEMA = {
    "vm": ("vmId", "tenantId", "vmTypeId", "priority", "starttime", "endtime"),
    "vmType": ("vmTypeId", "machineId", "core", "memory", "ssd"),
}


def read_azure(files: Sequence[str | Path], n_nodes: int | None, limit: int | None) -> Trace:
    """Read a database with the tables ``vm`` and ``vmType``.

    The trace does not say how many machines there are, nor how large they are: nodes are all of the type of machine on
    which most types of VM can run, and that has 64 cpus, 256Gi and 1Ti of disk. A VM is a pod of priority 1000, or 0 if
    the trace says low; it lasts as long as the VM did, and those from before the trace arrive at its start.

    Parameters
    ----------
    n_nodes : int, optional
        1,000 by default.
    limit : int, optional
        Only the first VMs by their start.

    Raises
    ------
    InputError
    """
    if len(files) != 1:
        raise InputError([Fault(", ".join(map(str, files)), "", "", "expected one sqlite file")])
    source = str(files[0])
    vms, types = _read(source, limit)
    machine = _commonest(types)
    own = types[types["machineId"] == machine].drop_duplicates("vmTypeId").set_index("vmTypeId")
    fits = vms["vmTypeId"].isin(own.index)
    notes = [f"nodes are machines of type {machine}"]
    if not fits.all():
        notes.append(f"{int((~fits).sum()):,} VMs of types that do not run on them are left out")
    vms = vms[fits].reset_index(drop=True)
    share = own.loc[vms["vmTypeId"]].reset_index(drop=True)
    start, end = vms["starttime"].clip(lower=0) * _DAY, vms["endtime"] * _DAY
    pods = pd.DataFrame(
        {
            "pod": "vm-" + dns(vms["vmId"]),
            "cpu": milli(share["core"].fillna(0) * _CORES),
            "memory": mebibytes(share["memory"].fillna(0) * _MEMORY),
            "ephemeral-storage": mebibytes(share["ssd"].fillna(0) * _DISK),
            "priority": (vms["priority"] == 0) * HIGH_PRIORITY,
            "label:tenant": "tenant-" + dns(vms["tenantId"]),
            "created": moments(start),
            "lasts": (end - start).where(end > start),
        }
    )
    count = N_NODES if n_nodes is None else n_nodes
    names = [f"machine-{number:05}" for number in range(count)]
    nodes = pd.DataFrame({"node": names, "label:kubernetes.io/hostname": names})
    nodes = nodes.assign(cpu=str(_CORES), memory=f"{_MEMORY // GIB}Gi", pods=_PODS)
    return Trace(nodes.assign(**{"ephemeral-storage": f"{_DISK // GIB}Gi"}), pods, notes)


def _read(source: str, limit: int | None) -> tuple[pd.DataFrame, pd.DataFrame]:
    if not Path(source).is_file():
        raise InputError([Fault(source, "", "", "there is no such file")])
    try:
        with closing(sqlite3.connect(f"{Path(source).resolve().as_uri()}?mode=ro", uri=True)) as database:
            _check(database, source)
            most = "" if limit is None else f" LIMIT {int(limit)}"
            vms = pd.read_sql(f"SELECT * FROM vm ORDER BY starttime, vmId{most}", database)
            return vms, pd.read_sql("SELECT * FROM vmType", database)
    except sqlite3.DatabaseError as error:
        raise InputError([Fault(source, "", "", f"is no sqlite database that can be read: {error}")]) from error


def _check(database: sqlite3.Connection, source: str) -> None:
    faults = []
    for table, columns in _SCHEMA.items():
        there = {str(row[1]) for row in database.execute(f"PRAGMA table_info({table})")}
        if not there:
            faults.append(Fault(source, f"table {table}", "", "is missing"))
        faults += [
            Fault(source, f"table {table}", column, "there is no such column")
            for column in columns
            if there and column not in there
        ]
    if faults:
        raise InputError(faults)


def _commonest(types: pd.DataFrame) -> object:
    counts = types.groupby("machineId")["vmTypeId"].nunique()
    return counts.index[int(counts.to_numpy().argmax())] if len(counts) else None
