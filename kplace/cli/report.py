"""``kplace report``: one page about a cluster, a run, a simulation or a study."""

from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from kplace.cli.console import say
from kplace.cli.output import Output, check_outputs
from kplace.cli.progress import Work
from kplace.cli.question import Question, placing_options
from kplace.cli.result_input import read_result

if TYPE_CHECKING:
    from kplace.api import Cluster, HistoryTables, Placements
    from kplace.sweeps.results import Results

_OF_RESULTS = {"out", "title", "quiet"}
"""Options that say something of the page, and not of the run."""


@click.command(short_help="Write a page about a cluster or a result, to be opened in a browser.")
@click.pass_context
@placing_options
@click.option("-o", "--out", required=True, metavar="FILE", help="The page: FILE.html.")
@click.option(
    "--as-is", is_flag=True, help="The cluster as it stands; without it, waiting pods are placed first, as place does."
)
@click.option("--title", metavar="TEXT", help="What stands at the top.  [default: Cluster report; of a study its name]")
def report(ctx: click.Context, *, question: Question, out: str, as_is: bool, title: str | None) -> None:
    """Write one page that holds all it needs: how full nodes are, what is stranded, why pods wait, how workloads lie.

    The waiting pods are placed first, as place does. INPUT is what place takes, or one result: a file that place has
    written (--out FILE.parquet or FILE.json), or a folder that simulate has (--out DIR). Of a folder that sweep run has
    (--out DIR) it is the page that sweep report --html writes of the study.
    """
    path = Path(out)
    if path.suffix not in {".html", ".htm"}:
        msg = f"{path}: expected a name that ends in .html"
        raise click.BadParameter(msg, param_hint="'--out'")
    check_outputs([Output("--out", path)], [*question.inputs, *question.scheduler.files])
    idle = [option for option in _given_options(ctx) if option.name not in {*_OF_RESULTS, "as_is"}]
    with Work() as work:
        subject: Cluster | Placements | HistoryTables | Results | None = _result(ctx, question.inputs)
        if subject is None:
            if as_is and idle:
                msg = "without effect here: with --as-is nothing is placed"
                raise click.BadParameter(msg, param_hint=[max(option.opts, key=len) for option in idle])
            cluster, scheduling = question.load(work, says_waiting=False)
            subject = cluster
            if not as_is:
                import kplace

                work.stage("placing")
                subject = kplace.place(cluster, **scheduling, progress=work.advance)
        work.stage("writing")
        _write(subject, path, title)
    from kplace.cli.render import binary

    say(f"{path} written, {binary(path.stat().st_size)}")


def _write(subject: "Cluster | Placements | HistoryTables | Results", path: Path, title: str | None) -> None:
    from kplace.api import Cluster, HistoryTables, Placements

    if isinstance(subject, Cluster | Placements | HistoryTables):
        from kplace.analysis.report import write_report

        write_report(subject, path, title=title or "Cluster report")
    else:
        from kplace.sweeps.report import make_report

        make_report(subject).write_html(path, title or "")


def _result(ctx: click.Context, inputs: tuple[str, ...]) -> "Placements | HistoryTables | Results | None":
    """The run, the simulation or the study that a single input holds, if it is the result of one.

    Raises
    ------
    click.BadParameter
        It is a result that cannot be used so, or an option is given that says how a cluster is placed.
    """
    found = [(name, result) for name in inputs if (result := read_result(name)) is not None]
    if not found:
        return None
    name, result = found[0]
    if len(inputs) > 1:
        msg = f"{name}: is a result, which is reported by itself: give it alone, or the cluster alone"
        raise click.BadParameter(msg, param_hint="'INPUT...'")
    unused = [option for option in _given_options(ctx) if option.name not in _OF_RESULTS]
    if unused:
        msg = f"without effect here: {name} is a result, nothing is read or placed anew"
        raise click.BadParameter(msg, param_hint=[max(option.opts, key=len) for option in unused])
    return result


def _given_options(ctx: click.Context) -> list[click.Parameter]:
    """The options that stand on the command line."""
    return [
        parameter
        for parameter in ctx.command.params
        if isinstance(parameter, click.Option)
        and parameter.name is not None
        and ctx.get_parameter_source(parameter.name) is ParameterSource.COMMANDLINE
    ]
