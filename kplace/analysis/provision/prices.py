"""What a node costs: by name, by a table, by rates of what it offers."""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from kplace.analysis.provision.candidate import Candidate
from kplace.api.hints import close_names, did_you_mean, listed
from kplace.columns.nodes import allocatable_amounts
from kplace.errors import Fault, InputError, UsageError
from kplace.io.sources import Source, SourceError
from kplace.objects.core import Node

ANNOTATION = "kplace.io/price"
"""Annotation of a node manifest that says what one costs."""
NAMES = ("instance_type", "name")
COLUMNS = ("price", "zone", "capacity_type")
"""Of a table of prices, beside the instance type; only the price is needed."""
_GIB = 2**30
_UNITS = {"cpu": 1000, "memory": _GIB, "ephemeral-storage": _GIB}
"""What a rate is for: a core, a GiB; one of anything else."""

MOST = 10**15
"""The highest price: with it sums are still exact enough as floats to be shown."""

Number = int | float | str | Fraction


@dataclass(frozen=True, slots=True)
class Row:
    """A price of a table; empty texts are for any."""

    name: str
    zone: str
    capacity_type: str
    price: Fraction


@dataclass(frozen=True, slots=True)
class Prices:
    """All that is known of prices.

    Attributes
    ----------
    named : dict of str to Fraction
        By name of a node, an instance type or a candidate.
    rows : tuple of Row
    rates : dict of str to Fraction
        By resource: of a core, a GiB, or one of anything else.
    """

    named: Mapping[str, Fraction]
    rows: tuple[Row, ...] = ()
    rates: Mapping[str, Fraction] | None = None

    def of(self, item: Candidate) -> Fraction | None:
        """What a candidate costs: by its name, its annotation, the table, the rates; None if nothing tells."""
        annotation = (item.node.metadata.annotations or {}).get(ANNOTATION)
        for name in (item.name, item.group, item.like or item.node.metadata.name, item.instance_type):
            if name and name in self.named:
                return self.named[name]
        if annotation is not None:
            return exact(annotation)
        best = max((row for row in self.rows if _means(row, item)), key=_precision, default=None)
        if best is not None:
            return best.price
        if self.rates:
            amounts = allocatable_amounts(item.node)
            return sum(
                (rate * amounts.get(name, 0) / _UNITS.get(name, 1) for name, rate in self.rates.items()), Fraction(0)
            )
        return None


def _means(row: Row, item: Candidate) -> bool:
    return (
        row.name in (item.instance_type, item.node.metadata.name)
        and row.zone in ("", item.zone)
        and row.capacity_type in ("", item.capacity_type)
    )


def _precision(row: Row) -> int:
    return bool(row.zone) + bool(row.capacity_type)


def prices_of(
    candidates: Sequence[Candidate],
    *,
    prices: Mapping[str, Number] | str | Path | None = None,
    price: Mapping[str, Number] | None = None,
    rates: Mapping[str, Number] | None = None,
    tables: Sequence[str | Path] = (),
    before: Sequence[Fault] = (),
) -> Prices:
    """Gather prices.

    Parameters
    ----------
    candidates : sequence of Candidate
        That prices by name may be for.
    prices : mapping or path, optional
        By name, or a table.
    price : mapping, optional
        By name; goes before ``prices``.
    rates : mapping, optional
    tables : sequence of paths
        Tables that may have prices as well; the table ``prices`` goes before them.
    before : sequence of Fault
        What has been found of the files of the candidates, to be told with the rest. As some candidates are not known
        then, it is not told that a price is for none of them.

    Raises
    ------
    InputError
        With every fault of the files, and of the other arguments.
    UsageError
        The files are right, but a price is no positive number or for no candidate: one such fault a line.
    """
    in_files, faults = list(before), list[Fault]()
    is_file = isinstance(prices, str | Path)
    sources = [(prices, True)] if isinstance(prices, str | Path) else []
    rows: list[Row] = []
    for table, needed in [*sources, *((table, False) for table in tables)]:
        try:
            rows += read_prices(table, needed=needed)
        except InputError as error:
            in_files += error.faults
    named: dict[str, Fraction] = {}
    for argument, given in (("prices", {} if is_file else prices), ("price", price)):
        numbers = dict(given) if isinstance(given, Mapping) else {}
        named |= _numbers(argument, numbers, faults)
        faults += _of_nothing(argument, numbers, candidates) if not before else ()
    in_files += (
        fault for item in candidates if item.source == "pool" for fault in annotation_faults(item.node, "", item.like)
    )
    found = Prices(named, tuple(rows), _numbers("rates", rates or {}, faults))
    if in_files:
        raise InputError([*in_files, *faults])
    if faults:
        raise UsageError("\n".join(map(str, faults)))
    return found


def _numbers(argument: str, given: Mapping[str, Number], faults: list[Fault]) -> dict[str, Fraction]:
    """Numbers of an argument; those that are none become faults."""
    found = {}
    for name, number in given.items():
        try:
            found[name] = exact(number, f" for {name}")
        except UsageError as error:
            faults.append(Fault(argument, "", "", str(error)))
    return found


def annotation_faults(node: Node, source: str, name: str = "") -> Iterator[Fault]:
    """What is wrong with the price that a node's annotation says, if it says one.

    Parameters
    ----------
    node : Node
    source : str
        Its file; may be empty.
    name : str
        What the node is called in the input, if not as it is now.
    """
    given = (node.metadata.annotations or {}).get(ANNOTATION)
    if given is not None:
        try:
            exact(given)
        except UsageError as error:
            subject = f"Node {name or node.metadata.name}"
            yield Fault(source, subject, f"metadata.annotations[{ANNOTATION}]", str(error))


def _of_nothing(argument: str, names: Iterable[str], candidates: Sequence[Candidate]) -> Iterator[Fault]:
    """Faults of names with a price that no candidate has."""
    shown = dict.fromkeys(
        name for item in candidates for name in (item.instance_type, item.name, item.node.metadata.name) if name
    )
    known = {*shown, *(name for item in candidates for name in (item.group, item.like))}
    for name in names:
        if name not in known:
            meant = did_you_mean(close_names(name, shown)) or f"; there are {listed(shown)}"
            yield Fault(argument, "", "", f"there is no candidate {name}{meant}")


def exact(given: Number, of: str = "") -> Fraction:
    """A price or a rate as an exact number.

    Parameters
    ----------
    given : number or str
    of : str
        What it is for, as the message says it.

    Raises
    ------
    UsageError
        It is none, below 0, or beyond all that is paid.

    Examples
    --------
    >>> exact("0.096"), exact(0.1), exact("1e-2")
    (Fraction(12, 125), Fraction(1, 10), Fraction(1, 100))
    """
    text = str(given)
    try:
        # What people write as 0.1 is a tenth. An exponent of many digits would take all memory as a fraction.
        is_usual = "/" in text or 1 / MOST < abs(float(text)) <= MOST
        number = Fraction(text if is_usual else float(text))
    except (ValueError, ZeroDivisionError, OverflowError) as error:
        msg = f"expected a number such as 0.096{of}, got {given!r}"
        raise UsageError(msg) from error
    if number < 0:
        msg = f"expected 0 or more{of}, got {given}"
        raise UsageError(msg)
    if number > MOST:
        msg = f"expected at most {MOST:.0e}{of}, got {given}"
        raise UsageError(msg)
    return number


def read_prices(path: str | Path, *, needed: bool = True) -> tuple[Row, ...]:
    """Read a table of prices: CSV.

    It has the columns ``instance_type`` (or ``name``) and ``price``, and maybe ``zone`` and ``capacity_type``. Other
    columns are left alone, so that any table with these will do; rows without a price as well.

    Parameters
    ----------
    needed : bool
        A table without prices is a fault; otherwise it has no rows.

    Raises
    ------
    InputError
        With every fault of the table.
    """
    try:
        text = Source(str(path), path=Path(path)).read().decode(errors="replace")
    except SourceError as error:
        raise InputError([Fault(str(path), "", "", str(error))]) from error
    table = csv.DictReader(io.StringIO(text, newline=""), skipinitialspace=True)
    header = [name.strip() for name in table.fieldnames or ()]
    table.fieldnames = header
    if not needed and "price" not in header:
        return ()
    key = next((name for name in NAMES if name in header), "")
    faults = [] if key else [Fault(str(path), "", NAMES[0], "there is no such column")]
    if "price" not in header:
        meant = did_you_mean(close_names("price", header))
        faults.append(Fault(str(path), "", "price", f"there is no such column{meant}"))
    rows = [] if faults else _rows(table, key, str(path), faults)
    if faults:
        raise InputError(faults)
    return tuple(rows)


def _rows(table: "csv.DictReader[str]", key: str, source: str, faults: list[Fault]) -> list[Row]:
    """Rows with a price; what is wrong with others is added to the faults."""
    found: list[Row] = []
    first: dict[tuple[str, str, str], tuple[Fraction, int]] = {}
    for cells in table:
        given = {name: (text or "").strip() for name, text in cells.items() if name}
        if not given.get("price"):
            continue
        where, name = f"line {table.line_num}", given.get(key, "")
        if not name:
            faults.append(Fault(source, where, key, "is empty, but there is a price"))
        try:
            price = exact(given["price"])
        except UsageError as error:
            faults.append(Fault(source, where, "price", str(error)))
            continue
        row = Row(name, given.get("zone", ""), given.get("capacity_type", ""), price)
        known, line = first.setdefault((row.name, row.zone, row.capacity_type), (price, table.line_num))
        if name and known != price:
            what = " ".join(text for text in (row.name, row.zone, row.capacity_type) if text)
            other = f"{what} costs {given['price']} here, but {float(known):g} in line {line}"
            faults.append(Fault(source, where, "price", other))
        found.append(row)
    return found
