"""What a run leaves: one row per pod that was looked at, as columns."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from kplace.columns.storage.claims import ClaimKey
from kplace.dtypes import I8, I32, I64, NO_NODE, Mask, Status
from kplace.engine.attempt import Attempt
from kplace.framework.binding import Setback
from kplace.state.volume_bindings import SettledClaim

NO_SCORE = np.iinfo(np.int64).min
"""In a column of scores: there is none."""


@dataclass(frozen=True, slots=True)
class PreemptionColumns:
    """One row per victim, in the order of the attempts; the victims of one attempt by importance.

    Attributes
    ----------
    pod : int32 ndarray, shape (n_rows,)
        The pod that room is made for.
    attempt : int32 ndarray
        Number of that pod's attempt, from 0.
    node : int32 ndarray
        The node nominated for it.
    victim : int32 ndarray
        The pod that has to leave.
    violates_budget : bool ndarray
        Its eviction breaks a disruption budget.
    carried_out : bool ndarray
        It did leave.
    """

    pod: I32
    attempt: I32
    node: I32
    victim: I32
    violates_budget: Mask
    carried_out: Mask

    def __len__(self) -> int:
        return len(self.pod)

    @staticmethod
    def of_rows(rows: Sequence[tuple[int, ...]]) -> "PreemptionColumns":
        """Columns of rows, each a tuple in the order of the attributes."""
        pod, attempt, node, victim, violates, carried_out = np.array(rows, np.int32).reshape(len(rows), 6).T.copy()
        return PreemptionColumns(pod, attempt, node, victim, violates.astype(np.bool_), carried_out.astype(np.bool_))

    @property
    def gone(self) -> I32:
        """The pods that left, ascending."""
        return np.unique(self.victim[self.carried_out])


@dataclass(frozen=True, slots=True)
class PlacementColumns:
    """One row per pod, in the order the pods were tried; pods that were not tried come first.

    The row of a pod that was tried several times is that of the last attempt.

    Attributes
    ----------
    pod : int32 ndarray, shape (n_rows,)
    status : int8 ndarray
        A `Status`.
    node : int32 ndarray
        `NO_NODE` if none.
    attempt : int32 ndarray
        Number of the pod's attempt, from 0; -1 if it was not tried.
    evaluated, feasible : int32 ndarray
        Nodes visited by the search, and feasible ones among them.
    total, runner_up : int64 ndarray
        Highest total score and the highest of the other sampled nodes; `NO_SCORE` if there is none.
    ties : int32 ndarray
        Number of nodes with the highest total.
    next_start_index : int32 ndarray
        Where the next search begins.
    reasons : list of tuple of (str, int)
        For pods without a node: reason and number of nodes.
    messages : list of str
        For pods without a node: the FitError text; empty otherwise.
    preemptions : PreemptionColumns
    settled : dict of (str, str) to SettledClaim
        What was settled for claims.
    """

    pod: I32
    status: I8
    node: I32
    attempt: I32
    evaluated: I32
    feasible: I32
    total: I64
    runner_up: I64
    ties: I32
    next_start_index: I32
    reasons: list[tuple[tuple[str, str, int], ...]]
    messages: list[str]
    preemptions: PreemptionColumns = field(default_factory=lambda: PreemptionColumns.of_rows([]))
    settled: Mapping[ClaimKey, SettledClaim] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.pod)


@dataclass(slots=True)
class PlacementBuilder:
    """Collects rows and makes columns of them."""

    rows: list[tuple[int, ...]] = field(default_factory=list)
    reasons: list[tuple[tuple[str, str, int], ...]] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)
    preemptions: list[tuple[int, ...]] = field(default_factory=list)
    row_of: dict[int, int] = field(default_factory=dict)

    def add_untried(self, pod: int, status: Status) -> None:
        """Add a pod that never entered the queue."""
        self._set(pod, (pod, status, NO_NODE, -1, 0, 0, NO_SCORE, NO_SCORE, 0, 0), (), "")

    def add_row(self, row: tuple[int, ...]) -> None:
        """Add a pod that was placed, as a tuple in the order of the columns."""
        self._set(row[0], row, (), "")

    def add(self, attempt: Attempt, reasons: tuple[tuple[str, str, int], ...], message: str) -> None:
        """Add an attempt with its reasons and its message, both empty if a node was found.

        It takes the place of the pod's earlier attempts.
        """
        total, runner_up = highest_totals(attempt)
        row = (
            attempt.pod,
            attempt.status,
            attempt.node,
            attempt.retry,
            attempt.sample.evaluated,
            len(attempt.feasible),
            total,
            runner_up,
            len(attempt.best),
            attempt.next_start_index,
        )
        self._set(attempt.pod, row, reasons, message)
        self._add_preemption(attempt)

    def set_back(self, attempt: Attempt, setback: Setback) -> None:
        """Enter that a pod does not get the node that an attempt had found."""
        status = Status.ERROR if setback.is_error else Status.UNSCHEDULABLE
        row = (attempt.pod, status, NO_NODE, *self.rows[self.row_of[attempt.pod]][3:])
        self._set(attempt.pod, row, setback.reasons, setback.message)

    def has_left(self, pod: int) -> bool:
        """Whether a pod that was placed has left for another one."""
        return pod in self.row_of and self.rows[self.row_of[pod]][1] == Status.PREEMPTED

    def _set(self, pod: int, row: tuple[int, ...], reasons: tuple[tuple[str, str, int], ...], message: str) -> None:
        at = self.row_of.setdefault(pod, len(self.rows))
        self.rows[at : at + 1] = [row]
        self.reasons[at : at + 1] = [reasons]
        self.messages[at : at + 1] = [message]

    def _add_preemption(self, attempt: Attempt) -> None:
        rows = preemption_rows(attempt)
        self.preemptions += rows
        for _, _, _, victim, _, is_carried_out in rows:
            if is_carried_out and victim in self.row_of:
                at = self.row_of[victim]
                self.rows[at] = (victim, Status.PREEMPTED, NO_NODE, *self.rows[at][3:])

    def finish(self, settled: Mapping[ClaimKey, SettledClaim]) -> PlacementColumns:
        """Columns of all rows added, with what was settled for claims."""
        pod, status, node, attempt, evaluated, feasible, total, runner_up, ties, next_start = self._columns()
        return PlacementColumns(
            pod=pod.astype(np.int32),
            status=status.astype(np.int8),
            node=node.astype(np.int32),
            attempt=attempt.astype(np.int32),
            evaluated=evaluated.astype(np.int32),
            feasible=feasible.astype(np.int32),
            total=total,
            runner_up=runner_up,
            ties=ties.astype(np.int32),
            next_start_index=next_start.astype(np.int32),
            reasons=self.reasons,
            messages=self.messages,
            preemptions=PreemptionColumns.of_rows(self.preemptions),
            settled=settled,
        )

    def _columns(self) -> I64:
        """The rows as an int64 array of shape (10, n_rows)."""
        return np.array(self.rows, np.int64).reshape(len(self.rows), 10).T.copy()


def highest_totals(attempt: Attempt) -> tuple[int, int]:
    """Highest total and the highest among the nodes that were not chosen."""
    if attempt.scores is None:
        return NO_SCORE, NO_SCORE
    totals = attempt.scores.total
    if len(totals) == 1:
        return int(totals[0]), NO_SCORE
    second, first = np.partition(totals, -2)[-2:]
    return int(first), int(second)


def preemption_rows(attempt: Attempt) -> list[tuple[int, ...]]:
    """Rows of `PreemptionColumns` that an attempt makes: its victims, if there are any."""
    preemption = attempt.preemption
    if preemption is None:
        return []
    return [
        (attempt.pod, attempt.retry, preemption.node, victim, violates, attempt.is_preempting)
        for victim, violates in zip(preemption.victims.tolist(), preemption.violating.tolist(), strict=True)
    ]


def result_hash(columns: PlacementColumns) -> str:
    """SHA-256 of what was decided, in hexadecimal.

    Over all rows' pods, then their nodes, totals, evaluated counts and next start indexes, as little-endian int64.
    """
    digest = hashlib.sha256()
    for column in (columns.pod, columns.node, columns.total, columns.evaluated, columns.next_start_index):
        digest.update(column.astype("<i8").tobytes())
    return digest.hexdigest()
