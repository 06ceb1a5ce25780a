"""``kplace score``: scores of the waiting pods on all nodes, without placing them."""

import io
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kplace.cli.compiling import announce_compiling, needs_compiling
from kplace.cli.console import emit, is_quiet, note, show
from kplace.cli.options import inputs_argument, quiet_option
from kplace.cli.output import TABLE, Output, check_outputs
from kplace.cli.progress import Work
from kplace.cli.scheduler_options import SchedulerChoice, scheduler_options

if TYPE_CHECKING:
    import pandas as pd

    from kplace.api import Scores

DECISIONS, TOP, WIDE, LONG = ROWS = ("decisions", "top", "wide", "long")
_ENDINGS = (".parquet", ".csv", ".json")


@click.command(short_help="Score the waiting pods on all nodes, without placing them.")
@inputs_argument
@click.option("--only", metavar="NS[/SELECTOR]", help='Score these pods only, such as "shop" or "*/app in (web,api)".')
@click.option(
    "--rows",
    type=click.Choice(ROWS),
    default=DECISIONS,
    show_default=True,
    help="A row per pod and what decided; per pod and each of its best nodes; per pod and node; per pod, node and "
    "plugin.",
)
@click.option(
    "--top", "k", type=click.IntRange(min=1), metavar="K", help="Nodes per pod with --rows top.  [default: 10]"
)
@scheduler_options
@click.option(
    "--percentage-of-nodes-to-score",
    type=click.IntRange(0, 100),
    default=100,
    show_default=True,
    metavar="P",
    help="Score a sample only, as the scheduler would in a large cluster; 0 adapts it to the number of nodes.",
)
@click.option(
    "--memory", default="2Gi", show_default=True, metavar="SIZE", help="What arrays and tables may take together."
)
@click.option("--threads", type=click.IntRange(min=1), metavar="N", default=1, show_default=True)
@click.option("--out", metavar="FILE", help="Write the rows (.parquet, .csv, .json).")
@click.option(
    "--format",
    "form",
    type=click.Choice([TABLE, "json", "csv"]),
    default=TABLE,
    show_default=True,
    help="What decided, for people, or the rows on standard output.",
)
@quiet_option
def score(  # noqa: PLR0913 - one parameter an option
    *,
    inputs: tuple[str, ...],
    only: str | None,
    rows: str,
    k: int | None,
    scheduler: SchedulerChoice,
    percentage_of_nodes_to_score: int,
    memory: str,
    threads: int,
    out: str | None,
    form: str,
) -> None:
    """Score each waiting pod on all nodes, as if it were the first to be placed.

    Says for each pod the best node, how far it lies ahead of the next (margin), the plugin that made the difference,
    and the smallest change of one plugin's weight that would let another node win. INPUT is what place takes.
    """
    if k is not None and rows != TOP:
        msg = "only says how many nodes --rows top has of a pod; there is no --rows top"
        raise click.BadParameter(msg, param_hint="'--top'")
    target = None if out is None else _target(out, [*inputs, *scheduler.files])
    with Work() as work:
        work.stage("reading")
        import kplace

        compiling = needs_compiling()
        chosen = scheduler.load()
        cluster = kplace.read(*inputs)
        if compiling:
            announce_compiling()
        work.stage("scoring")
        scores = kplace.score(
            cluster,
            only=only,
            config=chosen.config,
            plugins=chosen.plugins,
            kube_version=chosen.kube_version,
            percentage_of_nodes_to_score=percentage_of_nodes_to_score,
            memory=memory,
            threads=threads,
            progress=work.advance,
        )
        for text in scores.notes:
            note(text)
        if target is not None:
            _write(scores, rows, k or 10, target)
        if form != TABLE:
            table = _table(scores, rows, k or 10)
            work.stage("writing")
            emit(lambda: _print(table, form))
        elif not is_quiet():
            decisions = scores.decisions
    if form == TABLE and not is_quiet():
        from kplace.cli.render_score import render_score

        show(lambda console: render_score(console, scores, decisions))


def _target(name: str, inputs: Sequence[str]) -> Path:
    path = Path(name)
    if path.suffix not in _ENDINGS:
        msg = f"{path}: the ending says nothing; known are {', '.join(_ENDINGS)}"
        raise click.BadParameter(msg, param_hint="'--out'")
    check_outputs([Output("--out", path)], inputs)
    return path


def _table(scores: "Scores", rows: str, k: int) -> "pd.DataFrame":
    if rows == TOP:
        return scores.top(k, ("raw", "normalised", "weighted"))
    if rows == WIDE:
        return scores.wide()
    return scores.long() if rows == LONG else scores.decisions


def _write(scores: "Scores", rows: str, k: int, path: Path) -> None:
    from kplace.io.atomic import writing
    from kplace.io.chunks import write_parquet_pieces

    if path.suffix == ".parquet":
        write_parquet_pieces(scores.pieces(rows) if rows in (WIDE, LONG) else [_table(scores, rows, k)], path)
        return
    table = _table(scores, rows, k)
    with writing(path) as file:
        file.write(_text(table, path.suffix.removeprefix(".")).encode())


def _print(table: "pd.DataFrame", form: str) -> None:
    sys.stdout.write(_text(table, form))


def _text(table: "pd.DataFrame", form: str) -> str:
    text = io.StringIO()
    if form == "csv":
        table.to_csv(text, index=False, lineterminator="\n")
    else:
        table.to_json(text, orient="records", indent=1)
        text.write("\n")
    return text.getvalue()
