"""Scores of waiting pods on nodes: worked out block by block, and as arrays, tables and files."""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import IO, TYPE_CHECKING

import numpy as np

from kplace.columns import ClusterColumns
from kplace.dtypes import I32
from kplace.engine.matrix.arrays import Axes, ScoreArrays
from kplace.engine.matrix.decide import Decisions, top_nodes
from kplace.engine.matrix.fill import Advance, Filler
from kplace.engine.matrix.rows import PodRows
from kplace.errors import UsageError
from kplace.io.chunks import write_parquet_pieces

if TYPE_CHECKING:
    import pandas as pd

Progress = Callable[[int, int], None]
"""Called from time to time with the number of kinds of pods that are scored and to score."""

LAYOUTS = ("wide", "long")
_FRAME_BYTES = 9
"""Bytes that a nullable number takes in a table."""


@dataclass(frozen=True, slots=True)
class ScoreBlock:
    """Some pods, and the rows in which their scores are.

    Attributes
    ----------
    pods : int32 ndarray, shape (n_pods,)
        Rows of `Cluster.pods`.
    row : int32 ndarray, shape (n_pods,)
        The row of each in ``arrays``.
    arrays : ScoreArrays
    """

    pods: I32
    row: I32
    arrays: ScoreArrays


class Scores:
    """Scores of the waiting pods of a cluster on all nodes, as if each were the first to be placed.

    Pods that must get the same scores are scored once. What is asked for is worked out then, block by block, and
    kept only if all of it fits into the memory that was allowed.

    Attributes
    ----------
    columns : ClusterColumns
        The cluster.
    rows : PodRows
        The pods in queue order, and which of them share their scores.
    axes : Axes
        The names of plugins and of those that reject.
    memory_bytes : int
        What arrays and tables may take together.
    notes : tuple of str
        What a person should know of the cluster and of the configuration.
    """

    def __init__(
        self,
        columns: ClusterColumns,
        rows: PodRows,
        filler: Filler,
        axes: Axes,
        memory_bytes: int,
        notes: tuple[str, ...] = (),
        progress: Progress | None = None,
    ) -> None:
        self.columns = columns
        self.rows = rows
        self.axes = axes
        self.memory_bytes = memory_bytes
        self.notes = notes
        self._filler = filler
        self._progress = progress
        self._kept: ScoreArrays | None = None

    def __len__(self) -> int:
        """Number of pods."""
        return len(self.rows.pods)

    def __repr__(self) -> str:
        kinds = "1 kind" if len(self.rows) == 1 else f"{len(self.rows):,} kinds"
        return f"<Scores: {len(self):,} pods of {kinds} on {self.axes.n_nodes:,} nodes>"

    @property
    def plugins(self) -> tuple[str, ...]:
        """The plugins that score, and extenders; the axis of the arrays."""
        return self.axes.plugins

    @cached_property
    def decisions(self) -> "pd.DataFrame":
        """What decided where each pod would go: the best node, its margin, the plugin, the change that turns it.

        Returns
        -------
        DataFrame
            The columns of `kplace.frames.schema.SCORE_DECISIONS`.
        """
        from kplace.frames.scores import decisions_frame

        decisions, messages = Decisions.blank(len(self.rows)), [""] * len(self.rows)
        for at, arrays in self._row_blocks():
            decisions.enter(at, arrays)
            messages[at : at + len(arrays)] = arrays.messages
        return decisions_frame(self.columns, self.rows.pods, self.rows.row, decisions, self.plugins, messages)

    def top(self, k: int, kinds: Sequence[str] = ("weighted",)) -> "pd.DataFrame":
        """The best nodes of each pod.

        Parameters
        ----------
        k : int
            How many at the most.
        kinds : sequence of {"raw", "normalised", "weighted"}
            What is said of each plugin.

        Returns
        -------
        DataFrame
            The columns of `kplace.frames.schema.SCORE_TOP`, as far as ``kinds`` names them.

        Raises
        ------
        UsageError
            An argument cannot be used.
        """
        from kplace.frames.scores import KINDS, TopRows, top_frame

        if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1:
            msg = f"k: expected a positive number, got {k!r}"
            raise UsageError(msg)
        unknown = [kind for kind in kinds if kind not in KINDS]
        if isinstance(kinds, str) or unknown:
            msg = f"kinds: expected some of {', '.join(KINDS)}, got {kinds!r}"
            raise UsageError(msg)
        most = max(min(int(k), self.axes.n_nodes), 1)
        top = TopRows(len(self.rows), len(self.plugins), most)
        for at, arrays in self._row_blocks():
            if self.axes.n_nodes:
                top.enter(at, arrays, top_nodes(arrays, most))
        return top_frame(self.columns, self.rows.pods, self.rows.row, top, self.plugins, kinds)

    def arrays(self) -> ScoreBlock:
        """Everything at once, as arrays.

        Raises
        ------
        UsageError
            It takes more memory than is allowed; `blocks` gives it in pieces.
        """
        needed = self.axes.bytes_per_row * len(self.rows)
        if len(self.rows) > self._most_rows:
            msg = f"memory: all scores take {needed:,} bytes, {self.memory_bytes // 2:,} are for arrays; see blocks()"
            raise UsageError(msg)
        return ScoreBlock(self.rows.pods, self.rows.row, self._all_rows())

    def blocks(self) -> Iterator[ScoreBlock]:
        """All pods in queue order, as many at a time as their arrays fit into the memory that is allowed."""
        if len(self.rows) <= self._most_rows:
            yield self.arrays()
            return
        first = 0
        while first < len(self):
            last = self._end_of_block(first)
            distinct, row = np.unique(self.rows.row[first:last], return_inverse=True)
            yield ScoreBlock(
                self.rows.pods[first:last], row.astype(np.int32), self._filler.fill(distinct.tolist(), self._advance(0))
            )
            first = last

    def wide(self) -> "pd.DataFrame":
        """A row per pod and node: the columns of `kplace.frames.schema.SCORE_WIDE`.

        Raises
        ------
        UsageError
            It takes more memory than is allowed; `to_parquet` writes it in pieces.
        """
        return self._frame("wide")

    def long(self) -> "pd.DataFrame":
        """A row per pod, node and plugin: the columns of `kplace.frames.schema.SCORE_LONG`.

        Raises
        ------
        UsageError
            It takes more memory than is allowed; `to_parquet` writes it in pieces.
        """
        return self._frame("long")

    def to_parquet(self, path: str | os.PathLike[str] | IO[bytes], layout: str = "wide") -> int:
        """Write all scores as one Parquet file, piece by piece.

        Parameters
        ----------
        layout : {"wide", "long"}

        Returns
        -------
        int
            Number of rows.

        Raises
        ------
        UsageError
            There is no such layout.
        OutputError
            It cannot be written; nothing is left of it then.
        """
        return write_parquet_pieces(self.pieces(layout), path)

    def pieces(self, layout: str = "wide") -> Iterator["pd.DataFrame"]:
        """All scores as tables one after the other, none larger than the memory that is allowed; at least one."""
        from kplace.frames.scores import long_frame, wide_frame

        if layout not in LAYOUTS:
            msg = f"layout: expected {' or '.join(LAYOUTS)}, got {layout!r}"
            raise UsageError(msg)
        make = wide_frame if layout == "wide" else long_frame
        most = max(1, self.memory_bytes // 2 // self._bytes_per_pod(layout))
        for block in self.blocks():
            for at in range(0, max(len(block.pods), 1), most):
                yield make(self.columns, block.pods[at : at + most], block.row[at : at + most], block.arrays)

    def _frame(self, layout: str) -> "pd.DataFrame":
        needed = self._bytes_per_pod(layout) * len(self)
        if needed > self.memory_bytes // 2 or len(self.rows) > self._most_rows:
            half = self.memory_bytes // 2
            msg = f"memory: the table takes about {needed:,} bytes, {half:,} are for it; see to_parquet()"
            raise UsageError(msg)
        return next(self.pieces(layout))

    def _bytes_per_pod(self, layout: str) -> int:
        """About the memory that the rows of one pod take in a table, what making it takes included."""
        n_plugins, n_nodes = len(self.plugins), self.axes.n_nodes
        numbers = 3 * n_plugins + 1 if layout == "wide" else 4 * n_plugins
        texts = 40 if layout == "wide" else 40 * n_plugins
        return max(1, 2 * n_nodes * (_FRAME_BYTES * numbers + texts))

    @property
    def _most_rows(self) -> int:
        """As many rows as fit into the half of the memory that is for arrays."""
        return max(1, self.memory_bytes // 2 // max(self.axes.bytes_per_row, 1))

    @property
    def _rows_per_block(self) -> int:
        """As many rows as a block has where one is not enough: the last one is still held while the next is made."""
        return max(1, self._most_rows // 2)

    def _all_rows(self) -> ScoreArrays:
        if self._kept is None:
            self._kept = self._filler.fill(range(len(self.rows)), self._advance(0))
        return self._kept

    def _row_blocks(self) -> Iterator[tuple[int, ScoreArrays]]:
        """All rows, as many at a time as fit into memory, each time with the number of the first."""
        if len(self.rows) <= self._most_rows:
            yield 0, self._all_rows()
            return
        for at in range(0, len(self.rows), self._rows_per_block):
            end = min(at + self._rows_per_block, len(self.rows))
            yield at, self._filler.fill(range(at, end), self._advance(at))

    def _end_of_block(self, first: int) -> int:
        """Where the pods end, from ``first`` on, whose rows fit into memory together."""
        seen: set[int] = set()
        for at in range(first, len(self)):
            seen.add(int(self.rows.row[at]))
            if len(seen) > self._rows_per_block:
                return at
        return len(self)

    def _advance(self, at: int) -> Advance | None:
        progress, total = self._progress, len(self.rows)
        return None if progress is None else lambda done: progress(min(at + done, total), total)
