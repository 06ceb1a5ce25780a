"""``kplace report``: one page about a cluster or a run."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from kplace.cli.console import say
from kplace.cli.output import Output, check_outputs
from kplace.cli.progress import Work
from kplace.cli.question import Question, question_options

if TYPE_CHECKING:
    from kplace.api import Cluster, Placements

RESULT = ".parquet"


@click.command(short_help="Write a page about a cluster or a run, to be opened in a browser.")
@question_options
@click.option("-o", "--out", required=True, metavar="FILE", help="The page: FILE.html.")
@click.option("--as-is", is_flag=True, help="The cluster as it stands: waiting pods are not placed.")
@click.option("--title", default="Cluster report", show_default=True, help="What stands at the top.")
def report(*, question: Question, out: str, as_is: bool, title: str) -> None:
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
        subject: Cluster | Placements | None = _result(question.inputs)
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


def _result(inputs: tuple[str, ...]) -> "Placements | None":
    """The run that a single input holds, if it is the result of one."""
    if len(inputs) != 1 or not inputs[0].endswith(RESULT) or Path(inputs[0]).is_dir():
        return None
    import kplace

    return kplace.read_placements(inputs[0])
