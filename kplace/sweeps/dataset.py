"""The results of a study on disk: Parquet files that appear whole or not at all, and what is there already.

``OUT/metrics/study=NAME/part-000000.parquet`` and, for each table that is kept, ``OUT/TABLE/study=NAME/...`` with the
same number. A part counts once the file of its metrics is there: that one is written last. What a killed command has
left of a part without it is removed when the study is taken up again.
"""

import fcntl
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
from msgspec import Struct, structs

from kplace.errors import OutputError, UsageError
from kplace.io.atomic import writing
from kplace.sweeps.runs import Batch, Outcome
from kplace.sweeps.schema import ARROW, SCHEMA_VERSION
from kplace.version import __version__

METRICS = "metrics"
STUDIES = "studies"
"""Folder beside the tables, for what a study is made of."""
MOST_RUNS, MOST_BYTES = 5_000, 64 << 20
"""Runs and bytes of tables after which a part is written."""
SOON = 5.0
"""Seconds after which the first part is written."""
PATIENCE = 0.02
"""Share of the time since the beginning that further parts are apart: they are few, and little is lost."""


class Origin(Struct, frozen=True):
    """What the results of a study were made of.

    Attributes
    ----------
    schema : int
    inputs, configurations, what_if : dict of str to str
        Digests by name.
    rest : str
        Digest of all else that is not an axis.
    """

    schema: int
    inputs: dict[str, str]
    configurations: dict[str, str]
    what_if: dict[str, str]
    rest: str


class Dataset:
    """The part of a dataset that belongs to one study.

    Parameters
    ----------
    folder : Path
    study : str
    tables : iterable of str
        Tables that are kept beside the metrics.
    """

    def __init__(self, folder: Path, study: str, tables: Iterable[str] = ()) -> None:
        self._folder = folder
        self._study = study
        self._tables = tuple(tables)
        self._began = self._written = time.monotonic()
        self._outcomes: list[Outcome] = []
        self._frames: dict[str, list[bytes]] = {name: [] for name in self._tables}
        self._next = 0

    @contextmanager
    def writing(self, origin: Origin) -> Iterator[set[str]]:
        """Take up a study: gives the ids of the runs that are done.

        What was added is on disk when the block ends, also by an error or an interrupt.

        Raises
        ------
        UsageError
            The results that are there were made of something else, or another command is at work on them.
        OutputError
            The folder cannot be written to.
        """
        about = self._folder / STUDIES
        try:
            for name in (METRICS, *self._tables):
                self._place(name).mkdir(parents=True, exist_ok=True)
            about.mkdir(exist_ok=True)
            lock = (about / f"{self._study}.lock").open("w")
        except OSError as error:
            msg = f"{self._folder}: cannot be written: {error.strerror or error}"
            raise OutputError(msg) from error
        with lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                msg = f"{self._folder}: another command is at work on the study {self._study}"
                raise UsageError(msg) from error
            self._accept(about / f"{self._study}.json", origin)
            done = self._take_up()
            try:
                yield done
            finally:
                self.flush()

    def add(self, batch: Batch) -> None:
        """Add what came of some runs; it is written with others, before long."""
        self._outcomes += batch.outcomes
        for name, data in batch.frames.items():
            self._frames[name].append(data)
        now = time.monotonic()
        size = sum(len(data) for parts in self._frames.values() for data in parts)
        due = self._written + max(SOON, PATIENCE * (now - self._began))
        if len(self._outcomes) >= MOST_RUNS or size >= MOST_BYTES or now >= due:
            self.flush()

    def flush(self) -> None:
        """Write what was added."""
        if not self._outcomes:
            return
        name = f"part-{self._next:06d}.parquet"
        for table, parts in self._frames.items():
            if parts:
                _write(_joined(parts), self._place(table) / name)
        _write(table_of(self._outcomes), self._place(METRICS) / name)
        self._next += 1
        self._outcomes, self._frames = [], {name: [] for name in self._tables}
        self._written = time.monotonic()

    def _place(self, table: str) -> Path:
        return self._folder / table / f"study={self._study}"

    def _accept(self, path: Path, origin: Origin) -> None:
        there = self._origin(path)
        if there is not None:
            changed = _changes(there, origin)
            if changed:
                msg = (
                    f"{self._folder}: the results of the study {self._study} were made of something else: "
                    f"{', '.join(changed)} changed; give it another name, or have them written anew"
                )
                raise UsageError(msg)
            origin = Origin(
                schema=origin.schema,
                inputs=there.inputs | origin.inputs,
                configurations=there.configurations | origin.configurations,
                what_if=there.what_if | origin.what_if,
                rest=origin.rest,
            )
        with writing(path) as file:
            file.write(msgspec.json.encode(origin))

    def _origin(self, path: Path) -> Origin | None:
        if not path.exists():
            return None
        try:
            return msgspec.json.decode(path.read_bytes(), type=Origin)
        except msgspec.DecodeError as error:
            msg = f"{path}: holds nothing of a study: {error}"
            raise UsageError(msg) from error

    def _take_up(self) -> set[str]:
        """Remove what a killed command left behind; ids of the runs that are done."""
        parts = {path.name: path for path in sorted(self._place(METRICS).glob("part-*.parquet"))}
        for name in (METRICS, *self._tables):
            for left in self._place(name).glob(".part-*.tmp"):
                left.unlink()
        for name in self._tables:
            for path in self._place(name).glob("part-*.parquet"):
                if path.name not in parts:
                    path.unlink()
        self._next = 1 + max((int(name[5:11]) for name in parts), default=-1)
        done: set[str] = set()
        for path in parts.values():
            done.update(pq.read_table(path, columns=["run"], partitioning=None)["run"].unique().to_pylist())
        return done


def _joined(parts: Iterable[bytes]) -> pa.Table:
    return pa.concat_tables([pq.read_table(pa.BufferReader(data)) for data in parts], **_PROMOTE)


_PROMOTE: Mapping[str, Any] = {"promote_options": "permissive"}


def _changes(there: Origin, now: Origin) -> list[str]:
    changed = [
        f"{what} {name}"
        for what in ("inputs", "configurations", "what_if")
        for name, digest in getattr(now, what).items()
        if getattr(there, what).get(name, digest) != digest
    ]
    if there.schema != now.schema:
        changed.append("the schema")
    if there.rest != now.rest:
        changed.append("metrics, frames, plugins, extenders or load")
    return changed


class Memory:
    """Results that are kept in memory only: `add` as of a `Dataset`."""

    def __init__(self) -> None:
        self._outcomes: list[Outcome] = []
        self._frames: dict[str, list[bytes]] = {}

    def add(self, batch: Batch) -> None:
        """Add what came of some runs."""
        self._outcomes += batch.outcomes
        for name, data in batch.frames.items():
            self._frames.setdefault(name, []).append(data)

    @property
    def metrics(self) -> pa.Table:
        """All rows."""
        return table_of(self._outcomes)

    def frame(self, table: str) -> pa.Table:
        """All rows of a table that was kept.

        Raises
        ------
        UsageError
            It was not.
        """
        if table not in self._frames:
            msg = f"{table}: was not kept; frames of the study: {', '.join(self._frames) or 'none'}"
            raise UsageError(msg)
        return _joined(self._frames[table])


def table_of(outcomes: Iterable[Outcome]) -> pa.Table:
    """The rows of some runs."""
    columns: dict[str, list[object]] = {name: [] for name in ARROW.names}
    for outcome in outcomes:
        values: list[tuple[str | None, float | None]] = [*outcome.metrics.items()] or [(None, None)]
        head = structs.asdict(outcome.parameters) | {
            "run": outcome.run,
            "error": outcome.error or None,
            "result_hash": outcome.result_hash,
            "seconds": outcome.seconds,
            "kplace": __version__,
        }
        for name, value in head.items():
            columns[name] += [value] * len(values)
        columns["metric"] += [metric for metric, _ in values]
        columns["value"] += [value for _, value in values]
    return pa.table([pa.array(columns[field.name], field.type) for field in ARROW], schema=ARROW)


def _write(table: pa.Table, path: Path) -> None:
    with writing(path) as file:
        pq.write_table(table, file)


def read_metrics(folder: Path, study: str) -> pa.Table:
    """All rows of a study.

    Raises
    ------
    UsageError
        There are none, or another version of kplace has written them in another schema.
    """
    return _read(folder, study, METRICS, ARROW)


def read_frames(folder: Path, study: str, table: str) -> pa.Table:
    """All rows of a table that a study has kept.

    Raises
    ------
    UsageError
        There are none.
    """
    return _read(folder, study, table, None)


def _read(folder: Path, study: str, table: str, schema: pa.Schema | None) -> pa.Table:
    committed = {path.name for path in (folder / METRICS / f"study={study}").glob("part-*.parquet")}
    paths = sorted((folder / table / f"study={study}").glob("part-*.parquet"))
    parts = [pq.read_table(path, partitioning=None) for path in paths if path.name in committed]
    if not parts:
        msg = f"{folder}: holds no {table} of a study {study}"
        raise UsageError(msg)
    version = (parts[0].schema.metadata or {}).get(b"kplace_sweep_schema", b"").decode()
    if schema is not None and version != str(SCHEMA_VERSION):
        msg = f"{folder}: expected schema version {SCHEMA_VERSION} of study {study}, got {version or 'none'}"
        raise UsageError(msg)
    return pa.concat_tables(parts, **_PROMOTE)


def remove_results(folder: Path, study: str) -> None:
    """Remove all results of a study."""
    for path in sorted(folder.glob(f"*/study={study}/part-*.parquet")):
        path.unlink()
    (folder / STUDIES / f"{study}.json").unlink(missing_ok=True)
