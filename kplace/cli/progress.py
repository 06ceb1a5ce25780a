"""What is going on, on standard error, when it lasts and somebody looks."""

import os
import sys
import threading
import time
from types import TracebackType
from typing import TYPE_CHECKING, Self

from kplace.cli.console import colourless, is_quiet
from kplace.cli.main import INTERRUPTS

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

DELAY = 1.0
"""Seconds of work before anything is shown."""
INTERVAL = 0.1
"""Seconds between updates."""


class Work:
    """A line that names the stage of the work and, where it is known, how much of it is done.

    It appears after `DELAY` seconds, only on a terminal and only without ``--quiet``, and goes away at the end.
    """

    def __init__(self) -> None:
        dumb = os.environ.get("TERM", "") in {"dumb", "unknown"}
        self._shown = sys.stderr.isatty() and not dumb and not is_quiet()
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None
        self._live: tuple[Progress, TaskID] | None = None
        self._stage = ""
        self._next_update = 0.0

    def __enter__(self) -> Self:
        if self._shown:
            self._timer = threading.Timer(DELAY, self._show)
            self._timer.daemon = True
            self._timer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._timer is not None:
            self._timer.cancel()
        with self._lock:
            self._shown = False
            if self._live is not None:
                self._live[0].stop()

    def stage(self, name: str) -> None:
        """Say what begins now."""
        INTERRUPTS.check()
        with self._lock:
            self._stage = name
            if self._live is not None:
                progress, task = self._live
                progress.reset(task, description=name, total=None, count="")

    def advance(self, done: int, total: int) -> None:
        """Say how many of how many pods are done; cheap enough to be called for each."""
        if INTERRUPTS.seen:
            raise KeyboardInterrupt
        if self._live is None or (time.monotonic() < self._next_update and done < total):
            return
        self._next_update = time.monotonic() + INTERVAL
        progress, task = self._live
        progress.update(task, completed=done, total=total, count=f"{done:,}/{total:,}")

    def advance_named(self, name: str, done: int, total: int) -> None:
        """Say how much of one part of the work is done, by its name."""
        if self._live is not None and name != self._stage:
            self.stage(name)
        self.advance(done, total)

    def advance_time(self, done: float, total: float) -> None:
        """Say how much simulated time has passed, in seconds; beside it stands how long it has really taken."""
        if INTERRUPTS.seen:
            raise KeyboardInterrupt
        if self._live is None:
            return
        from kplace.frames.durations import shown_duration

        progress, task = self._live
        progress.update(
            task, completed=done, total=max(total, done), count=f"{shown_duration(done)} of {shown_duration(total)}"
        )

    def _show(self) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            Progress,
            SpinnerColumn,
            TextColumn,
            TimeRemainingColumn,
        )

        with self._lock:
            if not self._shown:
                return
            progress = Progress(
                SpinnerColumn(),
                TextColumn("{task.description}"),
                BarColumn(),
                TextColumn("{task.fields[count]}"),
                TimeRemainingColumn(compact=True),
                console=Console(file=sys.stderr, color_system=None if colourless() else "auto"),
                transient=True,
            )
            progress.start()
            self._live = progress, progress.add_task(self._stage, total=None, count="")
