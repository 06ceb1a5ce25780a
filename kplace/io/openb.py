"""The tables of the OpenB trace: nodes and pods of a GPU cluster as CSV, turned into Kubernetes objects.

A row of nodes becomes a Node, a row of pods a waiting Pod created at the table's time, in seconds from 1970 on.
Its GPUs stand there twice. It requests whole ones (``nvidia.com/gpu``), which is all that a scheduler without a plugin
for shared GPUs can do for it; and annotations say what it really takes (``alibabacloud.com/gpu-count`` and, of each,
``alibabacloud.com/gpu-milli``). Models that it is bound to are both a required node affinity and an annotation.
What became of a pod in the trace (phase, deletion, scheduling) is not taken over.
"""

import csv
import io
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from kplace.columns.annotations import GPU_COUNT, GPU_MILLI, GPU_MODEL

NODE_COLUMNS = frozenset({"sn", "cpu_milli", "memory_mib", "gpu"})
POD_COLUMNS = frozenset({"name", "cpu_milli", "memory_mib", "num_gpu", "gpu_milli"})
"""The columns that a table of nodes or pods is recognised by."""

WHOLE_GPU = "nvidia.com/gpu"
MAX_PODS = 1001
"""Pods that a node takes, as in the trace's own manifests; its tables do not say."""
_LONGEST_HEADER = 4096
_MILLI = 1000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_INT64 = 2**63

Manifest = dict[str, Any]
Complain = Callable[[str, str, str], None]
"""Told what is wrong: the object, the place in the file, a message."""


def is_trace(data: bytes | bytearray) -> bool:
    """Whether a file is a table of the trace, by its header.

    Examples
    --------
    >>> is_trace(b"sn,cpu_milli,memory_mib,gpu,model"), is_trace(b"kind: Pod")
    (True, False)
    """
    head, _, _ = bytes(data[:_LONGEST_HEADER]).partition(b"\n")
    columns = {name.strip() for name in head.decode(errors="replace").split(",")}
    return columns >= NODE_COLUMNS or columns >= POD_COLUMNS


def manifests(data: bytes | bytearray, complain: Complain) -> Iterator[Manifest]:
    """Turn a table into manifests; rows at fault are left out.

    Parameters
    ----------
    data : bytes
        For which `is_trace` holds.
    complain : callable

    Yields
    ------
    dict
        A Node or a Pod, in the order of the table.
    """
    table = csv.DictReader(io.StringIO(data.decode(errors="replace"), newline=""), skipinitialspace=True)
    columns = {name.strip() for name in table.fieldnames or ()}
    make, kind, key = (_node, "Node", "sn") if columns >= NODE_COLUMNS else (_pod, "Pod", "name")
    for cells in table:
        row = _Row(
            {(name or "").strip(): text.strip() for name, text in cells.items() if isinstance(text, str)},
            f"line {table.line_num}",
        )
        name = row.cells.get(key, "")
        manifest = make(row)
        if not name:
            row.faults.append((key, "is missing"))
        for column, message in row.faults:
            complain(f"{kind} {name}".strip(), f"{row.place}, {column}", message)
        if not row.faults:
            yield manifest


class _Row:
    """A row of a table, and what is wrong with it.

    Parameters
    ----------
    cells : mapping of str to str
    place : str

    Attributes
    ----------
    faults : list of (str, str)
        Column and message.
    """

    def __init__(self, cells: Mapping[str, str], place: str) -> None:
        self.cells = cells
        self.place = place
        self.faults: list[tuple[str, str]] = []

    def number(self, column: str, *, most: int = _INT64 - 1) -> int:
        """A whole number that is not negative; 0 if it is none."""
        text = self.cells.get(column, "")
        if not text:
            self.faults.append((column, "is missing"))
        elif not text.isdecimal():
            self.faults.append((column, f'expected a whole number, got "{text}"'))
        elif int(text) > most:
            self.faults.append((column, f"must not be more than {most}, got {text}"))
        else:
            return int(text)
        return 0


def _node(row: _Row) -> Manifest:
    name, model, gpus = row.cells.get("sn", ""), row.cells.get("model", ""), row.number("gpu")
    amounts = {"cpu": f"{row.number('cpu_milli')}m", "memory": f"{row.number('memory_mib')}Mi", "pods": str(MAX_PODS)}
    if gpus:
        amounts |= {WHOLE_GPU: str(gpus), GPU_COUNT: str(gpus), GPU_MILLI: str(gpus * _MILLI)}
    labels = {"kubernetes.io/hostname": name} | ({GPU_MODEL: model} if model else {})
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels},
        "status": {"allocatable": amounts},
    }


def _pod(row: _Row) -> Manifest:
    metadata: Manifest = {"name": row.cells.get("name", ""), "namespace": "default"}
    if row.cells.get("creation_time"):
        metadata["creationTimestamp"] = _time(row)
    amounts = {"cpu": f"{row.number('cpu_milli')}m", "memory": f"{row.number('memory_mib')}Mi"}
    spec: Manifest = {}
    gpus, milli = row.number("num_gpu"), row.number("gpu_milli", most=_MILLI)
    if gpus:
        if not milli:
            row.faults.append(("gpu_milli", f"must be 1 to {_MILLI} for a pod with GPUs"))
        amounts[WHOLE_GPU] = str(gpus)
        metadata["annotations"] = {GPU_COUNT: str(gpus), GPU_MILLI: str(milli)}
        models = list(dict.fromkeys(filter(None, row.cells.get("gpu_spec", "").split("|"))))
        if models:
            metadata["annotations"][GPU_MODEL] = "|".join(models)
            spec["affinity"] = {"nodeAffinity": _of_models(models)}
    spec["containers"] = [{"name": "main", "resources": {"requests": amounts, "limits": amounts}}]
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def _of_models(models: list[str]) -> Manifest:
    expressions = [{"key": GPU_MODEL, "operator": "In", "values": models}]
    return {
        "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchExpressions": expressions}]}
    }


def _time(row: _Row) -> str:
    seconds = row.number("creation_time", most=10**11)
    return (_EPOCH + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")
