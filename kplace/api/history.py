"""What a simulation has come to, as users hold it."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pandas as pd

from kplace.columns import Note
from kplace.engine.simulate.history import History as Kept
from kplace.errors import Fault, InputError
from kplace.frames.history import attempts_frame, events_frame, lives_frame, timeline_frame
from kplace.frames.schema import ATTEMPTS, EVENTS, LIVES, TIMELINE, Table, stamp
from kplace.io.atomic import writing, writing_folder
from kplace.io.results import read_table
from kplace.queue import SECOND

TABLES = ("placements", "events", "pods", "timeline")


@dataclass(frozen=True, slots=True)
class SimulationRun:
    """What a simulation was told, and how far it went.

    Attributes
    ----------
    seed : int
    tie_break : str
    kube_version : str
        The release that it did as.
    until : float
        Seconds.
    end : dict
        What every pod has come to, by ``namespace/name``: as in the record of a golden timeline.
    """

    seed: int
    tie_break: str
    kube_version: str
    until: float
    end: dict[str, dict[str, object]]


class History:
    """The outcome of a simulation. Made by `kplace.simulate`.

    Attributes
    ----------
    run : SimulationRun
    notes : tuple of Note
    """

    def __init__(self, kept: Kept, run: SimulationRun, notes: tuple[Note, ...]) -> None:
        self._kept = kept
        self.run = run
        self.notes = notes

    @cached_property
    def placements(self) -> pd.DataFrame:
        """One row per attempt: `kplace.frames.schema.ATTEMPTS`."""
        return attempts_frame(self._kept.attempts)

    @cached_property
    def events(self) -> pd.DataFrame:
        """One row per event, as ``kubectl get events`` would show it: `kplace.frames.schema.EVENTS`."""
        return events_frame(self._kept.events)

    @cached_property
    def pods(self) -> pd.DataFrame:
        """One row per pod that was tried, with its times: `kplace.frames.schema.LIVES`."""
        return lives_frame(self._kept.lives)

    @cached_property
    def timeline(self) -> pd.DataFrame:
        """The cluster at regular times: `kplace.frames.schema.TIMELINE`."""
        return timeline_frame(self._kept.samples)

    @property
    def end(self) -> dict[str, dict[str, object]]:
        """What every pod that still exists has come to, by ``namespace/name``."""
        return self.run.end

    def to_parquet(self, folder: str | Path) -> None:
        """Write all tables into a new or empty folder: ``placements.parquet``, ``events.parquet`` and so on.

        Raises
        ------
        OutputError
            It cannot be written, or is not empty; nothing is changed then.
        """
        with writing_folder(folder) as place:
            for name in TABLES:
                with writing(place / f"{name}.parquet") as file:
                    getattr(self, name).to_parquet(file, index=False)

    def __repr__(self) -> str:
        n_bound = sum(life.bound >= 0 for life in self._kept.lives)
        return (
            f"<History: {self.run.until:,.0f} s, {len(self._kept.attempts):,} attempts, {len(self._kept.lives):,} pods "
            f"tried, {n_bound:,} bound>"
        )


@dataclass(frozen=True, slots=True)
class HistoryTables:
    """The tables of a simulation, as `History` has them. Read by `read_history`.

    Attributes
    ----------
    placements : DataFrame
        `kplace.frames.schema.ATTEMPTS`.
    events : DataFrame
        `kplace.frames.schema.EVENTS`.
    pods : DataFrame
        `kplace.frames.schema.LIVES`.
    timeline : DataFrame
        `kplace.frames.schema.TIMELINE`.
    """

    placements: pd.DataFrame
    events: pd.DataFrame
    pods: pd.DataFrame
    timeline: pd.DataFrame


def holds_history(folder: str | Path) -> bool:
    """Whether a folder has all files that `History.to_parquet` writes."""
    return all((Path(folder) / f"{name}.parquet").is_file() for name in TABLES)


def read_history(folder: str | Path) -> HistoryTables:
    """Read back the tables that `History.to_parquet`, or ``kplace simulate --out``, wrote.

    Raises
    ------
    InputError
        A file is missing, or holds something else.
    """
    shapes = dict(zip(TABLES, (ATTEMPTS, EVENTS, LIVES, TIMELINE), strict=True))
    return HistoryTables(**{name: _read(Path(folder) / f"{name}.parquet", shape) for name, shape in shapes.items()})


def _read(path: Path, shape: Table) -> pd.DataFrame:
    table = read_table(path)
    known = [column.name for column in shape.columns if "{" not in column.name]
    lacking = [name for name in known if name not in table.columns]
    if lacking:
        message = f"is not the table that simulate writes: it has no column {lacking[0]}"
        raise InputError([Fault(str(path), "", "", message)])
    return stamp(table, shape)


def in_seconds(nanoseconds: int) -> float:
    """Nanoseconds as seconds."""
    return nanoseconds / SECOND
