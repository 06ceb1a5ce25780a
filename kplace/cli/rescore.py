"""``kplace rescore``: where the scheduler would have the pods today."""

from typing import TYPE_CHECKING

import click

from kplace.cli.console import is_quiet, show
from kplace.cli.output import TABLE
from kplace.cli.progress import Work
from kplace.cli.question import Question, emit_rows, for_rows, format_option, question_options, refuse_unused

if TYPE_CHECKING:
    import pandas as pd

    from kplace.analysis.rescore import Rescore

ROWS = {"pods": "pods", "plugins": "by_plugin", "workloads": "workloads", "moves": "moves", "figures": "figures"}
"""What ``--rows`` names, and the table of the result that it is."""
_TOP = 10


@click.command(short_help="Score pods on nodes against the cluster without them.")
@question_options
@click.option("--namespace", "namespaces", multiple=True, metavar="NAME", help="Pods of this namespace only.")
@click.option("--workload", "workloads", multiple=True, metavar="NS/NAME", help="Pods of this workload only.")
@click.option(
    "--where",
    multiple=True,
    metavar="KEY=VALUE",
    help="Pods on nodes of these only: zone=NAME, instance_type=NAME or a label; all conditions must be met.",
)
@click.option(
    "--moves",
    type=click.IntRange(min=0),
    metavar="N",
    help="How many moves to try, one after another.  [default: as many as do good]",
)
@click.option(
    "--share",
    type=click.FloatRange(min=0, max=1, min_open=True),
    default=0.8,
    show_default=True,
    metavar="X",
    help="Of the gain of all moves, the part that few are to bring.",
)
@click.option("--top", type=click.IntRange(min=1), metavar="N", help="The first N rows only; in the tables 10.")
@click.option(
    "--rows",
    type=click.Choice(list(ROWS)),
    default="pods",
    show_default=True,
    help="Which table --format json and csv write.",
)
@click.option("--sort", metavar="COLUMN", help="Sort the rows by a column of theirs, numbers the largest first.")
@format_option()
@click.pass_context
def rescore(  # noqa: PLR0913 - one parameter an option
    ctx: click.Context,
    *,
    question: Question,
    namespaces: tuple[str, ...],
    workloads: tuple[str, ...],
    where: tuple[str, ...],
    moves: int | None,
    share: float,
    top: int | None,
    rows: str,
    sort: str | None,
    form: str,
) -> None:
    """Score pods on nodes against the cluster without them: which would move today, and how few moves do most.

    Each pod is taken off its node and tried as if it were made anew, with all feasible nodes scored. Its regret is the
    total of the best node less that of its own; it has drifted if a filter rejects its own node now. The moves lower
    the regret of all pods together.
    """
    refuse_unused(ctx, for_rows(form, "rows", "sort"))
    with Work() as work:
        cluster, scheduling = question.load(work)
        work.stage("scoring")
        from kplace.analysis.rescore import rescore as ask

        found = ask(
            cluster,
            namespaces=namespaces,
            workloads=workloads,
            where=where,
            moves=moves,
            share=share,
            progress=lambda done, total: work.advance_named("moving", done, total),
            **scheduling,
        )
        table = _rows(found, rows, sort, top) if form != TABLE else None
    if table is not None:
        emit_rows(table, form)
    elif not is_quiet():
        from kplace.cli.render_rescore import render_rescore

        show(lambda console: render_rescore(console, found, top or _TOP))


def _rows(found: "Rescore", name: str, sort: str | None, top: int | None) -> "pd.DataFrame":
    """A table of the result, sorted and cut as asked for."""
    table: pd.DataFrame = getattr(found, ROWS[name])
    if sort is not None:
        from kplace.analysis.words import known_column

        known_column("sort", sort, [str(column) for column in table.columns])
        rises = not (table[sort].dtype.kind in "biuf" or str(table[sort].dtype) in ("Int64", "Float64"))
        table = table.sort_values(sort, ascending=rises, kind="stable")
    return table if top is None else table.head(top)
