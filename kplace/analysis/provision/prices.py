"""What a node costs: by name, by a table, by rates of what it offers."""

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from kplace.analysis.provision.candidate import Candidate
from kplace.api.hints import close_names, did_you_mean
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

    def unused(self, candidates: "list[Candidate]") -> list[str]:
        """Names with a price that no candidate has."""
        known = {name for item in candidates for name in (item.name, item.group, item.like, item.instance_type)}
        known |= {item.node.metadata.name for item in candidates}
        return [name for name in self.named if name not in known]


def _means(row: Row, item: Candidate) -> bool:
    return (
        row.name in (item.instance_type, item.node.metadata.name)
        and row.zone in ("", item.zone)
        and row.capacity_type in ("", item.capacity_type)
    )


def _precision(row: Row) -> int:
    return bool(row.zone) + bool(row.capacity_type)


def prices_of(
    prices: Mapping[str, Number] | str | Path | None, rates: Mapping[str, Number] | None, *tables: tuple[Row, ...]
) -> Prices:
    """Gather prices.

    Parameters
    ----------
    prices : mapping or path, optional
        By name, or a table.
    rates : mapping, optional
    *tables : tuple of Row
        Further rows.

    Raises
    ------
    InputError
        With every fault of the table.
    UsageError
        A price is no positive number.
    """
    named: dict[str, Fraction] = {}
    rows = [row for table in tables for row in table]
    if isinstance(prices, str | Path):
        rows = [*read_prices(prices), *rows]
    elif prices is not None:
        named = {name: positive(price, f"prices: {name}") for name, price in prices.items()}
    return Prices(named, tuple(rows), {name: positive(rate, f"rates: {name}") for name, rate in (rates or {}).items()})


def positive(given: Number, what: str) -> Fraction:
    """A price or a rate as an exact number.

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
        # What people write as 0.1 is a tenth.
        number = Fraction(str(given))
    except (ValueError, ZeroDivisionError) as error:
        msg = f"{what}: expected a number such as 0.096, got {given!r}"
        raise UsageError(msg) from error
    if number < 0:
        msg = f"{what}: expected 0 or more, got {given}"
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
    rows = [] if faults else list(_rows(table, key, str(path), faults))
    if faults:
        raise InputError(faults)
    return tuple(rows)


def _rows(table: "csv.DictReader[str]", key: str, source: str, faults: list[Fault]) -> Iterator[Row]:
    for cells in table:
        given = {name: (text or "").strip() for name, text in cells.items() if name}
        if not given.get("price"):
            continue
        where = f"line {table.line_num}"
        try:
            price = positive(given["price"], "price")
        except UsageError as error:
            faults.append(Fault(source, where, "", str(error)))
            continue
        yield Row(given.get(key, ""), given.get("zone", ""), given.get("capacity_type", ""), price)
