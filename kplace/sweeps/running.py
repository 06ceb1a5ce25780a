"""``kplace.sweep``: read a study, do its runs, keep what comes of them."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from kplace.errors import UsageError
from kplace.sweeps.bundle import Bundle
from kplace.sweeps.dataset import Dataset, Memory, remove_results
from kplace.sweeps.executing import Executor, Sequential
from kplace.sweeps.inputs import write_inputs
from kplace.sweeps.load import Given, Loaded, load_study
from kplace.sweeps.results import Results, read_sweep
from kplace.sweeps.runs import Planned, Runner
from kplace.sweeps.sampling import runs_of
from kplace.sweeps.scratch import scratch

Progress = Callable[[int, int], None]
"""Called as runs end with the number of runs that are done, those of earlier commands included, and that of all."""


@dataclass(frozen=True, slots=True)
class Watch:
    """What wants to know how a study goes.

    Attributes
    ----------
    stage : callable
        Told what begins.
    progress : callable
        See `Progress`.
    dashboard : callable
        Told the address of Dask's dashboard, if there is one.
    """

    stage: Callable[[str], None] = lambda _: None
    progress: Progress = lambda _done, _total: None
    dashboard: Callable[[str], None] = lambda _: None


def sweep(
    study: Given,
    *,
    out: str | Path | None = None,
    workers: int | None = None,
    scheduler: str | None = None,
    memory_limit: str | None = None,
    anew: bool = False,
    progress: Progress | None = None,
) -> Results:
    """Do all runs of a study, on Dask unless told otherwise.

    Parameters
    ----------
    study : path or mapping
        A study file, see the reference page on studies; or what it would hold, in which inputs may be clusters.
    out : path, optional
        Folder for the results. Runs that it holds already are not done again. None: they are kept in memory.
    workers : int, optional
        Processes to start on this machine, by default one for each core. 0: none, runs are done one after the other in
        this process, without Dask.
    scheduler : str, optional
        Address of a Dask scheduler that has workers already, or the file it has written; none are started then.
    memory_limit : str, optional
        Memory of each process that is started, such as ``"4GiB"``: one that takes more is replaced, and a run that
        always does so has failed.
    anew : bool
        Remove what ``out`` holds of this study first.
    progress : callable, optional
        Called as runs end with the numbers of runs done, those of earlier times included, and of all runs.

    Returns
    -------
    Results
        Of all runs. Those that raised are in `Results.failed`, with their error.

    Raises
    ------
    InputError
        With every fault of the study, or of its inputs.
    UsageError
        An argument cannot be used, Dask is not installed, or ``out`` holds results that were made of something else.
    OutputError
        The results cannot be written.

    Notes
    -----
    Starting processes runs the main module anew in each: a script has to call this below
    ``if __name__ == "__main__":``.

    Examples
    --------
    >>> study = {"inputs": {"small": {"synth": "small"}}, "axes": {"seed": [0, 1]}, "metrics": ["scheduled", "pending"]}
    >>> sweep(study, workers=0).runs[["seed", "scheduled", "pending"]].to_dict("list")
    {'seed': [0, 1], 'scheduled': [23.0, 23.0], 'pending': [0.0, 0.0]}
    """
    watch = Watch() if progress is None else Watch(progress=progress)
    return run_study(
        load_study(study),
        Means(out=out, workers=workers, scheduler=scheduler, memory_limit=memory_limit, anew=anew),
        watch,
    )


@dataclass(frozen=True, slots=True)
class Means:
    """With what, and where to, the runs of a study are done; the arguments of `sweep`."""

    out: str | Path | None = None
    workers: int | None = None
    scheduler: str | None = None
    memory_limit: str | None = None
    anew: bool = False

    def check(self) -> None:
        """Refuse what does not go together.

        Raises
        ------
        UsageError
        """
        if self.workers is not None and (isinstance(self.workers, bool) or self.workers < 0):
            msg = f"workers: expected a whole number, 0 or more, got {self.workers!r}"
            raise UsageError(msg)
        own = {"workers": self.workers, "memory_limit": self.memory_limit}
        clash = [name for name, value in own.items() if value is not None]
        if self.scheduler is not None and clash:
            msg = f"{clash[0]}: workers of a scheduler that runs already are not started here"
            raise UsageError(msg)


def run_study(loaded: Loaded, means: Means, watch: Watch) -> Results:
    """Do the runs of a study that was read: see `sweep`."""
    means.check()
    name = loaded.study.name
    with scratch(_shared(means)) as folder:
        bundle = folder / "inputs.bundle"
        watch.stage("reading inputs")
        digests = write_inputs(loaded, bundle)
        if means.out is None:
            memory = Memory()
            _run(loaded, means, watch, bundle, set(), memory)
            return Results(name, memory.metrics, memory.frame)
        if means.anew:
            remove_results(Path(means.out), name)
        dataset = Dataset(Path(means.out), name, loaded.study.frames)
        with dataset.writing(loaded.origin(digests)) as done:
            _run(loaded, means, watch, bundle, done, dataset)
    return read_sweep(means.out, name)


def _shared(means: Means) -> Path | None:
    """Folder for the bundle: beside the results, which workers on other machines may well see; None for any."""
    if means.scheduler is None or means.out is None:
        return None
    Path(means.out).mkdir(parents=True, exist_ok=True)
    return Path(means.out)


def _run(loaded: Loaded, means: Means, watch: Watch, bundle: Path, done: set[str], sink: Dataset | Memory) -> None:
    watch.stage("counting runs")
    total = left = 0
    for run, _ in runs_of(loaded.study):
        total += 1
        left += run not in done
    if not left:
        watch.progress(total, total)
        return
    planned: Iterator[Planned] = ((run, given) for run, given in runs_of(loaded.study) if run not in done)
    watch.stage("starting workers" if means.workers != 0 else "running")
    with _executor(means, bundle, left, watch) as executor:
        watch.stage("running")
        watch.progress(total - left, total)
        for batch in executor.batches(planned, left):
            sink.add(batch)
            left -= len(batch.outcomes)
            watch.progress(total - left, total)


@contextmanager
def _executor(means: Means, bundle: Path, left: int, watch: Watch) -> Iterator[Executor]:
    if means.workers == 0:
        yield Sequential(Runner(Bundle(bundle)))
        return
    from kplace.sweeps.pool import Choice, pool

    with pool(Choice(means.scheduler, means.workers, means.memory_limit), bundle, left) as dask:
        watch.dashboard(dask.dashboard)
        yield dask
