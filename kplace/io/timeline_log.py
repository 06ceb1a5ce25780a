"""The record of a simulation in the schema of the golden timelines: attempts, moves, queues, end."""

from collections.abc import Sequence
from typing import Any

from kplace.engine.simulate.live_pod import LivePod
from kplace.engine.simulate.record import AttemptRecord, Quiet
from kplace.engine.simulate.simulation import Simulation
from kplace.queue import SECOND, Place, QueuedPod, SchedulingQueue
from kplace.queue.scheduling_queue import Move

Record = dict[str, Any]


class TimelineLog(Quiet):
    """Collects the record; the simulation's watcher.

    Parameters
    ----------
    has_cycle_time : bool
        Attempts take time: it is said when they began.
    """

    def __init__(self, *, has_cycle_time: bool = False) -> None:
        self._has_cycle_time = has_cycle_time
        self._last_queues: Record | None = None
        self._keys: dict[int, str] = {}
        self.attempts: list[Record] = []
        self.moves: list[Record] = []
        self.queues: list[Record] = []

    def moved(self, now: int, moves: Sequence[Move]) -> None:
        """Enter the moves of one event."""
        at = seconds(now)
        self.moves += [
            {
                "at": at,
                "pod": move.key,
                "from": move.origin.value,
                "to": move.destination.value,
                "event": move.label,
            }
            for move in moves
        ]

    def attempted(self, record: AttemptRecord) -> None:
        """Enter an attempt."""
        self._keys[record.pod.row] = record.pod.key
        entry: Record = {
            "at": seconds(record.at),
            "pod": record.pod.key,
            "attempt": record.number,
            "result": record.result.value,
            "plugins": sorted(record.plugins),
        }
        if self._has_cycle_time:
            entry["poppedAt"] = seconds(record.popped_at)
        if record.node:
            entry["node"] = record.node
        if record.result != "scheduled":
            entry["message"] = record.message
        if record.nominated is not None:
            entry["nominated"] = record.nominated
        if record.victims:
            entry["victims"] = sorted(victim.key for victim in record.victims)
        self.attempts.append(entry)

    def settled(self, now: int, queue: SchedulingQueue) -> None:
        """Enter the queues, if they have changed since the last time."""
        record = queues_record(queue)
        if record != self._last_queues:
            self._last_queues = record
            self.queues.append({"at": seconds(now), **record})

    def record(self, simulation: Simulation) -> Record:
        """The whole record, once the simulation is over."""
        return {
            "attempts": self.attempts,
            "moves": self.moves,
            "queues": self.queues,
            "end": end_record(simulation),
        }


def queues_record(queue: SchedulingQueue) -> Record:
    """Who is where: active and backoff in the order in which they would be popped, the others by name."""
    entries = {entry.pod: entry.key for entry in queue.entries()}
    record: Record = {
        "active": [entry.key for entry in queue.active],
        "backoff": [entry.key for entry in queue.backoff],
        "unschedulable": sorted(entry.key for entry in queue.pool if not entry.gating),
        "gated": sorted(entry.key for entry in queue.pool if entry.gating),
    }
    if record["backoff"]:
        record["backoffUntil"] = {entry.key: seconds(queue.backoff.expiry(entry)) for entry in queue.backoff}
    nominated = {entries[pod]: node for pod, node in queue.nominator if pod in entries}
    if nominated:
        record["nominated"] = nominated
    return record


def end_record(simulation: Simulation) -> Record:
    """What every pod has come to."""
    queue = simulation.queue
    return {key: _pod_record(pod, queue) for key, pod in sorted(simulation.world.pods.items())}


def _pod_record(pod: LivePod, queue: SchedulingQueue) -> Record:
    if pod.image.node:
        return {"node": pod.image.node, "attempts": pod.attempts}
    entry = pod.entry
    record: Record = {"queue": _place(pod, entry), "attempts": pod.attempts}
    if entry is None:
        return record
    if entry.rejecting:
        record["plugins"] = sorted(entry.rejecting)
    if entry.unschedulable_count:
        record["unschedulableCount"] = entry.unschedulable_count
    if entry.error_count:
        record["errorCount"] = entry.error_count
    if entry.place is Place.BACKOFF:
        record["backoffExpires"] = seconds(queue.backoff.expiry(entry))
    return record


def _place(pod: LivePod, entry: QueuedPod | None) -> str:
    if pod.assumed:
        return "binding"
    return (entry.place.value if entry is not None else "") or "none"


def seconds(time: int) -> int | float:
    """Nanoseconds as a JSON number of seconds.

    Examples
    --------
    >>> seconds(2_000_000_000), seconds(5_510_000_000)
    (2, 5.51)
    """
    whole, rest = divmod(time, SECOND)
    return whole if not rest else time / SECOND
