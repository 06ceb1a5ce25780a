"""``kplace report``: one page about a cluster or a run."""

from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from kplace.cli.console import say
from kplace.cli.output import Output, check_outputs
from kplace.cli.progress import Work
from kplace.cli.question import Question, question_options

if TYPE_CHECKING:
    from kplace.api import Cluster, Placements

RESULT = ".parquet"
_OF_RESULTS = {"out", "title", "quiet"}
"""Options that say something of the page, and not of the run."""
_HEAD = 1 << 12


@click.command(short_help="Write a page about a cluster or a run, to be opened in a browser.")
@click.pass_context
@question_options
@click.option("-o", "--out", required=True, metavar="FILE", help="The page: FILE.html.")
@click.option("--as-is", is_flag=True, help="The cluster as it stands: waiting pods are not placed.")
@click.option("--title", default="Cluster report", show_default=True, help="What stands at the top.")
def report(ctx: click.Context, *, question: Question, out: str, as_is: bool, title: str) -> None:
    """Write one page that holds all it needs: how full nodes are, what is stranded, why pods wait, how workloads lie.

    The waiting pods are placed first, as place does. INPUT is what place takes, or one result that place has written
    (--out FILE.parquet).
    """
    path = Path(out)
    if path.suffix not in {".html", ".htm"}:
        msg = f"{path}: expected a name that ends in .html"
        raise click.BadParameter(msg, param_hint="'--out'")
    check_outputs([Output("--out", path)], [*question.inputs, *question.scheduler.files])
    with Work() as work:
        subject: Cluster | Placements | None = _result(ctx, question.inputs)
        if subject is None:
            cluster, scheduling = question.load(work, says_waiting=False)
            subject = cluster
            if not as_is:
                import kplace

                work.stage("placing")
                subject = kplace.place(cluster, **scheduling, progress=work.advance)
        work.stage("writing")
        from kplace.analysis.report import write_report

        write_report(subject, path, title=title)
    say(f"{path} written, {path.stat().st_size / 2**20:,.1f} MiB")


def _result(ctx: click.Context, inputs: tuple[str, ...]) -> "Placements | None":
    """The run that a single input holds, if it is the result of one.

    Raises
    ------
    click.BadParameter
        It is a result that cannot be used so, or an option is given that says how a cluster is placed.
    """
    results = [name for name in inputs if _is_result(name)]
    if not results:
        return None
    name = results[0]
    if not name.endswith(RESULT):
        msg = f"{name}: holds result rows; report takes those that place writes with --out FILE{RESULT}"
        raise click.BadParameter(msg, param_hint="'INPUT...'")
    if len(inputs) > 1:
        msg = (
            f"{name}: is read as the result of a run, which is reported by itself: give it alone, or the cluster alone"
        )
        raise click.BadParameter(msg, param_hint="'INPUT...'")
    unused = [option for option in _given_options(ctx) if option.name not in _OF_RESULTS]
    if unused:
        msg = f"without effect here: {name} is the result of a run, nothing is read or placed anew"
        raise click.BadParameter(msg, param_hint=[max(option.opts, key=len) for option in unused])
    import kplace

    return kplace.read_placements(name)


def _is_result(name: str) -> bool:
    path = Path(name)
    if not path.is_file():
        return False
    if path.suffix == RESULT:
        return True
    from kplace.io.foreign import ROWS, what_else

    with path.open("rb") as file:
        return what_else(file.read(_HEAD)) == ROWS


def _given_options(ctx: click.Context) -> list[click.Parameter]:
    """The options that stand on the command line."""
    return [
        parameter
        for parameter in ctx.command.params
        if isinstance(parameter, click.Option)
        and parameter.name is not None
        and ctx.get_parameter_source(parameter.name) is ParameterSource.COMMANDLINE
    ]
