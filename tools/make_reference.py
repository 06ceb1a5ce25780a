"""Write the pages under docs/reference from the code.

Usage: ``python tools/make_reference.py [--check]``. With ``--check`` nothing is written: a page that would change is an
error.
"""

import argparse
import difflib
import sys
from pathlib import Path

from reference import (
    commands,
    descriptions,
    messages,
    metrics,
    plots,
    plugins,
    python_api,
    studies,
    tables,
    trace,
    versions,
)

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "reference"
PAGES = {
    "commands.md": commands.make,
    "python.md": python_api.make,
    "tables.md": tables.make,
    "metrics.md": metrics.make,
    "plots.md": plots.make,
    "studies.md": studies.make,
    "descriptions.md": descriptions.make,
    "plugins.md": plugins.make,
    "messages.md": messages.make,
    "trace.md": trace.make,
    "kube-versions.md": versions.make,
}


def main() -> int:
    """Write or check the pages and return the exit code."""
    parser = argparse.ArgumentParser(description="Write the pages under docs/reference from the code.")
    parser.add_argument("--check", action="store_true", help="write nothing, complain about pages that are out of date")
    check = parser.parse_args().check
    stale = 0
    for name, make in PAGES.items():
        path, text = FOLDER / name, make()
        old = path.read_text(encoding="utf-8") if path.exists() else ""
        if text == old:
            continue
        if check:
            stale += 1
            pages = old.splitlines(), text.splitlines()
            lines = difflib.unified_diff(*pages, f"{name} as it is", "as the code says", n=0, lineterm="")
            print("\n".join(lines), file=sys.stderr)
        else:
            path.write_text(text, encoding="utf-8")
            print(f"docs/reference/{name} written")
    if stale:
        print(f"{stale} pages under docs/reference are out of date: run `make redoc`", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
