"""``kplace drain``: what becomes of pods when nodes go."""

import click

from kplace.cli.console import is_quiet, show
from kplace.cli.main import PENDING
from kplace.cli.output import TABLE
from kplace.cli.progress import Work
from kplace.cli.question import Question, emit_rows, format_option, question_options


@click.command(short_help="Take nodes away, and say where their pods go.")
@question_options
@click.option("--node", "nodes", multiple=True, metavar="NAME", help="A node that goes.")
@click.option(
    "--where",
    multiple=True,
    metavar="KEY=VALUE",
    help="Nodes that go: zone=NAME, instance_type=NAME or a label; all conditions must be met.",
)
@click.option("--all", "each", is_flag=True, help="Try every node on its own, and find many that can go together.")
@click.option("--fail", is_flag=True, help="The nodes fail all at once, instead of being drained one after another.")
@click.option(
    "--preemption",
    type=click.Choice(["dry-run", "immediate", "off"]),
    default="dry-run",
    show_default=True,
    help="Whether pods that find no node may push others out, at the end.",
)
@click.option("--fail-on-pending", is_flag=True, help="Exit with code 1 if a pod finds no other node.")
@format_option()
@click.pass_context
def drain(  # noqa: PLR0913 - one parameter an option
    ctx: click.Context,
    *,
    question: Question,
    nodes: tuple[str, ...],
    where: tuple[str, ...],
    each: bool,
    fail: bool,
    preemption: str,
    fail_on_pending: bool,
    form: str,
) -> None:
    """Take nodes away: where their pods go, what stays pending and why, which disruption budgets are in the way.

    The nodes are cordoned and drained one after another, those without a blocking budget first. With --all each node is
    tried by itself. Pods of DaemonSets and static pods end with their node.
    """
    if each and (nodes or where or fail):
        msg = "tries every node on its own; it goes with neither --node nor --where nor --fail"
        raise click.BadParameter(msg, param_hint="'--all'")
    with Work() as work:
        cluster, scheduling = question.load(work)
        work.stage("draining")
        from kplace.analysis import drain as ask

        if each:
            tried = ask.drain_each(cluster, progress=work.advance, **scheduling)
        else:
            found = ask.drain(cluster, nodes, where=where, fail=fail, preemption=preemption, **scheduling)
    if form != TABLE:
        emit_rows(tried.nodes if each else found.pods, form)
    elif not is_quiet():
        from kplace.cli.render_drain import render_drain, render_each

        show(lambda console: render_each(console, tried) if each else render_drain(console, found, fail=fail))
    if fail_on_pending and (int(tried.pending.sum()) if each else found.pending):
        ctx.exit(PENDING)
