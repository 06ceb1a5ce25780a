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

ANNOTATION = "kplace.io/price"
"""Annotation of a node manifest that says what one costs."""
NAMES = ("instance_type", "name")
COLUMNS = ("price", "zone", "capacity_type")
"""Of a table of prices, beside the instance type; only the price is needed."""
_GIB = 2**30
_UNITS = {"cpu": 1000, "memory": _GIB, "ephemeral-storage": _GIB}
"""What a rate is for: a core, a GiB; one of anything else."""

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
            return positive(annotation, f"{item.name}: annotation {ANNOTATION}")
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

    Raises
    ------
    InputError
        With every fault of the tables, and of the other arguments.
    UsageError
        The tables are right, but a price is no positive number or for no candidate: one such fault a line.
    """
    in_files, faults = list[Fault](), list[Fault]()
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
        faults += _of_nothing(argument, numbers, candidates)
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
            found[name] = exact(number)
        except UsageError as error:
            faults.append(Fault(argument, name, "", str(error)))
    return found


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


def positive(given: Number, what: str) -> Fraction:
    """A price or a rate as an exact number; ``what`` begins the message if it is none.

    Raises
    ------
    UsageError
        It is none, or below 0.

    Examples
    --------
    >>> positive(0.1, "price"), positive("1e-2", "price")
    (Fraction(1, 10), Fraction(1, 100))
    """
    try:
        return exact(given)
    except UsageError as error:
        msg = f"{what}: {error}"
        raise UsageError(msg) from error


def exact(given: Number) -> Fraction:
    """A price or a rate as an exact number.

    Raises
    ------
    UsageError
        It is none, or below 0.

    Examples
    --------
    >>> exact("0.096")
    Fraction(12, 125)
    """
    try:
        # What people write as 0.1 is a tenth.
        number = Fraction(str(given))
    except (ValueError, ZeroDivisionError) as error:
        msg = f"expected a number such as 0.096, got {given!r}"
        raise UsageError(msg) from error
    if number < 0:
        msg = f"expected 0 or more, got {given}"
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
