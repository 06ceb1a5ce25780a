"""Draw the pictures under docs/images.

Usage: ``python tools/make_images.py [--check]`` from anywhere. The terminals show real runs on the demo cluster, the
layers are those of the import contract in pyproject.toml. With ``--check`` nothing is written: a picture that would
change is an error.
"""

import argparse
import os
import sys
from pathlib import Path

from drawings import cycle, layers, terminal

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs" / "images"
PICTURES = {
    "place.svg": lambda: terminal.draw("kplace place data/demo", "place"),
    "explain.svg": lambda: terminal.draw("kplace explain data/demo --pod shop/web-6d5f8c9b7-xk2pq", "explain"),
    "layers.svg": lambda: layers.draw(ROOT / "pyproject.toml"),
    "cycle.svg": lambda: cycle.draw("data/demo"),
}


def main() -> int:
    """Write or check the pictures and return the exit code."""
    parser = argparse.ArgumentParser(description="Draw the pictures under docs/images.")
    parser.add_argument(
        "--check", action="store_true", help="write nothing, complain about pictures that are out of date"
    )
    check = parser.parse_args().check
    os.chdir(ROOT)
    stale = []
    for name, make in PICTURES.items():
        path, text = FOLDER / name, make()
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        if check:
            stale.append(name)
        else:
            FOLDER.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
            print(f"docs/images/{name} drawn")
    if stale:
        print(f"out of date under docs/images: {', '.join(stale)}: run `make redoc`", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
