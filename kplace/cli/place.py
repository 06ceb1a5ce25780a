"""``kplace place``: place the waiting pods and show what came of it."""

from pathlib import Path

import click

from kplace.cli.compiling import announce_compiling, needs_compiling
from kplace.cli.console import emit, is_quiet, note, show
from kplace.cli.main import PENDING
from kplace.cli.options import inputs_argument, percentage_option, quiet_option
from kplace.cli.output import FORMATS, TABLE, Output, plan_targets, rows_to_stdout, takes_rows, write_target
from kplace.cli.progress import Work
from kplace.cli.scheduler_options import SchedulerChoice, extender_options, scheduler_options


@click.command(short_help="Place the waiting pods and show what comes of it.")
@inputs_argument
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    metavar="N",
    help="Seed of the draws among equal nodes.",
)
@click.option(
    "--tie-break",
    type=click.Choice(["random", "first"]),
    default="random",
    show_default=True,
    help="Which of several best nodes is taken: any of them, as kube-scheduler does, or the first found.",
)
@scheduler_options
@extender_options
@percentage_option
@click.option(
    "--start-index",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    metavar="N",
    help="Position of the node at which the first search begins, of a scheduler that has been running for a while.",
)
@click.option(
    "--preemption",
    type=click.Choice(["queue", "immediate", "dry-run", "off"]),
    help="For a pod that fits nowhere: let pods of lower priority leave in their time and try again as kube-scheduler "
    "would, or take them away and try it again at once, or only say which ones, or do not ask.  "
    "[default: as the input says, or queue]",
)
@click.option(
    "--engine",
    type=click.Choice(["batch", "cycle"]),
    default="batch",
    show_default=True,
    help="One compiled loop over the pods, or the readable engine, pod by pod and plugin by plugin. Both give the same "
    "result, as the hash that is printed shows; what the loop does not know takes the readable way anyway.",
)
@click.option("--only", metavar="NS[/SELECTOR]", help='Try these pods only, such as "shop" or "*/app in (web,api)".')
@click.option(
    "--out",
    multiple=True,
    metavar="FILE|DIR",
    help="Also write result rows (.parquet, .json, .csv), or the cluster with every placed pod's spec.nodeName set, "
    "ready to be read again (.yaml, .dump.json, or a folder: DIR/). May be repeated.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default=TABLE,
    show_default=True,
    help="A summary for people, or the result rows on standard output (where an --out file takes them: only there).",
)
@click.option(
    "--trace", metavar="FILE", help="Write what was decided in every attempt, and from what, as JSON (.gz by name)."
)
@click.option(
    "--trace-detail",
    type=click.Choice(["full", "counts"]),
    help="Every node's verdicts and scores, or numbers only.  [default: full]",
)
@click.option("--fail-on-pending", is_flag=True, help="Exit with code 1 if a pod that was tried found no node.")
@quiet_option
@click.pass_context
def place(  # noqa: PLR0913 - one parameter an option
    ctx: click.Context,
    *,
    inputs: tuple[str, ...],
    seed: int,
    tie_break: str,
    scheduler: SchedulerChoice,
    extenders: str,
    mend_extender_scores: bool,
    percentage_of_nodes_to_score: int | None,
    start_index: int,
    preemption: str | None,
    engine: str,
    only: str | None,
    out: tuple[str, ...],
    form: str,
    trace: str | None,
    trace_detail: str | None,
    fail_on_pending: bool,
) -> None:
    """Place the waiting pods of a cluster in the scheduler's order.

    INPUT: files, folders, globs, or - for standard input; any mix of kubectl dumps and manifests as JSON or YAML,
    plain, .gz or .zst. Controllers become the pods they still lack.
    """
    if trace_detail and not trace:
        msg = "only says what --trace FILE writes; there is no --trace"
        raise click.BadParameter(msg, param_hint="'--trace-detail'")
    traces = [Output("--trace", Path(trace))] if trace else []
    targets = plan_targets(out, form, [*inputs, *scheduler.files], traces)
    with Work() as work:
        work.stage("reading")
        import kplace

        compiling = needs_compiling()
        chosen = scheduler.load()
        cluster = kplace.read(*inputs)
        if compiling:
            announce_compiling()
        work.stage("placing")
        placements = kplace.place(
            cluster,
            seed=seed,
            tie_break=tie_break,
            config=chosen.config,
            plugins=chosen.plugins,
            kube_version=chosen.kube_version,
            extenders=extenders,
            mend_extender_scores=mend_extender_scores,
            percentage_of_nodes_to_score=percentage_of_nodes_to_score,
            start_index=start_index,
            preemption=preemption,
            engine=engine,
            only=only,
            trace=trace,
            trace_detail=trace_detail or "full",
            progress=work.advance,
        )
        for item in placements.notes:
            note(str(item))
        work.stage("writing")
        for target in targets:
            write_target(placements, target)
    if form != TABLE:
        if not takes_rows(targets, form):
            emit(lambda: rows_to_stdout(placements, form))
    elif not is_quiet():
        from kplace.cli.render_summary import render_summary

        show(lambda console: render_summary(console, placements))
    if fail_on_pending and placements.summary().pending:
        ctx.exit(PENDING)
