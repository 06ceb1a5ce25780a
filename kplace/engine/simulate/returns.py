"""How pods come back that were not placed (upstream ``handleSchedulingFailure``)."""

from kplace.engine.simulate.duties import Failure, Running
from kplace.engine.simulate.live_pod import LivePod
from kplace.engine.simulate.record import AttemptRecord, Watcher
from kplace.engine.simulate.settings import Settings
from kplace.engine.simulate.world import World
from kplace.queue import Clock, SchedulingQueue


class Returns:
    """Puts pods back into the queue and writes why into their status.

    Parameters
    ----------
    world : World
    queue : SchedulingQueue
    settings : Settings
    clock : Clock
    watcher : Watcher
    """

    def __init__(
        self, world: World, queue: SchedulingQueue, settings: Settings, clock: Clock, watcher: Watcher
    ) -> None:
        self._world = world
        self._queue = queue
        self._settings = settings
        self._clock = clock
        self._watcher = watcher

    def put_back(self, running: Running, failure: Failure, victims: tuple[LivePod, ...] = (), node: str = "") -> None:
        """Put a pod back, tell its nomination, and write its status.

        Parameters
        ----------
        victims : tuple of LivePod
            The pods that have to leave for it.
        node : str
            The node that it was to be bound to.
        """
        entry, pod = running.entry, running.pod
        if failure.setback is not None:
            pod.n_setbacks += 1
        is_waiting = pod.exists and not pod.image.node and pod.n_setbacks < self._settings.most_setbacks
        nominator = self._queue.nominator
        entry.plugins = failure.plugins
        if is_waiting:
            entry.image = pod.image
            self._queue.put_back(entry)
            nominator.add(pod.row, pod.image.nominated if failure.nomination is None else failure.nomination)
        else:
            self._queue.done(entry)
            nominator.delete(pod.row)
        has_changed = failure.nomination is not None and failure.nomination != pod.image.nominated
        self._watcher.attempted(
            AttemptRecord(
                at=self._clock.now,
                popped_at=running.popped_at,
                pod=pod,
                number=entry.attempts,
                result=failure.result,
                node=node,
                message=failure.message,
                plugins=failure.plugins,
                nominated=failure.nomination if has_changed or failure.nomination else None,
                victims=victims,
                attempt=running.attempt,
                found=running.found,
                reasons=failure.reasons,
                setback=failure.setback,
            )
        )
        condition = (failure.reason, failure.message)
        if is_waiting and (has_changed or condition != pod.condition):
            pod.condition = condition
            nominated = pod.image.nominated if failure.nomination is None else failure.nomination
            self._world.nominate(pod, nominated)
