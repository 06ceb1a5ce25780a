"""``kplace stability``: what is chance in a placement."""

import click

from kplace.cli.console import is_quiet, note, show
from kplace.cli.output import TABLE
from kplace.cli.progress import Work
from kplace.cli.question import Question, emit_rows, for_rows, format_option, placing_options, refuse_unused

ROWS = ("pods", "nodes", "workloads", "zones", "metrics", "runs")


@click.command(short_help="Place many times, and say what is the same every time and what is chance.")
@placing_options
@click.option(
    "--runs", type=click.IntRange(min=1), default=20, show_default=True, metavar="N", help="How often to place."
)
@click.option(
    "--vary",
    metavar="WHAT,...",
    help="What varies: ties (draws among equal nodes), start (where the first search begins), order (of arrival, among "
    "pods of equal priority).  [default: all of it]",
)
@click.option(
    "--metric",
    "metrics",
    multiple=True,
    metavar="NAME[:RESOURCE]",
    help="What is measured of each run, instead of the usual; may be repeated.",
)
@click.option(
    "--preemption",
    type=click.Choice(["queue", "immediate", "dry-run", "off"]),
    help="As for place.  [default: as the input says, or queue]",
)
@click.option(
    "--rows",
    type=click.Choice(ROWS),
    default="pods",
    show_default=True,
    help="Which rows --format json and csv have: by pod, by pod and node, by workload, by workload and zone, by "
    "metric, by run.",
)
@format_option()
@click.pass_context
def stability(  # noqa: PLR0913 - one parameter an option
    ctx: click.Context,
    *,
    question: Question,
    runs: int,
    vary: str | None,
    metrics: tuple[str, ...],
    preemption: str | None,
    rows: str,
    form: str,
) -> None:
    """Place the waiting pods many times: which node each pod may get, which may stay pending, how far metrics spread.

    The runs differ in what no rule decides: draws among equal nodes, the node at which the first search begins, the
    order in which pods of equal priority arrive. --seed is that of the first run.
    """
    refuse_unused(ctx, for_rows(form, "rows"))
    with Work() as work:
        cluster, scheduling = question.load(work, says_waiting=False)
        work.stage("placing")
        from kplace.analysis.stability import stability as ask

        found = ask(
            cluster,
            runs=runs,
            vary=None if vary is None else [part.strip() for part in vary.split(",") if part.strip()],
            metrics=metrics or None,
            preemption=preemption,
            progress=work.advance,
            **scheduling,
        )
    known = set(map(str, cluster.notes))
    for item in found.notes:
        if str(item) not in known:
            note(str(item))
    if form != TABLE:
        emit_rows(getattr(found, rows), form)
    elif not is_quiet():
        from kplace.cli.render_stability import render_stability

        show(lambda console: render_stability(console, found))
