"""What a run found, as users hold it."""

from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from kplace.api.cluster import Cluster
from kplace.api.summary import Summary, summarise
from kplace.columns import Note
from kplace.columns.removal import without_pods
from kplace.columns.settling import with_settled
from kplace.config.versions import DEFAULT_VERSION
from kplace.engine.results import PlacementColumns, result_hash
from kplace.errors import Fault, InputError, UsageError
from kplace.frames import schema
from kplace.frames.nodes import placed_nodes_frame
from kplace.frames.placements import node_of_placed, placed_pods_frame, preemptions_frame, reasons_frame
from kplace.frames.restore import conform, node_names, placement_columns
from kplace.frames.volumes import volumes_frame
from kplace.io.atomic import Target
from kplace.io.results import Tables, read_tables, write_csv, write_json, write_parquet
from kplace.version import __version__


@dataclass(frozen=True, slots=True)
class Run:
    """What a run was told; with the cluster it decides everything.

    Attributes
    ----------
    seed : int
    tie_break : str
    percentage_of_nodes_to_score : int
    preemption : str
        ``"dry-run"``, ``"immediate"`` or ``"off"``.
    kube_version : str
        The release that it did as.
    start_index : int
        Where the first search began.
    """

    seed: int
    tie_break: str
    percentage_of_nodes_to_score: int
    preemption: str
    kube_version: str = DEFAULT_VERSION
    start_index: int = 0


class Placements:
    """The outcome of a run: where each pod went, and why the others stay pending.

    Made by `kplace.place` and `kplace.read_placements`.

    Attributes
    ----------
    columns : PlacementColumns
    run : Run
    """

    def __init__(
        self,
        columns: PlacementColumns,
        run: Run,
        *,
        n_pods: int,
        notes: tuple[Note, ...],
        before: Cluster | None = None,
        tables: Tables | None = None,
    ) -> None:
        self.columns = columns
        self.run = run
        self._n_pods = n_pods
        self._notes = notes
        self._before = before
        self._tables = tables

    @staticmethod
    def of_run(before: Cluster, columns: PlacementColumns, run: Run, notes: tuple[Note, ...]) -> "Placements":
        """Outcome of a run on a cluster, with what is to be said of it."""
        return Placements(columns, run, n_pods=len(before.columns.pods), notes=notes, before=before)

    @cached_property
    def pods(self) -> pd.DataFrame:
        """One row per pod that the run looked at: `kplace.frames.schema.PLACED_PODS`."""
        if self._tables is not None:
            return self._tables.pods
        return placed_pods_frame(self.before.columns, self.columns)

    @cached_property
    def nodes(self) -> pd.DataFrame:
        """One row per node as the run left it: `kplace.frames.schema.PLACED_NODES`."""
        if self._tables is not None:
            return self._tables.nodes
        columns = self.before.columns
        return placed_nodes_frame(columns, node_of_placed(columns, self.columns), self.columns.preemptions.gone)

    @cached_property
    def reasons(self) -> pd.DataFrame:
        """One row per pending pod, plugin and reason: `kplace.frames.schema.REASONS`."""
        if self._tables is not None:
            return self._tables.reasons
        return reasons_frame(self.before.columns, self.columns)

    @cached_property
    def preemptions(self) -> pd.DataFrame:
        """One row per pod that has to leave, or would have to, for another: `kplace.frames.schema.PREEMPTIONS`."""
        if self._tables is not None:
            return self._tables.preemptions
        return preemptions_frame(self.before.columns, self.columns.preemptions)

    @cached_property
    def volumes(self) -> pd.DataFrame:
        """One row per claim of a pod that the run placed: `kplace.frames.schema.VOLUMES`."""
        if self._tables is not None:
            return self._tables.volumes
        return volumes_frame(self.before.columns, self.columns)

    @property
    def has_cluster(self) -> bool:
        """Whether the cluster is known; not for placements that were read from a file."""
        return self._before is not None

    @property
    def before(self) -> Cluster:
        """The cluster that was placed.

        Raises
        ------
        UsageError
            These placements were read from a file, which does not hold the cluster.
        """
        if self._before is None:
            msg = "placements read from a file hold no cluster: read the cluster itself with kplace.read"
            raise UsageError(msg)
        return self._before

    @cached_property
    def cluster(self) -> Cluster:
        """The cluster after the run: placed pods are bound to their nodes, victims are gone.

        Claims and volumes hold what was settled for them, as the scheduler writes it; all else is as before.

        Raises
        ------
        UsageError
            These placements were read from a file, which does not hold the cluster.
        """
        columns = self.before.columns
        placed = node_of_placed(columns, self.columns)
        pods = replace(columns.pods, node=np.where(placed >= 0, placed, columns.pods.node).astype(np.int32))
        settled = {claim: (what.volume, what.node) for claim, what in self.columns.settled.items()}
        columns = with_settled(replace(columns, pods=pods), settled)
        return Cluster(without_pods(columns, self.columns.preemptions.gone), self.before.case)

    @property
    def notes(self) -> list[Note]:
        """What a user should know of the cluster and of the configuration before trusting the outcome."""
        return list(self._notes)

    def summary(self) -> Summary:
        """Sum up the run: the numbers that ``kplace place`` prints."""
        return summarise(self.nodes, self.pods, self.reasons, self.preemptions, n_pods=self._n_pods, notes=self._notes)

    @cached_property
    def result_hash(self) -> str:
        """SHA-256 of what was decided: equal for equal input, settings and seed, on any machine.

        Over all rows' pods, then their nodes, totals, evaluated counts and next start indexes, as little-endian int64.
        """
        return result_hash(self.columns)

    def to_parquet(self, path: Target) -> None:
        """Write the outcome as one Parquet file: its rows are `pods`, the rest is in its metadata.

        Raises
        ------
        OutputError
            It cannot be written; nothing is left of it then.
        """
        write_parquet(self._as_tables(), path)

    def to_json(self, path: Target) -> None:
        """Write the outcome as one JSON object: ``kplace``, and each table by its name.

        A name that ends in ``.gz`` or ``.zst`` is compressed.

        Raises
        ------
        OutputError
            It cannot be written; nothing is left of it then.
        """
        write_json(self._as_tables(), path)

    def to_csv(self, path: Target) -> None:
        """Write `pods` as CSV; the other tables are not in it.

        Raises
        ------
        OutputError
            It cannot be written; nothing is left of it then.
        """
        write_csv(self.pods, path)

    def _as_tables(self) -> Tables:
        about = {
            "version": __version__,
            "schema": schema.SCHEMA_VERSION,
            "result_hash": self.result_hash,
            "run": asdict(self.run),
            "n_pods": self._n_pods,
            "notes": [asdict(note) for note in self._notes],
        }
        return Tables(self.pods, self.nodes, self.reasons, self.preemptions, self.volumes, about)

    def __repr__(self) -> str:
        counts = self.pods["status"].value_counts()
        return f"<Placements: {', '.join(f'{number} {status}' for status, number in counts.items())}>"


def read_placements(path: str | Path) -> Placements:
    """Read back what `Placements.to_parquet` or `Placements.to_json` wrote.

    Returns
    -------
    Placements
        All but `Placements.cluster` and `Placements.before`.

    Raises
    ------
    InputError
        There is no such file, it holds something else, or its rows are not those that its hash was made of.
    """
    tables = read_tables(path)
    try:
        return _restored(tables, path)
    except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        raise _not_usable(path, f"holds no result of kplace: {error}") from error


def _restored(tables: Tables, path: str | Path) -> Placements:
    about: dict[str, Any] = tables.about
    if about["schema"] != schema.SCHEMA_VERSION:
        raise _not_usable(path, f"expected schema version {schema.SCHEMA_VERSION}, got {about['schema']}")
    names = node_names(tables.nodes)
    restored = Tables(
        pods=conform(tables.pods, schema.PLACED_PODS, names),
        nodes=conform(tables.nodes, schema.PLACED_NODES, names),
        reasons=conform(tables.reasons, schema.REASONS, names),
        preemptions=conform(tables.preemptions, schema.PREEMPTIONS, names),
        volumes=tables.volumes if tables.volumes.empty else conform(tables.volumes, schema.VOLUMES, names),
        about=about,
    )
    placements = Placements(
        placement_columns(restored.pods, restored.reasons, restored.preemptions),
        Run(**about["run"]),
        n_pods=about["n_pods"],
        notes=tuple(Note(**note) for note in about["notes"]),
        tables=restored,
    )
    if placements.result_hash != about["result_hash"]:
        raise _not_usable(path, "its rows are not those that its result hash was made of: it was changed")
    return placements


def _not_usable(path: str | Path, message: str) -> InputError:
    return InputError([Fault(str(path), "", "", message)])
