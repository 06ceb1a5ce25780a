"""``kplace why``: why a pod is pending, and what would let it in."""

import click

from kplace.cli.console import is_quiet, note, show
from kplace.cli.output import TABLE
from kplace.cli.progress import Work
from kplace.cli.question import Question, emit_rows, format_option, question_options
from kplace.cli.text import counted


@click.command(short_help="Say why a pod is pending, and which single changes would let it in.")
@question_options
@click.option("--pod", required=True, metavar="NS/NAME", help="The pod; one that has a node is taken off it first.")
@click.option(
    "--each",
    type=click.IntRange(min=1),
    default=3,
    show_default=True,
    metavar="N",
    help="The most changes of a kind, the smallest first.",
)
@format_option()
def why(*, question: Question, pod: str, each: int, form: str) -> None:
    """Say why a pod is pending: the funnel of filters, and single changes that let it in, each tried by placing again.

    Of the pod: a lower request, a toleration, a rule loosened. Of the cluster: a node uncordoned or labelled, a pod
    evicted, a node more.
    """
    with Work() as work:
        cluster, scheduling = question.load(work, says_waiting=False)
        work.stage("trying")
        from kplace.analysis.why import why as ask

        found = ask(cluster, pod, each=each, **scheduling)
        from kplace.api.finding import find_pod

        waiting = cluster.columns.pods.waiting
        others = int(waiting.sum()) - int(waiting[find_pod(cluster.columns, pod)])
    if others and not question.after_place:
        note(f"{counted(others, 'other waiting pod')} left out; --after-place places them first")
    if form != TABLE:
        emit_rows(found.changes, form)
    elif not is_quiet():
        from kplace.cli.render_why import render_why

        show(lambda console: render_why(console, found))
