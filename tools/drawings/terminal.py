"""Terminals that show what a command prints."""

import io
import os
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

WIDTH = 92
THEME = TerminalTheme(
    (24, 27, 32),
    (214, 219, 226),
    [
        (60, 66, 76),
        (224, 108, 117),
        (152, 195, 121),
        (229, 192, 123),
        (97, 175, 239),
        (198, 120, 221),
        (86, 182, 194),
        (190, 197, 207),
    ],
    [
        (110, 118, 129),
        (224, 108, 117),
        (152, 195, 121),
        (229, 192, 123),
        (97, 175, 239),
        (198, 120, 221),
        (86, 182, 194),
        (255, 255, 255),
    ],
)
# rich's own frame loads a font from the network; this one takes the reader's. At this size a letter of DejaVu Sans Mono
# is as wide as a column.
FRAME = """<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{
  font-family: "DejaVu Sans Mono", Menlo, Consolas, "Liberation Mono", monospace;
  font-size: 20.26px; line-height: {line_height}px; font-variant-east-asian: full-width;
}}
.{unique_id}-title {{ font-size: 18px; font-family: system-ui, sans-serif; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/>
</clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


def draw(command: str, name: str) -> str:
    """What a command prints on a terminal with colours.

    Parameters
    ----------
    command : str
        A command line; it is run in the current folder.
    name : str
        Of the picture.
    """
    environment = os.environ | {"COLUMNS": str(WIDTH), "FORCE_COLOR": "1", "TERM": "xterm-256color"}
    environment.pop("NO_COLOR", None)
    program, *arguments = command.split()
    path = Path(sys.executable).parent / program
    done = subprocess.run([path, *arguments], env=environment, capture_output=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr.decode())
    console = Console(file=io.StringIO(), record=True, width=WIDTH, force_terminal=True, color_system="truecolor")
    console.print(Text.assemble(("$ ", "dim"), (command, "bold")))
    console.print(Text.from_ansi(done.stdout.decode().rstrip() + "\n"))
    picture = console.export_svg(title=command, theme=THEME, code_format=FRAME, unique_id=f"kplace-{name}")
    return "\n".join(line.rstrip() for line in picture.splitlines()) + "\n"
