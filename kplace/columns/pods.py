"""Pod columns, in input order."""

from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np

from kplace.columns.vocab import Vocabulary
from kplace.dtypes import I8, I32, I64, NO_NODE, Mask, Phase

UNKNOWN_NODE = -2
"""In the column of nodes: the pod is bound to a node that is not in the input."""


@dataclass(frozen=True, slots=True)
class PodColumns:
    """The pods of a cluster in input order, those made from controllers last.

    Attributes
    ----------
    names : list of str
    namespace : int32 ndarray, shape (n_pods,)
        Index into ``namespaces``.
    namespaces : Vocabulary
    template : int32 ndarray, shape (n_pods,)
    node : int32 ndarray, shape (n_pods,)
        The node it is bound to; `NO_NODE` if none, `UNKNOWN_NODE` if that is not in the input.
    nominated : int32 ndarray, shape (n_pods,)
        ``status.nominatedNodeName``; `NO_NODE` if none or not in the input.
    priority : int64 ndarray, shape (n_pods,)
    created_ns, started_ns : int64 ndarray, shape (n_pods,)
        Nanoseconds since 1970; `NO_TIME` if not given.
    lasts_ns : int64 ndarray, shape (n_pods,)
        How long it runs once it is bound, in a simulation; `NO_TIME` for ever.
    terminating : bool ndarray, shape (n_pods,)
        ``metadata.deletionTimestamp`` is set.
    preempted : bool ndarray, shape (n_pods,)
        It is being deleted because the scheduler preempted it, as its condition ``DisruptionTarget`` says.
    phase : int8 ndarray, shape (n_pods,)
        A `Phase`.
    scheduler : int32 ndarray, shape (n_pods,)
        Index into ``schedulers``, the names of ``spec.schedulerName``.
    made : bool ndarray, shape (n_pods,)
        The pod was made from a controller; it is not in the input itself.
    """

    names: list[str]
    uids: list[str]
    namespace: I32
    namespaces: Vocabulary
    template: I32
    node: I32
    nominated: I32
    priority: I64
    created_ns: I64
    started_ns: I64
    lasts_ns: I64
    terminating: Mask
    preempted: Mask
    phase: I8
    scheduler: I32
    schedulers: Vocabulary
    made: Mask

    def __len__(self) -> int:
        return len(self.names)

    def key(self, pod: int) -> str:
        """``namespace/name`` of a pod."""
        return f"{self.namespaces[self.namespace[pod]]}/{self.names[pod]}"

    @property
    def finished(self) -> Mask:
        """Pods that have run to their end: they hold nothing and wait for nothing."""
        return (self.phase == Phase.SUCCEEDED) | (self.phase == Phase.FAILED)

    @property
    def holding(self) -> Mask:
        """Pods that take up room on a known node."""
        return (self.node >= 0) & ~self.finished

    @property
    def waiting(self) -> Mask:
        """Pods without a node that are neither finished nor being deleted."""
        return (self.node == NO_NODE) & ~self.finished & ~self.terminating


def time_column(texts: list[str | None], no_time: int) -> I64:
    """RFC 3339 times as nanoseconds since 1970; ``no_time`` where the text is None or empty.

    Examples
    --------
    >>> time_column(["1970-01-01T00:00:01Z", "1970-01-01T02:00:01+02:00", None], -1).tolist()
    [1000000000, 1000000000, -1]
    """
    given = np.array([bool(text) for text in texts], np.bool_)
    column = np.full(len(texts), no_time, np.int64)
    stamps = np.array([_in_utc(text) for text in texts if text], dtype="datetime64[ns]")
    column[given] = stamps.astype(np.int64)
    return column


def duration_ns(text: str) -> int:
    """Nanoseconds of a text that says seconds.

    Raises
    ------
    ValueError
        It says none, or more than a simulation can last.

    Examples
    --------
    >>> duration_ns("1.5")
    1500000000
    """
    number = float(text)
    if not 0 <= number < 10**9:
        msg = f'expected seconds, 0 or more, got "{text}"'
        raise ValueError(msg)
    return round(number * 10**9)


def _in_utc(text: str) -> str:
    """An RFC 3339 time as numpy reads it: in UTC, without saying so."""
    if text[-1] in "Zz":
        return text[:-1]
    return datetime.fromisoformat(text).astimezone(UTC).replace(tzinfo=None).isoformat()
