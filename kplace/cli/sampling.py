"""``kplace sampling``: what percentageOfNodesToScore costs."""

import click

from kplace.cli.console import is_quiet, note, show
from kplace.cli.output import TABLE
from kplace.cli.progress import Work
from kplace.cli.question import Question, emit_rows, for_rows, format_option, placing_options, refuse_unused

ROWS = {"percentages": "table", "metrics": "metrics", "pods": "pods"}
EVERY = "all"
_ALL = 100


class _PodsType(click.ParamType[int]):
    """A number of pods, or all of them, which is 0."""

    name = "pods"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        text = str(value)
        if text == EVERY:
            return 0
        if not text.isdecimal() or int(text) < 1:
            self.fail(f'expected a number of pods or "{EVERY}", got {text!r}', param, ctx)
        return int(text)


@click.command(short_help="Say what percentageOfNodesToScore costs in score, and which value to use.")
@placing_options
@click.option(
    "--percentages",
    metavar="P,...",
    help="The percentages to try; 0 adapts to the number of nodes. 100 and what is set now come on top.  "
    "[default: 0,5,10,20,...,100]",
)
@click.option(
    "--pods",
    type=_PodsType(),
    default="300",
    show_default=True,
    metavar="N|all",
    help="At how many pods' turns all nodes are scored, at equal distances in the queue.",
)
@click.option(
    "--tolerance",
    type=click.FloatRange(min=0),
    default=1.0,
    show_default=True,
    metavar="POINTS",
    help="The mean loss that is put up with, in points of the weighted total.",
)
@click.option(
    "--metric",
    "metrics",
    multiple=True,
    metavar="NAME[:RESOURCE]",
    help="What is measured of each run, instead of the usual; may be repeated.",
)
@click.option(
    "--rows",
    type=click.Choice(list(ROWS)),
    default="percentages",
    show_default=True,
    help="Which rows --format json and csv have: by percentage, by percentage and metric, by percentage and pod.",
)
@format_option()
@click.pass_context
def sampling(  # noqa: PLR0913 - one parameter an option
    ctx: click.Context,
    *,
    question: Question,
    percentages: str | None,
    pods: int,
    tolerance: float,
    metrics: tuple[str, ...],
    rows: str,
    form: str,
) -> None:
    """Say what percentageOfNodesToScore costs this cluster in score, and which value to use.

    The waiting pods are placed once with each percentage. A pod's loss is the best total among all feasible nodes, when
    it is the pod's turn, less the total of the node that it got.
    """
    refuse_unused(ctx, for_rows(form, "rows"))
    with Work() as work:
        cluster, scheduling = question.load(work, says_waiting=False)
        work.stage("placing")
        from kplace.analysis.sampling import sampling as ask
        from kplace.analysis.sampling.ask import METRICS

        found = ask(
            cluster,
            percentages=None if percentages is None else _numbers(percentages),
            pods=pods or None,
            tolerance=tolerance,
            metrics=metrics or METRICS,
            progress=work.advance,
            **scheduling,
        )
    known = set(map(str, cluster.notes))
    for item in found.notes:
        if str(item) not in known:
            note(str(item))
    if form != TABLE:
        emit_rows(getattr(found, ROWS[rows]), form)
    elif not is_quiet():
        from kplace.cli.render_sampling import render_sampling

        show(lambda console: render_sampling(console, found))


def _numbers(text: str) -> list[int]:
    parts = [part.strip() for part in text.split(",")]
    wrong = [part for part in parts if not part.isdecimal() or int(part) > _ALL]
    if wrong:
        got = ", ".join(map(repr, wrong))
        msg = f"expected whole numbers from 0 to {_ALL} with commas between them, such as 0,5,10, got {got}"
        raise click.BadParameter(msg, param_hint="'--percentages'")
    return [int(part) for part in parts]
