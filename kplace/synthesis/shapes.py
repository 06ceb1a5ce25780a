"""Types of machines: the built-in table, tables of users, and what of a machine is left for pods."""

import csv
import functools
import io
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

from kplace.columns.quantity import milli_value, value
from kplace.dtypes import MIB
from kplace.errors import Fault, InputError
from kplace.io.sources import Source, SourceError
from kplace.io.validate.fields import quantity_problem
from kplace.synthesis.description import Quantity, Shape

COLUMNS = ("name", "cpu", "memory_gib", "arch", "pods", "gpu", "gpu_model", "storage_gib", "price")
"""Of a table of shapes; only the first three are needed. A price is for `kplace provision`."""
_AMOUNTS = {"cpu": "", "memory_gib": "Gi", "storage_gib": "Gi"}
"""Columns of amounts, with what makes quantities of them."""

_GIB = 1024 * MIB
_CPU_KEPT = ((1000, 60), (1000, 10), (2000, 5))
"""Of the first cores (in milli-cpu) the thousandths that are kept; of the rest hundred-thousandths."""
_CPU_KEPT_ABOVE = 250
_MEMORY_KEPT = ((4, 25), (4, 20), (8, 10), (112, 6))
"""Of the first GiB the percentages that are kept; of the rest another."""
_MEMORY_KEPT_ABOVE = 2
_EVICTION = 100 * MIB
"""Memory below which a node evicts pods: not allocatable either."""
_STORAGE_KEPT = 10


@functools.cache
def built_in() -> dict[str, Shape]:
    """The built-in table, by name.

    Examples
    --------
    >>> shape = built_in()["m5.large"]
    >>> shape.cpu, shape.memory, shape.pods
    ('2', '8Gi', 29)
    """
    text = resources.files("kplace.synthesis").joinpath("shapes.csv").read_text(encoding="utf-8")
    return dict(_rows(text, "shapes.csv"))


def read_shapes(path: str | Path) -> dict[str, Shape]:
    """Read a table of shapes: CSV with the columns `COLUMNS`.

    Raises
    ------
    InputError
        With every fault of the table.
    """
    try:
        text = Source(str(path), path=Path(path)).read().decode(errors="replace")
    except SourceError as error:
        raise InputError([Fault(str(path), "", "", str(error))]) from error
    return dict(_rows(text, str(path)))


def _rows(text: str, source: str) -> list[tuple[str, Shape]]:
    table = csv.DictReader(io.StringIO(text, newline=""), skipinitialspace=True)
    given = [name.strip() for name in table.fieldnames or ()]
    table.fieldnames = given
    faults = [Fault(source, "", name, "there is no such column") for name in COLUMNS[:3] if name not in given]
    faults += [
        Fault(source, "", name, f"unknown column: expected {', '.join(COLUMNS)}")
        for name in given
        if name not in COLUMNS
    ]
    rows: list[tuple[str, Shape]] = []
    for cells in [] if faults else table:
        filled = {key: text.strip() for key, text in cells.items() if key and text and text.strip()}
        wrong = list(_problems(filled))
        faults += [Fault(source, f"line {table.line_num}", column, message) for column, message in wrong]
        if not wrong:
            rows.append((filled["name"], _shape(filled)))
    if faults:
        raise InputError(faults)
    return rows


def _problems(cells: dict[str, str]) -> Iterator[tuple[str, str]]:
    """What is wrong with a row: columns with messages."""
    yield from ((name, "is missing") for name in COLUMNS[:3] if name not in cells)
    for column, unit in _AMOUNTS.items():
        if column in cells and (message := quantity_problem(f"{cells[column]}{unit}", milli=column == "cpu")):
            yield column, message
    for column in ("pods", "gpu"):
        if column in cells and not cells[column].isdecimal():
            yield column, f'expected a whole number, 0 or more, got "{cells[column]}"'


def _shape(cells: dict[str, str]) -> Shape:
    return Shape(
        cpu=cells["cpu"],
        memory=f"{cells['memory_gib']}Gi",
        arch=cells.get("arch", "amd64"),
        pods=int(cells.get("pods", "110")),
        gpu=int(cells.get("gpu", "0")),
        gpu_model=cells.get("gpu_model", ""),
        storage=f"{cells.get('storage_gib', '100')}Gi",
    )


def kept_cpu(cpu_milli: int) -> int:
    """Milli-cpu that a node keeps for itself.

    6 % of the first core, 1 % of the second, 0.5 % of the next two and 0.25 % of all above: the rule that both GKE and
    EKS publish.

    Examples
    --------
    >>> kept_cpu(2000), kept_cpu(16000)
    (70, 110)
    """
    kept, rest = 0, cpu_milli
    for cores, thousandths in _CPU_KEPT:
        kept += min(rest, cores) * thousandths // 1000
        rest -= min(rest, cores)
    return kept + rest * _CPU_KEPT_ABOVE // 100_000


def kept_memory(memory: int) -> int:
    """Bytes that a node keeps for itself.

    25 % of the first 4 GiB, 20 % of the next 4, 10 % of the next 8, 6 % of the next 112 and 2 % of all above, and
    100 MiB below which it evicts pods: the rule that GKE publishes.

    Examples
    --------
    >>> kept_memory(8 * 1024**3) // 1024**2
    1943
    """
    kept, rest = _EVICTION, memory
    for gib, percent in _MEMORY_KEPT:
        part = min(rest, gib * _GIB)
        kept += part * percent // 100
        rest -= part
    return kept + rest * _MEMORY_KEPT_ABOVE // 100


def allocatable_of(shape: Shape) -> dict[str, int]:
    """What a node of a shape offers to pods: cpu in milli-cpu, all else in its own unit, ``pods`` among it."""
    if shape.allocatable is not None:
        return {name: amount(name, quantity) for name, quantity in shape.allocatable.items()}
    cpu, memory, storage = milli_value(shape.cpu), value(shape.memory), value(shape.storage)
    offered = {
        "cpu": cpu - kept_cpu(cpu),
        # Whole MiB, as a kubelet's own rounding to KiB would be of no use here.
        "memory": max(memory - kept_memory(memory), 0) // MIB * MIB,
        "ephemeral-storage": storage - storage * _STORAGE_KEPT // 100,
        "pods": shape.pods,
    }
    if shape.gpu:
        offered[shape.gpu_resource] = shape.gpu
    return offered | {name: amount(name, quantity) for name, quantity in shape.extended.items()}


def amount(resource: str, quantity: Quantity) -> int:
    """Amount of a resource: cpu in milli-cpu, all else in its own unit."""
    return milli_value(quantity) if resource == "cpu" else value(quantity)
