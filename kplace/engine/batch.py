"""The batch engine: many pods, the fused loop wherever it knows the way, the cycle wherever it does not.

It gives what `kplace.engine.place.place_waiting` gives, row by row. The fused loop leaves for Python when a pod's
template needs the cycle, when a pod fits nowhere and it has to be said why, and while any pod has a node nominated;
both work on one state.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from kplace.dtypes import I32, I64, NO_NODE, Status
from kplace.engine.attempt import Attempt
from kplace.engine.binding import bind, hold
from kplace.engine.cycle import Options
from kplace.engine.diagnose import Reasons, diagnose
from kplace.engine.fused.engine import FusedEngine, empty_results
from kplace.engine.fused.known import can_fuse
from kplace.engine.fused.loop import DONE, NEEDS_REASONS, NEEDS_ROOM
from kplace.engine.place import Agenda, attempts, carry_out, make_agenda
from kplace.engine.results import NO_SCORE, PlacementColumns, PreemptionColumns, highest_totals, preemption_rows
from kplace.framework import Profile
from kplace.state import ClusterState

D = TypeVar("D", bound=np.generic)

Progress = Callable[[int], None]
"""Called now and then with the number of pods tried so far."""

Engines = Callable[[ClusterState, Profile, Options, I32], FusedEngine]
"""Makes the fused engine of a profile for a run; the parameters are those of `FusedEngine`."""

STRIDE = 4096
"""Pods that are placed between two calls of a progress function."""


class Observer(Protocol):
    """Somebody who looks on at some pods' turns.

    Attributes
    ----------
    positions : int64 ndarray
        Places in the queue of these pods, ascending.
    """

    positions: I64

    def before(self, state: ClusterState, pod: int, number: int) -> None:
        """Look at the state, without changing it, in which a pod is tried for the first time.

        Parameters
        ----------
        number : int
            Of the attempt: the place in the queue.
        """

    def after(self, node: int) -> None:
        """Learn which node that pod has found; `NO_NODE` for none."""


def can_batch(profiles: Sequence[Profile], options: Options) -> bool:
    """Whether pods are scored, and bound without asking anybody at Reserve, Permit or the binding.

    A profile that does not score gives each node that it finds a total of 1, which the fused loop does not.
    """
    return not options.extenders and all(profile.score and profile.binds_plainly for profile in profiles)


def place_batch(
    state: ClusterState,
    profiles: Sequence[Profile],
    options: Options,
    *,
    only: I32 | None = None,
    progress: Progress | None = None,
    observer: Observer | None = None,
    engines: Engines = FusedEngine,
) -> PlacementColumns:
    """Try every waiting pod and put those that fit onto their nodes; the parameters are those of `place_waiting`.

    Parameters
    ----------
    state : ClusterState
        Modified.
    profiles : sequence of Profile
        That `can_batch`.
    options : Options
    only : int32 ndarray, optional
        The pods to try; the others are left waiting.
    progress : callable, optional
    observer : Observer, optional
    engines : callable
        See `kplace.engine.rerun` for others.
    """
    run = _Batch(state, make_agenda(state, profiles, options, only), options, engines)
    for position, end, is_watched in _spans(run.n_pods, observer):
        if is_watched and observer is not None:
            observer.before(state, run.pod_at(position), position)
        at = position
        while at < end:
            at = run.advance(at, end)
            if progress is not None:
                progress(at)
        if is_watched and observer is not None:
            observer.after(run.node_at(position))
    return run.finish()


def _spans(n_pods: int, observer: Observer | None) -> Iterator[tuple[int, int, bool]]:
    """The queue in spans of `STRIDE` pods at the most, and spans of one pod that is looked at."""
    begin = 0
    for stop in [*([] if observer is None else observer.positions.tolist()), n_pods]:
        for position in range(begin, stop, STRIDE):
            yield position, min(position + STRIDE, stop), False
        if stop < n_pods:
            yield stop, stop + 1, True
        begin = stop + 1


class _Batch:
    """One run: the queue, what has become of it so far, and a fused engine for each profile that has one."""

    def __init__(self, state: ClusterState, agenda: Agenda, options: Options, engines: Engines) -> None:
        self._state = state
        self._agenda = agenda
        self._options = options
        self._make_engine = engines
        self.n_pods = len(agenda.tried)
        self._results = empty_results(self.n_pods, state.next_start_index)
        self._victims: list[list[tuple[int, ...]]] = []
        self._said: list[tuple[Reasons, str]] = []
        self._preemptions: list[tuple[int, ...]] = []
        self._errors: list[int] = []
        self._engines: dict[str, FusedEngine | None] = {}
        self._stale = False

    def pod_at(self, position: int) -> int:
        """The pod at a place in the queue."""
        return int(self._agenda.tried[position])

    def node_at(self, position: int) -> int:
        """The node that the pod at a place in the queue has found."""
        return int(self._results.node[position])

    def advance(self, position: int, end: int) -> int:
        """Place pods from ``position`` on, up to ``end`` at most; returns where the next call goes on."""
        profile = self._agenda.profile_of(int(self._agenda.tried[position]))
        engine = self._engine(profile)
        if engine is None or len(self._state.nominations):
            self._by_cycle(position, profile)
            return position + 1
        upto = self._same_profile(position, end, profile)
        stop = engine.advance(self._results, position, upto)
        self._settle(engine, position, stop.position)
        if stop.why == DONE:
            return upto
        if stop.why == NEEDS_ROOM:
            self._state.node_pods.make_room(int(self._results.node[stop.position]))
            return stop.position
        attempt = self._by_cycle(stop.position, profile)
        if stop.why == NEEDS_REASONS and attempt.node == NO_NODE and not self._stale:
            engine.remember_failure(attempt.pod, int(self._results.reason[stop.position]))
        return stop.position + 1

    def finish(self) -> PlacementColumns:
        """Columns of all rows: pods that were not tried, then the others in the order they were tried."""
        untried = self._agenda.untried
        results, n_untried = self._results, len(untried)
        status = np.where(results.node == NO_NODE, Status.UNSCHEDULABLE, Status.SCHEDULED).astype(np.int8)
        status[self._errors] = Status.ERROR
        preemptions = PreemptionColumns.of_rows(self._preemptions)
        pods = np.concatenate([np.array([pod for pod, _ in untried], np.int32), self._agenda.tried])
        node = np.concatenate([np.full(n_untried, NO_NODE, np.int32), results.node])
        status = np.concatenate([np.array([item for _, item in untried], np.int8), status])
        if len(preemptions):
            gone = np.isin(pods, preemptions.gone)
            node[gone], status[gone] = NO_NODE, Status.PREEMPTED
        reasons: list[Reasons] = [()] * len(pods)
        messages = [""] * len(pods)
        for at in np.flatnonzero(results.reason >= 0).tolist():
            reasons[n_untried + at], messages[n_untried + at] = self._said[results.reason[at]]
        return PlacementColumns(
            pod=pods,
            status=status,
            node=node,
            attempt=_padded(n_untried, results.attempt, -1),
            evaluated=_padded(n_untried, results.evaluated, 0),
            feasible=_padded(n_untried, results.feasible, 0),
            total=_padded(n_untried, results.total, NO_SCORE),
            runner_up=_padded(n_untried, results.runner_up, NO_SCORE),
            ties=_padded(n_untried, results.ties, 0),
            next_start_index=_padded(n_untried, results.next_start, 0),
            reasons=reasons,
            messages=messages,
            preemptions=preemptions,
            settled=self._state.volume_bindings.settled,
        )

    def _engine(self, profile: Profile) -> FusedEngine | None:
        """The fused engine of a profile, made when it is first needed or when it can no longer be trusted."""
        if self._stale:
            self._engines.clear()
            self._stale = False
        name = profile.scheduler_name
        if name not in self._engines:
            fits = self._state.n_nodes > 0 and not self._options.extenders and can_fuse(profile)
            made = self._make_engine(self._state, profile, self._options, self._agenda.tried) if fits else None
            self._engines[name] = made
        return self._engines[name]

    def _same_profile(self, position: int, end: int, profile: Profile) -> int:
        """Where the run of pods of one profile ends that begins at ``position``."""
        if len(self._engines) == 1 and self._agenda.has_one_profile:
            return end
        for at in range(position + 1, end):
            if self._agenda.profile_of(int(self._agenda.tried[at])) is not profile:
                return at
        return end

    def _settle(self, engine: FusedEngine, position: int, end: int) -> None:
        """Enter what the fused loop has placed into the state."""
        placed = self._results.node[position:end]
        pods = self._agenda.tried[position:end]
        self._state.settle(pods[placed != NO_NODE], placed[placed != NO_NODE], lists_are_current=engine.keeps_lists)
        engine.settle_claims(pods[placed != NO_NODE], placed[placed != NO_NODE])
        self._enter_victims(engine)
        if end > position:
            self._state.next_start_index = int(self._results.next_start[end - 1])
        for at in np.flatnonzero(placed == NO_NODE).tolist():
            pod, reason = int(pods[at]), int(self._results.reason[position + at])
            if reason >= 0:
                self._preemptions += [(pod, *row[1:]) for row in self._victims[reason]]
        for other in self._engines.values():
            if other is not None and other is not engine:
                other.note_many(pods[placed != NO_NODE], placed[placed != NO_NODE])

    def _enter_victims(self, engine: FusedEngine) -> None:
        """Enter the pods that the fused loop has pushed out."""
        victims, positions = engine.victims()
        if not len(victims):
            return
        self._state.node_of_pod[victims] = NO_NODE
        for victim, position in zip(victims.tolist(), positions.tolist(), strict=True):
            node = int(self._results.node[position])
            self._preemptions.append((int(self._agenda.tried[position]), 0, node, victim, False, True))
        self._agenda.skip_numbers(len(np.unique(positions)))

    def _by_cycle(self, position: int, profile: Profile) -> Attempt:
        """Try one pod by the readable engine, as often as others leave for it; returns the last attempt."""
        pod = int(self._agenda.tried[position])
        numbers = self._agenda.numbers_from(position)
        last = None
        for attempt in attempts(self._state, profile, pod, numbers, self._options):
            self._preemptions += preemption_rows(attempt)
            self._carry_out(attempt)
            self._note_changes(attempt)
            last = attempt
        assert last is not None
        self._record(position, last)
        return last

    def _carry_out(self, attempt: Attempt) -> None:
        """Make an attempt's outcome true, with what plugins do for pods that are not bound plainly."""
        if attempt.node == NO_NODE or attempt.binds_plainly:
            carry_out(self._state, attempt)
            return
        self._state.next_start_index = attempt.next_start_index
        setback = hold(self._state, attempt) or bind(self._state, attempt)
        # Only VolumeBinding is asked here, and it agrees to what its Filter let through.
        assert setback is None, setback

    def _note_changes(self, attempt: Attempt) -> None:
        """Let the fused engines know what an attempt has changed."""
        changes = [(attempt.pod, attempt.node, 1)] if attempt.node != NO_NODE else []
        if attempt.is_preempting and attempt.preemption is not None:
            changes += [(victim, attempt.preemption.node, -1) for victim in attempt.preemption.victims.tolist()]
        for pod, node, sign in changes:
            # Terminating pods count for some groups only, which the engines' counters do not tell apart.
            self._stale |= bool(self._state.columns.pods.terminating[pod])
            for engine in self._engines.values():
                if engine is not None:
                    engine.note(pod, node, sign)

    def _record(self, position: int, attempt: Attempt) -> None:
        results = self._results
        results.node[position] = attempt.node
        results.evaluated[position] = attempt.sample.evaluated
        results.feasible[position] = len(attempt.feasible)
        results.total[position], results.runner_up[position] = highest_totals(attempt)
        results.ties[position] = len(attempt.best)
        results.next_start[position] = attempt.next_start_index
        results.attempt[position] = attempt.retry
        if attempt.error:
            self._errors.append(position)
        if attempt.node == NO_NODE:
            results.reason[position] = len(self._said)
            self._said.append(diagnose(attempt))
            self._victims.append(preemption_rows(attempt))


def _padded(n_untried: int, column: NDArray[D], filler: int) -> NDArray[D]:
    """A column with an entry in front for each pod that was not tried."""
    return np.concatenate([np.full(n_untried, filler, column.dtype), column])
