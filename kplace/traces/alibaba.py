"""Alibaba's trace of 2018: machines, long-running containers, batch tasks (CSV without headers)."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from kplace.errors import Fault, InputError
from kplace.traces.tables import GIB, RACK, Faults, Trace, dns, mebibytes, milli, moments, read_frame

MACHINES = ("machine_id", "time_stamp", "failure_domain_1", "failure_domain_2", "cpu_num", "mem_size", "status")
CONTAINERS = (
    *("container_id", "machine_id", "time_stamp", "app_du", "status", "cpu_request", "cpu_limit"),
    "mem_size",
)
TASKS = (
    *("task_name", "instance_num", "job_name", "task_type", "status", "start_time", "end_time"),
    *("plan_cpu", "plan_mem"),
)
_FILES = {"machine_meta": MACHINES, "container_meta": CONTAINERS, "batch_task": TASKS}
_CORE = 100
"""What the trace counts a core as."""
_LARGEST = 256 * GIB
"""Memory of a machine of the size 100; the trace has it normalised."""
CONTAINER_PRIORITY = 1000


def read_alibaba(files: Sequence[str | Path]) -> Trace:
    """Read ``machine_meta``, ``container_meta`` and ``batch_task`` tables, told by their names.

    A machine is as its last row says, a container as its first. Failure domains become zone and rack. Containers are
    pods of priority 1000 with the label ``app``; each instance of a task is a pod of priority 0 that lasts as long as
    the task did. Memory of size 100 counts as 256Gi.

    Raises
    ------
    InputError
    """
    kinds = {str(file): next((name for name in _FILES if name in Path(file).name), None) for file in files}
    wrong = [
        Fault(file, "", "", f"expected a file called after one of {', '.join(_FILES)}")
        for file, kind in kinds.items()
        if kind is None
    ]
    if "machine_meta" not in kinds.values():
        wrong.append(Fault(", ".join(kinds), "", "", "there is no machine_meta file, hence no nodes"))
    if wrong:
        raise InputError(wrong)
    tables: dict[str, list[tuple[str, pd.DataFrame]]] = {name: [] for name in _FILES}
    for file, kind in kinds.items():
        if kind is not None:
            tables[kind].append((file, read_frame(file, _FILES[kind])))
    faults, notes = Faults(), list[str]()
    nodes = pd.concat([_machines(frame, source, faults) for source, frame in tables["machine_meta"]])
    pods = [_containers(frame, source, faults) for source, frame in tables["container_meta"]]
    pods += [_tasks(frame, source, faults, notes) for source, frame in tables["batch_task"]]
    faults.check()
    return Trace(nodes, pd.concat(pods, ignore_index=True) if pods else pd.DataFrame({"pod": []}), notes)


def _machines(frame: pd.DataFrame, source: str, faults: Faults) -> pd.DataFrame:
    frame = frame.assign(at=faults.numbers(frame, "time_stamp", source).fillna(0))
    last = frame.sort_values("at", kind="stable").drop_duplicates("machine_id", keep="last").sort_index()
    name = dns(last["machine_id"])
    return pd.DataFrame(
        {
            "node": name,
            "cpu": milli(faults.numbers(last, "cpu_num", source).fillna(0)),
            "memory": mebibytes(faults.numbers(last, "mem_size", source).fillna(0) / 100 * _LARGEST),
            "pods": 1000,
            "zone": "fd-" + dns(last["failure_domain_1"]),
            RACK: "fd-" + dns(last["failure_domain_2"]),
            "label:kubernetes.io/hostname": name,
        }
    )


def _containers(frame: pd.DataFrame, source: str, faults: Faults) -> pd.DataFrame:
    frame = frame.assign(at=faults.numbers(frame, "time_stamp", source).fillna(0))
    first = frame.sort_values("at", kind="stable").drop_duplicates("container_id").sort_index()
    return pd.DataFrame(
        {
            "pod": dns(first["container_id"]),
            "namespace": "online",
            "cpu": milli(faults.numbers(first, "cpu_request", source).fillna(0) / _CORE),
            "memory": mebibytes(faults.numbers(first, "mem_size", source).fillna(0) / 100 * _LARGEST),
            "priority": CONTAINER_PRIORITY,
            "label:app": dns(first["app_du"]),
            "created": moments(first["at"]),
        }
    )


def _tasks(frame: pd.DataFrame, source: str, faults: Faults, notes: list[str]) -> pd.DataFrame:
    names = ("instance_num", "start_time", "end_time", "plan_cpu", "plan_mem")
    numbers = pd.DataFrame({name: faults.numbers(frame, name, source) for name in names})
    planned = numbers["plan_cpu"].notna() & numbers["plan_mem"].notna()
    if not planned.all():
        notes.append(f"{int((~planned).sum()):,} batch tasks without a plan for cpu or memory are left out")
    table = frame[planned].drop(columns=list(names)).join(numbers[planned])
    table = table.loc[table.index.repeat(table["instance_num"].fillna(1).astype("int64"))]
    instance = table.groupby(level=0).cumcount().astype("str")
    start, end = table["start_time"].fillna(0), table["end_time"]
    return pd.DataFrame(
        {
            "pod": dns(table["job_name"]) + "-" + dns(table["task_name"]) + "-" + instance,
            "namespace": "batch",
            "cpu": milli(table["plan_cpu"] / _CORE),
            "memory": mebibytes(table["plan_mem"] / 100 * _LARGEST),
            "priority": 0,
            "label:app": dns(table["job_name"]),
            "created": moments(start),
            "lasts": (end - start).where(end > start),
        }
    )
