"""Places the waiting pods of a cluster by the queue's rules: victims take their time to leave, and pods come back.

The clock runs until no victim is leaving, no pod that others left for waits to be tried, and nothing is in the active
queue or in backoff but after an error. That a pod has waited for five minutes is not waited for.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from kplace.columns.cluster import ClusterColumns
from kplace.columns.storage.claims import ClaimKey
from kplace.dtypes import I32, NO_NODE, PreemptionMode, Status
from kplace.engine.attempt import Attempt
from kplace.engine.batch import can_batch, place_batch
from kplace.engine.place import SetbackWatcher, Watcher, make_agenda, split_waiting
from kplace.engine.results import PlacementBuilder, PlacementColumns
from kplace.engine.simulate.record import AttemptRecord, Quiet, Result
from kplace.engine.simulate.settings import Settings
from kplace.engine.simulate.simulation import Simulation
from kplace.engine.simulate.standing import epoch_of, standing_scenario
from kplace.framework import Profile
from kplace.framework.events import ASSIGNED_POD_ADD
from kplace.objects.core import Node
from kplace.plugins import names
from kplace.queue.rules import Rules
from kplace.state import ClusterState
from kplace.state.volume_bindings import SettledClaim

Progress = Callable[[int], None]
"""Called now and then with the number of pods tried so far."""

_NARROWING_NOTHING = frozenset(
    {
        names.NODE_RESOURCES_FIT,
        names.NODE_PORTS,
        names.INTER_POD_AFFINITY,
        names.POD_TOPOLOGY_SPREAD,
        names.VOLUME_RESTRICTIONS,
        names.VOLUME_ZONE,
        names.NODE_VOLUME_LIMITS,
        names.DYNAMIC_RESOURCES,
    }
)
"""PreFilters that never narrow the search: if they have rejected a pod, the reasons say so."""


@dataclass(frozen=True, slots=True)
class Placing:
    """What is to be placed, and how.

    Attributes
    ----------
    columns : ClusterColumns
        Not modified.
    nodes : sequence of Node
        Its nodes, in the order of the input.
    profiles : sequence of Profile
    settings : Settings
    only : int32 ndarray or None
        The pods to try; the others are left waiting.
    start_index : int
        Where the first search begins.
    """

    columns: ClusterColumns
    nodes: Sequence[Node]
    profiles: Sequence[Profile]
    settings: Settings
    only: I32 | None = None
    start_index: int = 0


def place_by_queue(
    task: Placing,
    *,
    by_batch: bool = False,
    watchers: Sequence[Watcher] = (),
    setback_watchers: Sequence[SetbackWatcher] = (),
    progress: Progress | None = None,
) -> PlacementColumns:
    """Try every waiting pod, and again whenever the queue's rules say so.

    Parameters
    ----------
    by_batch : bool
        Let the batch engine place the pods up to the first that fits nowhere; watchers do not see these.
    watchers, setback_watchers : sequences of callable
        See `kplace.engine.place.place_waiting`.
    progress : callable, optional
    """
    collector = _Collector(watchers, setback_watchers, progress)
    begun = None
    if by_batch and can_batch(task.profiles, task.settings.options):
        begun = _place_once(task, progress)
        if _is_final(task, begun):
            return begun
    settled = _run(task, collector, begun)
    return collector.builder.finish(settled)


def _place_once(task: Placing, progress: Progress | None) -> PlacementColumns:
    options = replace(task.settings.options, preemption=PreemptionMode.DRY_RUN)
    state = ClusterState(task.columns)
    state.next_start_index = task.start_index
    return place_batch(state, task.profiles, options, only=task.only, progress=progress)


def _is_final(task: Placing, once: PlacementColumns) -> bool:
    """Whether nothing happens any more once every pod was tried once.

    What has happened by then is that pods were bound. It remains to be asked whether anybody who was rejected hears of
    that, or could have others leave, or had a node in view.
    """
    rejected = np.flatnonzero(once.status == Status.UNSCHEDULABLE)
    if not len(rejected):
        return True
    pods = task.columns.pods
    tried = once.pod[once.attempt >= 0]
    if len(once.preemptions) or np.any(pods.preempted) or np.any(pods.nominated[tried] != NO_NODE):
        return False
    by_name = {profile.scheduler_name: profile for profile in task.profiles}
    rules = Rules(by_name)
    rejecting = {
        (pods.schedulers[pods.scheduler[once.pod[row]]], plugin)
        for row in rejected.tolist()
        for plugin, _, _ in once.reasons[row]
    }
    for name in {name for name, _ in rejecting}:
        narrowing = {plugin.name for plugin in by_name[name].pre_filter} - _NARROWING_NOTHING
        rejecting |= {(name, plugin) for plugin in narrowing}
    return not any(rules.hears(name, plugin, ASSIGNED_POD_ADD) for name, plugin in rejecting)


def _run(task: Placing, collector: "_Collector", begun: PlacementColumns | None) -> Mapping[ClaimKey, SettledClaim]:
    """Simulate from the start, or from where the first pod of ``begun`` was rejected; returns what claims got."""
    state = ClusterState(task.columns)
    agenda = make_agenda(state, task.profiles, task.settings.options, task.only)
    for pod, status in agenda.untried:
        collector.builder.add_untried(pod, status)
    n_placed, next_start = 0, task.start_index
    if begun is not None:
        n_placed = collector.take_over(begun, len(agenda.untried))
        if n_placed:
            next_start = int(begun.next_start_index[len(agenda.untried) + n_placed - 1])
    placed, waiting = agenda.tried[:n_placed], agenda.tried[n_placed:]
    on = np.array([collector.node_of(pod) for pod in placed.tolist()], np.int32)
    on_nodes = set(placed.tolist())
    scenario = standing_scenario(task.columns, task.nodes, placed, on, waiting)
    is_swift = begun is not None
    settings = replace(task.settings, epoch_ns=epoch_of(task.columns), is_swift=is_swift)
    simulation = Simulation(scenario, task.profiles, settings, collector, n_attempts=n_placed, next_start=next_start)
    _leave_room(task, state, agenda.tried, simulation)
    bindings = simulation.world.cluster.volume_bindings
    for claim, settled in begun.settled.items() if begun is not None else ():
        if settled.pod in on_nodes:
            bindings.settle(claim, settled)
            bindings.write(claim)
    simulation.run(0)
    while not simulation.is_at_rest:
        time = simulation.next_time()
        assert time is not None
        simulation.run(time)
    return bindings.settled


def _leave_room(task: Placing, state: ClusterState, tried: I32, simulation: Simulation) -> None:
    """Let the nominations be seen of pods that are in the queue and are not to be tried."""
    _, _, queued = split_waiting(state, {profile.scheduler_name: profile for profile in task.profiles})
    for pod in np.setdiff1d(queued, tried).tolist():
        node = int(task.columns.pods.nominated[pod])
        if node >= 0:
            simulation.queue.nominator.add(pod, task.columns.nodes.names[node])


class _Collector(Quiet):
    """Makes rows of what it sees.

    Parameters
    ----------
    watchers, setback_watchers, progress
        See `place_by_queue`.

    Attributes
    ----------
    builder : PlacementBuilder
    """

    def __init__(
        self,
        watchers: Sequence[Watcher],
        setback_watchers: Sequence[SetbackWatcher],
        progress: Progress | None,
    ) -> None:
        self.builder = PlacementBuilder()
        self._watchers = watchers
        self._setback_watchers = setback_watchers
        self._progress = progress
        self._n_tried = self._n_told = 0

    def take_over(self, begun: PlacementColumns, n_untried: int) -> int:
        """Take over the rows up to the first pod that was rejected; returns their number without the first ones."""
        stops = np.flatnonzero(begun.node[n_untried:] == NO_NODE)
        n_placed = int(stops[0]) if len(stops) else len(begun) - n_untried
        chosen = slice(n_untried, n_untried + n_placed)
        columns = (
            begun.pod,
            begun.status,
            begun.node,
            begun.attempt,
            begun.evaluated,
            begun.feasible,
            begun.total,
            begun.runner_up,
            begun.ties,
            begun.next_start_index,
        )
        for row in zip(*(column[chosen].tolist() for column in columns), strict=True):
            self.builder.add_row(row)
        self._n_tried = n_placed
        self._n_told = int((begun.attempt >= 0).sum())
        return n_placed

    def node_of(self, pod: int) -> int:
        """The node that a pod has found by now."""
        return self.builder.rows[self.builder.row_of[pod]][2]

    def tried(self, attempt: Attempt, message: str) -> None:
        """See what was found."""
        for watcher in self._watchers:
            watcher(attempt, message)

    def attempted(self, record: AttemptRecord) -> None:
        """Enter an attempt, or what became of one."""
        attempt, setback = record.attempt, record.setback
        if attempt is None and record.found is None:
            return
        if setback is None:
            self._count(record)
        if attempt is None:
            self._add_swift(record)
            return
        if setback is None:
            self.builder.add(attempt, record.reasons, record.message if attempt.node == NO_NODE else "")
            return
        if record.result is not Result.BIND_ERROR:
            # It is the first that is heard of the attempt.
            self.builder.add(attempt, (), "")
        self.builder.set_back(attempt, setback)
        for watcher in self._setback_watchers:
            watcher(attempt, setback)

    def _add_swift(self, record: AttemptRecord) -> None:
        found = record.found
        assert found is not None
        begin = (record.pod.row, Status.SCHEDULED, found.node, record.number - 1)
        self.builder.add_row((*begin, *found[1:]))

    def _count(self, record: AttemptRecord) -> None:
        self._n_tried += record.number == 1
        if self._progress is not None:
            # Pods that are tried over again were told of already.
            self._n_told = max(self._n_told, self._n_tried)
            self._progress(self._n_told)
