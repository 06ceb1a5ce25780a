"""Types of machines as tables have them: what a node offers, and its labels."""

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from kplace.analysis.provision.candidate import (
    ARCH,
    INSTANCE_TYPE,
    OS,
    REGION,
    ZONE,
    Candidate,
    template_node,
)
from kplace.api.hints import listed
from kplace.columns import NodeColumns
from kplace.columns.node_order import ZONE_LABELS
from kplace.columns.quantity import milli_value, value
from kplace.dtypes import NO_VALUE
from kplace.errors import Fault, InputError
from kplace.io.sources import Source, SourceError
from kplace.io.validate.fields import quantity_problem
from kplace.objects.meta import Quantity
from kplace.synthesis.description import Shape
from kplace.synthesis.shapes import COLUMNS, allocatable_of, built_in, read_shapes

BUILT_IN = "built-in"
"""What stands for kplace's own table in the place of a file."""
NAME = "instance_type"
OFFERED = "alloc:"
"""Beginning of the columns that say what a node offers to pods."""
AWS = "karpenter.k8s.aws/instance-"
_SCHEME = re.compile(r"(?P<category>[a-z]+)(-[0-9]+tb)?(?P<generation>[0-9]+)[^.]*\.(?P<size>.+)")
_MIB = 2**20


@dataclass(frozen=True, slots=True)
class Machine:
    """A type of machine.

    Attributes
    ----------
    name : str
    allocatable : dict of str to quantity
        What a node of it offers to pods.
    labels : dict of str to str
        What its nodes carry beside the labels of their place.
    capacity : dict of str to int
        What one has before the system takes its part, cpu in milli-cpu: that is what limits count.
    """

    name: str
    allocatable: Mapping[str, Quantity]
    labels: Mapping[str, str]
    capacity: Mapping[str, int]


def read_machines(tables: Sequence[str | Path]) -> list[Machine]:
    """Read tables of types; of two types of one name the first counts.

    Parameters
    ----------
    tables : sequence of path
        CSV files. One with the columns ``instance_type`` and ``alloc:RESOURCE`` says what a node offers; its columns
        with a slash in their names are labels. Any other is a table of shapes as `kplace synth` takes it, from which
        that is worked out. `BUILT_IN` stands for kplace's own table.

    Raises
    ------
    InputError
        With every fault of every table.
    """
    found: dict[str, Machine] = {}
    faults: list[Fault] = []
    for table in tables:
        try:
            for machine in _read(table):
                found.setdefault(machine.name, machine)
        except InputError as error:
            faults += error.faults
    if faults:
        raise InputError(faults)
    return list(found.values())


def _read(table: str | Path) -> Iterator[Machine]:
    if str(table) == BUILT_IN:
        yield from (_of_shape(name, shape) for name, shape in built_in().items())
        return
    try:
        text = Source(str(table), path=Path(table)).read().decode(errors="replace")
    except SourceError as error:
        raise InputError([Fault(str(table), "", "", str(error))]) from error
    rows = csv.DictReader(io.StringIO(text, newline=""), skipinitialspace=True)
    header = [name.strip() for name in rows.fieldnames or ()]
    if NAME in header and f"{OFFERED}cpu" in header:
        rows.fieldnames = header
        yield from _of_rows(rows, str(table))
    elif not {"cpu", *COLUMNS[2:3]} & set(header):
        offer, shape = f"{NAME}, {OFFERED}cpu, {OFFERED}memory, ...", ", ".join(COLUMNS[:3])
        there = f"there are {listed(header)}" if any(header) else "it is empty"
        message = f"is no table of machines: expected the columns {offer} or {shape}, ...; {there}"
        raise InputError([Fault(str(table), "", "", message)])
    else:
        yield from (_of_shape(name, shape) for name, shape in read_shapes(table).items())


def _of_shape(name: str, shape: Shape) -> Machine:
    amounts = allocatable_of(shape)
    allocatable: dict[str, Quantity] = {
        resource: f"{amount}m" if resource == "cpu" else str(amount) for resource, amount in amounts.items()
    }
    capacity = amounts | ({"cpu": milli_value(shape.cpu), "memory": value(shape.memory)} if shape.cpu else {})
    labels = {INSTANCE_TYPE: name, ARCH: shape.arch}
    if shape.gpu_model:
        labels[f"{shape.gpu_resource.rpartition('/')[0]}/gpu.product"] = shape.gpu_model
    return Machine(name, allocatable, labels, capacity)


def _of_rows(rows: "csv.DictReader[str]", source: str) -> Iterator[Machine]:
    faults: list[Fault] = []
    found = []
    for cells in rows:
        given = {name: text.strip() for name, text in cells.items() if name and text and text.strip()}
        name = given.get(NAME, "")
        offered: dict[str, Quantity] = {
            key.removeprefix(OFFERED): text for key, text in given.items() if key.startswith(OFFERED)
        }
        subject = f"line {rows.line_num}"
        if not name:
            faults.append(Fault(source, subject, NAME, "is missing"))
        amounts = {}
        for resource, quantity in offered.items():
            if message := quantity_problem(quantity, milli=resource == "cpu"):
                faults.append(Fault(source, subject, f"{OFFERED}{resource}", message))
            else:
                amounts[resource] = milli_value(quantity) if resource == "cpu" else value(quantity)
        labels = {key: text for key, text in given.items() if "/" in key and not key.startswith(OFFERED)}
        found.append(Machine(name, offered, {INSTANCE_TYPE: name, **labels}, amounts | _whole(labels)))
    if faults:
        raise InputError(faults)
    yield from found


def _whole(labels: Mapping[str, str]) -> dict[str, int]:
    """All cpu and memory of a machine, where labels tell."""
    cpu, memory = labels.get(f"{AWS}cpu", ""), labels.get(f"{AWS}memory", "")
    found = {"cpu": int(cpu) * 1000} if cpu.isdecimal() else {}
    return found | ({"memory": int(memory) * _MIB} if memory.isdecimal() else {})


def launched_labels(machine: Machine) -> dict[str, str]:
    """Labels that Karpenter puts on the nodes of a type in AWS, as far as its name and size tell them.

    Examples
    --------
    >>> labels = launched_labels(Machine("m5d.xlarge", {}, {}, {"cpu": 4000}))
    >>> [labels[f"karpenter.k8s.aws/instance-{key}"] for key in ("category", "family", "generation", "size", "cpu")]
    ['m', 'm5d', '5', 'xlarge', '4']
    """
    scheme = _SCHEME.fullmatch(machine.name)
    if scheme is None:
        return dict(machine.labels)
    told = {f"{AWS}{key}": scheme[key] for key in ("category", "generation", "size")}
    told[f"{AWS}family"] = machine.name.partition(".")[0]
    if "cpu" in machine.capacity:
        told[f"{AWS}cpu"] = str(machine.capacity["cpu"] // 1000)
    if "memory" in machine.capacity:
        told[f"{AWS}memory"] = str(machine.capacity["memory"] // _MIB)
    return told | dict(machine.labels)


def zones_of(nodes: NodeColumns) -> dict[str, str]:
    """Zones of a cluster's nodes, in order of their names, each with its region, which may be empty."""
    found: dict[str, str] = {}
    regions, names = nodes.label_codes(REGION), nodes.label_values(REGION)
    for key in ZONE_LABELS:
        codes, values = nodes.label_codes(key), nodes.label_values(key)
        for n in (codes != NO_VALUE).nonzero()[0].tolist():
            found.setdefault(values[codes[n]], names[regions[n]] if regions[n] >= 0 else "")
    return dict(sorted(found.items()))


def placed(zone: str, region: str) -> dict[str, str]:
    """Labels of a place."""
    return ({ZONE: zone} if zone else {}) | ({REGION: region} if region else {})


def shape_candidates(machines: Sequence[Machine], zones: Mapping[str, str]) -> Iterator[Candidate]:
    """One candidate for each type and zone; of each type a single one where there are no zones."""
    for machine in machines:
        for zone, region in (zones or {"": ""}).items():
            name = f"{machine.name} {zone}".strip()
            labels = {OS: "linux", **machine.labels, **placed(zone, region)}
            node = template_node(machine.name, labels, (), machine.allocatable)
            yield Candidate(name, machine.name, "shape", node, capacity=machine.capacity)
