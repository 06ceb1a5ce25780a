"""Doing runs on Dask: the only importer of distributed.

The commands that start workers have them compile nothing twice: the first process of a machine that finds no kernels
compiles them while the others wait.
"""

import logging
import signal
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import resource_tracker
from pathlib import Path
from typing import Any
from uuid import uuid4

from kplace.errors import UsageError
from kplace.sweeps.bundle import BundleError
from kplace.sweeps.executing import Portions
from kplace.sweeps.runs import Batch, Outcome, Planned
from kplace.sweeps.worker import Shipment, do, is_there, prepare

try:
    import dask
    import distributed
    from dask.system import CPU_COUNT
except ImportError as _error:
    _msg = "a study on several processes needs Dask: pip install 'kplace[sweep]', or give workers=0"
    raise UsageError(_msg) from _error

WINDOW = 3
"""Portions that are on their way for each worker: one is done, one waits with the worker, one is being replaced."""
QUIET = {"distributed.worker.profile.enabled": False, "distributed.admin.system-monitor.interval": "5s"}
"""Settings of processes of our own: what looks at them a hundred times a second costs more than it tells."""
RETRIES = 2
"""How often a portion is sent again that got lost, not counting those times that Dask does so itself."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Where runs are done.

    Attributes
    ----------
    scheduler : str or None
        Address of a scheduler, or the file it has written; None for workers of one's own on this machine.
    workers : int or None
        Processes of one's own; by default one for each core.
    memory_limit : str or None
        Memory of each of them, such as ``"4GiB"``; by default its share of the machine's.
    """

    scheduler: str | None = None
    workers: int | None = None
    memory_limit: str | None = None


@contextmanager
def pool(choice: Choice, bundle: Path, runs: int) -> Iterator["Pool"]:
    """Connect to workers, or start some, which are stopped at the end.

    Parameters
    ----------
    choice : Choice
    bundle : Path
        What runs need.
    runs : int
        How many there are: no more processes are started than that.

    Raises
    ------
    UsageError
        There is no scheduler at the address.
    """
    if choice.scheduler is None:
        with _own_cluster(choice, runs) as cluster, distributed.Client(cluster) as client:
            shipment = Shipment.by_path(bundle)
            client.run(prepare, shipment)
            yield Pool(client, shipment)
        return
    with _client(choice.scheduler) as client:
        client.wait_for_workers(1)
        seen = client.run(is_there, str(bundle))
        shipment = Shipment.by_path(bundle) if all(seen.values()) else Shipment.of_bytes(bundle)
        client.register_plugin(Delivery(shipment))
        try:
            client.run(prepare, shipment.without_bytes(), on_error="ignore")
            yield Pool(client, shipment.without_bytes())
        finally:
            with suppress(Exception):  # the scheduler may be gone, which is no matter any more
                client.unregister_worker_plugin(Delivery.name)


@contextmanager
def _own_cluster(choice: Choice, runs: int) -> Iterator["distributed.LocalCluster"]:
    with _shielded(), dask.config.set(QUIET):
        cluster = distributed.LocalCluster(
            n_workers=min(choice.workers or CPU_COUNT, runs),
            threads_per_worker=1,
            processes=True,
            memory_limit=choice.memory_limit or "auto",
            dashboard_address=":0",
            # A worker that was killed, for want of memory say, is replaced; there is nothing to warn of.
            silence_logs=logging.CRITICAL,
        )
    with cluster:
        yield cluster


@contextmanager
def _shielded() -> Iterator[None]:
    """Within it, Ctrl-C waits; threads and processes that begin there never get it, nor do those that they begin.

    It goes to every process of a terminal. Workers have to outlive it, so that the command can end them in order.
    """
    # Starting it, as the first process would, lets interrupts through again.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _client(scheduler: str) -> "distributed.Client":
    try:
        if "://" in scheduler:
            return distributed.Client(scheduler, timeout=20)
        if ":" in scheduler and not Path(scheduler).exists():
            return distributed.Client(f"tcp://{scheduler}", timeout=20)
        return distributed.Client(scheduler_file=str(Path(scheduler).resolve(strict=True)), timeout=20)
    except (OSError, TimeoutError, ValueError) as error:
        msg = f"scheduler: {scheduler}: cannot be reached: {error}"
        raise UsageError(msg) from error


class Delivery(distributed.WorkerPlugin):  # type: ignore[misc] # distributed is not typed
    """Brings each worker what runs need, also one that comes later.

    Parameters
    ----------
    shipment : Shipment
    """

    name = "kplace-sweep"

    def __init__(self, shipment: Shipment) -> None:
        self._shipment = shipment

    def setup(self, worker: object) -> None:
        """Unpack it on the worker's machine."""
        self._shipment.unpack()


class Pool:
    """Does runs on the workers of a client: see `kplace.sweeps.executing.Executor`.

    Attributes
    ----------
    dashboard : str
        Address of Dask's dashboard; empty if it has none.
    """

    def __init__(self, client: Any, shipment: Shipment) -> None:  # noqa: ANN401 - distributed is not typed
        self._client = client
        self._shipment = shipment
        self.dashboard: str = client.dashboard_link if _has_dashboard() else ""

    @property
    def workers(self) -> int:
        """Threads of all workers that there are now."""
        return max(sum(self._client.nthreads().values()), 1)

    def batches(self, planned: Iterator[Planned], total: int) -> Iterator[Batch]:
        """Do runs, a bounded number of portions at a time."""
        portions = Portions(planned, total, self.workers)
        suspects: list[Planned] = []
        under_way = _UnderWay(self._client, self._shipment)
        try:
            while True:
                while len(under_way) < WINDOW * self.workers and (portion := portions.next()):
                    under_way.send(portion)
                # Who else is sent to a worker that dies is under suspicion too: each gets to show alone who it was.
                is_last = bool(not under_way and suspects)
                if is_last:
                    under_way.send([suspects.pop()])
                if not under_way:
                    return
                for portion, result in under_way.ended():
                    if isinstance(result, Batch):
                        portions.learn(result)
                        yield result
                    elif not is_last and isinstance(result, distributed.KilledWorker):
                        suspects += portion
                    else:
                        yield _failed(portion, result)
        finally:
            under_way.cancel()


class _UnderWay:
    """Portions that have been sent to workers.

    Parameters
    ----------
    client : distributed.Client
    shipment : Shipment
    """

    def __init__(self, client: Any, shipment: Shipment) -> None:  # noqa: ANN401 - distributed is not typed
        self._client = client
        self._shipment = shipment
        self._ended = distributed.as_completed([], with_results=True, raise_errors=False)
        self._sent: dict[Any, tuple[list[Planned], int]] = {}

    def __len__(self) -> int:
        return len(self._sent)

    def send(self, portion: list[Planned], tries: int = 0) -> None:
        """Send a portion."""
        key = f"kplace-sweep-{uuid4().hex}"
        future = self._client.submit(do, self._shipment, portion, key=key, pure=False)
        self._sent[future] = (portion, tries)
        self._ended.add(future)

    def ended(self) -> Iterator[tuple[list[Planned], Batch | BaseException]]:
        """Wait for portions: each with what came of it, or why nothing did. What got lost is sent again.

        Raises
        ------
        BundleError
            A worker cannot get at the clusters.
        """
        for future, result in self._ended.next_batch():
            portion, tries = self._sent.pop(future)
            if isinstance(result, Batch):
                yield portion, result
                continue
            error = future.exception() if future.status == "error" else CancelledError("the workers were lost")
            if isinstance(error, BundleError):
                raise error
            if isinstance(error, distributed.KilledWorker) or tries >= RETRIES:
                yield portion, error
            else:
                self.send(portion, tries + 1)

    def cancel(self) -> None:
        """Let go of what is under way."""
        self._client.cancel(list(self._sent))


def _failed(portion: list[Planned], error: BaseException) -> Batch:
    words = f"{type(error).__name__}: {error}"
    if isinstance(error, distributed.KilledWorker):
        words = "the workers that did it died each time, perhaps for want of memory"
    return Batch([Outcome(run, parameters, {}, "", 0.0, words) for run, parameters in portion], {}, 0.0)


def _has_dashboard() -> bool:
    try:
        import bokeh  # noqa: F401 - whether it is installed
    except ImportError:
        return False
    return True
