"""Simulating a cluster's life on a clock of its own."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import msgspec

from kplace.api.arguments import one_of, seed_of
from kplace.api.cluster import Cluster
from kplace.api.configuring import ConfigSource
from kplace.api.extending import ASK, closing
from kplace.api.history import History, SimulationRun, in_seconds
from kplace.api.plugins import Plugins
from kplace.api.queueing import ASYNC_PREEMPTION, POP_FROM_BACKOFF, backoff_of
from kplace.api.setup import Setup, set_up
from kplace.api.simulation_inputs import Inputs, Table, read_inputs
from kplace.columns import Note
from kplace.config import Configuration
from kplace.config.versions import DEFAULT_VERSION
from kplace.dtypes import PreemptionMode, TieBreak
from kplace.engine.cycle import Options
from kplace.engine.place import without_preemption
from kplace.engine.simulate import Settings, Simulation
from kplace.engine.simulate.binding import RandomBinding
from kplace.engine.simulate.checkpoint import Checkpoint, pack, unpack
from kplace.engine.simulate.history import History as Kept
from kplace.engine.simulate.record import Relay
from kplace.errors import UsageError
from kplace.io.atomic import writing
from kplace.io.timeline import Timeline, nanoseconds
from kplace.io.timeline_log import TimelineLog, end_record
from kplace.queue import SECOND

Progress = Callable[[float, float], None]
"""Called now and then with the simulated seconds that have passed and that there are."""

_OTHER_GATES = frozenset({"SchedulerAsyncAPICalls", "SchedulerQueueingHints"})
"""Gates that may be named, for their default changes nothing here."""

ENGINES = ("batch", "cycle")
TIE_BREAKS = {"random": TieBreak.RANDOM, "first": TieBreak.FIRST}
N_STEPS = 200
"""Samples of the timeline if no step is given."""
CHECKPOINT_STEPS = 10
"""Steps between two checkpoints."""


def simulate(  # noqa: PLR0913 - all but the first are by keyword, and most are left alone
    source: Cluster | str | Path,
    *,
    arrivals: Table | None = None,
    process: Table | None = None,
    node_events: Table | None = None,
    events: str | Path | None = None,
    replay: bool = False,
    until: float | None = None,
    seed: int = 0,
    tie_break: str = "random",
    config: ConfigSource | Configuration | None = None,
    plugins: Plugins = (),
    preemption: bool = True,
    bind_delay: float | None = None,
    bind_jitter: float = 0.0,
    bind_failures: float = 0.0,
    provision_delay: float | None = None,
    provision_jitter: float = 0.0,
    grace: float | None = None,
    cycle_time: float | None = None,
    recreate: bool = False,
    feature_gates: Mapping[str, bool] | None = None,
    kube_version: str = DEFAULT_VERSION,
    engine: str = "batch",
    step: float | None = None,
    log: str | Path | None = None,
    checkpoint: str | Path | None = None,
    resume: str | Path | None = None,
    progress: Progress | None = None,
) -> History:
    """Let pods arrive, be tried, wait, run and leave on a simulated clock, as kube-scheduler's queue would have it.

    All times are seconds since the start.

    Parameters
    ----------
    source : Cluster or path
        What is there at the start: a cluster, or what `kplace.read` takes. Or a timeline: a JSON file with ``objects``
        and ``events``, which also sets what is not given here.
    arrivals : DataFrame or path, optional
        Pods that arrive: a table (``.csv``, ``.parquet``, ``.jsonl``) with the columns of
        `kplace.Cluster.from_frames` and

        - ``at``, ``arrives`` or ``creation_time``: when; or ``created``, times counted from the first of them
        - ``lasts`` or ``duration``, optional: for how long a pod runs once it is bound
        - ``leaves`` or ``deletion_time``, optional: when it is deleted, bound or not

        The pod lists of the OpenB trace are understood as they are.
    process : DataFrame or path, optional
        Kinds of pods that arrive by chance until ``until``: a table with the columns

        - ``pod``: what their names begin with
        - ``rate``: how many arrive in an hour on average
        - ``swing``, optional: by which share of itself, 0 to 1, the rate swings over a day; it is lowest at the start
        - ``lasts``, optional: how long they run on average, exponentially distributed

        and those of ``arrivals``. The draws are the seed's.
    node_events : DataFrame or path, optional
        What happens to nodes: a table with the columns ``at``, ``node`` and ``action``, which is cordon, uncordon,
        drain, fail (the node vanishes, and its pods with it) or remove.
    events : path, optional
        JSON lines, each an object as in a timeline's ``events``: ``{"at": 5, "type": "add", "object": {...}}``.
    replay : bool
        The pods of ``source`` are not there at the start: each arrives at its creationTimestamp, without a node,
        counted from the first of them.
    until : float, optional
        Where it ends. By default at the timeline's end, or once everything has been done and every pod has ended or
        is at rest.
    seed : int
        Decides among equal nodes, and about bindings.
    tie_break : {"random", "first"}
    config, plugins
        As for `kplace.place`.
    preemption : bool
        Pods of a lower priority leave for others.
    bind_delay : float, optional
        How long a binding takes at least.
    bind_jitter : float
        How much longer it takes on average, exponentially distributed.
    bind_failures : float
        The share of bindings that fail, 0 to 1; the pod is forgotten and comes back.
    provision_delay : float, optional
        How long it takes at least until the claims of a pod that has found its node are bound, and volumes that lack
        are made; the pod is bound after that. By default nobody does so, and claims keep waiting.
    provision_jitter : float
        How much longer it takes on average, exponentially distributed.
    grace : float, optional
        From a pod's eviction to its end; by default each pod's terminationGracePeriodSeconds, or 30.
    cycle_time : float, optional
        How long an attempt takes.
    recreate : bool
        Pods with a controller come back, under the same name, if they are evicted or lost with their node.
    feature_gates : mapping of str to bool, optional
        ``SchedulerPopFromBackoffQ`` and ``SchedulerAsyncPreemption`` are understood; they are on since 1.33.
    kube_version : str
        As for `kplace.place`.
    engine : {"batch", "cycle"}
        As for `kplace.place`: both give the same history, the first sooner.
    step : float, optional
        Time between two rows of `History.timeline`; by default there are 200.
    log : path, optional
        JSON file for the record in the schema of the golden timelines.
    checkpoint : path, optional
        File that is written now and then, to go on from if the run is cut off.
    resume : path, optional
        A checkpoint to go on from; all other arguments must be those of the run that wrote it.
    progress : callable, optional

    Returns
    -------
    History

    Raises
    ------
    InputError
        With every fault of every input.
    UsageError
        An argument cannot be used.

    Examples
    --------
    >>> import pandas as pd
    >>> cluster = Cluster.from_frames(pd.DataFrame({"node": ["a"], "cpu": ["2"], "memory": ["4Gi"]}))
    >>> jobs = pd.DataFrame({"pod": ["one", "two"], "cpu": ["2", "2"], "at": [0, 1], "lasts": [10.0, 10.0]})
    >>> simulate(cluster, arrivals=jobs, tie_break="first").pods[["pod", "bound", "attempts"]].to_dict("list")
    {'pod': ['one', 'two'], 'bound': [0.0, 10.0], 'attempts': [1, 2]}
    """
    told = _Told(
        until=until,
        seed=seed_of(seed),
        tie_break=one_of("tie_break", tie_break, tuple(TIE_BREAKS)),
        bind_delay=bind_delay,
        bind_jitter=bind_jitter,
        bind_failures=bind_failures,
        provision_delay=provision_delay,
        provision_jitter=provision_jitter,
        grace=grace,
        cycle_time=cycle_time,
        recreate=recreate,
        preemption=preemption,
        feature_gates=dict(feature_gates or {}),
        kube_version=kube_version,
        step=step,
    )
    told.check()
    if process is not None and until is None:
        msg = "process: pods arrive until the end, so until has to say when that is"
        raise UsageError(msg)
    inputs = Inputs(arrivals, process, node_events, events, replay)
    cluster, timeline = read_inputs(source, inputs, until or 0.0, seed)
    # Bindings are the simulation's own: extenders are asked, but not to bind.
    setup = set_up(cluster, _config(config, timeline), plugins, extenders=ASK, kube_version=kube_version)
    is_swift = one_of("engine", engine, ENGINES) == "batch"
    run = _Run(told, timeline, setup, with_log=log is not None, is_swift=is_swift)
    if resume is not None:
        run.resume(resume)
    with closing(setup.extenders):
        run.go(progress, checkpoint)
    if log is not None:
        with writing(log) as file:
            file.write(msgspec.json.encode(run.log_record()))
    notes = dict.fromkeys((*setup.notes_on(cluster), *timeline.scenario.columns.notes))
    return run.history(tuple(notes))


@dataclass(slots=True)
class _Told:
    """What a run is told beside its inputs."""

    until: float | None
    seed: int
    tie_break: str
    bind_delay: float | None
    bind_jitter: float
    bind_failures: float
    provision_delay: float | None
    provision_jitter: float
    grace: float | None
    cycle_time: float | None
    recreate: bool
    preemption: bool
    feature_gates: dict[str, bool]
    kube_version: str
    step: float | None

    def check(self) -> None:
        """Refuse what cannot be used.

        Raises
        ------
        UsageError
        """
        for name in _SECONDS:
            _check_seconds(name, getattr(self, name))
        if self.step is not None and not self.step > 0:
            msg = f"step: expected seconds, more than 0, got {self.step!r}"
            raise UsageError(msg)
        if not 0 <= self.bind_failures <= 1:
            msg = f"bind_failures: expected a share from 0 to 1, got {self.bind_failures!r}"
            raise UsageError(msg)

    def settings(self, timeline: Timeline, setup: Setup) -> Settings:
        """Settings of the simulation; what is not given is as the timeline has it."""
        gates = timeline.feature_gates | self.feature_gates
        _check_gates(gates)
        return Settings(
            options=Options(
                tie_break=TIE_BREAKS[self.tie_break],
                seed=self.seed,
                percentage_of_nodes_to_score=setup.percentage_of_nodes_to_score,
                preemption=PreemptionMode.QUEUE,
                extenders=setup.extenders,
            ),
            backoff=backoff_of(setup, gates),
            binding=RandomBinding(
                seed=self.seed,
                delay=_either(self.bind_delay, timeline.bind_delay),
                mean_extra=nanoseconds(self.bind_jitter),
                failure_rate=self.bind_failures,
            ),
            provisioning=self._provisioning(),
            grace=timeline.grace if self.grace is None else nanoseconds(self.grace),
            cycle_time=_either(self.cycle_time, timeline.cycle_time),
            preempts_async=gates.get(ASYNC_PREEMPTION, setup.behaviour.preempts_async),
            asks_hints=setup.behaviour.queueing_hints,
            recreates=self.recreate,
        )

    def _provisioning(self) -> RandomBinding | None:
        """Draws of how long volumes take, others than those of bindings."""
        if self.provision_delay is None:
            return None
        return RandomBinding(
            seed=self.seed ^ _PROVISIONING,
            delay=nanoseconds(self.provision_delay),
            mean_extra=nanoseconds(self.provision_jitter),
        )


_SECONDS = ("until", "bind_delay", "bind_jitter", "provision_delay", "provision_jitter", "grace", "cycle_time")
_PROVISIONING = 0x517CC1B7
"""What the seed of provisioning differs in from that of bindings."""


class _Run:
    """A simulation on its way."""

    def __init__(self, told: _Told, timeline: Timeline, setup: Setup, *, with_log: bool, is_swift: bool) -> None:
        settings = replace(told.settings(timeline, setup), is_swift=is_swift)
        profiles = setup.profiles if told.preemption else tuple(map(without_preemption, setup.profiles))
        self._told = told
        self._kept = Kept()
        self._log = TimelineLog(has_cycle_time=settings.cycle_time > 0) if with_log else None
        watcher = self._kept if self._log is None else Relay((self._kept, self._log))
        scenario = timeline.scenario.under_rules(setup.behaviour.pods)
        self._simulation = Simulation(scenario, profiles, settings, watcher)
        until = timeline.until if told.until is None else nanoseconds(told.until)
        self._until = until
        horizon = timeline.scenario.last_time if until is None else until
        self._step = nanoseconds(told.step) if told.step is not None else max(horizon // N_STEPS, SECOND)
        self._next_step = 0
        self._about: dict[str, object] = asdict(told) | {"scenario": timeline.scenario.fingerprint()}

    def go(self, progress: Progress | None, checkpoint: str | Path | None) -> None:
        """Run to the end."""
        horizon = self._simulation.horizon if self._until is None else self._until
        while not self._is_over():
            now = self._next_step if self._until is None else min(self._next_step, self._until)
            self._simulation.run(now)
            self._kept.sample(self._simulation, now)
            self._next_step = now + self._step
            if progress is not None:
                progress(in_seconds(min(now, horizon)), in_seconds(horizon))
            if checkpoint is not None and len(self._kept.samples) % CHECKPOINT_STEPS == 0:
                self._write(checkpoint)

    def resume(self, path: str | Path) -> None:
        """Take the place of the run that wrote a checkpoint."""
        try:
            found = unpack(Path(path).read_bytes())
        except OSError as error:
            msg = f"resume: {path}: {error.strerror or error}"
            raise UsageError(msg) from error
        except UsageError as error:
            msg = str(error).replace("resume:", f"resume: {path}:", 1)
            raise UsageError(msg) from error
        if found.about != self._about:
            differing = [name for name, value in self._about.items() if found.about.get(name) != value]
            msg = f"resume: the checkpoint is of another run: it differs in {', '.join(differing)}"
            raise UsageError(msg)
        assert found.log is None or isinstance(found.log, TimelineLog)
        self._simulation, self._kept, self._log = found.simulation, found.history, found.log
        self._next_step = found.next_step

    def log_record(self) -> dict[str, object]:
        """The record in the schema of the golden timelines."""
        assert self._log is not None
        return self._log.record(self._simulation)

    def history(self, notes: tuple[Note, ...]) -> History:
        """The outcome."""
        run = SimulationRun(
            seed=self._told.seed,
            tie_break=self._told.tie_break,
            kube_version=self._told.kube_version,
            until=in_seconds(self._simulation.clock.now if self._until is None else self._until),
            end=end_record(self._simulation),
        )
        return History(self._kept, run, notes)

    def _is_over(self) -> bool:
        if self._until is not None:
            return bool(self._kept.samples) and self._kept.samples[-1].at >= self._until
        return bool(self._kept.samples) and self._simulation.is_at_rest

    def _write(self, path: str | Path) -> None:
        data = pack(Checkpoint(self._simulation, self._kept, self._log, self._next_step, self._about))
        with writing(path) as file:
            file.write(data)


def _config(given: ConfigSource | Configuration | None, timeline: Timeline) -> ConfigSource | Configuration | None:
    if given is not None or not timeline.config:
        return given
    config = msgspec.json.decode(timeline.config)
    if not isinstance(config, dict):
        msg = "the timeline's config: expected an object"
        raise UsageError(msg)
    return config


def _check_gates(gates: Mapping[str, bool]) -> None:
    for name in gates:
        if name not in {POP_FROM_BACKOFF, ASYNC_PREEMPTION, *_OTHER_GATES}:
            msg = f"feature_gates: {name} cannot be simulated; known are {POP_FROM_BACKOFF} and {ASYNC_PREEMPTION}"
            raise UsageError(msg)
    if not gates.get("SchedulerQueueingHints", True):
        msg = "feature_gates: SchedulerQueueingHints cannot be turned off, as in kube-scheduler 1.34"
        raise UsageError(msg)


def _check_seconds(name: str, given: float | None) -> None:
    if given is not None and not 0 <= given < 10**9:
        msg = f"{name}: expected seconds, 0 or more, got {given!r}"
        raise UsageError(msg)


def _either(given: float | None, otherwise: int) -> int:
    return otherwise if given is None else nanoseconds(given)
