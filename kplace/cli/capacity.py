"""``kplace capacity``: how many more pods fit."""

import json
import sys

import click

from kplace.cli.console import emit, is_quiet, show
from kplace.cli.output import TABLE
from kplace.cli.progress import Work
from kplace.cli.question import Question, emit_rows, format_option, question_options

REVIEW = "cluster-capacity"


@click.command(short_help="Say how many more pods fit, and what keeps the next one out.")
@question_options
@click.option("--pods", multiple=True, metavar="FILE", help="A file with pods or controllers: more of these.")
@click.option("--like", multiple=True, metavar="NS/NAME", help="A workload or pod of the cluster: more like it.")
@click.option("--top", type=click.IntRange(min=1), metavar="K", help="Of all workloads, the K with the most pods only.")
@click.option("--together", is_flag=True, help="Let the kinds come in turn, instead of each by itself.")
@click.option("--mix", multiple=True, metavar="NAME=N", help="So many of a kind in each round; implies --together.")
@click.option("--frontier", is_flag=True, help="Of two kinds: how many of the one fit beside so many of the other.")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Stop after N copies, or rounds.")
@click.option("--by", multiple=True, metavar="COLUMN", help="Rows by node, zone, instance_type or label:KEY.")
@format_option(REVIEW)
def capacity(  # noqa: PLR0913 - one parameter an option
    *,
    question: Question,
    pods: tuple[str, ...],
    like: tuple[str, ...],
    top: int | None,
    together: bool,
    mix: tuple[str, ...],
    frontier: bool,
    limit: int | None,
    by: tuple[str, ...],
    form: str,
) -> None:
    """Say how many more pods fit: copies are placed one by one until one finds no node.

    Asks about pods of files (--pods), of workloads (--like), or of every workload. Pods that wait are left waiting,
    unless --after-place places them first. The format cluster-capacity is the JSON report of that tool.
    """
    sizes = dict(map(_part_of_mix, mix))
    with Work() as work:
        cluster, scheduling = question.load(work)
        work.stage("counting")
        from kplace.analysis import capacity as ask

        if frontier:
            points = ask.frontier(cluster, pods=pods, like=like, progress=work.advance, **scheduling)
        else:
            found = ask.capacity(
                cluster,
                pods=pods,
                like=like,
                top=top,
                mix=sizes or together,
                limit=limit,
                progress=work.advance,
                **scheduling,
            )
            rows = found.by(list(by)) if by else found.table
    if frontier:
        if form == TABLE:
            from kplace.cli.render_capacity import render_frontier

            show(lambda console: render_frontier(console, points))
        else:
            emit_rows(points, form)
    elif form == REVIEW:
        emit(lambda: _write_review(found.review()))
    elif form != TABLE:
        emit_rows(rows, form)
    elif not is_quiet():
        from kplace.cli.render_capacity import render_capacity

        show(lambda console: render_capacity(console, found, list(by)))


def _part_of_mix(given: str) -> tuple[str, int]:
    name, sign, number = given.rpartition("=")
    if not sign or not number.isdecimal():
        msg = f"expected NAME=N such as web=3, got {given!r}"
        raise click.BadParameter(msg, param_hint="'--mix'")
    return name, int(number)


def _write_review(review: dict[str, object]) -> None:
    json.dump(review, sys.stdout, indent=1)
    sys.stdout.write("\n")
