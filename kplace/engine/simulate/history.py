"""What is kept of a simulation: attempts, events, the lives of pods, and samples of the cluster at regular times."""

from dataclasses import dataclass, field
from typing import NamedTuple

from kplace.engine.results import NO_SCORE
from kplace.engine.simulate.live_pod import LivePod
from kplace.engine.simulate.record import AttemptRecord, Quiet, Result
from kplace.engine.simulate.simulation import Simulation

NOTE_LIMIT = 1024
"""Bytes of an event's note; a longer one is cut (upstream ``NoteLengthLimit``)."""
_CUT = " ..."
_NONE = -1


class AttemptRow(NamedTuple):
    """One attempt; times are nanoseconds since the start."""

    at: int
    popped_at: int
    pod: str
    attempt: int
    result: str
    node: str
    message: str
    plugins: tuple[str, ...]
    nominated: str | None
    victims: tuple[str, ...]
    evaluated: int
    feasible: int
    total: int | None


class EventRow(NamedTuple):
    """One event as ``kubectl get events`` shows it."""

    at: int
    type: str
    reason: str
    pod: str
    message: str


class Sample(NamedTuple):
    """The cluster at one time.

    Attributes
    ----------
    at : int
    nodes : int
    bound : int
        Pods that are bound to nodes.
    active, backoff, unschedulable, gated, binding : int
        Waiting pods by place.
    requested, allocatable : dict of str to int
        By resource, summed over the nodes.
    by_plugin : dict of str to int
        Unschedulable pods by the plugins that rejected them; one that several rejected counts for each.
    """

    at: int
    nodes: int
    bound: int
    active: int
    backoff: int
    unschedulable: int
    gated: int
    binding: int
    requested: dict[str, int]
    allocatable: dict[str, int]
    by_plugin: dict[str, int]


@dataclass(slots=True)
class Life:
    """What became of a pod; times are nanoseconds since the start, -1 where there is none.

    Attributes
    ----------
    pod : str
        ``namespace/name``.
    entered : int
        When it entered the queue.
    active : int
        When it first came into the active queue.
    scheduled : int
        When a node was found that it was then bound to.
    bound : int
        When it was bound.
    node : str
    attempts : int
    """

    pod: str
    entered: int
    active: int = _NONE
    scheduled: int = _NONE
    bound: int = _NONE
    node: str = ""
    attempts: int = 0


@dataclass(slots=True)
class History(Quiet):
    """Keeps everything; the simulation's watcher.

    Attributes
    ----------
    attempts : list of AttemptRow
    events : list of EventRow
    samples : list of Sample
    lives : list of Life
        In the order in which the pods were first tried.
    """

    attempts: list[AttemptRow] = field(default_factory=list)
    events: list[EventRow] = field(default_factory=list)
    samples: list[Sample] = field(default_factory=list)
    lives: list[Life] = field(default_factory=list)
    _of_pod: dict[LivePod, Life] = field(default_factory=dict)
    _texts: dict[str, str] = field(default_factory=dict)

    def attempted(self, record: AttemptRecord) -> None:
        """Enter an attempt."""
        pod = record.pod
        message = self._texts.setdefault(record.message, record.message)
        attempt, found = record.attempt, record.found
        evaluated, feasible, total = 0, 0, None
        if found is not None:
            evaluated, feasible = found.evaluated, found.feasible
            if record.result is Result.SCHEDULED and found.total != NO_SCORE:
                total = found.total
        elif attempt is not None:
            evaluated, feasible = attempt.sample.evaluated, len(attempt.feasible)
        self.attempts.append(
            AttemptRow(
                at=record.at,
                popped_at=record.popped_at,
                pod=pod.key,
                attempt=record.number,
                result=record.result.value,
                node=record.node,
                message=message,
                plugins=tuple(sorted(record.plugins)),
                nominated=record.nominated,
                victims=tuple(sorted(victim.key for victim in record.victims)),
                evaluated=evaluated,
                feasible=feasible,
                total=total,
            )
        )
        life = self._life(pod)
        life.attempts = record.number
        if record.result is Result.SCHEDULED:
            life.scheduled = record.at
        else:
            self.events.append(EventRow(record.at, "Warning", "FailedScheduling", pod.key, note(message)))

    def bound(self, now: int, pod: LivePod) -> None:
        """Enter a binding."""
        life = self._life(pod)
        life.bound, life.node = now, pod.image.node
        text = f"Successfully assigned {pod.key} to {pod.image.node}"
        self.events.append(EventRow(now, "Normal", "Scheduled", pod.key, text))
        del self._of_pod[pod]

    def evicted(self, now: int, pod: LivePod, preemptor: LivePod) -> None:
        """Enter an eviction."""
        text = f"Preempted by pod {preemptor.key} on node {pod.image.node or pod.assumed}"
        self.events.append(EventRow(now, "Normal", "Preempted", pod.key, text))

    def sample(self, simulation: Simulation, at: int) -> None:
        """Enter what the cluster is like now."""
        self.samples.append(take_sample(simulation, at))

    def _life(self, pod: LivePod) -> Life:
        life = self._of_pod.get(pod)
        if life is None:
            assert pod.entry is not None
            life = self._of_pod[pod] = Life(pod.key, pod.entry.entered)
            life.active = _NONE if pod.entry.active_since is None else pod.entry.active_since
            self.lives.append(life)
        return life


def take_sample(simulation: Simulation, at: int) -> Sample:
    """What the cluster is like."""
    queue, world = simulation.queue, simulation.world
    names = world.cluster.columns.resources.names
    requested, offered = world.cluster.use()
    by_plugin: dict[str, int] = {}
    n_gated = 0
    for entry in queue.pool:
        n_gated += bool(entry.gating)
        for plugin in entry.rejecting if not entry.gating else ():
            by_plugin[plugin] = by_plugin.get(plugin, 0) + 1
    n_binding = sum(bool(pod.assumed) for pod in world.pods.values())
    n_bound = sum(bool(pod.image.node) for pod in world.pods.values())
    return Sample(
        at=at,
        nodes=len(world.cluster.nodes),
        bound=n_bound,
        active=len(queue.active),
        backoff=len(queue.backoff),
        unschedulable=len(queue.pool) - n_gated,
        gated=n_gated,
        binding=n_binding,
        requested=dict(zip(names, requested.tolist(), strict=True)),
        allocatable=dict(zip(names, offered.tolist(), strict=True)),
        by_plugin=by_plugin,
    )


def note(message: str) -> str:
    """Cut a message to what an event's note holds.

    Examples
    --------
    >>> len(note("x" * 2000)), note("x" * 2000)[-5:]
    (1024, 'x ...')
    """
    data = message.encode()
    if len(data) <= NOTE_LIMIT:
        return message
    return data[: NOTE_LIMIT - len(_CUT)].decode(errors="ignore") + _CUT
