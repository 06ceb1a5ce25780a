"""From the node that a pod has found to its binding (upstream's ``bindingCycle``)."""

from kplace.config.points import ExtensionPoint
from kplace.engine.simulate.agenda import Agenda
from kplace.engine.simulate.duties import SCHEDULER_ERROR, Binding, Departure, Duty, Failure, Running
from kplace.engine.simulate.live_pod import LivePod
from kplace.engine.simulate.record import AttemptRecord, Result, Watcher
from kplace.engine.simulate.returns import Returns
from kplace.engine.simulate.settings import Settings
from kplace.engine.simulate.world import World
from kplace.framework.binding import Setback, run_binding, run_permit, run_reserve, run_unreserve
from kplace.framework.waiting import Decision, WaitingPods
from kplace.queue import Clock, SchedulingQueue
from kplace.queue.clock import whole_second


class BindingCycle:
    """Binds the pods that have found their nodes.

    Parameters
    ----------
    world : World
    queue : SchedulingQueue
    settings : Settings
    clock : Clock
    agenda : Agenda of Duty
    returns : Returns
    watcher : Watcher

    Attributes
    ----------
    waiting : WaitingPods
        Those that a Permit plugin lets wait.
    """

    def __init__(
        self,
        world: World,
        queue: SchedulingQueue,
        settings: Settings,
        clock: Clock,
        agenda: Agenda[Duty],
        returns: Returns,
        watcher: Watcher,
    ) -> None:
        self.waiting = WaitingPods(epoch_ns=settings.epoch_ns)
        self._world = world
        self._queue = queue
        self._settings = settings
        self._clock = clock
        self._agenda = agenda
        self._returns = returns
        self._watcher = watcher
        self._held: dict[int, Running] = {}

    def begin(self, running: Running, node: str) -> None:
        """Let a pod have the node that it has found, unless a plugin is against it."""
        pod, attempt = running.pod, running.attempt
        if attempt is None:
            self._world.assume_counted(pod, node)
        else:
            self._world.assume(pod, node)
        if running.binds_plainly:
            self._permitted(running)
            return
        assert attempt is not None
        profile, cycle = attempt.profile, attempt.cycle
        setback = run_reserve(profile, cycle, attempt.node) or run_permit(profile, cycle, attempt.node)
        if setback is not None:
            run_unreserve(profile, cycle, attempt.node)
            self._world.forget(pod)
            result = Result.ERROR if setback.is_error else Result.UNSCHEDULABLE
            self._returns.put_back(running, Failure.of(setback, result), node=node)
        elif pod.row in self.waiting:
            self._held[pod.row] = running
        else:
            self._permitted(running)

    def settle(self) -> None:
        """Go on with the pods that waited and were allowed, or rejected, since the last time."""
        while decided := self.waiting.take_decided():
            for decision in decided:
                self._carry_out(self._held.pop(decision.waiting.pod), decision)

    def reject(self, pod: int) -> bool:
        """Reject a pod that is deleted; says whether it was waiting."""
        held = self.waiting.get(pod)
        if held is not None:
            held.reject("", "removed")
        return held is not None

    def finish(self, binding: Binding) -> None:
        """Bind a pod, or let it come back if that fails."""
        running, pod, error = binding.running, binding.running.pod, binding.error
        if not pod.exists:
            error = f'pods "{pod.name}" not found'
        if error:
            failure = Failure(Result.BIND_ERROR, SCHEDULER_ERROR, f"binding rejected: {error}")
            self._set_back(running, failure)
            return
        setback = None if running.binds_plainly else self._run(running)
        if setback is not None:
            self._set_back(running, Failure.of(setback, Result.BIND_ERROR))
            return
        if self._settings.provisioning is not None and not running.binds_plainly:
            self._world.provision(pod)
        started = self._settings.epoch_ns + whole_second(self._clock.now)
        pod.condition = ("", "")
        self._world.bind(pod, pod.assumed, started)
        self._watcher.bound(self._clock.now, pod)
        self.watch_end(pod)

    def watch_end(self, pod: LivePod) -> None:
        """Let a pod that is on its node end in time."""
        if pod.lasts is not None:
            self._agenda.add(self._clock.now + pod.lasts, Departure(pod, is_forced=False))

    def _permitted(self, running: Running) -> None:
        entry, pod = running.entry, running.pod
        self._queue.done(entry)
        self._watcher.attempted(
            AttemptRecord(
                at=self._clock.now,
                popped_at=running.popped_at,
                pod=pod,
                number=entry.attempts,
                result=Result.SCHEDULED,
                node=pod.assumed,
                attempt=running.attempt,
                found=running.found,
            )
        )
        outcome = self._settings.binding(pod.row, entry.attempts)
        binding = Binding(running, outcome.error)
        delay = outcome.delay
        if self._settings.provisioning is not None and not running.binds_plainly:
            delay += self._settings.provisioning(pod.row, entry.attempts).delay
        if delay:
            self._agenda.add(self._clock.now + delay, binding)
        else:
            self.finish(binding)

    def _carry_out(self, running: Running, decision: Decision) -> None:
        if decision.status.is_success:
            self._permitted(running)
            return
        setback = Setback.of(ExtensionPoint.PERMIT, decision.plugin, decision.status)
        self._set_back(running, Failure.of(setback, Result.UNSCHEDULABLE))

    def _run(self, running: Running) -> Setback | None:
        attempt = running.attempt
        assert attempt is not None
        return run_binding(attempt.profile, attempt.cycle, attempt.node, attempt.extenders)

    def _set_back(self, running: Running, failure: Failure) -> None:
        """Take a pod off the node that it was to be bound to (upstream ``handleBindingCycleError``)."""
        pod, attempt = running.pod, running.attempt
        node = pod.assumed
        if attempt is not None and not attempt.binds_plainly:
            run_unreserve(attempt.profile, attempt.cycle, attempt.node)
        self._world.forget(pod)
        running.popped_at = self._clock.now
        is_rejected = failure.setback is not None and not failure.setback.is_error
        if not is_rejected:
            self._world.tell_of_room(pod, node)
        self._returns.put_back(running, failure, node=node)
        if is_rejected:
            # Only then, and not the pod itself: it would be woken by its own leaving.
            self._world.tell_of_room(pod, node, but_itself=True)
