"""``kplace explain``: why a pod goes where it goes, or nowhere."""

import sys
from typing import TYPE_CHECKING

import click

from kplace.cli.compiling import announce_compiling, needs_compiling
from kplace.cli.console import emit, is_quiet, note, show
from kplace.cli.options import inputs_argument, percentage_option, quiet_option
from kplace.cli.output import TABLE
from kplace.cli.progress import Work
from kplace.cli.scheduler_options import SchedulerChoice, extender_options, scheduler_options

if TYPE_CHECKING:
    import pandas as pd


@click.command(short_help="Show what every node has to say to one pod.")
@inputs_argument
@click.option("--pod", required=True, metavar="NS/NAME", help="The pod; one that has a node is taken off it first.")
@click.option(
    "--top", type=click.IntRange(min=1), metavar="K", help="The K best nodes only, the rejected ones by reason."
)
@click.option("--after-place", is_flag=True, help="Place the waiting pods first, as place does by default.")
@click.option("--raw", is_flag=True, help="Show each plugin's raw and normalised score as well.")
@scheduler_options
@extender_options
@percentage_option
@click.option(
    "--format",
    "form",
    type=click.Choice([TABLE, "json", "csv"]),
    default=TABLE,
    show_default=True,
    help="Tables for people, or a row per node on standard output, raw and normalised scores included.",
)
@quiet_option
def explain(  # noqa: PLR0913 - one parameter an option
    *,
    inputs: tuple[str, ...],
    pod: str,
    top: int | None,
    after_place: bool,
    raw: bool,
    scheduler: SchedulerChoice,
    extenders: str,
    mend_extender_scores: bool,
    percentage_of_nodes_to_score: int | None,
    form: str,
) -> None:
    """Show for every node the first filter that rejects it, and why, or each plugin's score, the total and the rank.

    The pod meets the cluster as it is in the input, without the other waiting pods; with --after-place, as it is when
    they are placed. INPUT is what place takes.
    """
    with Work() as work:
        work.stage("reading")
        import kplace

        compiling = needs_compiling()
        chosen = scheduler.load()
        cluster = kplace.read(*inputs)
        if compiling:
            announce_compiling()
        if after_place:
            work.stage("placing")
            cluster = kplace.place(
                cluster,
                config=chosen.config,
                plugins=chosen.plugins,
                kube_version=chosen.kube_version,
                # To explain a pod is no reason to bind others.
                extenders="ask" if extenders == "call" else extenders,
                mend_extender_scores=mend_extender_scores,
                percentage_of_nodes_to_score=percentage_of_nodes_to_score,
                progress=work.advance,
            ).cluster
        work.stage("scoring")
        nodes = kplace.explain(
            cluster,
            pod,
            top=None if form == TABLE else top,
            config=chosen.config,
            plugins=chosen.plugins,
            kube_version=chosen.kube_version,
            extenders=extenders,
            mend_extender_scores=mend_extender_scores,
            percentage_of_nodes_to_score=percentage_of_nodes_to_score,
        )
    for text in nodes.attrs["notes"]:
        note(text)
    if form != TABLE:
        if nodes.attrs["untried"]:
            note(f"the scheduler does not try {pod}: {nodes.attrs['untried']}")
        emit(lambda: _print_rows(nodes, form))
    elif not is_quiet():
        from kplace.cli.render_explain import View, render_explain

        show(lambda console: render_explain(console, cluster, View(nodes, top, raw)))


def _print_rows(nodes: "pd.DataFrame", form: str) -> None:
    if form == "csv":
        nodes.to_csv(sys.stdout, index=False, lineterminator="\n")
    else:
        nodes.to_json(sys.stdout, orient="records", indent=1)
        sys.stdout.write("\n")
