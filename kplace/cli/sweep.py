"""``kplace sweep``: studies of many runs, and their reports."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from kplace.cli.compiling import announce_compiling, needs_compiling
from kplace.cli.console import emit, is_quiet, note, show, write_text
from kplace.cli.options import quiet_option
from kplace.cli.output import Output, check_apart, check_outputs
from kplace.cli.progress import Work
from kplace.cli.text import counted, one_line

if TYPE_CHECKING:
    from kplace.sweeps import Results
    from kplace.sweeps.description import Report

RESULTS = "results"
"""Folder of results unless another one is named."""
_MOST_ERRORS = 5


class RunByDefault(click.Group):
    """A group that takes what names none of its commands as arguments of ``run``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put ``run`` in front where it was left out."""
        if args and args[0] not in self.commands and args[0] not in ctx.help_option_names:
            args = ["run", *args]
        return super().parse_args(ctx, args)


@click.group(cls=RunByDefault, short_help="Do many runs: configurations, loads, seeds, what-ifs.")
def sweep() -> None:
    """Do the runs of a study, on all cores or on a Dask cluster; the same command goes on where it was stopped.

    `kplace sweep STUDY.toml` is short for `kplace sweep run STUDY.toml`.
    """


@sweep.command(short_help="Do the runs of a study.")
@click.argument("study", metavar="STUDY.toml", type=click.Path())
@click.option(
    "--out",
    metavar="DIR",
    default=RESULTS,
    show_default=True,
    type=click.Path(file_okay=False),
    help="Folder of results: a Parquet dataset, partitioned by study. Runs that it holds are not done again.",
)
@click.option(
    "--workers",
    type=click.IntRange(min=0),
    metavar="N",
    help="Processes to start; 0: none, one run after the other in this one, without Dask.  [default: one a core]",
)
@click.option(
    "--scheduler",
    metavar="ADDRESS|FILE",
    help="Use the workers of a Dask scheduler: its address, tcp://HOST:PORT, or the scheduler file it has written.",
)
@click.option(
    "--memory-limit",
    metavar="SIZE",
    help="Memory of each process that is started, such as 4GiB.  [default: its share of the machine's]",
)
@click.option("--anew", is_flag=True, help="Remove what DIR holds of this study first.")
@quiet_option
def run(
    *, study: str, out: str, workers: int | None, scheduler: str | None, memory_limit: str | None, anew: bool
) -> None:
    """Do all runs of a study that are not done yet.

    A run that raises is recorded with its error and the study goes on; a worker that dies is replaced. Ctrl-C keeps
    what is done.
    """
    with Work() as work:
        work.stage("reading")
        from kplace.sweeps.load import load_study
        from kplace.sweeps.running import Means, Watch, run_study

        loaded = load_study(study)
        if scheduler is None and needs_compiling():
            announce_compiling()
        means = Means(out=out, workers=workers, scheduler=scheduler, memory_limit=memory_limit, anew=anew)
        results = run_study(loaded, means, Watch(work.stage, work.advance, _tell_dashboard))
    failed = results.failed
    for error, number in failed["error"].value_counts(sort=True).head(_MOST_ERRORS).items():
        note(f"{counted(int(number), 'run')} failed: {one_line(error)}")
    if not is_quiet():
        text = (
            f"{results.name}: {counted(results.metrics['run'].nunique(), 'run')}, {len(failed):,} of them failed, "
            f"result {results.study_hash[:12]}\nin {Path(out) / 'metrics' / f'study={results.name}'}\n"
        )
        emit(lambda: write_text(text))


def _tell_dashboard(address: str) -> None:
    if address:
        note(f"Dask's dashboard: {address}")


@sweep.command(short_help="Show what a study came to.")
@click.argument("study", metavar="STUDY", type=click.Path())
@click.option(
    "--out",
    metavar="DIR",
    default=RESULTS,
    show_default=True,
    type=click.Path(file_okay=False),
    help="Folder of results.",
)
@click.option("--html", metavar="FILE", help="Also write a page with the tables and figures.")
@click.option("--figures", metavar="DIR", help="Also write each figure as SVG.")
@quiet_option
def report(*, study: str, out: str, html: str | None, figures: str | None) -> None:
    """Show the best settings, what each axis does, curves with their bands, and what cannot be had both.

    STUDY: the study file, or the name of a study in DIR.
    """
    pages = [Output("--html", Path(html))] if html else []
    pictures = [Output("--figures", Path(figures))] if figures else []
    check_outputs(pages, [study])
    check_apart([*pages, *pictures])
    from kplace.sweeps.report import make_report

    found, about = _found(study, out)
    made = make_report(found, about)
    if html:
        made.write_html(html)
    if figures:
        made.write_figures(figures)
    if not is_quiet():
        from kplace.cli.render_sweep import render_sweep

        show(lambda console: render_sweep(console, made))


def _found(study: str, out: str) -> "tuple[Results, Report | None]":
    from kplace.sweeps import read_sweep
    from kplace.sweeps.load import load_study

    if not Path(study).is_file():
        return read_sweep(out, study), None
    loaded = load_study(study).study
    return read_sweep(out, loaded.name), loaded.report
