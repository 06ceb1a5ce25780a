"""Tables of what happens over time: pods that arrive and leave, nodes that are drained, fail or come back."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from kplace.engine.simulate import Verb
from kplace.errors import Fault
from kplace.frames.from_frames import Rules
from kplace.frames.openb import is_openb_pods, openb_pods
from kplace.frames.pod_rows import read_pods
from kplace.frames.rows import Refused, RowReader, shown
from kplace.objects.core import Node, Pod
from kplace.objects.meta import ObjectMeta
from kplace.queue import SECOND

ARRIVALS_SOURCE = "<frame arrivals>"
ACTIONS_SOURCE = "<frame node events>"

_AT = ("at", "arrives", "creation_time")
_LASTS = ("lasts", "duration")
_LEAVES = ("leaves", "deletion_time")
_ACTIONS = {verb.value: verb for verb in (Verb.CORDON, Verb.UNCORDON, Verb.DRAIN, Verb.FAIL, Verb.DELETE)}
_ACTIONS["remove"] = Verb.DELETE


@dataclass(frozen=True, slots=True)
class Arrival:
    """A pod that arrives.

    Attributes
    ----------
    pod : Pod
    at : int
        Nanoseconds since the start.
    lasts : int or None
        Nanoseconds that it runs once it is bound; None for ever.
    leaves : int or None
        Nanoseconds since the start at which it is deleted, bound or not.
    """

    pod: Pod
    at: int
    lasts: int | None
    leaves: int | None


@dataclass(frozen=True, slots=True)
class NodeEvent:
    """Something done to a node."""

    at: int
    verb: Verb
    node: Node


@dataclass(frozen=True, slots=True)
class Rows:
    """What a table held.

    Attributes
    ----------
    arrivals : list of Arrival
    faults : list of Fault
    unread : list of str
        Columns that nobody understood.
    """

    arrivals: list[Arrival]
    faults: list[Fault]
    unread: list[str]


def read_arrivals(frame: pd.DataFrame, rules: Rules) -> Rows:
    """Read a table of pods with their times; see `kplace.simulate` for its columns."""
    if is_openb_pods(frame):
        frame = openb_pods(frame)
    rows = RowReader(frame.drop(columns=[name for name in ("node",) if name in frame]), ARRIVALS_SOURCE)
    at = _times(rows, _AT)
    if at is None:
        at = _created(frame) if "created" in rows else None
    if at is None:
        rows.fault(None, "at", f"there is no column that says when: {', '.join(_AT)} or created")
        at = [0] * len(rows)
    lasts = _times(rows, _LASTS) or [None] * len(rows)
    leaves = _times(rows, _LEAVES) or [None] * len(rows)
    for row, time in enumerate(at):
        if time is None:
            rows.fault(row, "at", "is missing")
    pods = list(read_pods(rows, rules.fit, rules.api_version))
    rows.ignore("scheduled_time", "qos", "pod_phase")
    if rows.faults:
        return Rows([], rows.faults, rows.unread)
    arrivals = [
        Arrival(pod, when or 0, length, end) for pod, when, length, end in zip(pods, at, lasts, leaves, strict=True)
    ]
    return Rows(arrivals, [], rows.unread)


def read_node_events(frame: pd.DataFrame) -> tuple[list[NodeEvent], list[Fault]]:
    """Read a table of what is done to nodes: ``at`` (seconds), ``node``, ``action``."""
    rows = RowReader(frame, ACTIONS_SOURCE)
    at, names, verbs = _times(rows, ("at",)), rows.texts("node"), rows.read("action", _action)
    for column, values in (("at", at), ("node", names), ("action", verbs)):
        if column not in rows:
            rows.fault(None, column, "there is no such column")
        for row, value in enumerate(values or ()):
            if value is None and not any(fault.path == column for fault in rows.faults):
                rows.fault(row, column, "is missing")
    if rows.faults:
        return [], rows.faults
    listed = zip(at or (), names, verbs, strict=True)
    events = [
        NodeEvent(when, verb, Node(metadata=ObjectMeta(name=name)))
        for when, name, verb in listed
        if when is not None and name is not None and verb is not None
    ]
    return events, []


def _action(value: object) -> Verb:
    if value not in _ACTIONS:
        msg = f"expected one of {', '.join(_ACTIONS)}, got {shown(value)}"
        raise Refused(msg)
    return _ACTIONS[str(value)]


def _times(rows: RowReader, names: tuple[str, ...]) -> list[int | None] | None:
    """Nanoseconds of the first of some columns that there is; None if there is none."""
    found = next((name for name in names if name in rows), None)
    return None if found is None else rows.read(found, seconds)


def _created(frame: pd.DataFrame) -> list[int | None]:
    """Times of creation, counted from the whole second of the first."""
    stamps = pd.to_datetime(frame["created"], utc=True, errors="coerce", format="ISO8601")
    numbers = stamps.dt.tz_localize(None).to_numpy("datetime64[ns]").astype(np.int64)
    known = stamps.notna().to_numpy()
    first = int(numbers[known].min()) // SECOND * SECOND if known.any() else 0
    return [int(number) - first if is_known else None for number, is_known in zip(numbers, known, strict=True)]


def seconds(value: object) -> int:
    """Check that a value is a number of seconds, not negative; in nanoseconds.

    Examples
    --------
    >>> seconds(2), seconds(0.25)
    (2000000000, 250000000)
    """
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not 0 <= value < 10**9:
        msg = f"expected seconds, 0 or more, got {shown(value)}"
        raise Refused(msg)
    return round(float(value) * SECOND)
