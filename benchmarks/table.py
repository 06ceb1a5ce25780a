"""One table of all benchmarks of a run: ``python -m benchmarks.table FILE``, as ``make bench`` ends with.

FILE is what pytest-benchmark keeps (``--benchmark-json``).
"""

import json
import sys
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from benchmarks.throughput import PROBE_NODES, probe_ns

RATE = "_per_second"


def rows(record: dict) -> list[tuple[str, str, str, str]]:
    """Module, benchmark, best time and what was counted, in the order of the run."""
    found = []
    for item in record["benchmarks"]:
        module = Path(item["fullname"].partition("::")[0]).stem.removeprefix("bench_")
        extra = item["extra_info"]
        counted = [f"{value:,.0f} {name.removesuffix(RATE)}/s" for name, value in extra.items() if name.endswith(RATE)]
        counted += [
            f"{name.replace('_', ' ')} {value:,}"
            for name, value in extra.items()
            if not name.endswith(RATE) and isinstance(value, int | float)
        ]
        name = item["name"].removeprefix("test_").replace("_", " ")
        found.append((module, name, f"{item['stats']['min']:,.3f} s", ", ".join(counted)))
    return found


def main(arguments: list[str]) -> None:
    """Print the table."""
    record = json.loads(Path(arguments[0]).read_text(encoding="utf-8"))
    table = Table("part", "benchmark", "best time", "that is", box=None, header_style="bold")
    table.columns[2].justify = "right"
    last = ""
    for module, *cells in rows(record):
        table.add_row(module if module != last else "", *map(escape, cells))
        last = module
    console = Console(width=None if sys.stdout.isatty() else 140)
    console.print(table)
    machine = record["machine_info"]
    console.print(
        f"{machine['cpu'].get('count')} cores, {machine['cpu'].get('brand_raw', machine['machine'])}, "
        f"Python {machine['python_version']}; a maximum over {PROBE_NODES:,} int16 takes {probe_ns():,.0f} ns"
    )


if __name__ == "__main__":
    main(sys.argv[1:])
